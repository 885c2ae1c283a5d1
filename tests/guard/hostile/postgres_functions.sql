SELECT setval('s1', 1)

SELECT nextval('s1')

SELECT currval('s1'), lastval()

SELECT "pg_read_file"('postgresql.conf')

SELECT pg_catalog . pg_read_file /* x */ ('postgresql.conf')

SELECT PG_READ_FILE('postgresql.conf')

SELECT U&"pg_read\005ffile"('postgresql.conf')

SELECT postgres.pg_catalog.pg_read_file('postgresql.conf')

SELECT size, (SELECT count(*) FROM pg_ls_waldir()) FROM pg_stat_file('PG_VERSION')

SELECT pg_read_binary_file('PG_VERSION')

SELECT * FROM pg_ls_dir('.')

SELECT * FROM ROWS FROM (pg_ls_dir('.'), generate_series(1, 2)) x

SELECT pg_file_write('x.txt', 'hi', false)

SELECT pg_logdir_ls()

SELECT * FROM dblink('host=127.0.0.1 dbname=shop user=postgres', 'SELECT 1') AS t(x int)

SELECT dblink_connect('host=127.0.0.1')

SELECT dblink_exec('DELETE FROM orders')

SELECT set_config('role', 'postgres', false)

SELECT pg_catalog.set_config('statement_timeout', '0', false)

SELECT current_setting('data_directory'), inet_server_addr(), pg_show_all_settings()

SELECT current_setting('hba_file')

SELECT current_setting('data_' || 'directory')

SELECT current_setting(name) FROM customers

SELECT (current_setting('is_superuser'))

SELECT pg_advisory_lock(42)

SELECT pg_try_advisory_xact_lock(1)

SELECT pg_notify('deploy', 'go')

SELECT pg_stat_reset()

SELECT pg_stat_get_activity(NULL)

SELECT * FROM pg_stat_get_backend_idset()

SELECT cron.schedule('n', '* * * * *', 'DROP TABLE orders')

SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, to_tsquery(''b'') FROM pg_sleep(0)')

SELECT * FROM ts_stat('SELECT body FROM events')

SELECT * FROM crosstab('SELECT 1,2,nextval(''s1'')') AS t(a int, b bigint)

SELECT * FROM connectby('orders', 'id', 'id', '1', 0) AS t(a text, b text, c int)

SELECT query_to_xml('SELECT nextval(''s1'')', true, true, '')

SELECT table_to_xml('pg_authid', true, true, '')

SELECT database_to_xml(true, true, '')

SELECT schema_to_xml_and_xmlschema('public', true, true, '')

SELECT cursor_to_xml('c', 1, true, true, '')

SELECT xpath_table('id', 'x', 'orders', '/a', '1=1')

SELECT pg_sleep(10)

SELECT pg_sleep_for('5 minutes')

SELECT (SELECT 1 FROM pg_sleep(5))

SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL) FROM orders

SELECT 1 ORDER BY pg_sleep(1)

SELECT 1 GROUP BY pg_sleep(1)

SELECT 1 LIMIT (SELECT 1 FROM pg_sleep(1))

SELECT sum(1) OVER (ORDER BY nextval('s1')) FROM orders

SELECT 1 FROM orders WINDOW w AS (PARTITION BY nextval('s1'))

SELECT * FROM orders TABLESAMPLE SYSTEM (nextval('s1'))

SELECT CASE WHEN true THEN nextval('s1') END

SELECT ARRAY[nextval('s1')], ROW(nextval('s1'))

SELECT coalesce(NULL, nextval('s1')), greatest(nextval('s1'), 1)

SELECT x FROM orders, LATERAL nextval('s1') x

VALUES (nextval('s1'))

SELECT (ARRAY[1,2])[nextval('s1')]

SELECT nextval('s1')::text COLLATE "C"

SELECT * FROM json_to_recordset(pg_read_file('x')::json) AS x(a int)

SELECT xmlelement(name a, pg_read_file('x'))

SELECT * FROM xmltable('/a' PASSING pg_read_file('x')::xml COLUMNS a int DEFAULT nextval('s1'))

SELECT 1 WHERE 1 = ANY (SELECT nextval('s1'))

SELECT string_agg(pg_read_file('x'), ',')

SELECT make_interval(days => nextval('s1')::int)

SELECT concat(VARIADIC ARRAY[pg_read_file('x')])

SELECT (5::float8).pg_sleep

SELECT ('s1'::regclass).nextval

SELECT x.pg_sleep FROM generate_series(1, 2) x

SELECT c.purge_row FROM customers c

SELECT customers.purge_row FROM customers

SELECT (c).purge_row FROM customers c

SELECT (1).purge_number

SELECT purge_row(c) FROM customers c

SELECT purge_old()

SELECT public.purge_old()

SELECT "purge_old" ()

SELECT purge_sd()

SELECT noisy_product(amount) FROM orders

SELECT noisy_product(amount) OVER () FROM orders

SELECT name ~~~~ 'x' FROM customers

SELECT name OPERATOR(public.~~~~) 'x' FROM customers

SELECT 'x' ~~~~ ANY (ARRAY['x'])

SELECT <=%=> 'data_directory'

SELECT 1::pair

SELECT CAST(id AS public.pair) FROM customers

SELECT '{}'::_pair

SELECT 5::noisy_int

SELECT * FROM json_to_record('{"a": 1}') AS x(a noisy_int)

SELECT no_such_function(1)

SELECT nosuch.function()

SELECT lo_import('/etc/passwd')

SELECT lo_get(1), loread(1, 1)

SELECT pg_terminate_backend(1), pg_cancel_backend(1)

SELECT pg_reload_conf()

SELECT pg_switch_wal()

SELECT pg_current_wal_lsn()

