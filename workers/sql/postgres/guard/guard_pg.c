#include "base/mem.h"
#include "base/text/sqltext.h"
#include "base/utf8.h"
#include "workers/sql/postgres/guard/guard_pg.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "workers/sql/postgres/guard/guard_fold.h"
#include "workers/sql/postgres/guard/guard_plain.h"
#include "workers/sql/postgres/guard/guard_operators.h"
#include "workers/sql/postgres/guard/guard_rules.h"
#include "workers/sql/postgres/guard/guard_tree.h"
#include "workers/sql/postgres/guard/guard_weight.h"

/* The name of each refused kind of node, and the alternative to propose. */
static const struct {
	const char	*it, *instead;		/* NULL: the kind is allowed */
} refused[GUARD_KINDS] = {
#define KIND(name)
#define REFUSED(name, it, instead)	[GUARD_##name] = { it, instead },
#define FIELD(name)
#define BARE(name, of)
#include "workers/sql/postgres/guard/guard_nodes.def"
#undef KIND
#undef REFUSED
#undef FIELD
#undef BARE
};

/* Members that hold a node unwrapped, without its kind: [key - GUARD_KINDS]. */
static const uint16_t bare[GUARD_KEYS - GUARD_KINDS] = {
#define KIND(name)
#define REFUSED(name, it, instead)
#define FIELD(name)
#define BARE(name, of)			[GUARD_##name - GUARD_KINDS] = GUARD_##of,
#include "workers/sql/postgres/guard/guard_nodes.def"
#undef KIND
#undef REFUSED
#undef FIELD
#undef BARE
};

struct guard_pg {
	struct guard_tree	 tree;
	struct guard_weight	*weight;
	char			*text;		/* the statement with its NUL */
	const struct guard_plain *plain;
	bool			 analyze;	/* EXPLAIN ANALYZE is allowed */
	bool			 parameters;	/* $1 is allowed */
	bool			 places_hidden;	/* ctid is refused */
};

#define LARGE_BYTES	65536.0	/* smaller values are not added up */
#define GROWING_MAX	8u	/* limit for calls repeat(x, n) with n from a column: each may make 1 GB */

struct guard_name {
	struct span	schema, name;
	unsigned	parts;
};

/* One statement under examination. */
struct guard_check {
	const struct guard_tree		*t;
	const struct guard_catalogue	*c;
	struct span			 sql;
	size_t				 before;
	unsigned			 layers;
	struct guard_finding		*found;
	struct err			*err;
	bool				 explain, analyze, parameters, places_hidden;
	int64_t				 near;		/* location of the latest node that has one */
	/* x.name that calls a function if x is a scalar; only a function in FROM can make x one. */
	uint32_t			 selection;
	struct span			 selected;
	bool				 from_function;
	double				 large;		/* sum of the bytes that calls make of constants */
	unsigned			 growing;	/* calls whose result depends on the size of stored data */
	struct guard_operator		 own;		/* the first use of an `own` operator; name empty: none */
	size_t				 own_position;
};

struct guard_pg *
guard_pg_new(void)
{
	struct guard_pg *g = mem_new(1, sizeof(*g));

	g->text = mem_alloc(GUARD_TEXT_MAX + 1);
	g->weight = guard_weight_new();
	return g;
}

void
guard_pg_free(struct guard_pg *g)
{
	if (g == NULL)
		return;
	guard_tree_fini(&g->tree);
	guard_weight_free(g->weight);
	free(g->text);
	free(g);
}

void
guard_pg_use_plain(struct guard_pg *g, const struct guard_plain *plain)
{
	g->plain = plain;
}

void
guard_pg_allow_parameters(struct guard_pg *g, bool allowed)
{
	g->parameters = allowed;
}

void
guard_pg_allow_analyze(struct guard_pg *g, bool allowed)
{
	g->analyze = allowed;
}

void
guard_pg_hide_places(struct guard_pg *g, bool hidden)
{
	g->places_hidden = hidden;
}

/* The position of the node whose fields are v.  A node without location gets that of the latest node with one. */
static size_t
position_of(struct guard_check *k, uint32_t v)
{
	int64_t at = guard_tree_number(k->t, v, GUARD_location);

	if (at <= 0)
		at = k->near;
	if ((uint64_t)at > k->sql.len)
		at = 0;
	return k->found->position = k->before + utf8_count(span_of(k->sql.p, (size_t)at)) + 1;
}

