#include "workers/sql/duckdb/duckdb_names.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/sql/duckdb/duckdb_text.h"

static uint64_t
hash_folded(struct span name)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < name.len; i++)
		h = hash_step(h, ascii_lower(name.p[i]));
	return h;
}

static void
add_name(struct duckdb_names *names, char *schema, struct span name)
{
	names->v = mem_grow(names->v, names->n, &names->cap, sizeof(*names->v));
	names->v[names->n] = (struct duckdb_name){ schema, mem_text(name), NULL };
	table_add(&names->by_name, hash_folded(name), (uint32_t)names->n++);
}

void
duckdb_names_add(struct duckdb_names *names, struct span schema, struct span name)
{
	add_name(names, mem_text(schema), name);
}

void
duckdb_names_add_macro(struct duckdb_names *names, struct span name)
{
	add_name(names, NULL, name);
}

static const struct duckdb_name *
find_name(const struct duckdb_names *names, const struct span *schema, struct span name)
{
	uint64_t hash = hash_folded(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&names->by_name, hash, &at)) != TABLE_NONE;) {
		const struct duckdb_name *n = &names->v[row];

		if (span_is_word(name, n->name) && (schema == NULL) == (n->schema == NULL) &&
		    (schema == NULL || span_is_word(*schema, n->schema)))
			return n;
	}
	return NULL;
}

static bool
is_named(const struct duckdb_names *names, const struct span *schema, struct span name)
{
	const struct duckdb_name *n = find_name(names, schema, name);

	return n != NULL && n->fault == NULL;
}

void
duckdb_names_add_fault(struct duckdb_names *names, struct span name, struct span fault)
{
	add_name(names, mem_text(SPAN(DUCKDB_SCHEMA)), name);
	names->v[names->n - 1].fault = mem_text(fault);
}

const char *
duckdb_names_fault(const struct duckdb_names *names, struct span name)
{
	const struct span usual = SPAN(DUCKDB_SCHEMA);
	const struct duckdb_name *n = find_name(names, &usual, name);

	return n == NULL ? NULL : n->fault;
}

/* "a.b" may be a schema's or a database's table. */
bool
duckdb_names_has(const struct duckdb_names *names, struct span catalog, struct span schema, struct span name)
{
	const struct span usual = SPAN(DUCKDB_SCHEMA);
	bool of_database = catalog.len == 0 && span_is_word(schema, names->database);

	if (catalog.len > 0 && !span_is_word(catalog, names->database))
		return false;
	if (schema.len == 0)
		return is_named(names, &usual, name);
	return is_named(names, &schema, name) || (of_database && is_named(names, &usual, name));
}

bool
duckdb_names_has_macro(const struct duckdb_names *names, struct span name)
{
	return is_named(names, NULL, name);
}

void
duckdb_names_fini(struct duckdb_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->v[i].schema);
		free(names->v[i].name);
		free(names->v[i].fault);
	}
	free(names->v);
	free(names->database);
	table_free(&names->by_name);
	memset(names, 0, sizeof(*names));
}

bool
duckdb_names_in(struct span sql, const char *name, bool strings)
{
	struct sqltext s = { .dialect = SQLTEXT_DUCKDB, .text = sql };
	struct sqltext_token t;

	do {
		t = sqltext_next(&s);
		if ((t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED || (strings && t.kind == SQLTEXT_STRING)) &&
		    sqltext_names(&t, name))
			return true;
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	return false;
}