SELECT pg_create_physical_replication_slot('x')

SELECT * FROM pg_logical_slot_get_changes('x', NULL, NULL)

SELECT pg_logical_emit_message(true, 'a', 'b')

SELECT txid_current(), pg_current_xact_id()

SELECT inet_client_addr(), inet_server_port()

SELECT * FROM pg_config()

SELECT pg_relation_filepath('orders')

SELECT pg_tablespace_location(1663)

SELECT pg_export_snapshot()

SELECT setseed(0.5)

SELECT pg_log_backend_memory_contexts(1)

SELECT pg_current_logfile()

SELECT pg_promote()

SELECT * FROM pg_hba_file_rules()

SELECT pg_import_system_collations('public')

SELECT set_limit(0.1)

SELECT uuid_generate_v1mc(), pg_buffercache_pages()

SELECT usename, query FROM pg_stat_activity

SELECT * FROM pg_authid

SELECT rolpassword FROM pg_catalog.pg_authid

TABLE pg_shadow

SELECT * FROM pg_settings

SELECT * FROM "pg_stats"

SELECT * FROM pg_statistic_ext_data

SELECT * FROM pg_user_mappings

SELECT * FROM pg_foreign_server

SELECT * FROM pg_largeobject

SELECT * FROM pg_hba_file_rules

SELECT * FROM pg_prepared_statements, pg_cursors

SELECT conninfo FROM pg_stat_wal_receiver

SELECT subconninfo FROM pg_subscription

SELECT * FROM (TABLE pg_file_settings) x

WITH x AS (SELECT * FROM pg_stat_ssl) SELECT * FROM x

SELECT repeat(repeat(repeat(chr(120), 1000), 1000), 1000)

SELECT repeat('x', 1000000000)

SELECT repeat('x', 10 ^ 9::int)

SELECT repeat('x', (SELECT 1000000000))

SELECT repeat('x', CASE WHEN true THEN 1000000000 END)

SELECT repeat(name, 2000000000) FROM customers

SELECT lpad('x', 1000000000), rpad('', '1000000000'::int)

SELECT array_fill(1, ARRAY[100000000])

SELECT array_fill(1, ARRAY[10000, 10000])

SELECT array_fill(1, '{100000000}'::int[])

SELECT format('%1000000000s', 'x')

SELECT replace(repeat('a', 100000), 'a', repeat('b', 100000))

SELECT repeat('a', 10000000) || repeat('b', 10000000) || 'c' WHERE length(concat(repeat('a', 9000000), repeat('b', 9000000))) > 0

SELECT count(*) FROM generate_series(1, 1000000000000)

SELECT count(*) FROM generate_series(1, 10 ^ 12)

SELECT n FROM generate_series(0, -1000000000, -1) n

SELECT ts_rewrite('a'::tsquery, 'SELECT 1')

SELECT ts_rewrite(VARIADIC ARRAY['a', 'SELECT 1'])

SELECT ts_rewrite('a & b'::tsquery, query => 'SELECT 1')

SELECT option_value FROM information_schema.user_mapping_options

SELECT * FROM "information_schema"."foreign_server_options"

SELECT * FROM information_schema._pg_user_mappings

TABLE information_schema._pg_foreign_servers

SELECT public.gen_random_uuid()

SELECT "public" . gen_random_uuid ( )

SELECT 5::noisy_deep

SELECT '{5}'::public.noisy_deep[]

SELECT '(5,x)'::has_noisy

SELECT json_populate_record(NULL::has_noisy, '{"a": 5}')

SELECT populate_record(NULL::has_noisy, 'a=>5')

SELECT ROW(5, 1)::noisy_pair

SELECT NULL::noisy_pairs

SELECT '[1,5]'::noisy_range

SELECT noisy_range(1, 5)

SELECT '{[1,5]}'::noisy_multirange

SELECT * FROM json_to_record('{"a": {}}') AS x(a has_noisy)

SELECT * FROM xmltable('/a' PASSING '<a>5</a>' COLUMNS x noisy_deep PATH '.')

SELECT pg_typeof(domain_in('5', 'noisy_int'::regtype, -1))

SELECT record_in('(5,1)', 'noisy_pair'::regtype, -1)

SELECT pg_catalog.array_in('{5}', 'noisy_int'::regtype, -1)

SELECT range_in('[1,5]', 'noisy_range'::regtype, -1)

SELECT fmgr_c_validator(1)

SELECT pg_catalog.fmgr_sql_validator(oid) FROM pg_proc

SELECT plpgsql_validator(0)

SELECT postgresql_fdw_validator(ARRAY['host=x'], 1417)

SELECT fmgr_internal_validator(1)

SELECT plpgsql_call_handler()

SELECT locktype, mode FROM pg_locks

SELECT * FROM pg_lock_status()

SELECT pg_blocking_pids(1)

SELECT * FROM pg_stat_progress_vacuum

TABLE pg_stat_progress_create_index

SELECT gid FROM pg_prepared_xacts

SELECT * FROM pg_backend_memory_contexts

SELECT * FROM pg_get_backend_memory_contexts()

SELECT * FROM pg_shmem_allocations

SELECT * FROM pg_stat_subscription

SELECT * FROM pg_replication_origin_status

SELECT option_value FROM information_schema.foreign_table_options

SELECT * FROM information_schema.foreign_data_wrapper_options

SELECT * FROM information_schema.column_options

SELECT ftoptions FROM information_schema._pg_foreign_tables

SELECT last_archived_wal, last_failed_wal FROM pg_stat_archiver

SELECT * FROM pg_catalog.pg_stat_wal, pg_stat_bgwriter

SELECT * FROM pg_stat_slru

SELECT confl_lock FROM pg_stat_database_conflicts
