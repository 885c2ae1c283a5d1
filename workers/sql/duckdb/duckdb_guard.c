#include "workers/sql/duckdb/duckdb_guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/sqltext.h"
#include "policy/datasets_names.h"
#include "workers/sql/duckdb/duckdb_errors.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/duckdb/duckdb_tree.h"

/*
 * Functions that compute from their arguments, sorted without case.  Not here: what reads files or runs SQL from a
 * text (read_*, glob, query, query_table, json_execute_serialized_sql, json_serialize_plan), what shows settings, paths
 * and sessions (current_setting, getvariable, pragma_*, duckdb_*), what has effects (nextval, setseed, write_log,
 * sleep_ms), and what takes the engine's own states apart (finalize, combine, __internal_*).
 */
static const char *const functions[] = {
	"!__postfix", "!~~", "!~~*", "%", "&", "&&", "*", "**", "+", "-", "->>", "/", "//", "<->", "<<", "<=>",
	"<@", ">>", "@", "@>", "^", "^@", "abs", "acos", "acosh", "add", "age", "aggregate", "ago", "alias",
	"any_value", "apply", "approx_count_distinct", "approx_quantile", "approx_top_k", "arbitrary",
	"arg_max", "arg_max_null", "arg_max_nulls_last", "arg_min", "arg_min_null", "arg_min_nulls_last",
	"argmax", "argmin", "array_agg", "array_aggr", "array_aggregate", "array_append", "array_apply",
	"array_cat", "array_concat", "array_contains", "array_cosine_distance", "array_cosine_similarity",
	"array_cross_product", "array_distance", "array_distinct", "array_dot_product", "array_extract",
	"array_filter", "array_grade_up", "array_has", "array_has_all", "array_has_any", "array_indexof",
	"array_inner_product", "array_intersect", "array_length", "array_negative_dot_product",
	"array_negative_inner_product", "array_pop_back", "array_pop_front", "array_position", "array_prepend",
	"array_push_back", "array_push_front", "array_reduce", "array_resize", "array_reverse",
	"array_reverse_sort", "array_select", "array_slice", "array_sort", "array_to_json", "array_to_string",
	"array_to_string_comma_default", "array_transform", "array_unique", "array_value", "array_where",
	"array_zip", "ascii", "asin", "asinh", "atan", "atan2", "atanh", "avg", "base64", "bin", "bit_and",
	"bit_count", "bit_length", "bit_or", "bit_position", "bit_xor", "bitstring", "bitstring_agg",
	"bool_and", "bool_or", "can_cast_implicitly", "cardinality", "cast_to_type", "cbrt", "ceil", "ceiling",
	"century", "char_length", "character_length", "chr", "concat", "concat_ws", "constant_or_null",
	"contains", "corr", "cos", "cosh", "cot", "count", "count_if", "count_star", "countif", "covar_pop",
	"covar_samp", "cume_dist", "current_catalog", "current_database", "current_date", "current_localtime",
	"current_localtimestamp", "current_role", "current_schema", "current_schemas", "current_user",
	"damerau_levenshtein", "date_add", "date_diff", "date_part", "date_sub", "date_trunc", "datediff",
	"datepart", "datesub", "datetrunc", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear",
	"days_in_month", "decade", "decode", "degrees", "dense_rank", "divide", "editdist3", "element_at",
	"encode", "ends_with", "entropy", "enum_code", "enum_first", "enum_last", "enum_range",
	"enum_range_boundary", "epoch", "epoch_ms", "epoch_ns", "epoch_us", "equi_width_bins", "era", "error",
	"even", "exp", "factorial", "favg", "fdiv", "fill", "filter", "first", "first_value", "flatten",
	"floor", "fmod", "format", "format_bytes", "formatReadableDecimalSize", "formatReadableSize",
	"from_base64", "from_binary", "from_hex", "from_json", "from_json_strict", "fsum", "gamma", "gcd",
	"gen_random_uuid", "generate_series", "generate_subscripts", "geomean", "geometric_mean", "get_bit",
	"get_current_time", "get_current_timestamp", "grade_up", "greatest", "greatest_common_divisor",
	"group_concat", "hamming", "hash", "hex", "histogram", "histogram_exact", "histogram_values", "hour",
	"ilike_escape", "instr", "isfinite", "isinf", "isnan", "isodow", "isoyear", "jaccard",
	"jaro_similarity", "jaro_winkler_similarity", "json", "json_array", "json_array_length",
	"json_contains", "json_each", "json_exists", "json_extract", "json_extract_path",
	"json_extract_path_text", "json_extract_string", "json_group_array", "json_group_object",
	"json_group_structure", "json_keys", "json_merge_patch", "json_object", "json_pretty", "json_quote",
	"json_structure", "json_transform", "json_transform_strict", "json_tree", "json_type", "json_valid",
	"json_value", "julian", "kahan_sum", "kurtosis", "kurtosis_pop", "lag", "last", "last_day",
	"last_value", "lcase", "lcm", "lead", "least", "least_common_multiple", "left", "left_grapheme", "len",
	"length", "length_grapheme", "levenshtein", "lgamma", "like_escape", "list", "list_aggr",
	"list_aggregate", "list_any_value", "list_append", "list_apply", "list_approx_count_distinct",
	"list_avg", "list_bit_and", "list_bit_or", "list_bit_xor", "list_bool_and", "list_bool_or", "list_cat",
	"list_concat", "list_contains", "list_cosine_distance", "list_cosine_similarity", "list_count",
	"list_distance", "list_distinct", "list_dot_product", "list_element", "list_entropy", "list_extract",
	"list_filter", "list_first", "list_grade_up", "list_has", "list_has_all", "list_has_any",
	"list_histogram", "list_indexof", "list_inner_product", "list_intersect", "list_kurtosis",
	"list_kurtosis_pop", "list_last", "list_mad", "list_max", "list_median", "list_min", "list_mode",
	"list_negative_dot_product", "list_negative_inner_product", "list_pack", "list_position",
	"list_prepend", "list_product", "list_reduce", "list_resize", "list_reverse", "list_reverse_sort",
	"list_select", "list_sem", "list_skewness", "list_slice", "list_sort", "list_stddev_pop",
	"list_stddev_samp", "list_string_agg", "list_sum", "list_transform", "list_unique", "list_value",
	"list_var_pop", "list_var_samp", "list_where", "list_zip", "listagg", "ln", "log", "log10", "log2",
	"lower", "lpad", "ltrim", "mad", "make_date", "make_time", "make_timestamp", "make_timestamp_ms",
	"make_timestamp_ns", "make_timestamptz", "map", "map_concat", "map_contains", "map_contains_entry",
	"map_contains_value", "map_entries", "map_extract", "map_extract_value", "map_from_entries",
	"map_keys", "map_values", "max", "max_by", "md5", "md5_number", "md5_number_lower", "md5_number_upper",
	"mean", "median", "microsecond", "millennium", "millisecond", "min", "min_by", "minute", "mismatches",
	"mod", "mode", "month", "monthname", "multiply", "nanosecond", "nextafter", "nfc_normalize",
	"normalized_interval", "not_ilike_escape", "not_like_escape", "now", "nth_value", "ntile", "nullif",
	"octet_length", "ord", "parse_dirname", "parse_dirpath", "parse_filename", "parse_formatted_bytes",
	"parse_path", "percent_rank", "pi", "position", "pow", "power", "prefix", "printf", "product",
	"quantile", "quantile_cont", "quantile_disc", "quarter", "radians", "random", "range", "rank",
	"rank_dense", "reduce", "regexp_escape", "regexp_extract", "regexp_extract_all", "regexp_full_match",
	"regexp_matches", "regexp_replace", "regexp_split_to_array", "regexp_split_to_table", "regr_avgx",
	"regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy",
	"regr_syy", "repeat", "replace", "replace_type", "reservoir_quantile", "reverse", "right",
	"right_grapheme", "round", "round_even", "roundbankers", "row", "row_number", "row_to_json", "rpad",
	"rtrim", "second", "sem", "session_user", "set_bit", "sha1", "sha256", "sign", "signbit", "sin",
	"sinh", "skewness", "split", "split_part", "sqrt", "starts_with", "stddev", "stddev_pop",
	"stddev_samp", "str_split", "str_split_regex", "strftime", "string_agg", "string_split",
	"string_split_regex", "string_to_array", "strip_accents", "strlen", "strpos", "strptime",
	"struct_concat", "struct_contains", "struct_extract", "struct_extract_at", "struct_has",
	"struct_indexof", "struct_insert", "struct_keys", "struct_pack", "struct_position", "struct_update",
	"struct_values", "substr", "substring", "substring_grapheme", "subtract", "suffix", "sum",
	"sum_no_overflow", "sumkahan", "switch", "tan", "tanh", "time_bucket", "timezone", "timezone_hour",
	"timezone_minute", "to_base", "to_base64", "to_binary", "to_centuries", "to_days", "to_decades",
	"to_hex", "to_hours", "to_json", "to_microseconds", "to_millennia", "to_milliseconds", "to_minutes",
	"to_months", "to_quarters", "to_seconds", "to_timestamp", "to_weeks", "to_years", "today",
	"transaction_timestamp", "translate", "trim", "trunc", "try_strptime", "typeof", "ucase", "unbin",
	"unhex", "unicode", "union_extract", "union_tag", "union_value", "unnest", "unpivot_list", "upper",
	"url_decode", "url_encode", "user", "uuid", "uuid_extract_timestamp", "uuid_extract_version", "uuidv4",
	"uuidv7", "var_pop", "var_samp", "variance", "variant_extract", "variant_typeof", "version", "wavg",
	"week", "weekday", "weekofyear", "weighted_avg", "xor", "year", "yearweek", "|", "||", "~", "~~",
	"~~*", "~~~",
};

