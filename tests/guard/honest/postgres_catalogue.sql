SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'public'

SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'orders'

SELECT c.relname, c.reltuples, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'

SELECT a.attname, format_type(a.atttypid, a.atttypmod), col_description(a.attrelid, a.attnum) FROM pg_attribute a WHERE attrelid = 'orders'::regclass AND attnum > 0 AND NOT attisdropped

SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'orders'::regclass

SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'

SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'

SELECT proname, pg_get_function_arguments(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace

SELECT pg_get_viewdef('big_orders'::regclass, true), obj_description('orders'::regclass), pg_relation_size('orders'), pg_table_size('orders'), pg_indexes_size('orders')

SELECT relname, n_live_tup FROM pg_stat_user_tables

SELECT extname, extversion FROM pg_extension

SELECT rolname FROM pg_roles

SELECT typname, enumlabel FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid ORDER BY enumsortorder

SELECT stxname, stxkind FROM pg_statistic_ext

SELECT name, abbrev FROM pg_timezone_names LIMIT 3

SELECT has_table_privilege('orders', 'SELECT'), pg_table_is_visible('orders'::regclass), to_regclass('nope'), has_schema_privilege('public', 'USAGE')

SELECT inhparent::regclass FROM pg_inherits

SELECT schemaname, matviewname FROM pg_matviews

SELECT datname, pg_encoding_to_char(encoding) FROM pg_database
