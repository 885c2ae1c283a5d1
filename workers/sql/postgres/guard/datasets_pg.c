#include "workers/sql/postgres/guard/datasets_pg.h"

#include <string.h>

#include "base/utf8.h"
#include "workers/sql/postgres/guard/columns_pg.h"
#include "policy/datasets_names.h"
#include "workers/sql/postgres/guard/guard_rules.h"
#include "workers/sql/postgres/guard/guard_tree.h"

struct datasets_check {
	struct datasets_pg		*d;
	const struct guard_tree		*t;
	struct span			 sql;
	size_t				 before;
	bool				 from_function;	/* a function is in FROM: x.name may be name(x) */
	struct err			*err;
};

static int
refuse_relation(struct datasets_pg *d, struct span name, size_t position, struct err *err)
{
	struct span id;

	d->position = position;
	if (name.len == DATASETS_NAME - 1 && datasets_is_named_at(name, 0, &id))
		return err_set(err, ERR_DATASET_NOT_FOUND,
		    "%.*s is no published dataset (character %zu); carrel_list_datasets shows which there are, "
		    "carrel_get_schema the name of each in SQL",
		    SPAN_FMT(name), position);
	return err_set(err, ERR_TABLE_NOT_FOUND,
	    "there is no table %.*s here (character %zu): only published datasets can be read, each by its table_name "
	    "from carrel_get_schema (dataset_…)",
	    (int)(name.len < 128 ? name.len : 128), (const char *)name.p, position);
}

static bool
is_form(struct span name, struct span id, bool dashes)
{
	char written[DATASETS_NAME];

	datasets_name(id, dashes, written);
	return span_is_str(name, written);
}

/* A relation that is no WITH query in scope. */
static int
read_relation(void *arg, const struct columns_pg_named *r, struct err *err)
{
	struct datasets_pg *d = arg;

	if (r->schema.len > 0 || r->catalog.len > 0)
		return refuse_relation(d, r->schema.len > 0 ? r->schema : r->catalog, r->position, err);
	for (size_t i = 0; i < d->n; i++) {
		unsigned form = is_form(r->name, d->ids[i], false) ? DATASETS_PG_PLAIN :
		    is_form(r->name, d->ids[i], true)              ? DATASETS_PG_DASHES :
								     0;

		d->used[i] |= form;
		if (form != 0)
			return 0;
	}
	return refuse_relation(d, r->name, r->position, err);
}

static int
protect_nothing(void *arg, struct span schema, struct span name)
{
	(void)arg, (void)schema, (void)name;
	return -1;
}

static const char *
refuse_nothing(void *arg, enum columns_pg_kind kind, struct span name)
{
	(void)arg, (void)kind, (void)name;
	return NULL;
}

static int
check_relations(struct datasets_check *k)
{
	const struct columns_pg_names names = {
		.relation = protect_nothing, .refuses = refuse_nothing, .reads = read_relation, .arg = k->d
	};
	const struct columns_pg_use *uses;
	size_t n;

	return columns_pg_find(k->d->finder, &names, k->sql, k->before, &uses, &n, k->err);
}

static bool
is_query(const struct guard_tree *t, struct span name)
{
	for (uint32_t v = 0; v < t->n; v++)
		if (t->values[v].type == GUARD_VALUE_OBJECT && span_is(guard_tree_string(t, v, GUARD_ctename), name))
			return true;
	return false;
}

/* A second check, regardless of scopes: every relation's name is a dataset's or a WITH query's. */
static int
check_name(struct datasets_check *k, uint32_t v)
{
	struct span name = guard_tree_string(k->t, v, GUARD_relname);
	struct columns_pg_named r = { .schema = guard_tree_string(k->t, v, GUARD_schemaname),
		.catalog = guard_tree_string(k->t, v, GUARD_catalogname), .name = name, .position = k->before + 1 };

	if (name.len == 0 || (r.schema.len == 0 && r.catalog.len == 0 && is_query(k->t, name)))
		return 0;
	return read_relation(k->d, &r, k->err);
}