static int
refuse_node(struct guard_check *k, uint32_t v, const char *it, const char *instead)
{
	return err_set(k->err, ERR_FORBIDDEN_SQL, "%s is not allowed (character %zu): %s", it, position_of(k, v),
	    instead);
}

static int
refuse_kind(struct guard_check *k, enum guard_key kind, uint32_t v)
{
	if (kind != GUARD_OTHER_KIND)
		return refuse_node(k, v, refused[kind].it, refused[kind].instead);
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "this kind of statement or expression (%s) is not allowed (character %zu): "
	    "begin with SELECT, WITH, VALUES, TABLE, EXPLAIN or SHOW",
	    k->t->unknown, position_of(k, v));
}

/* A list of String nodes. */
static struct guard_name
read_name(const struct guard_tree *t, uint32_t first)
{
	struct guard_name n = { .schema = span_of("", 0), .name = span_of("", 0) };

	for (; first != GUARD_NIL; first = t->values[first].next) {
		n.schema = n.name;
		n.name = guard_tree_string(t, t->values[first].child, GUARD_sval);
		n.parts++;
	}
	return n;
}

static int
refuse_function(struct guard_check *k, uint32_t v, const struct guard_name *n, enum guard_verdict verdict)
{
	const char *dot = n->schema.len > 0 ? "." : "", *why = "", *denied;
	size_t at = position_of(k, v);

	switch (verdict) {
	case GUARD_UNKNOWN:
		k->found->unknown = true;
		return err_set(k->err, ERR_INVALID_SQL,
		    "there is no function %.*s%s%.*s() in this database that could be called so (character %zu); "
		    "check the function's name and arguments",
		    SPAN_FMT(n->schema), dot, SPAN_FMT(n->name), at);
	case GUARD_DENIED:
		denied = guard_rules_function(n->name);
		why = denied == NULL ? "it is on the list of refused functions" : denied;
		break;
	case GUARD_VOLATILE:
		why = "it is declared VOLATILE, so it may change something; the owner of the database can declare "
		      "it STABLE if it does not, or write pg_catalog. in front to call the server's own function";
		break;
	case GUARD_DEFINER:
		why = "it runs with the rights of its owner (SECURITY DEFINER)";
		break;
	case GUARD_PROCEDURE:
		why = "it is a procedure and may write";
		break;
	case GUARD_LANGUAGE:
		why = "what it does cannot be checked: it is not written in SQL or PL/pgSQL, or the connection "
		      "applies row security by caller, which it could change; the connection's owner can list it in "
		      "functions";
		break;
	case GUARD_NOT_LISTED:
		why = "its extension is not on the list of extensions that only compute";
		break;
	case GUARD_MAY:
		break;
	}
	return err_set(k->err, ERR_FORBIDDEN_SQL, "the function %.*s%s%.*s() is not allowed (character %zu): %s",
	    SPAN_FMT(n->schema), dot, SPAN_FMT(n->name), at, why);
}

static int
check_relation(struct guard_check *k, uint32_t v)
{
	struct span name = guard_tree_string(k->t, v, GUARD_relname), standard = SPAN("information_schema");
	struct span schema = guard_tree_string(k->t, v, GUARD_schemaname);
	const char *why = guard_rules_relation(name,
	    span_is(schema, standard) || (schema.len == 0 && guard_catalogue_searches(k->c, standard)));

	if (why == NULL)
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL, "the relation %.*s is not allowed (character %zu): %s",
	    SPAN_FMT(name), position_of(k, v), why);
}

static int
check_operator(struct guard_check *k, uint32_t v, const struct guard_operator *o)
{
	switch (guard_catalogue_operator(k->c, o->schema, o->name)) {
	case GUARD_OPERATORS_MAY:
		return 0;
	case GUARD_OPERATORS_OWN:
		/* The operator is bad only on values of users' types: check_own_operators() decides at the end. */
		if (k->own.name.len == 0) {
			k->own = *o;
			k->own_position = position_of(k, v);
			k->found->position = 0;
		}
		return 0;
	case GUARD_OPERATORS_BAD:
		break;
	}
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the operator %.*s is not allowed (character %zu): in this "
	    "database a function that may change something stands behind one of that name; "
	    "write OPERATOR(pg_catalog.%.*s) for the server's own",
	    SPAN_FMT(o->name), position_of(k, v), SPAN_FMT(o->name));
}

