#include "workers/sql/postgres/guard/guard_rules.h"

#include <string.h>

#include "base/ascii.h"

#define SECRETS		"it holds password hashes or credentials"
#define SAMPLES		"it shows values of columns whatever the columns' permissions are; query the table itself"
#define ACTIVITY	"it shows what other sessions do"
#define OWN_SESSION	"it shows the session that Carrel holds for you, in which other callers' statements run, too"
#define CONFIGURATION	"it shows how the server is set up"
#define OBJECTS		"large objects are not readable here"

#define CHANGES		"it changes something outside the query"
#define FILES		"it reaches files of the database server"
#define OUTSIDE		"it opens connections to other servers"
#define RUNS_SQL	"it runs SQL from a string, which cannot be checked; write that SQL as a sub-select"
#define WAITS		"it waits"
#define LOCKS		"advisory locks would block applications"
#define SETTINGS	"it tells or changes the server's settings"
#define SEQUENCES	"it changes or tells the state of a sequence"
#define SIGNALS		"it interferes with other sessions or the server"
#define REPLICATION	"it concerns replication or the write-ahead log"
#define STATISTICS	"it tells what other sessions do, or resets statistics; use the tables themselves"
#define TRANSACTIONS	"it takes a transaction number, which writes"
#define NETWORK		"it tells where the server and its clients are"
#define LIBRARIES	"it is there for the server's own use and may load a library"
#define BUILDS		"it makes a value of a type that is told by number, whose checks may do anything; cast to " \
			"the type by its name"
#define SESSION		"it tells or changes the state of the session"

/*
 * '*' stands for any characters, at most once in a pattern.  Most of these
 * are volatile and would be refused for that; the table gives the reason, and
 * also holds on servers that declare them otherwise.
 */
