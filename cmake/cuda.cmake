# The pair engine on a CUDA device, or the twin that says that it is not there.
if(DSK_WITH_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    # Machine code for Hopper; what else has tensor cores for double precision compiles its own when it starts.
    set(CMAKE_CUDA_ARCHITECTURES 80-virtual 90-real CACHE STRING "Devices to compile for")
  endif()
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  file(GLOB DSK_CUDA_SOURCES CONFIGURE_DEPENDS src/engine/cuda/*.cu)
  # Without contraction: pairs of equal matrices must get the bits of the single one (see numerics.cuh). The standard by
  # hand: CMake 3.25 does not know that nvcc has it. The suppressed warning is about annotations in Eigen.
  set_source_files_properties(${DSK_CUDA_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_OPTIONS "-std=c++20;-fmad=false;--expt-relaxed-constexpr;-diag-suppress=20012")
  add_library(dsk_cuda OBJECT ${DSK_CUDA_SOURCES})
  target_include_directories(dsk_cuda PRIVATE include src)
  target_link_libraries(dsk_cuda PRIVATE Eigen3::Eigen)
  set_target_properties(dsk_cuda PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}" CUDA_STANDARD_REQUIRED OFF)
  target_sources(dsk PRIVATE $<TARGET_OBJECTS:dsk_cuda>)
  target_link_libraries(dsk PRIVATE CUDA::cudart_static)
else()
  target_sources(dsk PRIVATE src/engine/cuda/pair_engine_none.cpp)
endif()