/* Of these, the ones that tell of the library and the database: not for callers of datasets. */
static const char *const of_server[] = { "current_catalog", "current_database", "current_role", "current_schema",
	"current_schemas", "current_user", "session_user", "user", "version", NULL };

/* Of these, the ones that find types by the names in a text, so also those of the file behind a column policy. */
static const char *const of_types[] = { "from_json", "from_json_strict", "json_transform", "json_transform_strict",
	NULL };

/*
 * Views of the system that describe the database.  Not here: those that show paths, settings or statements.
 * tells: defaults, types with their labels, checks or definitions, which are values of protected columns.
 */
static const struct {
	const char	*schema, *name;
	bool		 tells;
} described[] = {
	{ "main", "duckdb_columns", true }, { "main", "duckdb_constraints", true }, { "main", "duckdb_indexes", true },
	{ "main", "duckdb_schemas", false }, { "main", "duckdb_tables", true }, { "main", "duckdb_types", true },
	{ "information_schema", "columns", true }, { "information_schema", "constraint_column_usage", true },
	{ "information_schema", "constraint_table_usage", false }, { "information_schema", "key_column_usage", false },
	{ "information_schema", "referential_constraints", false }, { "information_schema", "schemata", false },
	{ "information_schema", "table_constraints", false }, { "information_schema", "tables", false },
};
#define DESCRIBED_NONE	(sizeof(described) / sizeof(described[0]))

