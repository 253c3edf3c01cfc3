# By hand: Debian keeps OpenCV's own CMake files in a package that brings all of it, with half a gigabyte of others.
find_path(OPENCV_INCLUDE_DIR opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4 REQUIRED)
foreach(module core imgproc imgcodecs)
  find_library(OPENCV_${module}_LIBRARY opencv_${module} REQUIRED)
endforeach()

file(GLOB DSK_DESCRIBE_SOURCES CONFIGURE_DEPENDS src/describe/*.cpp)
add_library(dsk_describe ${DSK_DESCRIBE_SOURCES})
add_library(dsk::describe ALIAS dsk_describe)
dsk_hide_internals(dsk_describe)
target_include_directories(dsk_describe PRIVATE src)
target_include_directories(dsk_describe SYSTEM PRIVATE ${OPENCV_INCLUDE_DIR})
target_link_libraries(dsk_describe PUBLIC dsk
                      PRIVATE OpenMP::OpenMP_CXX PkgConfig::HWY ZLIB::ZLIB fmt::fmt opencv_core opencv_imgproc opencv_imgcodecs
                      $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:dsk_warnings>)
target_compile_definitions(dsk_describe PRIVATE EIGEN_DONT_PARALLELIZE)
set_target_properties(dsk_describe PROPERTIES EXPORT_NAME describe UNITY_BUILD OFF VERSION ${PROJECT_VERSION}
                      SOVERSION ${DSK_SOVERSION} DEFINE_SYMBOL "")
