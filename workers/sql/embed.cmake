# Queries in .sql files into the program: cmake -DENGINE=postgres -DDIR=… -DOUT=… -P embed.cmake
#
# Each postgres_tables.sql becomes `const char postgres_tables_sql[]`, declared
# in OUT/postgres_sql.h.  A line that begins with -- is a comment of the file and is not
# sent; lines are joined with a blank.  {{type_name a.atttypid a.atttypmod}} is
# the text of postgres_type_name.part.sql with {1} and {2} as written there.
# What only the running program knows stands as ${name} (pg_query_put()), or as
# %Q and %w of sqlite3_mprintf().
file(GLOB FILES ${DIR}/*.sql)
list(FILTER FILES EXCLUDE REGEX "\\.part\\.sql$")
list(SORT FILES)
set(NAME ${ENGINE}_sql)

function(read_sql path out)
  file(READ ${path} text)
  string(REGEX REPLACE "(^|\n)[ \t]*--[^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "[ \t\n]+$" "" text "${text}")
  string(REGEX REPLACE "^[ \t\n]+" "" text "${text}")
  string(REGEX REPLACE "[ \t]*\n[ \t\n]*" " " text "${text}")
  while(text MATCHES "{{([a-z_]+)([^}]*)}}")
    set(call "${CMAKE_MATCH_0}")
    string(STRIP "${CMAKE_MATCH_2}" args)
    read_sql(${DIR}/${ENGINE}_${CMAKE_MATCH_1}.part.sql part)
    string(REPLACE " " ";" args "${args}")
    set(i 0)
    foreach(arg IN LISTS args)
      math(EXPR i "${i} + 1")
      string(REPLACE "{${i}}" "${arg}" part "${part}")
    endforeach()
    string(REPLACE "${call}" "${part}" text "${text}")
  endwhile()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(H "/* Made of the .sql files of workers/sql/${ENGINE} by workers/sql/embed.cmake. */\n")
set(C "#include \"workers/sql/${ENGINE}/${NAME}.h\"\n\n")
foreach(FILE IN LISTS FILES)
  read_sql(${FILE} TEXT)
  get_filename_component(SYMBOL ${FILE} NAME_WE)
  string(REPLACE "\\" "\\\\" TEXT "${TEXT}")
  string(REPLACE "\"" "\\\"" TEXT "${TEXT}")
  string(APPEND H "extern const char ${SYMBOL}_sql[];\n")
  string(APPEND C "const char ${SYMBOL}_sql[] = \"${TEXT}\";\n")
endforeach()
file(WRITE ${OUT}/${NAME}.h "${H}")
file(WRITE ${OUT}/${NAME}.c "${C}")
