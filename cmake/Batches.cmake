# SPDX-License-Identifier: Apache-2.0
# With MPM_UNITY, sources of a target are compiled in batches, since most of what one costs is its headers.
# batches.awk says which may stand together, anew whenever a source changes.
find_program(MPM_AWK awk)
mark_as_advanced(MPM_AWK)

function(mpm_batch_targets folder)
  get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    mpm_batch_targets("${each}")
  endforeach()
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  set(seen)
  foreach(target IN LISTS targets)
    get_target_property(unity ${target} UNITY_BUILD)
    if(unity)
      get_target_property(named ${target} SOURCES)
      set(sources)
      list(FILTER named INCLUDE REGEX "[.]cpp$")
      foreach(source IN LISTS named)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE)
        if(EXISTS "${source}" AND NOT source IN_LIST seen)  # one of an earlier target keeps its batch
          list(APPEND sources "${source}")
        endif()
      endforeach()
      mpm_batch("${folder}" ${target} ${sources})
      list(APPEND seen ${sources})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY MPM_BATCHED ${seen})
endfunction()

function(mpm_batch folder target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(NOT ARGN)
    return()
  endif()
  set(root "${PROJECT_SOURCE_DIR}")
  execute_process(COMMAND "${MPM_AWK}" -v most=12
                          -v "roots=${root} ${root}/mpm_layer ${root}/mpm_layer/include ${root}/tests ${root}/benchmarks"
                          -f "${root}/cmake/batches.awk" ${ARGN}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" DIRECTORY "${folder}"
                                PROPERTIES UNITY_GROUP ${target}_${CMAKE_MATCH_1})
  endforeach()
endfunction()

if(MPM_UNITY AND MPM_AWK)
  mpm_batch_targets("${PROJECT_SOURCE_DIR}")
  get_property(batched GLOBAL PROPERTY MPM_BATCHED)
  list(REMOVE_DUPLICATES batched)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${batched} "${PROJECT_SOURCE_DIR}/cmake/batches.awk")
endif()
