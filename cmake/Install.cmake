# SPDX-License-Identifier: Apache-2.0
# find_package(mpm) and mpm::layer for other projects.
include(CMakePackageConfigHelpers)

install(TARGETS mpm_layer EXPORT mpmTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY mpm_layer/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mpm)
install(EXPORT mpmTargets NAMESPACE mpm:: DESTINATION ${package_dir})
configure_package_config_file(cmake/mpmConfig.cmake.in ${PROJECT_BINARY_DIR}/mpmConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mpmConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mpmConfig.cmake ${PROJECT_BINARY_DIR}/mpmConfigVersion.cmake
        DESTINATION ${package_dir})
