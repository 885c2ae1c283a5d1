/* dict.c - see dict.h: which columns, how much. */
#include <stdlib.h>
#include <string.h>

#include "workers/search/index/dict_parts.h"

/* --- which columns ----------------------------------------------------------- */

static bool
is_text_type(struct span type)
{
	static const char *const types[] = {
		"varchar", "nvarchar", "char", "nchar", "text", "ntext", "string", "character", "enum", "bool",
		"citext"
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_begins_word(type, types[i]))
			return true;
	return false;
}

/* Names of columns that hold identifiers, times, places or prose. */
static bool
is_free_form(struct span name)
{
	static const char *const endings[] = {
		"_id", "_uuid", "_key", "_hash", "_token", "_at", "_date", "_time", "_url", "_path",
		"description", "comment", "note", "notes", "message", "body", "content", "email", "address"
	};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (name.len >= n && span_is_word(span_of(name.p + name.len - n, n), endings[i]))
			return true;
	}
	return span_begins_word(name, "phone") || span_is_word(name, "id") || span_is_word(name, "uuid");
}

bool
dict_qualifies(const struct snapshot_profiled *p)
{
	return is_text_type(p->type) && !is_free_form(p->column) &&
	    (!p->has_distinct || p->distinct <= DICT_DISTINCT_MAX);
}

void
dict_free(struct dict *d)
{
	if (d == NULL)
		return;
	free(d->blob.v);
	free(d->texts.v);
	free(d->values);
	free(d->columns);
	free(d->sorted);
	free(d->order);
	free(d->grams);
	free(d->lists.v);
	free(d);
}

size_t
dict_columns(const struct dict *d)
{
	return d->ncolumns;
}

size_t
dict_values(const struct dict *d)
{
	return d->nvalues;
}

size_t
dict_bytes(const struct dict *d)
{
	return sizeof(*d) + d->blob.cap + d->texts.cap + d->values_cap * sizeof(*d->values) +
	    d->columns_cap * sizeof(*d->columns) + d->nvalues * (sizeof(*d->sorted) + sizeof(*d->order)) +
	    d->grams_cap * sizeof(*d->grams) + d->lists.cap;
}
