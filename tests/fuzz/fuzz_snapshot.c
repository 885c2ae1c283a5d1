// libs: carrel_project carrel_base
/* fuzz_snapshot.c - the first byte chooses the artifact: read completely, or refused with a message. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "project/scan/snapshot.h"
#include "tests/fuzz/fuzz.h"

static void
look(struct span s)
{
	if (s.p != NULL && !utf8_valid(s.p, s.len))
		abort();
}

static void
look_at_table(const struct snapshot_table *t)
{
	look(t->name);
	look(t->description);
	for (size_t i = 0; i < t->ncolumns; i++) {
		look(t->columns[i].name);
		look(t->columns[i].native_type);
		look(t->columns[i].description);
		if (snapshot_dimension_name(t->columns[i].dimension) == NULL)
			abort();
		look(t->columns[i].default_text);
		look(t->columns[i].generated);
		look(t->columns[i].identity);
		for (size_t k = 0; k < t->columns[i].nsamples; k++)
			look(t->columns[i].samples[k]);
	}
	for (size_t i = 0; i < t->nkeys; i++)
		look(t->keys[i].to_table);
	for (size_t i = 0; i < t->nchecks; i++)
		look(t->checks[i].expression);
	if (t->name.len == 0 || snapshot_kind_name(t->kind) == NULL)
		abort();
}

static void
same(struct span a, struct span b)
{
	if ((a.p == NULL) != (b.p == NULL) || !span_is(a, b))
		abort();
}

/* A member nobody knows makes the strict reader read it: the same table. */
static void
read_strictly(struct arena *a, struct span json, const struct snapshot_table *t)
{
	struct buf text = { 0 }, scratch = { 0 };
	struct snapshot_table other;
	struct err err;
	size_t n = json.len;

	while (n > 0 && json.p[n - 1] != '}')
		n--;
	buf_append(&text, json.p, n == 0 ? 0 : n - 1);
	buf_str(&text, ",\"un\\tknown\":0}");
	if (snapshot_read_table(a, &scratch, buf_view(&text), &other, &err) != 0 || other.ncolumns != t->ncolumns ||
	    other.nkeys != t->nkeys || other.kind != t->kind || other.has_rows != t->has_rows ||
	    (t->has_rows && other.rows != t->rows) || other.has_keys != t->has_keys || other.nchecks != t->nchecks)
		abort();
	for (size_t i = 0; i < t->nchecks; i++) {
		same(other.checks[i].name, t->checks[i].name);
		same(other.checks[i].expression, t->checks[i].expression);
	}
	same(other.name, t->name);
	same(other.db, t->db);
	same(other.comment, t->comment);
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct snapshot_column *x = &t->columns[i], *y = &other.columns[i];

		same(x->name, y->name);
		same(x->native_type, y->native_type);
		same(x->comment, y->comment);
		same(x->default_text, y->default_text);
		same(x->generated, y->generated);
		same(x->identity, y->identity);
		if (x->dimension != y->dimension || x->nullable != y->nullable || x->primary_key != y->primary_key ||
		    x->nsamples != y->nsamples)
			abort();
		for (size_t k = 0; k < x->nsamples; k++)
			same(x->samples[k], y->samples[k]);
	}
	buf_fini(&text);
	buf_fini(&scratch);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct err err = { .code = ERR_NONE };
	struct buf scratch = { 0 };
	struct snapshot_profile profile;
	struct snapshot_texts texts;
	struct snapshot_table table;
	struct snapshot_keys keys;
	struct snapshot_head head;
	struct span json = span_of(data + 1, size > 0 ? size - 1 : 0);
	int result = 0;

	switch (size == 0 ? 0 : data[0] % 6) {
	case 0:
		result = snapshot_read_report(a, json, "2026-01-01-000000-x", "w", &head, &err);
		if (result == 0) {
			look(head.sync_id);
			look(head.extracted_at);
			if (head.tables_dir.len == 0)
				abort();
		}
		break;
	case 1:
		if ((result = snapshot_read_table(a, &scratch, json, &table, &err)) == 0) {
			look_at_table(&table);
			read_strictly(a, json, &table);
		}
		break;
	case 2:
		if ((result = snapshot_read_keys(a, json, &keys, &err)) == 0)
			for (size_t i = 0; i < keys.n; i++)
				look(keys.v[i].key.to_column);
		break;
	case 3:
		if ((result = snapshot_read_descriptions(a, json, &texts, &err)) == 0)
			for (size_t i = 0; i < texts.n; i++)
				look(texts.v[i].text);
		break;
	case 4:
		if ((result = snapshot_read_profile(a, json, &profile, &err)) == 0)
			for (size_t i = 0; i < profile.n; i++)
				for (size_t k = 0; k < profile.v[i].nvalues; k++)
					look(profile.v[i].values[k]);
		break;
	default:
		head = (struct snapshot_head){ 0 };
		result = snapshot_read_connection(a, json, &head, &err);
		break;
	}
	if (result != 0 && err.message[0] == '\0')
		abort();
	buf_fini(&scratch);
	arena_free(a);
	return 0;
}