/* Besides those that guard_catalogue_tells_objects() knows by their types: they take a name or number as text. */
static const char *const refused[] = { "current_schemas", "current_setting", "set_config", "txid_status" };

/* Allowed all the same: only some of their signatures take a refused type, or their result reveals nothing. */
static const char *const plain[] = {
	"age", "int8", "max", "min", "pg_column_size", "pg_size_bytes", "pg_size_pretty",
};

static const char *const types[] = {
	"bit", "bool", "box", "bpchar", "bytea", "char", "cidr", "circle", "date", "datemultirange", "daterange",
	"float4", "float8", "inet", "int2", "int4", "int4multirange", "int4range", "int8", "int8multirange",
	"int8range", "interval", "json", "jsonb", "jsonpath", "line", "lseg", "macaddr", "macaddr8", "money", "numeric",
	"nummultirange", "numrange", "path", "point", "polygon", "text", "time", "timestamp", "timestamptz", "timetz",
	"tsmultirange", "tsquery", "tsrange", "tstzmultirange", "tstzrange", "tsvector", "uuid", "varbit", "varchar",
	"xml",
};

#define IS_ONE_OF(name, list)	guard_rules_is_one_of(name, list, sizeof(list) / sizeof((list)[0]))

static bool
is_refused_function(const struct datasets_check *k, struct span name)
{
	if (IS_ONE_OF(name, plain))
		return false;
	return IS_ONE_OF(name, refused) || span_begins(name, "pg_") ||
	    guard_catalogue_tells_objects(k->d->catalogue, name);
}

static size_t
position_of(struct datasets_check *k, uint32_t v)
{
	int64_t at = guard_tree_number(k->t, v, GUARD_location);

	at = at < 0 || (uint64_t)at > k->sql.len ? 0 : at;
	return k->d->position = k->before + utf8_count(span_of(k->sql.p, (size_t)at)) + 1;
}

/* A list of names: the last one in *name, the one before it in *schema.  False: it has more parts, or others. */
static bool
read_name(const struct guard_tree *t, uint32_t v, struct span *schema, struct span *name)
{
	unsigned n = 0;
	uint32_t body;

	*schema = *name = SPAN("");
	for (; v != GUARD_NIL; v = t->values[v].next, n++) {
		if (guard_tree_kind(t, v, &body) != GUARD_String)
			return false;
		*schema = *name;
		*name = guard_tree_string(t, body, GUARD_sval);
	}
	return n == 1 || n == 2;
}

static int
refuse_function(struct datasets_check *k, uint32_t v, struct span name)
{
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the function %.*s() is not allowed on datasets (character %zu): use PostgreSQL's own functions that "
	    "compute "
	    "from their arguments, with pg_catalog. in front where the database has another of that name",
	    (int)(name.len < 128 ? name.len : 128), (const char *)name.p, position_of(k, v));
}

static int
check_call(struct datasets_check *k, uint32_t v)
{
	struct span schema, name;

	if (!read_name(k->t, guard_tree_first(k->t, v, GUARD_funcname), &schema, &name) ||
	    (schema.len > 0 && !span_is_str(schema, "pg_catalog")) || is_refused_function(k, name))
		return refuse_function(k, v, name);
	/* uuid('…') is a cast, and no function has that name. */
	if (guard_catalogue_is_servers(k->d->catalogue, schema, name) || IS_ONE_OF(name, types))
		return 0;
	return refuse_function(k, v, name);
}

static int
check_type(struct datasets_check *k, uint32_t v)
{
	struct span schema, name;

	if (read_name(k->t, guard_tree_first(k->t, v, GUARD_names), &schema, &name) &&
	    (schema.len == 0 || span_is_str(schema, "pg_catalog")) && IS_ONE_OF(name, types))
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "the type %.*s is not allowed on datasets (character %zu): use one of PostgreSQL's own for numbers, text, "
	    "times, JSON",
	    (int)(name.len < 128 ? name.len : 128), (const char *)name.p, position_of(k, v));
}

