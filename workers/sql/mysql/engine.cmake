# The parser and the guard need no library of the database.
file(GLOB rooms CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/grammar/*.c ${CMAKE_CURRENT_LIST_DIR}/guard/*.c)
add_library(carrel_guard_mysql STATIC ${rooms})
target_link_libraries(carrel_guard_mysql PUBLIC carrel_policy carrel_base)
# The library takes methods of authentication from a fixed place, its own.
pkg_get_variable(MARIADB_LIBRARIES_DIR libmariadb libdir)
string(REGEX REPLACE "/$" "" MARIADB_LIBRARIES_DIR "${MARIADB_LIBRARIES_DIR}")
carrel_engine(mysql carrel_guard_mysql PkgConfig::MARIADB)
target_compile_definitions(carrel_sql_mysql PRIVATE MYSQL_PLUGINS="${MARIADB_LIBRARIES_DIR}/libmariadb3/plugin")