static int
check_operators(struct guard_check *k, enum guard_key kind, uint32_t v)
{
	struct guard_operator used[GUARD_OPERATORS_MAX];
	size_t n = guard_operators(k->t, kind, v, used);

	for (size_t i = 0; i < n; i++)
		if (check_operator(k, v, &used[i]) == -1)
			return -1;
	return 0;
}

static int
check_type_name(struct guard_check *k, uint32_t v, const struct guard_name *n)
{
	if (!guard_catalogue_has_bad_type(k->c, n->schema, n->name))
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the type %.*s is not allowed (character %zu): a function that "
	    "may change something stands behind its casts or checks; leave the cast out, or the owner of the database "
	    "can declare that function STABLE",
	    SPAN_FMT(n->name), position_of(k, v));
}

static int
check_type(struct guard_check *k, uint32_t v)
{
	struct guard_name n = read_name(k->t, guard_tree_first(k->t, v, GUARD_names));

	return n.parts == 0 ? 0 : check_type_name(k, v, &n);
}

/*
 * current_setting('TimeZone'): its argument must be a literal of the SHOW list.  A user's function
 * of that name is exempt.
 */
static int
check_setting(struct guard_check *k, uint32_t v, const struct guard_name *n)
{
	uint32_t first = guard_tree_first(k->t, v, GUARD_args), constant;

	if ((n->schema.len == 0 || span_is_str(n->schema, "pg_catalog")) && first != GUARD_NIL &&
	    guard_tree_kind(k->t, first, &constant) == GUARD_A_Const &&
	    guard_rules_setting(guard_tree_string(k->t, guard_tree_get(k->t, constant, GUARD_sval), GUARD_sval)))
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL, "current_setting() is allowed only for %s (character %zu)",
	    guard_rules_settings, position_of(k, v));
}

static unsigned
guard_pg_count(const struct guard_tree *t, uint32_t v)
{
	unsigned n = 0;

	for (; v != GUARD_NIL; v = t->values[v].next)
		n++;
	return n;
}

static int
refuse_slow(struct guard_check *k, uint32_t v, struct span name)
{
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "%.*s of values this large is not allowed (character %zu): the server does "
	    "not interrupt it, and it would take long; make one of them smaller",
	    SPAN_FMT(name), position_of(k, v));
}

/* xpath(), xpath_exists(), XMLEXISTS: the first argument is the path. */
static int
check_path(struct guard_check *k, uint32_t v, const struct guard_name *n)
{
	if ((!span_is_str(n->name, "xpath") && !span_is_str(n->name, "xpath_exists") &&
		!span_is_str(n->name, "xmlexists")) ||
	    guard_fold_is_plain_path(k->t, guard_tree_first(k->t, v, GUARD_args)))
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "this path of %.*s() is not allowed (character %zu): the server does not "
	    "interrupt it; write a literal with at most two // and without predicates in predicates",
	    SPAN_FMT(n->name), position_of(k, v));
}

static int
refuse_value(struct guard_check *k, uint32_t v, double size)
{
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "a value of more than %.0f MB would be made (character %zu), the limit is %.0f MB: make it smaller",
	    size / 1048576, position_of(k, v), GUARD_VALUE_BYTES_MAX / 1048576);
}

static int
refuse_together(struct guard_check *k, uint32_t v)
{
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the statement makes values of more than %.0f MB together (character %zu): "
	    "make fewer or smaller ones",
	    GUARD_GATHERED_MAX / 1048576, position_of(k, v));
}

/* All values of one row are in memory at the same time. */
static int
check_sum(struct guard_check *k, uint32_t v, double size, bool grows)
{
	k->large += size >= LARGE_BYTES ? size : 0;
	k->growing += grows && size >= GUARD_GROWN_BYTES;
	if (k->growing > GROWING_MAX)
		k->found->memory.brief = true;
	return k->large <= GUARD_GATHERED_MAX ? 0 : refuse_together(k, v);
}

