#include "workers/sql/sqlite/sqlite_guard.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "workers/sql/sqlite/sqlite_columns.h"
#include "workers/sql/sqlite/sqlite_text.h"

/*
 * Every function of SQLite that computes from its arguments, sorted.  Not
 * here: load_extension, fts3_tokenizer (hands out pointers), sqlite_log,
 * rtreecheck and optimize (run SQL or write), fts5 (wants a pointer).
 */
static const char *const functions[] = {
	"->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg",
	"bm25", "ceil", "ceiling", "changes", "char", "coalesce", "concat", "concat_ws", "cos",
	"cosh", "count", "cume_dist", "current_date", "current_time", "current_timestamp", "date",
	"datetime", "degrees", "dense_rank", "exp", "first_value", "floor", "format", "glob",
	"group_concat", "hex", "highlight", "ifnull", "iif", "instr", "json", "json_array",
	"json_array_length", "json_error_position", "json_extract", "json_group_array",
	"json_group_object", "json_insert", "json_object", "json_patch", "json_pretty", "json_quote",
	"json_remove", "json_replace", "json_set", "json_type", "json_valid", "jsonb", "jsonb_array",
	"jsonb_extract", "jsonb_group_array", "jsonb_group_object", "jsonb_insert", "jsonb_object",
	"jsonb_patch", "jsonb_remove", "jsonb_replace", "jsonb_set", "julianday", "lag",
	"last_insert_rowid", "last_value", "lead", "length", "like", "likelihood", "likely", "ln",
	"log", "log10", "log2", "lower", "ltrim", "match", "matchinfo", "max", "median", "min", "mod",
	"nth_value", "ntile", "nullif", "octet_length", "offsets", "percent_rank", "percentile_cont", "pi", "pow",
	"power", "printf", "quote", "radians", "random", "randomblob", "rank", "replace", "round",
	"row_number", "rtrim", "sign", "sin", "sinh", "snippet", "soundex", "sqlite_compileoption_get",
	"sqlite_compileoption_used", "sqlite_source_id", "sqlite_version", "sqrt", "strftime",
	"string_agg", "substr", "substring", "sum", "tan", "tanh", "time", "timediff", "total",
	"total_changes", "trim", "trunc", "typeof", "unhex", "unicode", "unixepoch", "unlikely",
	"upper", "zeroblob",
};

/* Sorted.  Of these, the ones that tell of the library and the connection: not for callers of datasets. */
static const char *const of_server[] = {
	"changes", "last_insert_rowid", "sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_source_id",
	"sqlite_version", "total_changes",
};

/* Sorted.  Not here: dbstat and sqlite_stmt (internals), fts3tokenize (pointers). */
static const char *const modules[] = {
	"fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "geopoly", "rtree", "rtree_i32",
};

/* A PRAGMA that fts5 uses while it is read. */
#define DATA_VERSION	"data_version"

/* Sorted.  PRAGMAs that only describe tables, not the build of SQLite. */
static const char *const pragmas[] = {
	"foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list", "table_xinfo",
};

static int
compare_name(const void *key, const void *element)
{
	return strcasecmp(key, *(const char *const *)element);
}

#define IS_LISTED(name, list)							\
	(bsearch(name, list, sizeof(list) / sizeof((list)[0]), sizeof((list)[0]), compare_name) != NULL)

bool
sqlite_guard_allows_function(const char *name)
{
	return IS_LISTED(name, functions);
}

const char *
sqlite_guard_description(size_t n)
{
	return n < sizeof(pragmas) / sizeof(pragmas[0]) ? pragmas[n] : NULL;
}

bool
sqlite_guard_allows_module(struct span name)
{
	char text[32];

	if (name.len >= sizeof(text))
		return false;
	memcpy(text, name.p, name.len);
	text[name.len] = '\0';
	return IS_LISTED(text, modules);
}

/* When SQLite connects a virtual table it declares the table's columns, and authorises that as this action. */
static bool
is_declaration(int action, const char *a)
{
	return action == SQLITE_UPDATE && a != NULL && strcmp(a, "sqlite_master") == 0;
}

/* A table-valued function, pragma_table_info(), prepares its PRAGMA while the statement runs that calls it. */
static bool
is_running(const struct sqlite_guard *g)
{
	for (sqlite3_stmt *s = sqlite3_next_stmt(g->db, NULL); s != NULL; s = sqlite3_next_stmt(g->db, s))
		if (sqlite3_stmt_busy(s))
			return true;
	return false;
}

