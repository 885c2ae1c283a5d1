#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/search/index/dict_parts.h"
#include "workers/search/index/dict.h"
#include "words/text.h"
#include "workers/search/index/dict_build.h"

#define COLUMNS_A_LOOK	64	/* between looks at the clock */
#define BLOCKS_A_LOOK	256
#define BUCKETS		65536	/* values by the first two bytes, sorted one bucket after the other; */
#define FEW_BUCKETS	256	/* by the first one alone while they are */
#define FEW_SORTED	4096	/* at most */

enum stage { ADDING, SORTING, MEASURING, WRITING, DONE };

/* State of each byte sequence while the lists of blocks are measured and then written. */
struct gram_work {
	struct gram {
		uint32_t	key;		/* plus one; 0: free */
		uint32_t	last;		/* block it was met in last, plus one */
		uint32_t	nblocks;
		uint32_t	at;		/* length of its list, then where to write */
	}		*grams;			/* by hash of the key, the next free one; at most half are taken */
	size_t		 n;
	unsigned	 bits;			/* of how many there is room for */
};

struct dict_building {
	struct dict				*d;
	enum stage				 stage;
	size_t					 next;		/* column, bucket or block */
	size_t					 n;		/* qualifying columns */
	const struct snapshot_profiled		**columns;	/* by table and name */
	struct buf				 folded;
	size_t					 nbuckets;
	uint32_t				*buckets;	/* where each begins in sorted, and one more */
	struct gram_work			 grams;
};

static uint32_t
dict_build_keep(struct dict *d, struct span s)
{
	uint32_t at = (uint32_t)d->texts.n;

	array_u8_append(&d->texts, s.p, s.len);
	return at;
}

/* Add one value of the column; blank ones are left out. */
static void
add_value(struct dict_building *b, uint32_t column, struct span value)
{
	struct dict *d = b->d;
	struct span folded;

	b->folded.len = 0;
	text_fold(span_trim(value), &b->folded);
	folded = buf_view(&b->folded);
	if (folded.len == 0 || d->blob.n + folded.len >= UINT32_MAX || d->texts.n + value.len >= UINT32_MAX)
		return;
	d->values = array_grow(d->values, d->nvalues, &d->values_cap, sizeof(*d->values));
	d->values[d->nvalues] = (struct dict_value){ .at = (uint32_t)d->blob.n, .column = column };
	array_u8_append(&d->blob, folded.p, folded.len);
	array_u8_append(&d->blob, &(uint8_t){ DICT_END }, 1);
	/* The original is kept only where folding changed it. */
	if (!span_is(folded, value)) {
		d->values[d->nvalues].original = dict_build_keep(d, value);
		d->values[d->nvalues].original_len = (uint32_t)value.len;
	}
	d->nvalues++;
}

static void
add_alias(struct dict_building *b, uint32_t value, struct span text)
{
	struct dict *d = b->d;

	if (d->blob.n + text.len >= UINT32_MAX)
		return;
	d->values = array_grow(d->values, d->nvalues, &d->values_cap, sizeof(*d->values));
	d->values[d->nvalues++] = (struct dict_value){ .at = (uint32_t)d->blob.n, .column = d->values[value].column,
		.original = value, .original_len = DICT_ALIAS };
	array_u8_append(&d->blob, text.p, text.len);
	array_u8_append(&d->blob, &(uint8_t){ DICT_END }, 1);
	d->naliases++;
}

/* The value's other spellings: without accents, and with umlauts written out where that is a third one. */
static void
add_aliases(struct dict_building *b, uint32_t value)
{
	struct dict_forms f;

	dict_forms_of(dict_folded(b->d, value), &b->folded, &f);
	for (size_t i = 1; i < f.n; i++)
		add_alias(b, value, f.v[i]);
}

/* Whether the type fills values up with blanks, which are no part of them; in others "done " is not "done". */
static bool
is_padded(struct span type)
{
	return span_begins_word(type, "char(") || span_begins_word(type, "character(") ||
	    span_begins_word(type, "bpchar");
}

/* The value without the blanks that fill it up. */
static struct span
unpadded(struct span s)
{
	while (s.len > 0 && s.p[s.len - 1] == ' ')
		s.len--;
	return s;
}

