# SPDX-License-Identifier: Apache-2.0
# What is installed, by component: the library, what programs need to compile against it, the command
# line, the app, and the operators for PyTorch. cmake/Package.cmake makes a package of each.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mpm)
install(TARGETS mpm_layer EXPORT mpmTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY mpm_layer/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT mpmTargets NAMESPACE mpm:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/mpmConfig.cmake.in ${PROJECT_BINARY_DIR}/mpmConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mpmConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mpmConfig.cmake ${PROJECT_BINARY_DIR}/mpmConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

if(TARGET mpm_torch)
  install(TARGETS mpm_torch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT torch)
endif()

# Programs find the library beside them, wherever the two are installed.
function(mpm_install_program target component)
  file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
endfunction()

if(TARGET mpm)
  foreach(program IN ITEMS mpm mpm_scene mpm_demo)
    mpm_install_program(${program} tools)
  endforeach()
  install(FILES models/street.onnx DESTINATION ${CMAKE_INSTALL_DATADIR}/mpm COMPONENT tools)
  set(zsh_functions site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh_functions vendor-completions)  # as Debian has it
  endif()
  foreach(program IN ITEMS mpm mpm-scene mpm-demo)
    install(FILES ${PROJECT_BINARY_DIR}/cli/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
    install(FILES ${PROJECT_BINARY_DIR}/cli/completions/${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
    install(FILES ${PROJECT_BINARY_DIR}/cli/completions/_${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_functions} COMPONENT tools)
  endforeach()
endif()
if(TARGET mpm AND MPM_BUILD_MONITOR)
  install(TARGETS mpm_reader RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/mpm COMPONENT tools)
  configure_file(assets/systemd/mpm-watch@.service ${PROJECT_BINARY_DIR}/mpm-watch@.service @ONLY)
  # Cameras that are watched by its name of earlier releases go on being watched, for one release.
  file(CREATE_LINK mpm-watch@.service ${PROJECT_BINARY_DIR}/mpm-monitor@.service SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/mpm-watch@.service ${PROJECT_BINARY_DIR}/mpm-monitor@.service
          DESTINATION lib/systemd/system COMPONENT tools)
endif()
if(TARGET mpm-monitor)
  mpm_install_program(mpm-monitor monitor)
  install(FILES assets/mpm-monitor.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT monitor)
  install(FILES assets/mpm-monitor.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
          COMPONENT monitor)
  install(FILES assets/mpm-monitor.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT monitor)
endif()
