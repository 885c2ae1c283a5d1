// libs: carrel_project carrel_base
/* fuzz_snapshot.c - the first byte chooses the artifact: read completely, or refused with a message. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "project/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
		for (size_t k = 0; k < t->columns[i].nsamples; k++)
			look(t->columns[i].samples[k]);
	}
	for (size_t i = 0; i < t->nkeys; i++)
		look(t->keys[i].to_table);
	if (t->name.len == 0 || snapshot_kind_name(t->kind) == NULL)
		abort();
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
		if ((result = snapshot_read_table(a, &scratch, json, &table, &err)) == 0)
			look_at_table(&table);
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
