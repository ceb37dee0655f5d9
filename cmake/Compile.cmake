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

# A compiler cache, where one is installed. Paths are hashed as they are seen from the build folder, so that
# another clone finds what this one compiled.
find_program(MPM_CCACHE ccache DOC "The compiler cache; empty: none")
find_program(MPM_ENV env)
mark_as_advanced(MPM_ENV)
if(PROJECT_IS_TOP_LEVEL AND MPM_CCACHE AND MPM_ENV AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${MPM_ENV}" "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${MPM_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # else it takes no file with a precompiled header
  else()
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # clang refuses one whose sources have another time, as in a new clone
  endif()
endif()

# Macros name files as seen from the project's root: no machine's paths end up in a release, and another clone finds its
# batches in the compiler cache, although they include sources by their whole path.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endif()

option(MPM_UNITY "Compile sources in batches: quick from nothing, slow after a change (cmake/Batches.cmake)" OFF)
if(MPM_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # for a batch or two they cost more than they save
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # takes every source of a batch for a header
  endif()
endif()

if(MPM_SANITIZE)
  add_compile_options(-fsanitize=${MPM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MPM_SANITIZE})
  # For tests, since compilers say it each in its own way: MPM_SANITIZE_ADDRESS, MPM_SANITIZE_THREAD.
  string(REGEX MATCHALL "address|thread" sanitized "${MPM_SANITIZE}")
  string(TOUPPER "${sanitized}" sanitized)
  list(TRANSFORM sanitized PREPEND MPM_SANITIZE_)
  add_compile_definitions(${sanitized})
endif()

# Privately for the project's own sources: warnings, and where includes start.
add_library(mpm_compile INTERFACE)
target_compile_options(mpm_compile INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(MPM_WARNINGS_AS_ERRORS)
  target_compile_options(mpm_compile INTERFACE -Werror)
endif()
target_include_directories(mpm_compile INTERFACE "${PROJECT_SOURCE_DIR}/mpm_layer/include"
                                                 "${PROJECT_SOURCE_DIR}/mpm_layer")