static int
check_size(struct guard_check *k, uint32_t v, const struct guard_name *n)
{
	double size;
	bool grows;

	if (check_path(k, v, n) == -1)
		return -1;
	if (guard_fold_is_slow_call(k->t, v))
		return refuse_slow(k, v, n->name);

	switch (guard_fold_call(k->t, v, &size, &grows)) {
	case GUARD_BOMB_VALUE:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "%.*s() would make a value of more than %.0f MB (character %zu), the limit is %.0f MB: "
		    "make it smaller",
		    SPAN_FMT(n->name), size / 1048576, position_of(k, v), GUARD_VALUE_BYTES_MAX / 1048576);
	case GUARD_BOMB_SERIES:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "generate_series() would make %.0f rows (character %zu), the limit is %.0f: make it shorter", size,
		    position_of(k, v), GUARD_SERIES_MAX);
	case GUARD_NO_BOMB:
		break;
	}
	return check_sum(k, v, size, grows);
}

static int
check_call(struct guard_check *k, uint32_t v)
{
	struct guard_name n = read_name(k->t, guard_tree_first(k->t, v, GUARD_funcname));
	enum guard_verdict verdict;
	unsigned nargs = guard_pg_count(k->t, guard_tree_first(k->t, v, GUARD_args));

	if ((k->layers & GUARD_LAYER_FUNCTIONS) == 0)
		return check_size(k, v, &n);
	if (n.parts > 2)
		return refuse_node(k, v, "a function name of more than two parts", "write schema.name()");
	if (span_is_str(n.name, "current_setting"))
		return check_setting(k, v, &n);
	/* percentile_cont(x) WITHIN GROUP (ORDER BY y): the ordered expressions are arguments, too. */
	if (guard_tree_get(k->t, v, GUARD_agg_within_group) != GUARD_NIL)
		nargs += guard_pg_count(k->t, guard_tree_first(k->t, v, GUARD_agg_order));
	verdict = guard_catalogue_function(k->c, n.schema, n.name, nargs);
	/* uuid('…') is a cast if no function has that name. */
	if (verdict == GUARD_UNKNOWN && nargs == 1 && guard_catalogue_is_castable(k->c, n.schema, n.name))
		return check_type_name(k, v, &n);
	if (verdict != GUARD_MAY)
		return refuse_function(k, v, &n, verdict);
	return k->layers & GUARD_LAYER_PARSER ? check_size(k, v, &n) : 0;
}

/* The place of a row in the table's file counts the rows before it, those of others too. */
static int
check_place(struct guard_check *k, uint32_t v, struct span name)
{
	return !k->places_hidden || !span_is_str(name, "ctid") ?
	    0 :
	    refuse_node(k, v, "ctid", "it tells how many rows others have in the table; use a key of the table");
}

/* x.name: a column, or the call name(x). */
static int
check_column(struct guard_check *k, uint32_t v)
{
	uint32_t field = guard_tree_first(k->t, v, GUARD_fields), body;
	struct guard_name n = { .schema = span_of("", 0), .name = span_of("", 0) };
	enum guard_verdict verdict;

	for (; field != GUARD_NIL; field = k->t->values[field].next, n.parts++)
		n.name = guard_tree_kind(k->t, field, &body) == GUARD_String ?
		    guard_tree_string(k->t, body, GUARD_sval) :
		    span_of("", 0);
	if (check_place(k, v, n.name) == -1)
		return -1;
	if (n.parts < 2 || n.name.len == 0)
		return 0;
	verdict = guard_catalogue_attribute(k->c, n.name, true);
	if (verdict != GUARD_MAY)
		return refuse_function(k, v, &n, verdict);
	if (k->selection == GUARD_NIL && guard_catalogue_attribute(k->c, n.name, false) != GUARD_MAY) {
		k->selection = v;
		k->selected = n.name;
	}
	return 0;
}

