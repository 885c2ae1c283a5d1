/* duckdb_types.c - the types of results, and their names. */
#include "workers/sql/duckdb/duckdb_types.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text/sqltext.h"

static const char *const type_names[DUCK_TYPES] = {
	[DUCK_BOOLEAN] = "BOOLEAN", [DUCK_TINYINT] = "TINYINT", [DUCK_SMALLINT] = "SMALLINT",
	[DUCK_INTEGER] = "INTEGER", [DUCK_BIGINT] = "BIGINT", [DUCK_UTINYINT] = "UTINYINT",
	[DUCK_USMALLINT] = "USMALLINT",
	[DUCK_UINTEGER] = "UINTEGER", [DUCK_UBIGINT] = "UBIGINT", [DUCK_FLOAT] = "FLOAT", [DUCK_DOUBLE] = "DOUBLE",
	[DUCK_TIMESTAMP] = "TIMESTAMP", [DUCK_DATE] = "DATE", [DUCK_TIME] = "TIME", [DUCK_INTERVAL] = "INTERVAL",
	[DUCK_HUGEINT] = "HUGEINT", [DUCK_VARCHAR] = "VARCHAR", [DUCK_BLOB] = "BLOB", [DUCK_DECIMAL] = "DECIMAL",
	[DUCK_TIMESTAMP_S] = "TIMESTAMP_S", [DUCK_TIMESTAMP_MS] = "TIMESTAMP_MS", [DUCK_TIMESTAMP_NS] = "TIMESTAMP_NS",
	[DUCK_ENUM] = "ENUM", [DUCK_LIST] = "LIST", [DUCK_STRUCT] = "STRUCT", [DUCK_MAP] = "MAP", [DUCK_UUID] = "UUID",
	[DUCK_UNION] = "UNION", [DUCK_BIT] = "BIT", [DUCK_TIME_TZ] = "TIME WITH TIME ZONE",
	[DUCK_TIMESTAMP_TZ] = "TIMESTAMP WITH TIME ZONE", [DUCK_UHUGEINT] = "UHUGEINT", [DUCK_ARRAY] = "ARRAY",
	[DUCK_BIGNUM] = "BIGNUM", [DUCK_NULL] = "NULL", [DUCK_TIME_NS] = "TIME_NS", [DUCK_GEOMETRY] = "GEOMETRY",
	[DUCK_VARIANT] = "VARIANT",
};

static void
type_free(struct duckdb_type *t)
{
	if (t == NULL)
		return;
	for (uint64_t i = 0; i < t->n; i++) {
		if (t->names != NULL)
			duck.free(t->names[i]);
		if (t->children != NULL)
			type_free(t->children[i]);
	}
	free(t->names);
	free(t->children);
	duck.free(t->alias);
	free(t);
}

static struct duckdb_type *type_read(struct duck_type *type);

/* The child's type, which is destroyed. */
static struct duckdb_type *
take_child(struct duck_type *child)
{
	struct duckdb_type *t = type_read(child);

	duck.destroy_logical_type(&child);
	return t;
}

static void
make_room(struct duckdb_type *t, uint64_t n, bool named, bool nested)
{
	t->n = n;
	t->names = named ? mem_new(n + 1, sizeof(*t->names)) : NULL;
	t->children = nested ? mem_new(n + 1, sizeof(*t->children)) : NULL;
}

static void
read_members(struct duckdb_type *t, struct duck_type *type)
{
	bool is_union = t->id == DUCK_UNION;

	make_room(t, is_union ? duck.union_type_member_count(type) : duck.struct_type_child_count(type), true, true);
	for (uint64_t i = 0; i < t->n; i++) {
		t->names[i] = is_union ? duck.union_type_member_name(type, i) : duck.struct_type_child_name(type, i);
		t->children[i] =
		    take_child(is_union ? duck.union_type_member_type(type, i) : duck.struct_type_child_type(type, i));
	}
}

