# The experiments of the paper: a library of its own because they read images.
file(GLOB DSK_EXPERIMENT_SOURCES CONFIGURE_DEPENDS src/experiment/*.cpp)
# Results name the commit that they were computed with; empty outside a checkout, as in a source archive. After a commit
# only this small file is compiled again.
set(DSK_COMMIT "")
find_package(Git QUIET)
if(GIT_FOUND)
  set(git ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR})
  # An archive may have been unpacked inside another checkout.
  execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE checkout OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(checkout STREQUAL PROJECT_SOURCE_DIR)
    execute_process(COMMAND ${git} describe --always --dirty --abbrev=10 "--exclude=*"
                    OUTPUT_VARIABLE DSK_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} rev-parse --path-format=absolute --git-path logs/HEAD
                    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(EXISTS "${log}")
      set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
    endif()
  endif()
endif()
configure_file(cmake/commit.cpp.in ${PROJECT_BINARY_DIR}/commit.cpp @ONLY)
set_source_files_properties(${PROJECT_BINARY_DIR}/commit.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

add_library(dsk_experiment ${DSK_EXPERIMENT_SOURCES} ${PROJECT_BINARY_DIR}/commit.cpp)
add_library(dsk::experiment ALIAS dsk_experiment)
dsk_compile_in_units(dsk_experiment)
dsk_hide_internals(dsk_experiment)
target_include_directories(dsk_experiment PRIVATE src)
target_include_directories(dsk_experiment SYSTEM PRIVATE ${BOOST_INCLUDE_DIR})
target_link_libraries(dsk_experiment PUBLIC dsk dsk_describe
                      PRIVATE OpenMP::OpenMP_CXX fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
                      $<BUILD_INTERFACE:dsk_warnings>)
target_compile_definitions(dsk_experiment PRIVATE EIGEN_DONT_PARALLELIZE)
set_target_properties(dsk_experiment PROPERTIES EXPORT_NAME experiment VERSION ${PROJECT_VERSION}
                      SOVERSION ${DSK_SOVERSION} DEFINE_SYMBOL "")