/* (x).name: the same, with any expression as x. */
static int
check_indirection(struct guard_check *k, uint32_t v)
{
	struct guard_name n = { .schema = span_of("", 0) };
	enum guard_verdict verdict;
	uint32_t body;

	for (uint32_t i = guard_tree_first(k->t, v, GUARD_indirection); i != GUARD_NIL; i = k->t->values[i].next) {
		if (guard_tree_kind(k->t, i, &body) != GUARD_String)
			continue;
		n.name = guard_tree_string(k->t, body, GUARD_sval);
		if (check_place(k, v, n.name) == -1)
			return -1;
		verdict = guard_catalogue_attribute(k->c, n.name, false);
		if (verdict != GUARD_MAY)
			return refuse_function(k, guard_tree_get(k->t, v, GUARD_arg), &n, verdict);
	}
	return 0;
}

static int
check_sample(struct guard_check *k, uint32_t v)
{
	struct guard_name n = read_name(k->t, guard_tree_first(k->t, v, GUARD_method));

	if (n.parts == 1 && (span_is_str(n.name, "bernoulli") || span_is_str(n.name, "system")))
		return 0;
	return refuse_node(k, v, "this sampling method", "use TABLESAMPLE BERNOULLI or SYSTEM");
}

static int
check_show(struct guard_check *k, uint32_t v)
{
	if (guard_rules_setting(guard_tree_string(k->t, v, GUARD_name)))
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL, "SHOW is allowed only for %s", guard_rules_settings);
}