static const struct {
	const char	*pattern, *why;
} denied[] = {
	{ "pg_read_*", FILES },
	{ "pg_stat_file", FILES },
	{ "pg_ls_*", FILES },
	{ "pg_file_*", FILES },
	{ "pg_logdir_ls", FILES },
	{ "pg_current_logfile", FILES },
	{ "pg_relation_filenode", FILES },
	{ "pg_relation_filepath", FILES },
	{ "pg_filenode_relation", FILES },
	{ "pg_tablespace_location", FILES },
	{ "pg_hba_file_rules", FILES },
	{ "pg_ident_file_mappings", FILES },
	{ "pg_show_all_file_settings", FILES },
	{ "lo_*", FILES },
	{ "loread", FILES },
	{ "lowrite", FILES },

	{ "dblink*", OUTSIDE },
	{ "postgres_fdw_*", OUTSIDE },
	{ "file_fdw_*", OUTSIDE },

	{ "query_to_*", RUNS_SQL },
	{ "cursor_to_*", RUNS_SQL },
	{ "*_to_xml", RUNS_SQL },
	{ "*_to_xmlschema", RUNS_SQL },
	{ "*_to_xml_and_xmlschema", RUNS_SQL },
	{ "crosstab*", RUNS_SQL },
	{ "connectby", RUNS_SQL },
	{ "xpath_table", RUNS_SQL },
	{ "ts_stat", RUNS_SQL },
	{ "ts_rewrite", RUNS_SQL },

	{ "pg_sleep*", WAITS },

	{ "pg_advisory_*", LOCKS },
	{ "pg_try_advisory_*", LOCKS },

	{ "set_config", SETTINGS },
	{ "current_setting", SETTINGS },	/* unless it names one of settings[] below */
	{ "pg_config", SETTINGS },
	{ "pg_show_*", SETTINGS },
	{ "pg_reload_conf", SETTINGS },

	{ "nextval", SEQUENCES },
	{ "setval", SEQUENCES },
	{ "currval", SEQUENCES },
	{ "lastval", SEQUENCES },
	{ "pg_sequence_last_value", SEQUENCES },

	{ "pg_cancel_backend", SIGNALS },
	{ "pg_terminate_backend", SIGNALS },
	{ "pg_rotate_*", SIGNALS },
	{ "pg_log_*", SIGNALS },
	{ "pg_notify", "it sends messages to applications" },
	{ "pg_promote", REPLICATION },
	{ "pg_export_snapshot", SESSION },

	{ "*_replication_slot", REPLICATION },
	{ "pg_get_replication_slots", REPLICATION },
	{ "pg_replication_*", REPLICATION },
	{ "pg_logical_*", REPLICATION },
	{ "pg_wal_*", REPLICATION },
	{ "pg_walfile_*", REPLICATION },
	{ "pg_*_wal", REPLICATION },
	{ "pg_current_wal_*", REPLICATION },
	{ "pg_last_wal_*", REPLICATION },
	{ "pg_switch_*", REPLICATION },
	{ "pg_backup_*", REPLICATION },
	{ "pg_start_backup", REPLICATION },
	{ "pg_stop_backup", REPLICATION },
	{ "pg_create_restore_point", REPLICATION },

	{ "pg_stat_reset*", STATISTICS },
	{ "pg_stat_get_*", STATISTICS },
	{ "pg_stat_clear_snapshot", STATISTICS },
	{ "pg_stat_force_next_flush", STATISTICS },
	{ "pg_stat_statements*", STATISTICS },
	{ "pg_mcv_list_items", STATISTICS },

	{ "txid_current", TRANSACTIONS },
	{ "pg_current_xact_id", TRANSACTIONS },

	{ "inet_server_*", NETWORK },
	{ "inet_client_*", NETWORK },

	{ "pg_lock_status", ACTIVITY },
	{ "pg_blocking_pids", ACTIVITY },
	{ "pg_safe_snapshot_blocking_pids", ACTIVITY },
	{ "pg_get_backend_memory_contexts", ACTIVITY },
	{ "pg_get_shmem_allocations*", CONFIGURATION },

	{ "*_validator", LIBRARIES },
	{ "*_call_handler", LIBRARIES },
	{ "*_inline_handler", LIBRARIES },

	/*
	 * PostGIS: bounding boxes and estimates from column statistics, without a check of the
	 * right to read the table.
	 */
	{ "_postgis_selectivity", SAMPLES },
	{ "_postgis_join_selectivity", SAMPLES },
	{ "_postgis_stats", SAMPLES },
	{ "_postgis_index_extent", SAMPLES },
	{ "st_estimatedextent", SAMPLES },
	{ "st_estimated_extent", SAMPLES },
	{ "estimated_extent", SAMPLES },
	/* PostGIS: these read a table whose name is a string. */
	{ "st_findextent", RUNS_SQL },
	{ "find_extent", RUNS_SQL },
	{ "postgis_constraint_*", RUNS_SQL },
	{ "st_fromgdalraster", FILES },
	{ "st_bandfile*", FILES },
	{ "st_bandpath", FILES },
	{ "st_gdal*", FILES },
	{ "postgis_gdal*", FILES },

	{ "pg_cursor", SESSION },
	{ "pg_prepared_statement", SESSION },
	{ "pg_prepared_xact", SESSION },
	{ "pg_listening_channels", SESSION },
	{ "setseed", SESSION },
	{ "current_query", SESSION },

	{ "domain_in", BUILDS }, { "domain_recv", BUILDS },
	{ "array_in", BUILDS }, { "array_recv", BUILDS },
	{ "record_in", BUILDS }, { "record_recv", BUILDS },
	{ "range_in", BUILDS }, { "range_recv", BUILDS },
	{ "multirange_in", BUILDS }, { "multirange_recv", BUILDS },
	{ "pg_input_is_valid", BUILDS }, { "pg_input_error_info", BUILDS },

	{ "binary_upgrade_*", CHANGES },
	{ "pg_import_system_collations", CHANGES },
	{ "pg_extension_config_dump", CHANGES },
	{ "pg_nextoid", CHANGES },
	{ "brin_summarize_*", CHANGES },
	{ "brin_desummarize_*", CHANGES },
	{ "gin_clean_pending_list", CHANGES },
	{ "pg_event_trigger_*", CHANGES },
};

