# Shared libraries show what the public headers declare, and what the libraries of this project share with each other. The linker hides the
# rest, so that shared and static libraries are made of the same objects.

# dsk_write_exports(HEADERS NAMES FILE): writes a version script. In the headers of that folder, what is declared in namespace dsk starts a
# line. The file of names holds those that are shared, without dsk::, one on a line.
function(dsk_write_exports folder names file)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  set(types)
  set(functions)
  foreach(header IN LISTS headers)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    string(REGEX REPLACE "[][;]" "" text "\n${text}")
    string(REGEX MATCHALL "\n(class|struct) [A-Z][A-Za-z0-9]*" found "${text}")
    list(TRANSFORM found REPLACE ".* " "")
    list(APPEND types ${found})
    string(REGEX MATCHALL "\n[A-Za-z][^\n(={}]*[ *&][a-z][a-z0-9_]*\\(" found "${text}")
    list(TRANSFORM found REPLACE ".*[ *&]([a-z0-9_]+)\\($" "\\1")
    list(APPEND functions ${found})
  endforeach()
  file(STRINGS ${names} shared REGEX "^[A-Za-z]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
  set(patterns)
  foreach(name IN LISTS types)
    list(APPEND patterns "dsk::${name}::*" "*for?dsk::${name}")
  endforeach()
  # An opening bracket, or the mark of a function that returns a std::string, follows the name.
  foreach(name IN LISTS functions shared)
    list(APPEND patterns "dsk::${name}[!_a-z0-9]*")
  endforeach()
  # A variable has nothing behind its name.
  foreach(name IN LISTS shared)
    list(APPEND patterns "dsk::${name}")
  endforeach()
  list(REMOVE_DUPLICATES patterns)
  list(JOIN patterns ";\n      " text)
  file(CONFIGURE OUTPUT ${file} CONTENT "{\n  global:\n    extern \"C++\" {\n      ${text};\n    };\n  local: *;\n};\n")
endfunction()

set(DSK_EXPORTS ${PROJECT_BINARY_DIR}/exports.map)
dsk_write_exports(${PROJECT_SOURCE_DIR}/include/dsk ${PROJECT_SOURCE_DIR}/cmake/shared_names.txt ${DSK_EXPORTS})

function(dsk_hide_internals target)
  target_link_options(${target} PRIVATE
                      $<$<STREQUAL:$<TARGET_PROPERTY:${target},TYPE>,SHARED_LIBRARY>:-Wl,--version-script=${DSK_EXPORTS}>)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${DSK_EXPORTS})
endfunction()
