# SPDX-License-Identifier: Apache-2.0
# Installs the project, builds the consumer against the install tree alone, and runs it.
# cmake -DLINKAGE=shared|static -DSOURCE=... -DBUILD=... -DWORK=... -DOpenCV_DIR=... -P check.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/consumer ${WORK}/readme)
if(LINKAGE STREQUAL "static")
  set(BUILD ${WORK}/project)
  # A second build of the library: what counts is how it links, not how fast it is.
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Debug
      -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DBUILD_SHARED_LIBS=OFF -DMPM_WITH_TORCH=OFF -DMPM_UNITY=ON
      -DMPM_BUILD_TESTS=OFF -DMPM_BUILD_BENCHMARKS=OFF -DMPM_BUILD_SAMPLES=OFF
      -DMPM_BUILD_CLI=OFF -DMPM_BUILD_MONITOR=OFF -DMPM_BUILD_GUI=OFF -DOpenCV_DIR=${OpenCV_DIR})
  run(${CMAKE_COMMAND} --build ${BUILD} --target mpm_layer)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${WORK}/consumer -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DOpenCV_DIR=${OpenCV_DIR})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)

# The program that the README shows is built as it stands there.
file(READ ${SOURCE}/README.md readme)
foreach(language IN ITEMS cpp cmake)
  if(NOT readme MATCHES "\n```${language}\n([^`]*)```")
    message(FATAL_ERROR "README.md shows no ${language}")
  endif()
  set(shown_${language} "${CMAKE_MATCH_1}")
endforeach()
file(WRITE ${WORK}/readme/main.cpp "${shown_cpp}")
file(WRITE ${WORK}/readme/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.22)\nproject(app CXX)\nadd_executable(app main.cpp)\n${shown_cmake}")
run(${CMAKE_COMMAND} -S ${WORK}/readme -B ${WORK}/readme/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DOpenCV_DIR=${OpenCV_DIR})
run(${CMAKE_COMMAND} --build ${WORK}/readme/build)
if(EXISTS ${WORK}/prefix/bin/mpm)  # finds its library and its model where they were put
  run(${WORK}/prefix/bin/mpm-demo --count 2 --out ${WORK}/demo)
endif()
message(STATUS "${LINKAGE}: ${output}")
