# Installs the build tree BUILD into a temporary prefix, then configures, builds and runs the project beside this file.
# usage: cmake -DBUILD=... -DWORK=... -DCOMPILER=... -DFLAGS=... -P run.cmake
function(must)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/consumer)
# A package must not point back into the tree it was built in.
file(GLOB_RECURSE exported ${WORK}/prefix/*.cmake)
foreach(file IN LISTS exported)
  file(STRINGS ${file} lines)
  foreach(line IN LISTS lines)
    string(FIND "${line}" "${BUILD}" at)
    string(FIND "${line}" "${WORK}" inside)
    if(NOT at EQUAL -1 AND inside EQUAL -1)
      message(FATAL_ERROR "${file} refers to the build folder: ${line}")
    endif()
  endforeach()
endforeach()
file(REMOVE_RECURSE ${WORK})