/* Options of EXPLAIN that only change its output. */
static bool
is_explain_option(struct span name)
{
	static const char *const options[] = { "verbose", "costs", "settings", "summary", "format",
		"timing", "generic_plan", "memory" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (span_is_str(name, options[i]))
			return !span_is_str(name, "settings");
	return false;
}

static int
check_explain(struct guard_check *k, uint32_t v)
{
	uint32_t body;

	if (k->explain)
		return refuse_node(k, v, "EXPLAIN within EXPLAIN", "explain the query itself");
	k->explain = true;
	for (uint32_t o = guard_tree_first(k->t, v, GUARD_options); o != GUARD_NIL; o = k->t->values[o].next) {
		struct span name;

		(void)guard_tree_kind(k->t, o, &body);
		name = guard_tree_string(k->t, body, GUARD_defname);
		if (k->analyze && (span_is_str(name, "analyze") || span_is_str(name, "buffers")))
			continue;
		if (span_is_str(name, "analyze") || span_is_str(name, "analyse"))
			return refuse_node(k, body, "EXPLAIN ANALYZE",
			    "it runs the statement; use EXPLAIN without ANALYZE, or run the query itself");
		if (!is_explain_option(name))
			return refuse_node(k, body, "this option of EXPLAIN",
			    "use VERBOSE, COSTS, SUMMARY and FORMAT, or none");
	}
	if (guard_tree_kind(k->t, guard_tree_get(k->t, v, GUARD_query), &body) == GUARD_SelectStmt)
		return 0;
	return refuse_kind(k, guard_tree_kind(k->t, guard_tree_get(k->t, v, GUARD_query), &body), body);
}

/* XMLTABLE: the paths of its rows and columns. */
static int
check_table_path(struct guard_check *k, uint32_t v, enum guard_key key)
{
	uint32_t path = guard_tree_get(k->t, v, key);

	if (path == GUARD_NIL || guard_fold_is_plain_path(k->t, path))
		return 0;
	return refuse_node(k, v, "this path of XMLTABLE",
	    "the server does not interrupt it; write a literal with at most two // "
	    "and without predicates in predicates");
}

/* Casts: x::char(n), ROW(…)::text, x::xml. */
static int
check_cast(struct guard_check *k, uint32_t v)
{
	struct guard_known known = guard_fold_cast(k->t, v);

	if (known.bytes > GUARD_VALUE_BYTES_MAX)
		return refuse_value(k, v, known.bytes);
	if (guard_fold_is_slow_xml(k->t, GUARD_TypeCast, v))
		return refuse_slow(k, v, SPAN("XML"));
	return check_sum(k, v, known.bytes, false);
}

/* The checks of the node itself, without the functions that it calls. */
static int
check_kind(struct guard_check *k, enum guard_key kind, uint32_t v)
{
	if (kind == GUARD_OTHER_KIND || refused[kind].it != NULL)
		return refuse_kind(k, kind, v);
	switch (kind) {
	case GUARD_ParamRef:
		if (k->parameters)
			return 0;
		return err_set(k->err, ERR_INVALID_SQL,
		    "placeholders are not supported (character %zu): "
		    "write the value into the statement",
		    position_of(k, v));
	case GUARD_RangeVar:
		return check_relation(k, v);
	case GUARD_TypeCast:
		return check_cast(k, v);
	case GUARD_XmlExpr:
		return guard_fold_is_slow_xml(k->t, kind, v) ? refuse_slow(k, v, SPAN("XML")) : 0;
	case GUARD_RangeTableFunc:
		return check_table_path(k, v, GUARD_rowexpr);
	case GUARD_RangeTableFuncCol:
		return check_table_path(k, v, GUARD_colexpr);
	case GUARD_VariableShowStmt:
		return check_show(k, v);
	case GUARD_ExplainStmt:
		return check_explain(k, v);
	default:
		return 0;
	}
}

/* The checks of the functions that the node calls. */
static int
check_functions(struct guard_check *k, enum guard_key kind, uint32_t v)
{
	switch (kind) {
	case GUARD_ColumnRef:
		return check_column(k, v);
	case GUARD_A_Indirection:
		return check_indirection(k, v);
	case GUARD_A_Expr:
	case GUARD_SortBy:
	case GUARD_SubLink:
	case GUARD_CaseExpr:
	case GUARD_JoinExpr:
		return check_operators(k, kind, v);
	case GUARD_TypeName:
		return check_type(k, v);
	case GUARD_RangeTableSample:
		return check_sample(k, v);
	case GUARD_RangeFunction:
		k->from_function = true;
		return 0;
	default:
		return 0;
	}
}

static int
check_node(struct guard_check *k, enum guard_key kind, uint32_t v)
{
	int64_t at = guard_tree_number(k->t, v, GUARD_location);

	if (at > 0)
		k->near = at;
	if ((k->layers & GUARD_LAYER_PARSER) && check_kind(k, kind, v) == -1)
		return -1;
	if ((k->layers & GUARD_LAYER_PARSER) && kind == GUARD_A_Expr && guard_fold_is_slow_operator(k->t, v))
		return refuse_slow(k, v, read_name(k->t, guard_tree_first(k->t, v, GUARD_name)).name);
	if ((k->layers & GUARD_LAYER_PARSER) && kind == GUARD_SubLink && guard_fold_is_slow_link(k->t, v))
		return refuse_slow(k, v, read_name(k->t, guard_tree_first(k->t, v, GUARD_operName)).name);
	if (kind == GUARD_FuncCall)
		return check_call(k, v);
	return k->layers & GUARD_LAYER_FUNCTIONS ? check_functions(k, kind, v) : 0;
}

/*
 * Visits every value of the tree, at most GUARD_TREE_DEPTH_MAX deep.  An
 * object is a wrapped node, a node whose kind follows from its member's name,
 * or empty (a hole in a list).  Any other object is unknown and refused.
 */
static int
visit(struct guard_check *k, uint32_t v)
{
	for (; v != GUARD_NIL; v = k->t->values[v].next) {
		const struct guard_value *value = &k->t->values[v];
		uint16_t key = value->key;
		enum guard_key kind = GUARD_OTHER_FIELD;

		if (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY)
			continue;
		if (value->type == GUARD_VALUE_OBJECT && key < GUARD_KINDS)
			kind = (enum guard_key)key;
		else if (value->type == GUARD_VALUE_OBJECT && bare[key - GUARD_KINDS] != GUARD_OTHER_KIND)
			kind = (enum guard_key)bare[key - GUARD_KINDS];
		else if (value->type == GUARD_VALUE_OBJECT && value->child != GUARD_NIL &&
		    k->t->values[value->child].key >= GUARD_KINDS && (k->layers & GUARD_LAYER_PARSER))
			return err_set(k->err, ERR_FORBIDDEN_SQL,
			    "the statement has a part that is not known here and cannot be checked");
		if (kind != GUARD_OTHER_FIELD && check_node(k, kind, v) == -1)
			return -1;
		if (visit(k, value->child) == -1)
			return -1;
	}
	return 0;
}

/* {"version":…, "stmts":[{"stmt":{"SelectStmt":{…}}, …}]}: exactly one statement, of a kind that reads. */
static int
check_statement(struct guard_check *k, uint32_t first)
{
	enum guard_key kind;
	uint32_t body;

	if (k->t->values[first].next != GUARD_NIL)
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "several statements are not allowed; send one statement a call");
	kind = guard_tree_kind(k->t, guard_tree_get(k->t, first, GUARD_stmt), &body);
	if (kind != GUARD_SelectStmt && kind != GUARD_ExplainStmt && kind != GUARD_VariableShowStmt)
		return refuse_kind(k, kind == GUARD_OTHER_FIELD || refused[kind].it == NULL ? GUARD_OTHER_KIND : kind,
		    body);
	return 0;
}

