find_package(Threads REQUIRED)
carrel_engine(duckdb carrel_parquet carrel_policy ${CMAKE_DL_LIBS} Threads::Threads)
# duckdb_library.c has an access() for the library that is loaded.
target_link_options(carrel-sql-duckdb PRIVATE -Wl,--export-dynamic-symbol=access)
