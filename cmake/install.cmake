include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS dsk EXPORT dskTargets)
if(TARGET dsk_describe)
  install(TARGETS dsk_describe dsk_experiment EXPORT dskTargets)
endif()
if(TARGET dsk_cli)
  # So that a shared library in an unusual prefix is found.
  file(RELATIVE_PATH DSK_LIBRARY_FROM_PROGRAM ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  foreach(program dsk_cli dsk_describe_cli dsk_mpi_cli)
    if(TARGET ${program})
      set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${DSK_LIBRARY_FROM_PROGRAM}")
      install(TARGETS ${program})
    endif()
  endforeach()
endif()
install(DIRECTORY include/dsk ${PROJECT_BINARY_DIR}/include/dsk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dskTargets NAMESPACE dsk:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsk)
configure_package_config_file(cmake/dskConfig.cmake.in dskConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsk)
write_basic_package_version_file(dskConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dskConfig.cmake ${PROJECT_BINARY_DIR}/dskConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsk)
