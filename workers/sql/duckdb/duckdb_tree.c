#include "workers/sql/duckdb/duckdb_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_walk.h"
#include "base/mp.h"

struct tree_reader {
	struct arena		*arena;
	struct json_walk	 w;
	unsigned		 depth;
	bool			 deep, full;
};

static struct duckdb_node *read_value(struct tree_reader *r);

static void
read_members(struct tree_reader *r, struct duckdb_node *node)
{
	struct duckdb_node **end = &node->first;
	bool object = node->kind == '{';
	struct json_member m = { .key = 0 };

	if (++r->depth > DUCKDB_TREE_DEPTH_MAX)
		r->deep = true;
	r->w.at++;
	while (!r->w.bad && !r->deep && !r->full && !json_walk_ends(&r->w, object)) {
		if (object)
			json_walk_key(&r->w, &m);
		if (r->w.bad || (*end = read_value(r)) == NULL)
			break;
		if (object)
			(*end)->key = span_of(r->w.text.p + m.key + 1, m.key_end - m.key - 2);
		end = &(*end)->next;
		json_walk_comma(&r->w, object, &m);
	}
	r->depth--;
}

/* Numbers that JSON cannot write and the library writes all the same; those beyond the range of DOUBLE become them. */
static bool
read_beyond(struct json_walk *w)
{
	static const char *const names[] = { "Infinity", "-Infinity", "NaN", "-NaN" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_begins(span_of(w->text.p + w->at, w->text.len - w->at), names[i])) {
			w->at += strlen(names[i]);
			return true;
		}
	return false;
}

/* NULL: the text is bad, or the arena is full. */
static struct duckdb_node *
read_value(struct tree_reader *r)
{
	struct duckdb_node *node = arena_alloc(r->arena, sizeof(*node));
	size_t from;

	if (node == NULL) {
		r->full = true;
		return NULL;
	}
	json_walk_space(&r->w);
	from = r->w.at;
	*node = (struct duckdb_node){ .kind = 0 };
	switch (json_walk_peek(&r->w)) {
	case '{':
	case '[':
		node->kind = (char)json_walk_peek(&r->w);
		read_members(r, node);
		break;
	case '"':
		node->kind = '"';
		json_walk_value(&r->w);
		break;
	default:
		if (!read_beyond(&r->w))
			json_walk_value(&r->w);
		break;
	}
	node->text = span_of(r->w.text.p + from, r->w.at - from);
	return r->w.bad || r->deep || r->full ? NULL : node;
}

const struct duckdb_node *
duckdb_tree_read(struct arena *a, struct span json, struct err *err)
{
	struct tree_reader r = { .arena = a, .w = { .text = json, .strict = true } };
	const struct duckdb_node *node = read_value(&r);

	json_walk_space(&r.w);
	if (node != NULL && r.w.at == json.len)
		return node;
	if (r.full)
		err_set(err, ERR_FORBIDDEN_SQL, "the statement is too large to be checked; simplify it");
	else if (r.deep)
		err_set(err, ERR_FORBIDDEN_SQL,
		    "the statement is nested too deeply; use fewer levels of parentheses, "
		    "operators or set operations");
	else
		err_set(err, ERR_INTERNAL, "the parse tree of the statement cannot be read");
	return NULL;
}

const struct duckdb_node *
duckdb_tree_member(const struct duckdb_node *node, const char *key)
{
	if (node == NULL || node->kind != '{')
		return NULL;
	for (const struct duckdb_node *n = node->first; n != NULL; n = n->next)
		if (span_is_str(n->key, key))
			return n;
	return NULL;
}

struct span
duckdb_tree_string(struct arena *a, const struct duckdb_node *node)
{
	struct mp_value v;
	struct buf out = { 0 };
	struct span s = SPAN("");
	size_t at;

	if (node == NULL || node->kind != '"')
		return s;
	if (memchr(node->text.p, '\\', node->text.len) == NULL)
		return span_of(node->text.p + 1, node->text.len - 2);
	if (json_read(node->text, &out, &at) == JSON_OK && mp_value(buf_view(&out), &v) && v.class == MP_STR)
		s = arena_span(a, v.s);
	buf_fini(&out);
	return s;
}

struct span
duckdb_tree_text(struct arena *a, const struct duckdb_node *node, const char *key)
{
	return duckdb_tree_string(a, duckdb_tree_member(node, key));
}

/* The parser writes UINT64_MAX for "unknown". */
size_t
duckdb_tree_place(const struct duckdb_node *node)
{
	const struct duckdb_node *n = duckdb_tree_member(node, "query_location");
	char digits[24];
	uint64_t at;

	if (n == NULL || n->text.len >= sizeof(digits))
		return SIZE_MAX;
	memcpy(digits, n->text.p, n->text.len);
	digits[n->text.len] = '\0';
	at = strtoull(digits, NULL, 10);
	return at <= SIZE_MAX / 2 ? (size_t)at : SIZE_MAX;
}

bool
duckdb_tree_is(const struct duckdb_node *node, const char *literal)
{
	return node != NULL && span_is_str(node->text, literal);
}