static bool
is_allowed(const struct sqlite_guard *g, int action, const char *a, const char *b)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return true;
	case SQLITE_FUNCTION:
		return g->mode == GUARD_ONLY_ACTIONS ||
		    (b != NULL && sqlite_guard_allows_function(b) && (g->may_read == NULL || !IS_LISTED(b, of_server)));
	case SQLITE_PRAGMA:
		return g->mode == GUARD_ONLY_FUNCTIONS ||
		    (a != NULL && IS_LISTED(a, pragmas) && (g->mode == GUARD_INTROSPECT || is_running(g))) ||
		    (a != NULL && sqlite3_stricmp(a, DATA_VERSION) == 0 && is_running(g));
	case SQLITE_UPDATE:
		return g->mode == GUARD_ONLY_FUNCTIONS || (g->mode == GUARD_INTROSPECT && is_declaration(action, a));
	default:
		return g->mode == GUARD_ONLY_FUNCTIONS;
	}
}

/*
 * accessor is the view through which a column is read or a function called.  A
 * statement that is compiled while another one runs belongs to a virtual table:
 * it reads the shadow tables and the content, and the policy of the virtual
 * table's own columns applies.
 */
static bool
is_protected(const struct sqlite_guard *g, int action, const char *table, const char *column, const char *database,
    const char *accessor)
{
	return g->columns != NULL && g->mode == GUARD_QUERY && action == SQLITE_READ &&
	    !sqlite_columns_may_read(g->columns, table, column, database, accessor) && !is_running(g);
}

/* Whether a column is outside the datasets; see is_protected() for statements compiled while another one runs. */
static bool
is_outside(const struct sqlite_guard *g, int action, const char *table, const char *column, const char *accessor)
{
	return g->may_read != NULL && g->mode == GUARD_QUERY && action == SQLITE_READ &&
	    !g->may_read(g->may_read_arg, table, column, accessor) && !is_running(g);
}

static bool
is_ours(const struct sqlite_guard *g, int action, const char *function, const char *accessor)
{
	return g->columns != NULL && action == SQLITE_FUNCTION && function != NULL &&
	    sqlite_columns_is_function(function) && sqlite_columns_is_trusted(accessor);
}

static int
authorize(void *arg, int action, const char *a, const char *b, const char *database,
    const char *accessor)
{
	struct sqlite_guard *g = arg;
	const char *what = action == SQLITE_FUNCTION ? b : a;

	bool protected, outside;

	if (g->seen != NULL && action == SQLITE_READ && a != NULL)
		g->seen(g->seen_arg, a, b, accessor);
	protected = is_protected(g, action, a, b, database, accessor);
	outside = is_outside(g, action, a, b, accessor);
	g->wrapped = g->wrapped || is_ours(g, action, b, accessor);
	if (g->mode == GUARD_TRUSTED ||
	    (!protected && !outside && (is_allowed(g, action, a, b) || is_ours(g, action, b, accessor))))
		return SQLITE_OK;
	if (g->denied)
		return SQLITE_DENY; /* keep the first denial: it names the cause */
	g->denied = true;
	g->protected = protected;
	g->whole = protected && sqlite_columns_is_refused(g->columns, accessor == NULL ? a : accessor);
	g->connecting =
	    is_declaration(action, a) || (action == SQLITE_PRAGMA && a != NULL && strcmp(a, "page_size") == 0);
	g->action = action;
	what = g->whole && accessor != NULL ? accessor : what;
	snprintf(g->what, sizeof(g->what), "%s", what == NULL ? "" : what);
	snprintf(g->where, sizeof(g->where), "%s", action == SQLITE_FUNCTION || b == NULL ? "" : b);
	return SQLITE_DENY;
}

void
sqlite_guard_install(struct sqlite_guard *g, sqlite3 *db)
{
	memset(g, 0, sizeof(*g));
	g->db = db;
	g->mode = GUARD_TRUSTED;
	sqlite3_set_authorizer(db, authorize, g);
}

void
sqlite_guard_reset(struct sqlite_guard *g)
{
	g->denied = g->protected = g->whole = g->connecting = g->wrapped = false;
	g->action = 0;
	g->what[0] = g->where[0] = '\0';
}

/* The action that a WITH or an EXPLAIN may hide. */
static const char *
action_name(int action)
{
	switch (action) {
	case SQLITE_INSERT:
		return "INSERT";
	case SQLITE_UPDATE:
		return "UPDATE";
	case SQLITE_DELETE:
		return "DELETE";
	default:
		return "a statement that changes something";
	}
}

/* The first word of the statement, or of the one that EXPLAIN and EXPLAIN QUERY PLAN explain. */
static struct sqltext_token
find_verb(struct span sql, bool *explained)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;

	do
		t = sqltext_next(&s);
	while (sqltext_is_punct(&t, ';'));
	*explained = sqltext_is(&t, "EXPLAIN");
	if (*explained)
		t = sqltext_next(&s);
	if (*explained && sqltext_is(&t, "QUERY")) {
		(void)sqltext_next(&s); /* PLAN */
		t = sqltext_next(&s);
	}
	return t;
}