/* OPERATOR(schema.name) */
static int
check_operator(struct datasets_check *k, uint32_t v, uint32_t first)
{
	struct span schema, name;

	if (first == GUARD_NIL ||
	    (read_name(k->t, first, &schema, &name) && (schema.len == 0 || span_is_str(schema, "pg_catalog"))))
		return 0;
	return err_set(k->err, ERR_FORBIDDEN_SQL,
	    "operators of a schema are not allowed on datasets (character %zu): write the operator alone",
	    position_of(k, v));
}

/* A field of an expression may be the call of a function of that name. */
static int
check_field(struct datasets_check *k, uint32_t v, struct span name)
{
	return guard_catalogue_has_attribute(k->d->catalogue, name) || is_refused_function(k, name) ?
	    refuse_function(k, v, name) :
	    0;
}

static int
check_fields(struct datasets_check *k, uint32_t v, uint32_t first, bool skip)
{
	uint32_t body;

	for (uint32_t i = first; i != GUARD_NIL; i = k->t->values[i].next)
		if (!(skip && i == first) && guard_tree_kind(k->t, i, &body) == GUARD_String &&
		    check_field(k, v, guard_tree_string(k->t, body, GUARD_sval)) == -1)
			return -1;
	return 0;
}

/* CURRENT_USER and its kin; the others are dates and times. */
static int
check_server_value(struct datasets_check *k, uint32_t v)
{
	struct span op = guard_tree_string(k->t, v, GUARD_op);

	if (span_begins(op, "SVFOP_CURRENT_TIME") || span_begins(op, "SVFOP_CURRENT_DATE") ||
	    span_begins(op, "SVFOP_LOCALTIME"))
		return 0;
	return refuse_function(k, v,
	    span_is_str(op, "SVFOP_CURRENT_CATALOG")    ? SPAN("current_catalog") :
		span_is_str(op, "SVFOP_CURRENT_SCHEMA") ? SPAN("current_schema") :
							  SPAN("current_user"));
}

static int
check_value(struct datasets_check *k, uint32_t v)
{
	switch (k->t->values[v].key) {
	case GUARD_FuncCall:
		return check_call(k, v);
	case GUARD_TypeName:
	case GUARD_typeName:
		return check_type(k, v);
	case GUARD_A_Expr:
		return check_operator(k, v, guard_tree_first(k->t, v, GUARD_name));
	case GUARD_SubLink:
		return check_operator(k, v, guard_tree_first(k->t, v, GUARD_operName));
	case GUARD_SortBy:
		return check_operator(k, v, guard_tree_first(k->t, v, GUARD_useOp));
	case GUARD_ColumnRef:
		return k->from_function ? check_fields(k, v, guard_tree_first(k->t, v, GUARD_fields), true) : 0;
	case GUARD_A_Indirection:
		return check_fields(k, v, guard_tree_first(k->t, v, GUARD_indirection), false);
	case GUARD_SQLValueFunction:
		return check_server_value(k, v);
	default:
		return check_name(k, v);
	}
}

static int
check_values(struct datasets_check *k)
{
	for (uint32_t v = 0; v < k->t->n; v++)
		k->from_function = k->from_function || k->t->values[v].key == GUARD_RangeFunction;
	for (uint32_t v = 0; v < k->t->n; v++)
		if (k->t->values[v].type == GUARD_VALUE_OBJECT && check_value(k, v) == -1)
			return -1;
	return 0;
}

int
datasets_pg_check(struct datasets_pg *d, struct span sql, size_t before, struct err *err)
{
	struct datasets_check k = { .d = d, .t = columns_pg_tree(d->finder), .sql = sql, .before = before, .err = err };

	d->position = 0;
	memset(d->used, 0, d->n * sizeof(*d->used));
	return check_relations(&k) == -1 ? -1 : check_values(&k);
}
