# `dsk`, and what it calls: `dsk-describe` for what needs OpenCV, `dsk-mpi` where mpirun started several.
find_package(CLI11 REQUIRED)
file(GLOB DSK_CLI_SOURCES CONFIGURE_DEPENDS cli/*.cpp)
list(FILTER DSK_CLI_SOURCES EXCLUDE REGEX "/launch_describe\\.cpp$")
add_library(dsk_commands OBJECT ${DSK_CLI_SOURCES})
# In few large units: most of their time would go into the templates of CLI11 and JSON.
dsk_compile_in_units(dsk_commands)
target_include_directories(dsk_commands PUBLIC cli)
target_link_libraries(dsk_commands PUBLIC dsk::dsk CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX
                      dsk_warnings)

add_executable(dsk_cli cli/launch_describe.cpp cli/mpi/none.cpp)
set_target_properties(dsk_cli PROPERTIES OUTPUT_NAME dsk)
target_link_libraries(dsk_cli PRIVATE dsk_commands)

if(DSK_BUILD_DESCRIBE)
  file(GLOB DSK_CLI_DESCRIBE_SOURCES CONFIGURE_DEPENDS cli/describe/*.cpp)
  add_executable(dsk_describe_cli ${DSK_CLI_DESCRIBE_SOURCES} cli/mpi/none.cpp)
  set_target_properties(dsk_describe_cli PROPERTIES OUTPUT_NAME dsk-describe)
  target_link_libraries(dsk_describe_cli PRIVATE dsk_commands dsk::experiment)
  add_dependencies(dsk_cli dsk_describe_cli)
endif()

if(DSK_WITH_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  add_executable(dsk_mpi_cli cli/mpi/mpi_team.cpp cli/mpi/job.cpp cli/mpi/one_process.cpp)
  set_target_properties(dsk_mpi_cli PROPERTIES OUTPUT_NAME dsk-mpi)
  target_link_libraries(dsk_mpi_cli PRIVATE dsk_commands MPI::MPI_CXX OpenMP::OpenMP_CXX)
  add_dependencies(dsk_cli dsk_mpi_cli)
endif()

# The manual and what shells complete, from the program's own table of commands.
if(NOT DSK_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(DSK_MANUAL ${PROJECT_BINARY_DIR}/manual)
  file(MAKE_DIRECTORY ${DSK_MANUAL})
  add_custom_command(TARGET dsk_cli POST_BUILD
                     COMMAND dsk_cli manual man > ${DSK_MANUAL}/dsk.1
                     COMMAND dsk_cli manual bash > ${DSK_MANUAL}/dsk
                     COMMAND dsk_cli manual zsh > ${DSK_MANUAL}/_dsk
                     COMMAND dsk_cli manual fish > ${DSK_MANUAL}/dsk.fish
                     COMMENT "Writing the manual" VERBATIM)
endif()
