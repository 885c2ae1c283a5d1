# The parser and the guard need no library of the database.
file(GLOB rooms CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/grammar/*.c ${CMAKE_CURRENT_LIST_DIR}/guard/*.c)
add_library(carrel_guard_mysql STATIC ${rooms})
target_link_libraries(carrel_guard_mysql PUBLIC carrel_policy carrel_base)
# The session, for the driver to come and for its tests.
add_library(carrel_mysql_session STATIC ${CMAKE_CURRENT_LIST_DIR}/mysql_session.c)
target_link_libraries(carrel_mysql_session PUBLIC carrel_base PkgConfig::MARIADB)