/* The kinds of expressions: `class` of a node.  PARAMETER has its own message. */
static const char *const expressions[] = { "BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON",
	"CONJUNCTION", "CONSTANT", "DEFAULT", "FUNCTION", "LAMBDA", "OPERATOR", "POSITIONAL_REFERENCE", "STAR",
	"SUBQUERY", "WINDOW", NULL };

/* The kinds of everything else: `type` of a node. */
static const char *const others[] = { "ARRAY_TYPE_INFO", "ASCENDING", "BASE_TABLE", "CTE_NODE", "DECIMAL_TYPE_INFO",
	"DESCENDING", "DISTINCT_MODIFIER", "EMPTY", "ENUM_TYPE_INFO", "EXPRESSION_LIST", "GENERIC_TYPE_INFO", "JOIN",
	"LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "LIST_TYPE_INFO", "ORDER_DEFAULT", "ORDER_MODIFIER", "PIVOT",
	"RECURSIVE_CTE_NODE", "SELECT_NODE", "SET_OPERATION_NODE", "SHOW_REF", "STRUCT_TYPE_INFO", "SUBQUERY",
	"TABLE_FUNCTION", "UNBOUND_TYPE_INFO", "USER_TYPE_INFO", NULL };

/* The names of WITH queries that can be seen from a place, innermost first. */
struct guard_scope {
	struct span			 name;
	const struct guard_scope	*outer;
};

