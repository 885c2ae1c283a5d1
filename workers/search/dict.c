/* dict.c - see dict.h: building. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "project/describe.h"
#include "workers/search/dict_parts.h"
#include "workers/search/text.h"

/* --- which columns ----------------------------------------------------------- */

static bool
begins(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && strncasecmp((const char *)s.p, with, n) == 0;
}

static bool
ends(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && strncasecmp((const char *)s.p + s.len - n, with, n) == 0;
}

static bool
is_text_type(struct span type)
{
	static const char *const types[] = {
		"varchar", "nvarchar", "char", "nchar", "text", "ntext", "string", "character", "enum", "bool"
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (begins(type, types[i]))
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

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends(name, endings[i]))
			return true;
	return begins(name, "phone") || (name.len == 2 && begins(name, "id")) ||
	    (name.len == 4 && begins(name, "uuid"));
}

bool
dict_qualifies(const struct snapshot_profiled *p)
{
	return is_text_type(p->type) && !is_free_form(p->column) &&
	    (!p->has_distinct || p->distinct <= DICT_DISTINCT_MAX);
}

/* --- values ------------------------------------------------------------------ */

struct building {
	struct dict	*d;
	struct buf	 folded;
	struct array_u32 firsts;	/* values of the column in work */
};

static bool
is_repeated(const struct building *b, struct span folded)
{
	for (size_t i = 0; i < b->firsts.n; i++)
		if (span_is(dict_folded(b->d, b->firsts.v[i]), folded))
			return true;
	return false;
}

static uint32_t
keep(struct dict *d, struct span s)
{
	uint32_t at = (uint32_t)d->texts.n;

	array_u8_append(&d->texts, s.p, s.len);
	return at;
}

/* Add one value of the column; blank ones and second spellings are left out. */
static void
add_value(struct building *b, uint32_t column, struct span value)
{
	struct dict *d = b->d;
	struct span folded;

	value = describe_trim(value);
	b->folded.len = 0;
	text_fold(value, &b->folded);
	folded = buf_view(&b->folded);
	if (folded.len == 0 || memchr(folded.p, DICT_END, folded.len) != NULL ||
	    is_repeated(b, folded) || d->blob.n + folded.len >= UINT32_MAX)
		return;
	array_u32_push(&b->firsts, (uint32_t)d->nvalues);
	d->values = array_grow(d->values, d->nvalues, &d->values_cap, sizeof(*d->values));
	d->values[d->nvalues] = (struct dict_value){ .at = (uint32_t)d->blob.n, .column = column };
	array_u8_append(&d->blob, folded.p, folded.len);
	array_u8_append(&d->blob, &(uint8_t){ DICT_END }, 1);
	/* The original is kept only where folding changed it. */
	if (!span_is(folded, value)) {
		d->values[d->nvalues].original = keep(d, value);
		d->values[d->nvalues].original_len = (uint32_t)value.len;
	}
	d->nvalues++;
}