/*
 * Sorted.  They read the clock, a random number, the size of objects that may be read anyway, or
 * whether a transaction was committed.
 */
static const char *const harmless[] = {
	"clock_timestamp", "gen_random_uuid", "pg_collation_actual_version",
	"pg_database_collation_actual_version", "pg_database_size", "pg_indexes_size", "pg_is_in_recovery",
	"pg_jit_available", "pg_partition_ancestors", "pg_partition_tree", "pg_relation_size", "pg_table_size",
	"pg_tablespace_size", "pg_total_relation_size", "pg_xact_status", "random", "random_normal",
	"timeofday", "txid_status",
};

/* The same for extensions.  uuid_generate_v1() reveals the MAC address of the server. */
static const struct {
	const char	*extension, *name;
} harmless_of[] = {
	{ "uuid-ossp", "uuid_generate_v1mc" },
	{ "uuid-ossp", "uuid_generate_v4" },
};

static const struct {
	const char	*pattern, *why;
} denied_relations[] = {
	{ "pg_authid", SECRETS },
	{ "pg_shadow", SECRETS },
	{ "pg_user_mapping", SECRETS },
	{ "pg_user_mappings", SECRETS },
	{ "pg_foreign_server", SECRETS },
	{ "pg_subscription", SECRETS },
	{ "pg_stat_wal_receiver", SECRETS },
	{ "pg_stat_statements*", ACTIVITY },
	{ "pg_statistic", SAMPLES },
	{ "pg_statistic_ext_data", SAMPLES },
	{ "pg_stats*", SAMPLES },
	{ "pg_toast_*", SAMPLES },
	{ "pg_stat_activity", ACTIVITY },
	{ "pg_stat_replication*", ACTIVITY },
	{ "pg_stat_ssl", ACTIVITY },
	{ "pg_stat_gssapi", ACTIVITY },
	{ "pg_prepared_statements", OWN_SESSION },
	{ "pg_cursors", OWN_SESSION },
	{ "pg_locks", ACTIVITY },
	{ "pg_prepared_xacts", ACTIVITY },
	{ "pg_stat_progress_*", ACTIVITY },
	{ "pg_stat_subscription*", ACTIVITY },
	{ "pg_stat_recovery_prefetch", ACTIVITY },
	{ "pg_stat_archiver", CONFIGURATION },
	{ "pg_stat_bgwriter", ACTIVITY },
	{ "pg_stat_checkpointer", ACTIVITY },
	{ "pg_stat_database_conflicts", ACTIVITY },
	{ "pg_stat_io", ACTIVITY },
	{ "pg_stat_slru", ACTIVITY },
	{ "pg_stat_wal", ACTIVITY },
	{ "pg_backend_memory_contexts", ACTIVITY },
	{ "pg_shmem_allocations*", CONFIGURATION },
	{ "pg_replication_origin*", CONFIGURATION },
	{ "pg_settings", CONFIGURATION },
	{ "pg_file_settings", CONFIGURATION },
	{ "pg_hba_file_rules", CONFIGURATION },
	{ "pg_ident_file_mappings", CONFIGURATION },
	{ "pg_config", CONFIGURATION },
	{ "pg_replication_slots", CONFIGURATION },
	{ "pg_largeobject*", OBJECTS },
};

/* In information_schema: options of wrappers, servers, users and tables, which may be passwords and tokens. */
static const char *const secret_views[] = {
	"_pg_foreign_data_wrappers", "_pg_foreign_servers", "_pg_foreign_table_columns", "_pg_foreign_tables",
	"_pg_user_mappings", "column_options", "foreign_data_wrapper_options", "foreign_server_options",
	"foreign_table_options", "user_mapping_options",
};

/*
 * Settings that reveal nothing about the server's files, network or users:
 * formats of text, transaction settings of the session, the version, and the
 * planner's parameters.
 */
