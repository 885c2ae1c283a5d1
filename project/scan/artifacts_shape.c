#include "project/scan/artifacts_shape.h"

/*
 * Legend: s text or null, S text, k a table's kind, d a dimension, b boolean,
 * i integer or null; C the list of columns, K the list of foreign keys.  What
 * Carrel adds to ktx's format is left out where there is nothing: t text or
 * null, L the labels of an enumeration or null, P a list of texts, m a boolean
 * that is true, X the list of indexes, N the list of an index's columns, each a
 * name or null, H the list of checks.
 */
struct member {
	const char	*name;
	char		 kind;
};

static const struct member table_members[] = {
	{ "catalog", 's' }, { "db", 's' }, { "name", 'S' }, { "kind", 'k' }, { "comment", 's' },
	{ "estimatedRows", 'i' }, { "columns", 'C' }, { "foreignKeys", 'K' },
	{ "definition", 't' }, { "indexes", 'X' }, { "checks", 'H' },
	{ "materialized", 'm' }, { "partitions", 'P' }, { NULL, 0 }
};
static const struct member column_members[] = {
	{ "name", 'S' }, { "nativeType", 's' }, { "normalizedType", 's' }, { "dimensionType", 'd' },
	{ "nullable", 'b' }, { "primaryKey", 'b' }, { "comment", 's' }, { "enumLabels", 'L' },
	{ "default", 't' }, { "generated", 't' }, { "identity", 't' }, { NULL, 0 }
};
static const struct member index_members[] = {
	{ "name", 'S' }, { "columns", 'N' }, { "unique", 'b' }, { "primary", 'b' }, { "definition", 't' }, { NULL, 0 }
};
static const struct member check_members[] = { { "name", 't' }, { "expression", 'S' }, { NULL, 0 } };
static const struct member key_members[] = {
	{ "fromColumn", 'S' }, { "toCatalog", 's' }, { "toDb", 's' }, { "toTable", 'S' }, { "toColumn", 's' },
	{ "constraintName", 's' }, { NULL, 0 }
};

/* A list of texts, or of texts and nulls. */
static bool
is_text_list(const struct mp_value *v, bool nulls)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;

	if (v->class != MP_ARRAY)
		return false;
	while (mp_next(&it, &one))
		if (one.class != MP_STR && !(nulls && one.class == MP_NIL))
			return false;
	return true;
}

static bool
artifacts_shape_fits(char kind, const struct mp_value *v)
{
	static const char *const kinds[] = { "table", "view", "external", "event_stream", NULL };
	static const char *const dimensions[] = { "string", "number", "time", "boolean", NULL };

	switch (kind) {
	case 's':
	case 't':
		return v->class == MP_NIL || v->class == MP_STR;
	case 'S':
		return v->class == MP_STR && v->s.len > 0;
	case 'k':
		return v->class == MP_STR && span_is_any(v->s, kinds);
	case 'd':
		return v->class == MP_STR && span_is_any(v->s, dimensions);
	case 'b':
		return v->class == MP_BOOL;
	case 'm':
		return v->class == MP_NIL || v->class == MP_BOOL;
	case 'P':
		return v->class == MP_NIL || is_text_list(v, false);
	case 'i':
		return v->class == MP_NIL || v->class == MP_INT || v->class == MP_UINT;
	case 'L':
		return v->class == MP_NIL || is_text_list(v, false);
	case 'N':
		return is_text_list(v, true);
	case 'X':
	case 'H':
		return v->class == MP_NIL || v->class == MP_ARRAY;
	default:
		return v->class == MP_ARRAY;
	}
}

/* Whether the value is empty, and its kind is left out when empty. */
static bool
is_left_out(char kind, const struct mp_value *v)
{
	return ((kind == 't' || kind == 'L') && v->class == MP_NIL) ||
	    ((kind == 'X' || kind == 'P' || kind == 'H') && (v->class == MP_NIL || v->n == 0)) ||
	    (kind == 'm' && (v->class == MP_NIL || !v->boolean));
}

static int put_list(const struct member *members, const struct mp_value *list, struct buf *out, struct err *err);

