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

file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/consumer)
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
if(EXISTS ${WORK}/prefix/bin/mpm)  # finds its library and its model where they were put
  run(${WORK}/prefix/bin/mpm demo --frames 2 --out ${WORK}/demo)
endif()
message(STATUS "${LINKAGE}: ${output}")