/* The size of the statement after the planner has expanded it. */
static int
check_weight(struct guard_check *k, struct guard_pg *g, uint32_t stmt)
{
	uint32_t at;
	double size;

	switch (guard_weight_count(g->weight, &g->tree, stmt, &at, &size, &k->found->memory)) {
	case GUARD_FITS:
		return 0;
	case GUARD_EXCESS_PARTS:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "the statement grows to more than %.0f parts when the server "
		    "plans it (character %zu): a WITH query is copied for each place that names it, and what stands "
		    "behind a column of a sub-select for each place that names the column; name them fewer times, or "
		    "write AS MATERIALIZED",
		    GUARD_PARTS_MAX, position_of(k, at));
	case GUARD_EXCESS_JOINS:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "the server would weigh too many orders of the statement's joins "
		    "(character %zu): join fewer tables at once, write JOIN … ON instead of a list of tables, and each "
		    "column with its table's name",
		    position_of(k, at));
	case GUARD_EXCESS_SETS:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "GROUP BY stands for more than %.0f grouping sets "
		    "(character %zu): name fewer columns in CUBE and ROLLUP",
		    GUARD_SETS_MAX, position_of(k, at));
	case GUARD_EXCESS_GATHERED:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "%.0f MB would be gathered into one value (character %zu), "
		    "the limit is %.0f MB: gather fewer or smaller values, or aggregate them with count, sum, min or "
		    "max",
		    size / 1048576, position_of(k, at), GUARD_GATHERED_MAX / 1048576);
	case GUARD_EXCESS_VALUE:
		return refuse_value(k, at, size);
	case GUARD_EXCESS_TOGETHER:
		return refuse_together(k, at);
	case GUARD_EXCESS_GROWTH:
		return err_set(k->err, ERR_FORBIDDEN_SQL,
		    "a recursion multiplies the size of a value at each step (character %zu): "
		    "let each step add to it only, or bound the steps by a small number (WHERE n < 10)",
		    position_of(k, at));
	case GUARD_EXCESS_NESTING:
		break;
	}
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the statement is too involved to be checked (character %zu): "
	    "simplify it, or send it in parts",
	    position_of(k, at));
}

/* A name in the statement that may yield a value of a type with an `own` operator.  Literals count as names. */
static bool
names_a_source(const struct guard_check *k)
{
	for (uint32_t v = 0; v < k->t->n; v++)
		if (k->t->values[v].type == GUARD_VALUE_STRING && guard_catalogue_is_source(k->c, k->t->values[v].text))
			return true;
	return false;
}

static int
check_own_operators(struct guard_check *k)
{
	if (k->own.name.len == 0 || !names_a_source(k))
		return 0;
	k->found->position = k->own_position;
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the operator %.*s is not allowed (character %zu): for a type that "
	    "this statement may hold values of, a function that may change something stands behind it; "
	    "write OPERATOR(pg_catalog.%.*s) for the server's own",
	    SPAN_FMT(k->own.name), k->own_position, SPAN_FMT(k->own.name));
}