static const char *const settings[] = {
	"bytea_output", "client_encoding", "datestyle", "default_text_search_config", "default_transaction_isolation",
	"default_transaction_read_only", "extra_float_digits", "integer_datetimes", "intervalstyle", "lc_collate",
	"lc_ctype", "lc_messages", "lc_monetary", "lc_numeric", "lc_time", "lock_timeout", "max_identifier_length",
	"search_path", "server_encoding", "server_version", "server_version_num", "standard_conforming_strings",
	"statement_timeout", "timezone", "timezone_abbreviations", "transaction_isolation", "transaction_read_only",
	"xmloption",
	"block_size", "constraint_exclusion", "cpu_index_tuple_cost", "cpu_operator_cost", "cpu_tuple_cost",
	"cursor_tuple_fraction", "default_statistics_target", "effective_cache_size", "effective_io_concurrency",
	"enable_*", "from_collapse_limit", "geqo*", "hash_mem_multiplier", "jit*", "join_collapse_limit",
	"maintenance_work_mem", "max_parallel_workers_per_gather", "min_parallel_*", "parallel_setup_cost",
	"parallel_tuple_cost", "plan_cache_mode", "random_page_cost", "seq_page_cost", "temp_buffers", "work_mem",
};

const char guard_rules_settings[] = "how values are written (DateStyle, TimeZone, bytea_output …), the session's "
    "transactions and time-outs, search_path, versions, and the planner's settings (work_mem, enable_*, "
    "random_page_cost …)";

/* Sorted. */
static const char *const extensions[] = {
	"btree_gin", "btree_gist", "citext", "cube", "earthdistance", "fuzzystrmatch", "hstore", "intarray",
	"ltree", "pg_trgm", "postgis", "unaccent", "uuid-ossp",
};

static bool
guard_rules_matches(const char *pattern, struct span name)
{
	const char *star = strchr(pattern, '*');
	size_t n = strlen(pattern), head = star == NULL ? n : (size_t)(star - pattern), tail;

	if (star == NULL)
		return span_is_str(name, pattern);
	tail = n - head - 1;
	return name.len >= head + tail && memcmp(name.p, pattern, head) == 0 &&
	    memcmp(name.p + name.len - tail, star + 1, tail) == 0;
}

const char *
guard_rules_function(struct span name)
{
	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)
		if (guard_rules_matches(denied[i].pattern, name))
			return denied[i].why;
	return NULL;
}

bool
guard_rules_is_one_of(struct span name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_is_str(name, list[i]))
			return true;
	return false;
}

const char *
guard_rules_relation(struct span name, bool standard)
{
	if (standard && guard_rules_is_one_of(name, secret_views, sizeof(secret_views) / sizeof(secret_views[0])))
		return SECRETS;
	if (name.len < 3 || memcmp(name.p, "pg_", 3) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(denied_relations) / sizeof(denied_relations[0]); i++)
		if (guard_rules_matches(denied_relations[i].pattern, name))
			return denied_relations[i].why;
	return NULL;
}

unsigned
guard_rules_namesake(struct span name)
{
	/* ts_rewrite(query, target, substitute) only rewrites; ts_rewrite(query, text) runs the text as SQL. */
	return span_is_str(name, "ts_rewrite") ? 3 : 0;
}

bool
guard_rules_harmless(struct span name)
{
	return guard_rules_is_one_of(name, harmless, sizeof(harmless) / sizeof(harmless[0]));
}

bool
guard_rules_harmless_of(struct span extension, struct span name)
{
	for (size_t i = 0; i < sizeof(harmless_of) / sizeof(harmless_of[0]); i++)
		if (span_is_str(extension, harmless_of[i].extension) && span_is_str(name, harmless_of[i].name))
			return true;
	return false;
}

bool
guard_rules_extension(struct span name)
{
	return guard_rules_is_one_of(name, extensions, sizeof(extensions) / sizeof(extensions[0]));
}

bool
guard_rules_setting(struct span name)
{
	char lower[64];

	/* Without case, as the server compares them. */
	if (name.len >= sizeof(lower))
		return false;
	for (size_t i = 0; i < name.len; i++)
		lower[i] = (char)ascii_lower(name.p[i]);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (guard_rules_matches(settings[i], span_of(lower, name.len)))
			return true;
	return false;
}