static void
add_column(struct dict_building *b, const struct snapshot_profiled *p)
{
	struct dict *d = b->d;
	struct span *sorted = array_new(p->nvalues, sizeof(*sorted));
	size_t had = d->nvalues;

	if (p->nvalues > 0)
		memcpy(sorted, p->values, p->nvalues * sizeof(*sorted));
	if (p->nvalues > 1)
		qsort(sorted, p->nvalues, sizeof(*sorted), span_order);
	for (size_t i = 0; i < p->nvalues && d->nvalues - had < DICT_DISTINCT_MAX; i++)
		if (i == 0 || !span_is(sorted[i], sorted[i - 1]))
			add_value(b, (uint32_t)d->ncolumns, is_padded(p->type) ? unpadded(sorted[i]) : sorted[i]);
	free(sorted);
	if (d->nvalues == had)
		return;
	for (size_t i = had, n = d->nvalues; i < n; i++)
		add_aliases(b, (uint32_t)i);
	d->columns = array_grow(d->columns, d->ncolumns, &d->columns_cap, sizeof(*d->columns));
	d->columns[d->ncolumns++] = (struct dict_column){
		.table = dict_build_keep(d, p->table), .table_len = (uint32_t)p->table.len,
		.name = dict_build_keep(d, p->column), .name_len = (uint32_t)p->column.len,
		.has_cardinality = p->has_distinct, .cardinality = p->distinct
	};
}

/* Columns come by name; qsort is not stable, so their number decides in the end. */
static int
by_cardinality(const void *a, const void *b, void *arg)
{
	const struct dict *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct dict_column *c = &d->columns[x], *e = &d->columns[y];

	if (c->has_cardinality != e->has_cardinality)
		return c->has_cardinality ? -1 : 1;
	if (c->cardinality != e->cardinality)
		return c->cardinality < e->cardinality ? -1 : 1;
	return (x > y) - (x < y);
}

static void
order_columns(struct dict *d)
{
	uint32_t *columns = array_new(d->ncolumns, sizeof(*columns));

	for (uint32_t i = 0; i < d->ncolumns; i++)
		columns[i] = i;
	qsort_r(columns, d->ncolumns, sizeof(*columns), by_cardinality, d);
	for (uint32_t i = 0; i < d->ncolumns; i++)
		d->columns[columns[i]].order = i;
	free(columns);
}

static uint32_t
bucket_of(const struct dict_building *b, uint32_t value)
{
	struct span s = dict_folded(b->d, value);

	if (b->nbuckets == FEW_BUCKETS)
		return s.p[0];
	/* A value of one byte sorts before all longer ones. */
	return (uint32_t)s.p[0] << 8 | (s.len > 1 ? s.p[1] : 0);
}

static void
begin_sorting(struct dict_building *b)
{
	struct dict *d = b->d;
	uint32_t *next;

	order_columns(d);
	d->sorted = array_new(d->nvalues, sizeof(*d->sorted));
	d->order = array_new(d->nvalues, sizeof(*d->order));
	b->nbuckets = d->nvalues > FEW_SORTED ? BUCKETS : FEW_BUCKETS;
	b->buckets = array_new(b->nbuckets + 1, sizeof(*b->buckets));
	for (uint32_t i = 0; i < d->nvalues; i++)
		b->buckets[bucket_of(b, i) + 1]++;
	for (size_t i = 0; i < b->nbuckets; i++)
		b->buckets[i + 1] += b->buckets[i];
	next = array_new(b->nbuckets, sizeof(*next));
	memcpy(next, b->buckets, b->nbuckets * sizeof(*next));
	for (uint32_t i = 0; i < d->nvalues; i++)
		d->sorted[next[bucket_of(b, i)]++] = i;
	free(next);
}

static int
by_folded(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = span_cmp(dict_folded(arg, x), dict_folded(arg, y));

	return order != 0 ? order : (x > y) - (x < y);
}

static void
sort_bucket(struct dict_building *b, size_t i)
{
	size_t n = b->buckets[i + 1] - b->buckets[i];

	if (n > 1)
		qsort_r(b->d->sorted + b->buckets[i], n, sizeof(*b->d->sorted), by_folded, b->d);
	for (uint32_t k = b->buckets[i]; k < b->buckets[i + 1]; k++)
		b->d->order[k] = b->d->columns[b->d->values[b->d->sorted[k]].column].order |
		    (b->d->values[b->d->sorted[k]].original_len == DICT_ALIAS ? DICT_ALIASES : 0);
}