static int
check_tree(struct guard_check *k, struct guard_pg *g)
{
	uint32_t first = guard_tree_first(k->t, 0, GUARD_stmts);

	if (first == GUARD_NIL)
		return err_set(k->err, ERR_INVALID_SQL, "there is no statement, only white space or comments");
	if ((k->layers & GUARD_LAYER_PARSER) && check_statement(k, first) == -1)
		return -1;
	for (; first != GUARD_NIL; first = k->t->values[first].next) {
		uint32_t stmt = guard_tree_get(k->t, first, GUARD_stmt);

		if (((k->layers & GUARD_LAYER_PARSER) && check_weight(k, g, stmt) == -1) || visit(k, stmt) == -1)
			return -1;
	}
	if (k->selection != GUARD_NIL && k->from_function) {
		struct guard_name n = { .schema = span_of("", 0), .name = k->selected };

		return refuse_function(k, k->selection, &n, guard_catalogue_attribute(k->c, k->selected, false));
	}
	return check_own_operators(k);
}

static int
check_text(struct span sql, struct err *err)
{
	if (sql.len > GUARD_TEXT_MAX)
		return err_set(err, ERR_SQL_TOO_LONG, "the statement is longer than %u bytes", GUARD_TEXT_MAX);
	if (sql.len > 0 && memchr(sql.p, '\0', sql.len) != NULL)
		return err_set(err, ERR_INVALID_SQL, "the statement holds a NUL character");
	return 0;
}

/* Whether the statement has parameters as drivers write them: ? or :name. */
static bool
has_placeholder(struct span sql)
{
	struct sqltext s = { SQLTEXT_NESTED | SQLTEXT_ESCAPES | SQLTEXT_DOLLARS, sql, 0 };
	struct sqltext_token t;
	bool colon = false;

	while ((t = sqltext_piece(&s)).kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN) {
		if (sqltext_is_punct(&t, '?') || (colon && t.kind == SQLTEXT_WORD))
			return true;
		colon = sqltext_is_punct(&t, ':') && !colon; /* "::" is a cast */
	}
	return false;
}

static int
explain_parse_error(struct guard_check *k, const PgQueryError *e)
{
	const char *advice =
	    !has_placeholder(k->sql) ? "" : "; placeholders are not supported, write the values into the statement";
	size_t at = e->cursorpos > 0 ? k->before + (size_t)e->cursorpos : 0;

	k->found->position = at;
	if (at == 0)
		return err_set(k->err, ERR_INVALID_SQL, "%s%s", e->message, advice);
	return err_set(k->err, ERR_INVALID_SQL, "%s (character %zu)%s", e->message, at, advice);
}

int
guard_pg_check(struct guard_pg *g, const struct guard_catalogue *c, struct span sql, size_t before,
    struct guard_finding *found, struct err *err)
{
	return guard_pg_check_layers(g, c, sql, before, GUARD_LAYERS, found, err);
}

int
guard_pg_check_layers(struct guard_pg *g, const struct guard_catalogue *c, struct span sql, size_t before,
    unsigned layers, struct guard_finding *found, struct err *err)
{
	struct guard_check k = { .t = &g->tree, .c = c, .sql = sql, .before = before, .layers = layers, .found = found,
		.analyze = g->analyze, .parameters = g->parameters, .places_hidden = g->places_hidden, .err = err,
		.selection = GUARD_NIL };
	PgQueryParseResult parsed;
	int rc;

	*found = (struct guard_finding){ 0 };
	if (check_text(sql, err) == -1)
		return -1;
	if (sql.len > 0)
		memcpy(g->text, sql.p, sql.len);
	g->text[sql.len] = '\0';
	g->tree.source = span_of(g->text, sql.len);
	parsed = pg_query_parse(g->text);
	if (parsed.error != NULL)
		rc = explain_parse_error(&k, parsed.error);
	else
		switch (guard_tree_read(&g->tree, parsed.parse_tree)) {
		case GUARD_TREE_OK:
			rc = check_tree(&k, g);
			found->plain = rc == 0 && g->plain != NULL && guard_plain_tree(g->plain, c, &g->tree);
			break;
		case GUARD_TREE_BROKEN:
			rc = err_set(err, ERR_INVALID_SQL,
			    "the statement cannot be read: it may hold characters that "
			    "are no valid UTF-8");
			break;
		default:
			rc = err_set(err, ERR_FORBIDDEN_SQL,
			    "the statement nests too deeply: simplify it, for example with IN instead of OR");
			break;
		}
	pg_query_free_parse_result(parsed);
	return rc;
}
