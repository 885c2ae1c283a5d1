/* dict.c - see dict.h: which columns, how much. */
#include <stdlib.h>

#include "workers/search/index/dict_parts.h"
#include "workers/search/index/dict.h"
#include "words/text.h"

bool
dict_is_text(struct span type)
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

/* What a column holds decides, not what it is called: labels are few and short. */
enum dict_verdict
dict_judge(const struct snapshot_profiled *p)
{
	size_t bytes = 0;

	if (!dict_is_text(p->type))
		return DICT_NO_TEXT;
	if (p->has_distinct && p->distinct > DICT_DISTINCT_MAX)
		return DICT_MANY;
	for (size_t i = 0; i < p->nvalues; i++)
		bytes += p->values[i].len;
	return bytes > p->nvalues * DICT_LABEL_MAX ? DICT_PROSE : DICT_TAKEN;
}

size_t
dict_judged(const struct dict *d, enum dict_verdict verdict, struct span examples[static DICT_EXAMPLES],
    size_t *nexamples)
{
	*nexamples = d->judged[verdict].nexamples;
	for (size_t i = 0; i < *nexamples; i++)
		examples[i] = span_of(d->texts.v + d->judged[verdict].at[i], d->judged[verdict].len[i]);
	return d->judged[verdict].n;
}

void
dict_forms_of(struct span folded, struct buf *scratch, struct dict_forms *out)
{
	size_t at[4] = { 0, folded.len };

	scratch->len = 0;
	buf_span(scratch, folded); /* the caller's bytes may move */
	out->n = 1;
	for (size_t i = 0; i < 2 && !span_is_ascii(folded); i++) {
		struct span copy = span_of(scratch->p, folded.len);
		struct buf form = { 0 };
		bool known = false;

		text_unaccent(copy, i == 1, &form);
		for (size_t k = 0; k < out->n && !known; k++)
			known = span_is(span_of(scratch->p + at[k], at[k + 1] - at[k]), buf_view(&form));
		if (!known && form.len > 0) {
			buf_span(scratch, buf_view(&form));
			at[++out->n] = scratch->len;
		}
		buf_fini(&form);
	}
	for (size_t k = 0; k < out->n; k++)
		out->v[k] = span_of(scratch->p + at[k], at[k + 1] - at[k]);
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
	return d->nvalues - d->naliases;
}

size_t
dict_bytes(const struct dict *d)
{
	return sizeof(*d) + d->blob.cap + d->texts.cap + d->values_cap * sizeof(*d->values) +
	    d->columns_cap * sizeof(*d->columns) + d->nvalues * (sizeof(*d->sorted) + sizeof(*d->order)) +
	    d->grams_cap * sizeof(*d->grams) + d->lists.cap;
}