static int
put_map(const struct member *members, const struct mp_value *map, struct buf *out, struct err *err)
{
	struct mp_value v;
	size_t mark = mp_open_map(out), n = 0;

	for (; members->name != NULL; members++) {
		const struct member *within = members->kind == 'C' ? column_members :
		    members->kind == 'K'                           ? key_members :
		    members->kind == 'X'                           ? index_members :
		    members->kind == 'H'                           ? check_members :
								     NULL;

		mp_get(map, members->name, &v);
		if (!artifacts_shape_fits(members->kind, &v))
			return err_set(err, ERR_INTERNAL,
			    "introspection sent a table whose %s is not what it should be", members->name);
		if (is_left_out(members->kind, &v))
			continue;
		n++;
		mp_put_cstr(out, members->name);
		if (within != NULL) {
			if (put_list(within, &v, out, err) != 0)
				return -1;
		} else if (v.class == MP_NIL)
			mp_put_nil(out);
		else
			buf_span(out, v.raw);
	}
	mp_close(out, mark, n);
	return 0;
}

static int
put_list(const struct member *members, const struct mp_value *list, struct buf *out, struct err *err)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value v;

	mp_put_array(out, list->n);
	while (mp_next(&it, &v)) {
		if (v.class != MP_MAP)
			return err_set(err, ERR_INTERNAL,
			    "introspection sent a column, key or index that is no object");
		if (put_map(members, &v, out, err) != 0)
			return -1;
	}
	return 0;
}

int
shape_table(const struct mp_value *table, struct buf *out, struct err *err)
{
	if (table->class != MP_MAP)
		return err_set(err, ERR_INTERNAL, "introspection sent a table that is no object");
	return put_map(table_members, table, out, err);
}

static void
copy_member(const struct mp_value *map, const char *from, const char *to, struct buf *out)
{
	struct mp_value v;

	mp_put_cstr(out, to);
	if (mp_get(map, from, &v))
		buf_span(out, v.raw);
	else
		mp_put_nil(out);
}

/* "catalog.db.name" without nulls. */
static void
put_path(const struct mp_value *table, struct buf *out)
{
	static const char *const parts[] = { "catalog", "db", "name" };
	struct buf b = { 0 };

	for (size_t i = 0; i < 3; i++) {
		struct span s = mp_get_str(table, parts[i], SPAN_NONE);

		if (s.len == 0)
			continue;
		if (b.len > 0)
			buf_byte(&b, '.');
		buf_span(&b, s);
	}
	mp_put_str(out, buf_view(&b));
	buf_fini(&b);
}

void
shape_far_key(const struct mp_value *table, const struct mp_value *key, struct buf *out)
{
	mp_put_map(out, 8);
	copy_member(table, "name", "fromTable", out);
	mp_put_cstr(out, "fromTablePath");
	put_path(table, out);
	for (const struct member *m = key_members; m->name != NULL; m++)
		copy_member(key, m->name, m->name, out);
}

static bool
artifacts_shape_contains(struct span s, const char *word)
{
	for (size_t i = 0; i < s.len; i++)
		if (span_begins_word(span_of(s.p + i, s.len - i), word))
			return true;
	return false;
}

static bool
is_secret(struct span key)
{
	static const char *const words[] = { "password", "secret", "token", "api_key", "apikey", "private_key",
		"privatekey", "passphrase", "credential", "authorization", "url" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (artifacts_shape_contains(key, words[i]))
			return true;
	return false;
}

void
shape_redacted(const struct mp_value *v, struct buf *out)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	struct span key;

	if (v->class == MP_MAP) {
		mp_put_map(out, v->n);
		while (mp_next_pair(&it, &key, &child)) {
			mp_put_str(out, key);
			if (is_secret(key) && child.class != MP_NIL)
				mp_put_cstr(out, "<redacted>");
			else
				shape_redacted(&child, out);
		}
	} else if (v->class == MP_ARRAY) {
		mp_put_array(out, v->n);
		while (mp_next(&it, &child))
			shape_redacted(&child, out);
	} else
		buf_span(out, v->raw);
}
