# The experiments of the paper: a library of its own because they read images.
file(GLOB DSK_EXPERIMENT_SOURCES CONFIGURE_DEPENDS src/experiment/*.cpp)
add_library(dsk_experiment ${DSK_EXPERIMENT_SOURCES})
add_library(dsk::experiment ALIAS dsk_experiment)
dsk_hide_internals(dsk_experiment)
target_include_directories(dsk_experiment PRIVATE src)
target_include_directories(dsk_experiment SYSTEM PRIVATE ${BOOST_INCLUDE_DIR})
target_link_libraries(dsk_experiment PUBLIC dsk dsk_describe
                      PRIVATE OpenMP::OpenMP_CXX fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
                      $<BUILD_INTERFACE:dsk_warnings>)
target_compile_definitions(dsk_experiment PRIVATE EIGEN_DONT_PARALLELIZE)
set_target_properties(dsk_experiment PROPERTIES EXPORT_NAME experiment UNITY_BUILD ${DSK_UNITY} VERSION ${PROJECT_VERSION}
                      SOVERSION ${DSK_SOVERSION} DEFINE_SYMBOL "")