struct guard_walk {
	const struct duckdb_guard	*g;
	struct arena			*arena;
	size_t				 nsets;
	size_t				*at;
	struct err			*err;
};

static int walk_node(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope);

static bool
is_listed(struct span name, const char *const *list)
{
	for (; *list != NULL; list++)
		if (span_is_str(name, *list))
			return true;
	return false;
}

/* The key is a span. */
static int
compare_folded(const void *key, const void *element)
{
	const struct span *name = key;
	const char *other = *(const char *const *)element;
	int r = strncasecmp((const char *)name->p, other, name->len);

	return r != 0 ? r : -(int)(other[name->len] != '\0');
}

bool
duckdb_guard_allows_function(struct span name)
{
	return name.len > 0 && memchr(name.p, '\0', name.len) == NULL &&
	    bsearch(&name, functions, sizeof(functions) / sizeof(functions[0]), sizeof(functions[0]), compare_folded) !=
	    NULL;
}

static void
take_place(struct guard_walk *w, const struct duckdb_node *node)
{
	size_t place = duckdb_tree_place(node);

	if (place != SIZE_MAX)
		*w->at = place;
}

static int refuse(struct guard_walk *w, const struct duckdb_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int
refuse(struct guard_walk *w, const struct duckdb_node *node, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	take_place(w, node);
	return err_set(w->err, ERR_FORBIDDEN_SQL, "%s", text);
}

static bool
is_word_of(struct span name, const char *const *list)
{
	for (; *list != NULL; list++)
		if (span_is_word(name, *list))
			return true;
	return false;
}

static int
judge_function(struct guard_walk *w, const struct duckdb_node *node)
{
	struct span name = duckdb_tree_text(w->arena, node, "function_name");
	struct span schema = duckdb_tree_text(w->arena, node, "schema");
	struct span catalog = duckdb_tree_text(w->arena, node, "catalog");

	if (w->g->mode == DUCKDB_GUARD_ONLY_FORM)
		return 0;
	if (duckdb_names_has_macro(w->g->names, name))
		return refuse(w, node,
		    "%.*s() is a macro of the database, and macros are not allowed; write out what it computes",
		    SPAN_FMT(name));
	if (w->g->policed && is_word_of(name, of_types))
		return refuse(w, node,
		    "%.*s() finds types by their names, which is not allowed on a connection with a column policy; use "
		    "json_extract and a cast",
		    SPAN_FMT(name));
	if (duckdb_guard_allows_function(name) && !(w->g->published && is_word_of(name, of_server)) &&
	    (schema.len == 0 || span_is_word(schema, DUCKDB_SCHEMA)) &&
	    (catalog.len == 0 || span_is_word(catalog, "system")) &&
	    !duckdb_tree_is(duckdb_tree_member(node, "export_state"), "true"))
		return 0;
	return refuse(w, node,
	    "the function %.*s() is not allowed here; use DuckDB's computing functions, for example "
	    "date_trunc, strftime or json_extract",
	    SPAN_FMT(name));
}

static bool
is_in_scope(const struct guard_scope *scope, struct span name)
{
	for (; scope != NULL; scope = scope->outer)
		if (span_is_folded(scope->name, name))
			return true;
	return false;
}

/* The row of described[]; DESCRIBED_NONE: it is no such view. */
static size_t
find_described(struct span schema, struct span name)
{
	size_t i = 0;

	while (i < DESCRIBED_NONE &&
	    !(span_is_word(name, described[i].name) &&
		span_is_word(schema.len == 0 ? SPAN(DUCKDB_SCHEMA) : schema, described[i].schema)))
		i++;
	return i;
}

static bool
may_read(const struct duckdb_guard *g, const struct guard_scope *scope, struct span catalog, struct span schema,
    struct span name)
{
	bool plain = schema.len == 0 && catalog.len == 0;

	return (plain && is_in_scope(scope, name)) ||
	    (plain && g->home.len > 0 && duckdb_names_has(g->names, SPAN_NONE, g->home, name)) ||
	    ((plain || !g->published) && duckdb_names_has(g->names, catalog, schema, name));
}

static int
refuse_unpublished(struct guard_walk *w, const struct duckdb_node *node, struct span name)
{
	struct span id;

	take_place(w, node);
	if (name.len == DATASETS_NAME - 1 && datasets_is_named_at(name, 0, &id))
		return err_set(w->err, ERR_DATASET_NOT_FOUND,
		    "%.*s is no published dataset; carrel_list_datasets shows which there are, carrel_get_schema the "
		    "name of "
		    "each in SQL",
		    SPAN_FMT(name));
	return err_set(w->err, ERR_TABLE_NOT_FOUND,
	    "there is no table %.*s here: only published datasets can be read, each by its table_name from "
	    "carrel_get_schema (dataset_…)",
	    (int)(name.len > 128 ? 128 : name.len), (const char *)name.p);
}

static bool
looks_like_file(struct span name)
{
	return memchr(name.p, '/', name.len) != NULL || memchr(name.p, '.', name.len) != NULL ||
	    memchr(name.p, '*', name.len) != NULL;
}

static int
judge_table(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	struct span name = duckdb_tree_text(w->arena, node, "table_name");
	struct span schema = duckdb_tree_text(w->arena, node, "schema_name");
	struct span catalog = duckdb_tree_text(w->arena, node, "catalog_name");
	const char *fault;
	size_t view;

	if (w->g->mode == DUCKDB_GUARD_ONLY_FUNCTIONS)
		return 0;
	if (!duckdb_tree_is(duckdb_tree_member(node, "at_clause"), "null"))
		return refuse(w, node, "AT is not allowed: %.*s has one version", SPAN_FMT(name));
	if (may_read(w->g, scope, catalog, schema, name))
		return 0;
	if (w->g->published)
		return refuse_unpublished(w, node, name);
	if (catalog.len == 0 && (view = find_described(schema, name)) != DESCRIBED_NONE)
		return !w->g->policed || !described[view].tells ?
		    0 :
		    refuse(w, node,
			"%s.%s tells defaults, types and definitions of columns that this connection's column policy "
			"protects; DESCRIBE, information_schema.tables and entity_details say what may be seen",
			described[view].schema, described[view].name);
	if ((fault = duckdb_names_fault(w->g->names, name)) != NULL) {
		take_place(w, node);
		return err_set(w->err, ERR_DATABASE_UNAVAILABLE, "the files of %.*s cannot be read: %s", SPAN_FMT(name),
		    fault);
	}
	if (looks_like_file(name))
		return refuse(w, node, "%.*s is no table of this connection, and files cannot be read by a statement",
		    SPAN_FMT(name));
	take_place(w, node);
	return err_set(w->err, ERR_INVALID_SQL,
	    "there is no table %.*s; find the right name with discover_data, or SHOW TABLES", SPAN_FMT(name));
}

/* DESCRIBE and SUMMARIZE have a query, which is walked; of the rest, the list of tables is allowed. */
static int
judge_show(struct guard_walk *w, const struct duckdb_node *node)
{
	const struct duckdb_node *query = duckdb_tree_member(node, "query");
	struct span what = duckdb_tree_text(w->arena, node, "table_name");

	if (w->g->published)
		return refuse(w, node, "only SELECT is allowed on datasets; carrel_get_schema describes them");
	if (w->g->mode == DUCKDB_GUARD_ONLY_FUNCTIONS || (query != NULL && query->kind == '{') ||
	    span_is_str(what, "\"tables\""))
		return 0;
	return refuse(w, node, "SHOW %.*s is not allowed; SHOW TABLES, DESCRIBE and SUMMARIZE are", SPAN_FMT(what));
}

/* By their full names types of the file are found behind its views; their labels are values of protected columns. */
static int
judge_type(struct guard_walk *w, const struct duckdb_node *node)
{
	if (!w->g->policed ||
	    duckdb_tree_text(w->arena, node, "catalog").len + duckdb_tree_text(w->arena, node, "schema").len == 0)
		return 0;
	return refuse(w, node,
	    "types of the database cannot be named on a connection with a column policy; write them out: "
	    "x::ENUM ('a', 'b')");
}

/* The members of a node. */
static int
walk_members(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	for (const struct duckdb_node *n = node->first; n != NULL; n = n->next)
		if (walk_node(w, n, scope) == -1)
			return -1;
	return 0;
}

/* The members of a query without its WITH queries, which walk_with() saw, and without the one named. */
static int
walk_rest(struct guard_walk *w, const struct duckdb_node *node, const char *but, const struct guard_scope *scope)
{
	for (const struct duckdb_node *n = node->first; n != NULL; n = n->next)
		if (!span_is_str(n->key, "cte_map") && (but == NULL || !span_is_str(n->key, but)) &&
		    walk_node(w, n, scope) == -1)
			return -1;
	return 0;
}

/* A WITH query of a recursive kind sees itself in its second part. */
static int
walk_recursive(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	const struct guard_scope own = { duckdb_tree_text(w->arena, node, "cte_name"), scope };
	const struct duckdb_node *right = duckdb_tree_member(node, "right");

	return walk_rest(w, node, "right", scope) == -1 || (right != NULL && walk_node(w, right, &own) == -1) ? -1 : 0;
}

/* Up to 1.4 a materialized WITH query is a node around what follows it. */
static int
walk_around(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	const struct guard_scope own = { duckdb_tree_text(w->arena, node, "cte_name"), scope };
	const struct duckdb_node *query = duckdb_tree_member(node, "query");

	return (query != NULL && walk_node(w, query, scope) == -1) || walk_rest(w, node, "query", &own) == -1 ? -1 : 0;
}

static int
walk_body(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	struct span type = duckdb_tree_text(w->arena, node, "type");

	if (span_is_str(type, "RECURSIVE_CTE_NODE"))
		return walk_recursive(w, node, scope);
	if (span_is_str(type, "CTE_NODE"))
		return walk_around(w, node, scope);
	if (span_is_str(type, "SET_OPERATION_NODE") && ++w->nsets > DUCKDB_SETS_MAX)
		return err_set(w->err, ERR_FORBIDDEN_SQL,
		    "the statement has more than %u set operations; join a VALUES list instead", DUCKDB_SETS_MAX);
	return walk_rest(w, node, NULL, scope);
}

/* Each WITH query sees those before it; the query's body sees all of them. */
static int
walk_with(struct guard_walk *w, const struct duckdb_node *node, const struct duckdb_node *cte,
    const struct guard_scope *scope)
{
	struct guard_scope own = { .outer = scope };

	if (cte == NULL)
		return walk_body(w, node, scope);
	if (walk_members(w, cte, scope) == -1)
		return -1;
	own.name = duckdb_tree_text(w->arena, cte, "key");
	return walk_with(w, node, cte->next, &own);
}

static int
walk_query(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	const struct duckdb_node *with = duckdb_tree_member(node, "cte_map"), *map = duckdb_tree_member(with, "map");

	if (with != NULL && (map == NULL || with->first != map || map->next != NULL))
		return refuse(w, node, "this kind of WITH is not known here, so it is not allowed");
	return walk_with(w, node, map == NULL ? NULL : map->first, scope);
}

/* current_user and its like are written without parentheses. */
static bool
tells_of_server(struct guard_walk *w, const struct duckdb_node *node)
{
	const struct duckdb_node *names = duckdb_tree_member(node, "column_names");

	return names != NULL && names->first != NULL && names->first->next == NULL &&
	    is_word_of(duckdb_tree_string(w->arena, names->first), of_server);
}

static int
walk_expression(struct guard_walk *w, const struct duckdb_node *node, struct span class,
    const struct guard_scope *scope)
{
	if (span_is_str(class, "PARAMETER") && w->g->parameters)
		return 0;
	if (span_is_str(class, "PARAMETER"))
		return refuse(w, node, "placeholders are not supported; write the values into the statement");
	if (!is_listed(class, expressions))
		return refuse(w, node, "an expression of the kind %.*s is not known here, so it is not allowed",
		    SPAN_FMT(class));
	if (w->g->published && span_is_str(class, "COLUMN_REF") && tells_of_server(w, node))
		return refuse(w, node, "the names of the database and its user are not shown here");
	if ((span_is_str(class, "FUNCTION") || span_is_str(class, "WINDOW")) && judge_function(w, node) == -1)
		return -1;
	return span_is_str(class, "CONSTANT") ? 0 : walk_members(w, node, scope);
}

static int
walk_object(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	const struct duckdb_node *kind = duckdb_tree_member(node, "class");
	struct span type;

	if (kind != NULL)
		return walk_expression(w, node, duckdb_tree_string(w->arena, kind), scope);
	if (duckdb_tree_member(node, "cte_map") != NULL && !is_listed(duckdb_tree_text(w->arena, node, "type"), others))
		return refuse(w, node, "this kind of query is not known here, so it is not allowed");
	kind = duckdb_tree_member(node, "type");
	if (kind == NULL || kind->kind != '"')
		return walk_members(w, node, scope);
	type = duckdb_tree_string(w->arena, kind);
	if (!is_listed(type, others))
		return refuse(w, node, "%.*s is not known here, so it is not allowed", SPAN_FMT(type));
	if (span_is_str(type, "BASE_TABLE") && judge_table(w, node, scope) == -1)
		return -1;
	if (span_is_str(type, "SHOW_REF") && judge_show(w, node) == -1)
		return -1;
	if ((span_is_str(type, "USER_TYPE_INFO") || span_is_str(type, "UNBOUND_TYPE_INFO")) &&
	    judge_type(w, node) == -1)
		return -1;
	return walk_query(w, node, scope);
}

static int
walk_node(struct guard_walk *w, const struct duckdb_node *node, const struct guard_scope *scope)
{
	if (node->kind == '{')
		return walk_object(w, node, scope);
	return node->kind == '[' ? walk_members(w, node, scope) : 0;
}

/* The parser's error, or that the statement is no query: its first word says which. */
static int
explain_error(struct guard_walk *w, const struct duckdb_node *root, struct span sql)
{
	struct span message = duckdb_errors_sentence(duckdb_tree_text(w->arena, root, "error_message"));
	struct span position = duckdb_tree_text(w->arena, root, "position");
	struct sqltext s = { .dialect = SQLTEXT_DUCKDB, .text = sql };
	struct sqltext_token first = sqltext_next(&s);

	if (!span_is_str(duckdb_tree_text(w->arena, root, "error_type"), "parser")) {
		if (span_is_str(message, "Allocation failure"))
			return err_set(w->err, ERR_FORBIDDEN_SQL,
			    "the statement is too large to be checked; simplify it");
		*w->at = (size_t)(first.text.p - sql.p);
		if (sqltext_is(&first, "PIVOT") || sqltext_is(&first, "UNPIVOT"))
			return err_set(w->err, ERR_FORBIDDEN_SQL,
			    "PIVOT needs its values here: SELECT * FROM (PIVOT t ON x IN ('a', 'b') USING sum(y))");
		if (first.kind != SQLTEXT_WORD || sqltext_is(&first, "SELECT") || sqltext_is(&first, "WITH") ||
		    sqltext_is(&first, "FROM") || sqltext_is(&first, "VALUES"))
			return err_set(w->err, ERR_FORBIDDEN_SQL, "the statement is not allowed: %.*s",
			    SPAN_FMT(message));
		return err_set(w->err, ERR_FORBIDDEN_SQL,
		    "%.*s is not allowed: this connection only reads; write a SELECT",
		    (int)(first.text.len > 40 ? 40 : first.text.len), (const char *)first.text.p);
	}
	if (position.len > 0 && position.len < 20)
		*w->at = (size_t)strtoull(arena_cstr(w->arena, position), NULL, 10);
	return err_set(w->err, ERR_INVALID_SQL, "%.*s",
	    SPAN_FMT(message.len > 0 ? message : SPAN("the statement cannot be parsed")));
}

int
duckdb_guard_judge(const struct duckdb_guard *g, struct arena *a, struct span tree, struct span sql, size_t *at,
    struct err *err)
{
	struct guard_walk w = { .g = g, .arena = a, .at = at, .err = err };
	const struct duckdb_node *root = duckdb_tree_read(a, tree, err), *statements;

	*at = DUCKDB_GUARD_NOWHERE;
	if (root == NULL)
		return -1;
	if (duckdb_tree_is(duckdb_tree_member(root, "error"), "true"))
		return explain_error(&w, root, sql);
	statements = duckdb_tree_member(root, "statements");
	if (statements == NULL || statements->kind != '[' || statements->first == NULL)
		return err_set(err, ERR_INVALID_SQL, "there is no statement, only white space or comments");
	if (statements->first->next != NULL)
		return err_set(err, ERR_FORBIDDEN_SQL, "several statements are not allowed; send one statement a call");
	return walk_node(&w, statements->first, NULL);
}

/* The one option that is allowed behind EXPLAIN, "(FORMAT json)"; *s stands behind its first word. */
static bool
takes_format(struct sqltext *s)
{
	static const char *const formats[] = { "text", "json", "yaml", "html", "graphviz", "mermaid", NULL };
	struct sqltext_token value = sqltext_next(s), end = sqltext_next(s);

	return is_word_of(value.text, formats) && sqltext_is_punct(&end, ')');
}

int
duckdb_guard_body(struct span sql, struct span *body, bool *explained, struct err *err)
{
	static const char *const runs[] = { "analyze", "analyse", NULL }; /* also "ANALYZE false" */
	struct sqltext s = { .dialect = SQLTEXT_DUCKDB, .text = sql };
	struct sqltext_token t = sqltext_next(&s);
	bool allowed;

	*body = sql;
	*explained = sqltext_is(&t, "EXPLAIN");
	if (!*explained)
		return 0;
	*body = span_of(sql.p + s.at, sql.len - s.at);
	t = sqltext_next(&s);
	allowed = !is_word_of(t.text, runs);
	if (sqltext_is_punct(&t, '(')) { /* options, or a query */
		t = sqltext_next(&s);
		allowed = !is_word_of(t.text, runs);
		if (sqltext_is(&t, "FORMAT")) {
			allowed = takes_format(&s);
			*body = span_of(sql.p + s.at, sql.len - s.at);
		}
	}
	return allowed ?
	    0 :
	    err_set(err, ERR_FORBIDDEN_SQL,
		"EXPLAIN ANALYZE is not allowed, because it runs the statement, and of the options of "
		"EXPLAIN only the format is: write EXPLAIN and the statement, or EXPLAIN (FORMAT json) and it");
}
