# SPDX-License-Identifier: Apache-2.0
# MPM_WITH_CUDA becomes ON or OFF: whether nvcc compiles the kernels of the GPU. No device is needed
# to build them.

if(MPM_WITH_CUDA STREQUAL "AUTO" AND MPM_SANITIZE)
  set(MPM_WITH_CUDA OFF)  # nvcc has no sanitizers of the host
endif()
if(MPM_WITH_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(MPM_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
    if(MPM_NVCC)
      # Not as CMAKE_CUDA_COMPILER, which check_language would believe without trying: an nvcc that
      # does not know this machine's compiler is no reason to stop.
      set(ENV{CUDACXX} "${MPM_NVCC}")
    endif()
    mark_as_advanced(MPM_NVCC)
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # and PTX of the last for what comes later
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
  endif()
  if(NOT CMAKE_CUDA_COMPILER OR NOT CUDAToolkit_FOUND)
    if(NOT MPM_WITH_CUDA STREQUAL "AUTO")
      message(FATAL_ERROR "MPM_WITH_CUDA needs nvcc, of CUDA 12 or later")
    endif()
    message(STATUS "The GPU is left out: its kernels need an nvcc that works here, of CUDA 12 or later")
    set(MPM_WITH_CUDA OFF)
  elseif(CUDAToolkit_VERSION VERSION_LESS 12)
    if(NOT MPM_WITH_CUDA STREQUAL "AUTO")
      message(FATAL_ERROR "MPM_WITH_CUDA needs CUDA 12 or later, and this is ${CUDAToolkit_VERSION}")
    endif()
    message(STATUS "The GPU is left out: its kernels need CUDA 12 or later, and this is ${CUDAToolkit_VERSION}")
    set(MPM_WITH_CUDA OFF)
  else()
    set(MPM_WITH_CUDA ON)
  endif()
endif()

# What nvcc is told for the project's own sources.
if(MPM_WITH_CUDA)
  add_library(mpm_compile_cuda INTERFACE)
  target_compile_options(mpm_compile_cuda INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wno-sign-conversion>)
  if(MPM_WARNINGS_AS_ERRORS)
    target_compile_options(mpm_compile_cuda INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
  target_include_directories(mpm_compile_cuda INTERFACE "${PROJECT_SOURCE_DIR}/mpm_layer/include"
                                                        "${PROJECT_SOURCE_DIR}/mpm_layer")
endif()
