# PostgreSQL's grammar, linked statically into the programs that need it: it
# exports names that libc and libpq have too (strnlen, pg_utf_mblen).
file(GLOB guard CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/guard/*.c)
add_library(carrel_guard_pg STATIC ${guard})
target_link_libraries(carrel_guard_pg PUBLIC carrel_policy ${PG_QUERY_LIB})
target_link_options(carrel_guard_pg INTERFACE -Wl,--exclude-libs,libpg_query.a)
carrel_engine(postgres carrel_guard_pg carrel_libpq)