void
sqlite_guard_explain(const struct sqlite_guard *g, struct span sql, char *out, size_t cap)
{
	bool explained;
	struct sqltext_token first = find_verb(sql, &explained);
	bool query = sqltext_is(&first, "SELECT") || sqltext_is(&first, "WITH") || sqltext_is(&first, "VALUES");

	if (explained && sqltext_is(&first, "ANALYZE"))
		snprintf(out, cap,
		    "SQLite has no EXPLAIN ANALYZE; EXPLAIN QUERY PLAN shows how the statement would be run");
	else if (g->whole)
		snprintf(out, cap,
		    "%s cannot be read: it shows words, numbers or computed values of columns with a column policy, "
		    "or cannot be judged; query the tables themselves",
		    g->what);
	else if (g->protected)
		snprintf(out, cap,
		    "the column %s%s%s has a column policy and cannot be reached this way; name the table itself, "
		    "without main., a view or a text index in between",
		    g->what, g->where[0] == '\0' ? "" : ".", g->where);
	else if (g->action == SQLITE_FUNCTION)
		snprintf(out, cap,
		    "the function %s() is not allowed here; "
		    "use SQLite's computing functions, for example substr, strftime or json_extract",
		    g->what);
	else if (g->action == SQLITE_PRAGMA)
		snprintf(out, cap,
		    "PRAGMA %s is not allowed here; use entity_details for columns and keys, "
		    "SELECT * FROM pragma_table_info('table'), or SELECT sql FROM sqlite_schema",
		    g->what);
	else if (g->connecting && query)
		snprintf(out, cap,
		    "this virtual table or table-valued function is not available here; "
		    "use entity_details for columns and keys, or SELECT sql FROM sqlite_schema");
	else if (query || first.kind != SQLTEXT_WORD)
		snprintf(out, cap, "%s is not allowed: this connection only reads; write a SELECT",
		    action_name(g->action));
	else { /* the action may not be the statement's word: CREATE begins with an INSERT */
		char word[41];
		size_t n = 0;

		for (; n < first.text.len && n + 1 < sizeof(word); n++)
			word[n] = (char)toupper(first.text.p[n]);
		word[n] = '\0';
		snprintf(out, cap, "%s is not allowed: this connection only reads; write a SELECT", word);
	}
}

/* A function's name is followed by a parenthesis, unless an operator's keyword calls it. */
static bool
find_word(struct span sql, const char *name, bool called, size_t *at)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t = sqltext_next(&s), next;

	for (; t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN; t = next) {
		next = sqltext_next(&s);
		if (t.kind == SQLTEXT_STRING || !sqltext_names(&t, name) || (called && !sqltext_is_punct(&next, '(')))
			continue;
		*at = (size_t)(t.text.p - sql.p);
		return true;
	}
	return false;
}

static bool
find_pragma(struct span sql, const char *name, size_t *at)
{
	char function[sizeof(((struct sqlite_guard *)NULL)->what) + 8];

	snprintf(function, sizeof(function), "pragma_%s", name);
	return find_word(sql, function, false, at) || find_word(sql, name, false, at);
}

/* The first table-valued function of a PRAGMA that is not allowed: SQLite does not tell which one it connected. */
static bool
find_function_of_pragma(struct span sql, size_t *at)
{
	static const char prefix[] = "pragma_";
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;
	bool found = false;

	do {
		char name[40];

		t = sqltext_next(&s);
		if (t.kind != SQLTEXT_WORD || t.text.len < sizeof(prefix) || t.text.len >= sizeof(name) ||
		    strncasecmp((const char *)t.text.p, prefix, sizeof(prefix) - 1) != 0)
			continue;
		memcpy(name, t.text.p, t.text.len);
		name[t.text.len] = '\0';
		found = !IS_LISTED(name + sizeof(prefix) - 1, pragmas);
	} while (!found && t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	*at = (size_t)(t.text.p - sql.p);
	return found;
}

/* The position of the word that makes a statement write, after WITH or EXPLAIN; else of its first word. */
static bool
find_action(const struct sqlite_guard *g, struct span sql, size_t *at)
{
	bool explained;
	struct sqltext_token t = find_verb(sql, &explained);

	*at = (size_t)(t.text.p - sql.p);
	if (sqltext_is(&t, "WITH"))
		(void)(find_word(sql, action_name(g->action), false, at) || find_word(sql, "REPLACE", false, at));
	return t.kind == SQLTEXT_WORD;
}

bool
sqlite_guard_place(const struct sqlite_guard *g, struct span sql, size_t *at)
{
	if (g->protected && g->where[0] != '\0' && !g->whole && find_word(sql, g->where, false, at))
		return true;
	if (g->protected)
		return find_word(sql, g->what, false, at);
	if (g->action == SQLITE_FUNCTION)
		return find_word(sql, g->what, true, at);
	if (g->action == SQLITE_PRAGMA)
		return find_pragma(sql, g->what, at);
	return g->connecting ? find_function_of_pragma(sql, at) : find_action(g, sql, at);
}
