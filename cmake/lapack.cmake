# LAPACK for large matrices, or the twin that says that it is not there.
if(DSK_WITH_LAPACK STREQUAL "AUTO" OR DSK_WITH_LAPACK)
  # By its own name: liblapack may be the reference implementation, which is slower than our own code.
  find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
endif()
if(OPENBLAS_LIBRARY AND DSK_WITH_LAPACK)
  target_link_libraries(dsk PRIVATE ${OPENBLAS_LIBRARY})
  target_sources(dsk PRIVATE src/machine/lapack.cpp)
elseif(DSK_WITH_LAPACK AND NOT DSK_WITH_LAPACK STREQUAL "AUTO")
  message(FATAL_ERROR "DSK_WITH_LAPACK is ON, but there is no OpenBLAS: install libopenblas-pthread-dev, or use AUTO or OFF")
else()
  target_sources(dsk PRIVATE src/machine/lapack_none.cpp)
endif()