static size_t
varint(uint32_t v, uint8_t *out)
{
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

#define GRAM_BITS_LEAST	12

static struct gram *
gram_of(const struct gram_work *w, uint32_t key)
{
	uint32_t last = (UINT32_C(1) << w->bits) - 1;
	uint32_t i = (key + 1) * UINT32_C(0x9e3779b1) >> (32 - w->bits);

	while (w->grams[i].key != 0 && w->grams[i].key != key + 1)
		i = (i + 1) & last;
	return &w->grams[i];
}

static void
grams_grow(struct gram_work *w)
{
	struct gram_work more = { .n = w->n, .bits = w->grams == NULL ? GRAM_BITS_LEAST : w->bits + 1 };

	more.grams = array_new((size_t)1 << more.bits, sizeof(*more.grams));
	for (size_t i = 0; w->grams != NULL && i < (size_t)1 << w->bits; i++)
		if (w->grams[i].key != 0)
			*gram_of(&more, w->grams[i].key - 1) = w->grams[i];
	free(w->grams);
	*w = more;
}

/* Note that block holds the sequence: measure its list, or write it. */
static void
note_gram(struct dict *d, struct gram_work *w, uint32_t key, uint32_t block, bool write)
{
	struct gram *g = gram_of(w, key);
	uint8_t bytes[5];
	size_t n;

	if (g->last == block + 1)
		return;
	if (g->key == 0) {
		if (++w->n * 2 > (size_t)1 << w->bits) {
			grams_grow(w);
			g = gram_of(w, key);
		}
		g->key = key + 1;
	}
	n = varint(block - (g->last == 0 ? 0 : g->last - 1), bytes);
	g->last = block + 1;
	if (write)
		memcpy(d->lists.v + g->at, bytes, n);
	else
		g->nblocks++;
	g->at += (uint32_t)n;
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

	d->grams = array_new(w->n, sizeof(*d->grams));
	d->grams_cap = w->n;
	for (size_t i = 0; i < (size_t)1 << w->bits; i++)
		if (w->grams[i].key != 0)
			d->grams[d->ngrams++] =
			    (struct dict_gram){ .key = w->grams[i].key - 1, .nblocks = w->grams[i].nblocks };
	qsort(d->grams, d->ngrams, sizeof(*d->grams), dict_gram_order);
	for (size_t i = 0; i < d->ngrams; i++) {
		struct gram *g = gram_of(w, d->grams[i].key);
		uint32_t n = g->at;

		d->grams[i].at = g->at = at;
		g->last = 0;
		at += n;
	}
	d->lists.v = array_new(at, 1);
	d->lists.n = d->lists.cap = at;
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

static void
note_verdict(struct dict *d, enum dict_verdict verdict, const struct snapshot_profiled *p)
{
	size_t i = d->judged[verdict].nexamples;

	d->judged[verdict].n++;
	if (i == DICT_EXAMPLES || verdict == DICT_TAKEN)
		return;
	d->judged[verdict].at[i] = dict_build_keep(d, p->table);
	dict_build_keep(d, SPAN("."));
	dict_build_keep(d, p->column);
	d->judged[verdict].len[i] = (uint32_t)(p->table.len + 1 + p->column.len);
	d->judged[verdict].nexamples++;
}

struct dict_building *
dict_begin(const struct snapshot_profile *profile)
{
	struct dict_building *b = mem_new(1, sizeof(*b));

	b->d = mem_new(1, sizeof(*b->d));
	b->columns = array_new(profile->n, sizeof(*b->columns));
	/* The number of values that a scan kept says nothing about the number that the column has. */
	for (size_t i = 0; i < profile->n; i++) {
		enum dict_verdict verdict = dict_judge(&profile->v[i]);

		note_verdict(b->d, verdict, &profile->v[i]);
		if (verdict == DICT_TAKEN)
			b->columns[b->n++] = &profile->v[i];
	}
	qsort(b->columns, b->n, sizeof(*b->columns), by_name);
	return b;
}

/* How many items the stage has, and how many of them pass between looks at the clock. */
static size_t
items(const struct dict_building *b, size_t *a_look)
{
	*a_look = b->stage == ADDING ? COLUMNS_A_LOOK : BLOCKS_A_LOOK;
	return b->stage == ADDING ? b->n :
	    b->stage == SORTING   ? b->nbuckets :
				    (b->d->nvalues + DICT_BLOCK - 1) / DICT_BLOCK;
}

static void
do_item(struct dict_building *b, size_t i)
{
	if (b->stage == ADDING)
		add_column(b, b->columns[i]);
	else if (b->stage == SORTING)
		sort_bucket(b, i);
	else
		note_block(b->d, &b->grams, (uint32_t)i, b->stage == WRITING);
}

static void
next_stage(struct dict_building *b)
{
	b->stage++;
	b->next = 0;
	if (b->stage == SORTING)
		begin_sorting(b);
	else if (b->stage == MEASURING)
		grams_grow(&b->grams);
	else if (b->stage == WRITING)
		place_lists(b->d, &b->grams);
}

bool
dict_step(struct dict_building *b, uint64_t ns)
{
	uint64_t until = clock_ns() + ns;

	while (b->stage != DONE) {
		size_t a_look, n = items(b, &a_look);

		while (b->next < n) {
			do_item(b, b->next++);
			if (b->next % a_look == 0 && clock_ns() >= until)
				return false;
		}
		next_stage(b);
	}
	return true;
}

struct dict *
dict_end(struct dict_building *b)
{
	struct dict *d = b->d;

	d->blob.v = array_trim(d->blob.v, d->blob.n, &d->blob.cap, 1);
	d->texts.v = array_trim(d->texts.v, d->texts.n, &d->texts.cap, 1);
	d->values = array_trim(d->values, d->nvalues, &d->values_cap, sizeof(*d->values));
	free(b->columns);
	buf_fini(&b->folded);
	free(b->buckets);
	free(b->grams.grams);
	free(b);
	return d;
}