static int
by_text(const void *a, const void *b)
{
	return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

static void
add_column(struct building *b, const struct snapshot_profiled *p)
{
	struct dict *d = b->d;
	struct span *sorted = array_new(p->nvalues, sizeof(*sorted));
	size_t had = d->nvalues;

	if (p->nvalues > 0)
		memcpy(sorted, p->values, p->nvalues * sizeof(*sorted));
	if (p->nvalues > 1)
		qsort(sorted, p->nvalues, sizeof(*sorted), by_text);
	b->firsts.n = 0;
	for (size_t i = 0; i < p->nvalues && i < DICT_DISTINCT_MAX; i++)
		add_value(b, (uint32_t)d->ncolumns, sorted[i]);
	free(sorted);
	if (d->nvalues == had)
		return;
	d->columns = array_grow(d->columns, d->ncolumns, &d->columns_cap, sizeof(*d->columns));
	d->columns[d->ncolumns++] = (struct dict_column){
		.table = keep(d, p->table), .table_len = (uint32_t)p->table.len,
		.name = keep(d, p->column), .name_len = (uint32_t)p->column.len,
		.has_cardinality = p->has_distinct, .cardinality = p->distinct
	};
}

/* --- the two orders ---------------------------------------------------------- */

static int
by_folded(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = span_cmp(dict_folded(arg, x), dict_folded(arg, y));

	return order != 0 ? order : (x > y) - (x < y);
}

static void
sort_values(struct dict *d)
{
	d->sorted = array_new(d->nvalues, sizeof(*d->sorted));
	for (uint32_t i = 0; i < d->nvalues; i++)
		d->sorted[i] = i;
	if (d->nvalues > 0)
		qsort_r(d->sorted, d->nvalues, sizeof(*d->sorted), by_folded, d);
}

/* What is known of every sequence while its list is measured and then written. */
struct gram_work {
	uint32_t	*last;		/* block it was met in last, plus one */
	uint32_t	*nblocks;
	uint32_t	*at;		/* length of its list, then where to write */
};

static size_t
varint(uint32_t v, uint8_t *out)
{
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

/* Note that block holds the sequence: measure its list, or write it. */
static void
note_gram(struct dict *d, struct gram_work *w, uint32_t key, uint32_t block, bool write)
{
	uint8_t bytes[5];
	size_t n;

	if (w->last[key] == block + 1)
		return;
	n = varint(block - (w->last[key] == 0 ? 0 : w->last[key] - 1), bytes);
	w->last[key] = block + 1;
	if (write) {
		memcpy(d->lists.v + w->at[key], bytes, n);
		w->at[key] += (uint32_t)n;
	} else {
		w->at[key] += (uint32_t)n;
		w->nblocks[key]++;
	}
}

/* The sequences of one to three bytes in the block, once each. */
static void
note_block(struct dict *d, struct gram_work *w, uint32_t block, bool write)
{
	size_t end = dict_block_end(d, block);

	for (size_t i = d->values[(size_t)block * DICT_BLOCK].at; i < end; i++) {
		uint32_t key = 0;

		for (size_t len = 1; len <= 3 && i + len <= end && d->blob.v[i + len - 1] != DICT_END; len++) {
			key = key << 8 | d->blob.v[i + len - 1];
			note_gram(d, w, dict_gram_key(key, len), block, write);
		}
	}
}

/* Each list gets its place, in the order of the keys. */
static void
place_lists(struct dict *d, struct gram_work *w)
{
	uint32_t at = 0;

	for (uint32_t key = 0; key < DICT_GRAM_KEYS; key++) {
		uint32_t n = w->at[key];

		if (n == 0)
			continue;
		d->grams = array_grow(d->grams, d->ngrams, &d->grams_cap, sizeof(*d->grams));
		d->grams[d->ngrams++] = (struct dict_gram){ .key = key, .at = at, .nblocks = w->nblocks[key] };
		w->at[key] = at;
		w->last[key] = 0;
		at += n;
	}
	d->lists.v = array_new(at, 1);
	d->lists.n = d->lists.cap = at;
}

/* Lists of blocks per sequence, as differences. */
static void
index_blocks(struct dict *d)
{
	uint32_t nblocks = (uint32_t)((d->nvalues + DICT_BLOCK - 1) / DICT_BLOCK);
	struct gram_work w = {
		.last = array_new(DICT_GRAM_KEYS, sizeof(*w.last)),
		.nblocks = array_new(DICT_GRAM_KEYS, sizeof(*w.nblocks)),
		.at = array_new(DICT_GRAM_KEYS, sizeof(*w.at))
	};

	for (uint32_t block = 0; block < nblocks; block++)
		note_block(d, &w, block, false);
	place_lists(d, &w);
	for (uint32_t block = 0; block < nblocks; block++)
		note_block(d, &w, block, true);
	free(w.last);
	free(w.nblocks);
	free(w.at);
}

static int
by_name(const void *a, const void *b)
{
	const struct snapshot_profiled *const *x = a, *const *y = b;
	int order = span_cmp((*x)->table, (*y)->table);

	if (order == 0)
		order = span_cmp((*x)->column, (*y)->column);
	return order != 0 ? order : (*x > *y) - (*x < *y);
}

struct dict *
dict_build(const struct snapshot_profile *profile)
{
	struct building b = { .d = array_new(1, sizeof(struct dict)) };
	const struct snapshot_profiled **order = array_new(profile->n, sizeof(*order));
	size_t n = 0;

	for (size_t i = 0; i < profile->n; i++)
		if (dict_qualifies(&profile->v[i]))
			order[n++] = &profile->v[i];
	if (n > 0)
		qsort(order, n, sizeof(*order), by_name);
	for (size_t i = 0; i < n; i++)
		add_column(&b, order[i]);
	free(order);
	buf_fini(&b.folded);
	free(b.firsts.v);
	sort_values(b.d);
	index_blocks(b.d);
	b.d->blob.v = array_trim(b.d->blob.v, b.d->blob.n, &b.d->blob.cap, 1);
	b.d->texts.v = array_trim(b.d->texts.v, b.d->texts.n, &b.d->texts.cap, 1);
	b.d->values = array_trim(b.d->values, b.d->nvalues, &b.d->values_cap, sizeof(*b.d->values));
	return b.d;
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
	    d->columns_cap * sizeof(*d->columns) + d->nvalues * sizeof(*d->sorted) +
	    d->grams_cap * sizeof(*d->grams) + d->lists.cap;
}
