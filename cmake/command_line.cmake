# `dsk`, and `dsk-describe`, which it calls for what needs OpenCV.
find_package(CLI11 REQUIRED)
file(GLOB DSK_CLI_SOURCES CONFIGURE_DEPENDS cli/*.cpp)
list(FILTER DSK_CLI_SOURCES EXCLUDE REGEX "/launch_describe\\.cpp$")
add_library(dsk_commands OBJECT ${DSK_CLI_SOURCES})
# In few large units: most of their time would go into the templates of CLI11 and JSON.
set_target_properties(dsk_commands PROPERTIES UNITY_BUILD ON)
target_include_directories(dsk_commands PUBLIC cli)
target_link_libraries(dsk_commands PUBLIC dsk::dsk CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json dsk_warnings)

add_executable(dsk_cli cli/launch_describe.cpp)
set_target_properties(dsk_cli PROPERTIES OUTPUT_NAME dsk)
target_link_libraries(dsk_cli PRIVATE dsk_commands)

if(DSK_BUILD_DESCRIBE)
  file(GLOB DSK_CLI_DESCRIBE_SOURCES CONFIGURE_DEPENDS cli/describe/*.cpp)
  add_executable(dsk_describe_cli ${DSK_CLI_DESCRIBE_SOURCES})
  set_target_properties(dsk_describe_cli PROPERTIES OUTPUT_NAME dsk-describe)
  target_link_libraries(dsk_describe_cli PRIVATE dsk_commands dsk::experiment)
  add_dependencies(dsk_cli dsk_describe_cli)
endif()