static void
read_details(struct duckdb_type *t, struct duck_type *type)
{
	switch (t->id) {
	case DUCK_DECIMAL:
		t->stored = (enum duck_type_id)duck.decimal_internal_type(type);
		t->width = duck.decimal_width(type);
		t->scale = duck.decimal_scale(type);
		break;
	case DUCK_ENUM:
		t->stored = (enum duck_type_id)duck.enum_internal_type(type);
		make_room(t, duck.enum_dictionary_size(type), true, false);
		for (uint64_t i = 0; i < t->n; i++)
			t->names[i] = duck.enum_dictionary_value(type, i);
		break;
	case DUCK_LIST:
		make_room(t, 1, false, true);
		t->children[0] = take_child(duck.list_type_child_type(type));
		break;
	case DUCK_ARRAY:
		t->size = duck.array_type_array_size(type);
		make_room(t, 1, false, true);
		t->children[0] = take_child(duck.array_type_child_type(type));
		break;
	case DUCK_MAP:
		make_room(t, 2, false, true);
		t->children[0] = take_child(duck.map_type_key_type(type));
		t->children[1] = take_child(duck.map_type_value_type(type));
		break;
	case DUCK_STRUCT:
	case DUCK_UNION:
		read_members(t, type);
		break;
	default:
		break;
	}
}

static struct duckdb_type *
type_read(struct duck_type *type)
{
	struct duckdb_type *t = mem_new(1, sizeof(*t));

	t->id = (enum duck_type_id)duck.get_type_id(type);
	t->alias = duck.logical_type_get_alias(type);
	read_details(t, type);
	return t;
}

bool
duckdb_types_is_printed(const struct duckdb_type *t)
{
	if (t->id >= DUCK_TYPES || type_names[t->id] == NULL || t->id == DUCK_BIGNUM || t->id == DUCK_GEOMETRY ||
	    t->id == DUCK_VARIANT)
		return false;
	for (uint64_t i = 0; t->children != NULL && i < t->n; i++)
		if (!duckdb_types_is_printed(t->children[i]))
			return false;
	return true;
}

void
duckdb_types_read(struct duck_result *result, struct duckdb_type ***out, uint64_t *n)
{
	*n = duck.column_count(result);
	*out = mem_new(*n + 1, sizeof(**out));
	for (uint64_t i = 0; i < *n; i++)
		(*out)[i] = take_child(duck.column_logical_type(result, i));
}

void
duckdb_types_free(struct duckdb_type **types, uint64_t n)
{
	for (uint64_t i = 0; types != NULL && i < n; i++)
		type_free(types[i]);
	free(types);
}

static void
put_members(struct buf *out, const struct duckdb_type *t)
{
	buf_printf(out, "%s(", type_names[t->id]);
	for (uint64_t i = 0; i < t->n; i++) {
		buf_str(out, i == 0 ? "" : ", ");
		if (t->names != NULL) {
			sqltext_put_name(out, span_str(t->names[i]));
			buf_byte(out, ' ');
		}
		duckdb_types_put_name(out, t->children[i]);
	}
	buf_byte(out, ')');
}

void
duckdb_types_put_name(struct buf *out, const struct duckdb_type *t)
{
	if (t->alias != NULL) {
		buf_str(out, t->alias);
		return;
	}
	switch (t->id) {
	case DUCK_DECIMAL:
		buf_printf(out, "DECIMAL(%u,%u)", t->width, t->scale);
		break;
	case DUCK_LIST:
		duckdb_types_put_name(out, t->children[0]);
		buf_str(out, "[]");
		break;
	case DUCK_ARRAY:
		duckdb_types_put_name(out, t->children[0]);
		buf_printf(out, "[%llu]", (unsigned long long)t->size);
		break;
	case DUCK_STRUCT:
	case DUCK_UNION:
	case DUCK_MAP:
		put_members(out, t);
		break;
	default:
		buf_str(out, t->id < DUCK_TYPES && type_names[t->id] != NULL ? type_names[t->id] : "UNKNOWN");
		break;
	}
}
