# SPDX-License-Identifier: Apache-2.0
# Everything the project finds; scripts/install-deps installs the same list.

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(OpenCV 4.6 QUIET COMPONENTS core imgproc imgcodecs dnn)
if(NOT OpenCV_FOUND)
  find_package(OpenCV 5 REQUIRED COMPONENTS core imgproc imgcodecs dnn)
endif()
find_package(hwy REQUIRED)

if(MPM_WITH_TORCH STREQUAL "AUTO")
  find_package(Torch QUIET)
elseif(MPM_WITH_TORCH)
  find_package(Torch REQUIRED)
endif()
if(MPM_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(MPM_BUILD_BENCHMARKS)
  find_package(nlohmann_json REQUIRED)
endif()

# GEMM. The benchmarks measure against oneDNN on every architecture.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR MPM_BUILD_BENCHMARKS)
  # Debian's own CMake package for oneDNN asks for OpenCL, which nothing here needs.
  find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
  find_library(DNNL_LIBRARY dnnl REQUIRED)
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The OpenMP build of OpenBLAS shares the thread pool; another's threads would fight over the
  # cores with it.
  find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-openmp REQUIRED)
  find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp REQUIRED)
endif()
