# SPDX-License-Identifier: Apache-2.0
# How every target of the project is compiled.

# Before anything looks for CUDA, as LibTorch's package does: CMake 3.25 and older do not know how
# nvcc is told 20.
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

if(MPM_SANITIZE)
  add_compile_options(-fsanitize=${MPM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MPM_SANITIZE})
endif()

# Privately for the project's own sources: warnings, and where includes start.
add_library(mpm_compile INTERFACE)
target_compile_options(mpm_compile INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(MPM_WARNINGS_AS_ERRORS)
  target_compile_options(mpm_compile INTERFACE -Werror)
endif()
target_include_directories(mpm_compile INTERFACE "${PROJECT_SOURCE_DIR}/mpm_layer/include"
                                                 "${PROJECT_SOURCE_DIR}/mpm_layer")
