# SPDX-License-Identifier: Apache-2.0
# find_package(mpm) and mpm::layer for other projects.
include(CMakePackageConfigHelpers)

install(TARGETS mpm_layer EXPORT mpmTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY mpm_layer/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

if(TARGET mpm)
  # The program finds the library beside it, wherever the two are installed.
  file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(mpm PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")
  install(TARGETS mpm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES models/street.onnx DESTINATION ${CMAKE_INSTALL_DATADIR}/mpm)
endif()

if(TARGET mpm AND MPM_BUILD_MONITOR)
  configure_file(assets/systemd/mpm-monitor@.service ${PROJECT_BINARY_DIR}/mpm-monitor@.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/mpm-monitor@.service DESTINATION lib/systemd/system)
endif()
if(TARGET mpm-monitor)
  set_target_properties(mpm-monitor PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")
  install(TARGETS mpm-monitor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES assets/mpm-monitor.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES assets/mpm-monitor.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES assets/mpm-monitor.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mpm)
install(EXPORT mpmTargets NAMESPACE mpm:: DESTINATION ${package_dir})
configure_package_config_file(cmake/mpmConfig.cmake.in ${PROJECT_BINARY_DIR}/mpmConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mpmConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mpmConfig.cmake ${PROJECT_BINARY_DIR}/mpmConfigVersion.cmake
        DESTINATION ${package_dir})
