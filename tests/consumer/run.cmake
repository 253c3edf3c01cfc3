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
set(configure ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
must(${configure} -B ${WORK}/build "-DCOMPONENTS=describe;experiment")
must(${CMAKE_COMMAND} --build ${WORK}/build)
foreach(program consumer describing experimenting)
  must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/${program})
endforeach()

# A component that does not exist is named.
execute_process(COMMAND ${configure} -B ${WORK}/nonsense -DCOMPONENTS=nonsense RESULT_VARIABLE result
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
if(NOT result OR NOT output MATCHES "dsk has no component 'nonsense'; its components are dsk, describe and experiment")
  message(FATAL_ERROR "find_package(dsk COMPONENTS nonsense): ${result}\n${output}")
endif()

# The same program without CMake.
file(GLOB_RECURSE description ${WORK}/prefix/*/dsk.pc)
cmake_path(GET description PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder})
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND pkg-config --cflags --libs dsk OUTPUT_VARIABLE package COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(package UNIX_COMMAND "${package}")
must(${COMPILER} -std=c++20 ${flags} ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${WORK}/by_pkg_config ${package})
must(${CMAKE_COMMAND} -E chdir ${WORK} ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder}/.. ${WORK}/by_pkg_config)

# A package must not point back into the tree it was built in.
file(GLOB_RECURSE exported ${WORK}/prefix/*.cmake ${WORK}/prefix/*.pc)
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
