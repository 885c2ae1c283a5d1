/* schema.c - looking at a scan's tables; see schema.h. */

#include "workers/search/library/schema.h"
#include "words/text.h"

struct span
schema_span(const struct schema *s, schema_text t)
{
	return t == 0 ? (struct span){ 0 } : names_text(&s->texts, t);
}

const schema_text *
schema_list(const struct schema *s, uint32_t list, size_t *n)
{
	*n = list == 0 ? 0 : s->samples[list];
	return s->samples + list + 1;
}

void
schema_display(const struct schema *s, const struct schema_table *t, struct buf *out)
{
	snapshot_display(span_str(s->driver), schema_span(s, t->catalog), schema_span(s, t->db),
	    schema_span(s, t->name), out);
}

const struct schema_table *
schema_of(const struct schema *s, const struct segment *seg, uint32_t doc, const struct schema_column **column)
{
	*column = seg->kind[doc] == KIND_COLUMN ? &s->columns[seg->item[doc]] : NULL;
	return &s->tables[seg->item[seg->parent[doc]]];
}

const uint32_t *
schema_named(const struct schema *s, struct span name, size_t *n)
{
	struct buf folded = { 0 };
	size_t low = 0, high = s->ntables, first;
	uint32_t id;

	*n = 0;
	text_fold(name, &folded);
	id = names_find(&s->folded, buf_view(&folded));
	buf_fini(&folded);
	if (id == NAMES_NONE)
		return NULL;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->folded_name[s->by_name[mid]] < id)
			low = mid + 1;
		else
			high = mid;
	}
	for (first = low; low < s->ntables && s->folded_name[s->by_name[low]] == id; low++)
		++*n;
	return s->by_name + first;
}

size_t
schema_bytes(const struct schema *s)
{
	return sizeof(*s) + names_bytes(&s->texts) + s->tables_cap * sizeof(*s->tables) +
	    s->columns_cap * sizeof(*s->columns) + s->keys_cap * sizeof(*s->keys) +
	    s->samples_cap * sizeof(*s->samples) + s->indexes_cap * sizeof(*s->indexes) +
	    s->ntables * 2 * sizeof(uint32_t) + names_bytes(&s->folded) +
	    (s->segment != NULL ? segment_bytes(s->segment) : 0);
}
