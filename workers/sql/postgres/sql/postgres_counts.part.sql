-- The file of table {1} and how many rows were ever inserted, updated and deleted, since which reset.
pg_catalog.concat_ws('.', {1}.oid, {1}.relfilenode, pg_catalog.pg_stat_get_tuples_inserted({1}.oid),
pg_catalog.pg_stat_get_tuples_updated({1}.oid), pg_catalog.pg_stat_get_tuples_deleted({1}.oid),
pg_catalog.date_part('epoch', pg_catalog.pg_stat_get_db_stat_reset_time((SELECT d.oid FROM pg_catalog.pg_database d
 WHERE d.datname = pg_catalog.current_database()))), (SELECT d.oid FROM pg_catalog.pg_database d
 WHERE d.datname = pg_catalog.current_database()))
