# SPDX-License-Identifier: Apache-2.0
# Debian packages, made by `cpack -G DEB`: scripts/package-test builds, installs and tries them.
set(CPACK_PACKAGE_NAME mpm)
string(REPLACE "-" "~" CPACK_PACKAGE_VERSION "${MPM_VERSION}")  # to Debian, ~dev comes before the release
set(CPACK_PACKAGE_VENDOR "MPM for OpenCV DNN")
set(CPACK_PACKAGE_CONTACT "The authors of MPM for OpenCV DNN")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/mpm_layer")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

# mpm_package(COMPONENT NAME SECTION SUMMARY DETAILS [NEEDS COMPONENT ...] [DEPENDS PACKAGE ...]): the package of
# one component. It needs the libraries that its programs are linked to, other components at its own version, and
# the packages named.
macro(mpm_package component name section summary details)
  cmake_parse_arguments(package "" "" "NEEDS;DEPENDS" ${ARGN})
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${details}")
  list(JOIN package_DEPENDS ", " CPACK_DEBIAN_${key}_PACKAGE_DEPENDS)
  set(CPACK_COMPONENT_${key}_DEPENDS ${package_NEEDS})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endmacro()

mpm_package(library libmpm${MPM_ABI} libs "Vision Transformers in OpenCV's DNN module, on fewer tokens"
  "Mutual Pair Merging joins similar tokens between the blocks of a network and restores them behind the last one.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
mpm_package(development libmpm-dev libdevel "Vision Transformers on fewer tokens: what programs compile against"
  "Headers, and a CMake package for find_package(mpm)." NEEDS library DEPENDS libopencv-dev)
if(TARGET mpm)
  mpm_package(tools mpm-tools video "Segment, measure, tune and watch with merged tokens: the command line"
    "The programs mpm, mpm-scene and mpm-demo, a model for streets, and a service of systemd for each camera." NEEDS library)
endif()
if(TARGET mpm-monitor)
  mpm_package(monitor mpm-monitor video "Watch a fixed scene segmented live with merged tokens"
    "An app that shows what a camera sees, how tokens merge on it, and what changes from day to night."
    NEEDS library tools)
endif()
if(TARGET mpm_torch)
  mpm_package(torch libmpm${MPM_ABI}-torch libs "Mutual Pair Merging in PyTorch, and on a GPU"
    "Operators that PyTorch loads. Where LibTorch knows CUDA, it computes networks of libmpm${MPM_ABI} on a GPU.")
endif()
include(CPack)
