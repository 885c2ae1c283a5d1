#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/block.h"
#include "workers/search/index/dict_parts.h"
#include "workers/search/index/dict.h"
#include "words/text.h"
#include "workers/search/index/dict_search.h"

#define GRAMS_USED	6	/* the rarest sequences of a value narrow enough */

struct finding {
	const struct dict	*d;
	struct dict_forms	 needles;	/* as given, then the other spellings */
	size_t			 at;		/* the one in work */
	struct buf		 forms;		/* scratch */
	size_t			 limit, n, total;
	struct dict_match	*out;
};

/* The value that an entry is or, as an alias, leads to. */
static uint32_t
value_of(const struct dict *d, uint32_t entry)
{
	return d->values[entry].original_len == DICT_ALIAS ? d->values[entry].original : entry;
}

static struct dict_match
match_of(const struct dict *d, uint32_t entry, unsigned rank, bool folded)
{
	uint32_t value = value_of(d, entry);
	const struct dict_value *v = &d->values[value];
	const struct dict_column *c = &d->columns[v->column];

	return (struct dict_match){
		.table = span_of(d->texts.v + c->table, c->table_len),
		.column = span_of(d->texts.v + c->name, c->name_len),
		.value = v->original_len > 0 ? span_of(d->texts.v + v->original, v->original_len) :
		    dict_folded(d, value),
		.has_cardinality = c->has_cardinality, .cardinality = c->cardinality, .rank = rank, .folded = folded
	};
}

/*
 * Whether the needle in work is found in this entry and neither it in an earlier
 * form of the value, nor an earlier needle in any: each value is found once.
 */
static bool
is_first(struct finding *f, uint32_t entry, bool *folded)
{
	uint32_t value = value_of(f->d, entry);
	struct dict_forms forms;

	*folded = f->at > 0 || value != entry;
	if (!*folded)
		return true;
	dict_forms_of(dict_folded(f->d, value), &f->forms, &forms);
	for (size_t k = 0; k <= f->at; k++)
		for (size_t i = 0; i < forms.n; i++) {
			struct span needle = f->needles.v[k];

			if (k == f->at && span_is(forms.v[i], dict_folded(f->d, entry)))
				return true;
			if (memmem(forms.v[i].p, forms.v[i].len, needle.p, needle.len) != NULL)
				return false;
		}
	return true;
}

static void
take(struct finding *f, uint32_t entry, unsigned rank)
{
	bool folded;

	if (!is_first(f, entry, &folded))
		return;
	if (f->n < f->limit)
		f->out[f->n++] = match_of(f->d, entry, rank, folded);
	f->total++;
}

static bool
dict_search_begins(struct span s, struct span with)
{
	return s.len >= with.len && memcmp(s.p, with.p, with.len) == 0;
}

/* Values in sorted order: those before the needle, then those that are it, then those that begin with it. */
enum sorted_part { BEFORE, EXACT, BEGINNING };

/* The end of a part; values before `from` are in it, or in one before. */
static size_t
end_of(const struct dict *d, struct span needle, size_t from, enum sorted_part part)
{
	size_t low = from, high = d->nvalues;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct span s = dict_folded(d, d->sorted[mid]);

		if (part == BEGINNING ? dict_search_begins(s, needle) : span_cmp(s, needle) < (part == EXACT))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Insert key into the ascending list of at most max. */
static size_t
insert(uint64_t *best, size_t n, size_t max, uint64_t key)
{
	size_t at = n < max ? n++ : n - 1;

	for (; at > 0 && best[at - 1] > key; at--)
		best[at] = best[at - 1];
	best[at] = key;
	return n;
}

/*
 * The best of from..to in sorted order: by their column's order, then by text;
 * aliases last.
 */
static void
find_sorted(struct finding *f, size_t from, size_t to, unsigned rank)
{
	size_t max = f->limit - f->n, n = 0, sure = 0;
	uint64_t *best;

	if (from == to)
		return;
	best = array_new(max + 1, sizeof(*best));
	for (size_t i = from; i < to; i++) {
		uint64_t key = (uint64_t)f->d->order[i] << 32 | i;
		bool folded;

		if ((f->at > 0 || (f->d->order[i] & DICT_ALIASES) != 0) && !is_first(f, f->d->sorted[i], &folded))
			continue;
		sure++;
		if (max > 0 && (n < max || key < best[n - 1]))
			n = insert(best, n, max, key);
	}
	for (size_t i = 0; i < n; i++)
		take(f, f->d->sorted[(uint32_t)best[i]], rank);
	f->total += sure - n;
	free(best);
}

/* Exact matches of all needles, then what begins with them. */
static void
find_beginnings(struct finding *f)
{
	size_t from[3], longer[3], to[3];

	for (f->at = 0; f->at < f->needles.n; f->at++) {
		struct span needle = f->needles.v[f->at];

		from[f->at] = end_of(f->d, needle, 0, BEFORE);
		longer[f->at] = end_of(f->d, needle, from[f->at], EXACT);
		to[f->at] = end_of(f->d, needle, longer[f->at], BEGINNING);
		find_sorted(f, from[f->at], longer[f->at], 0);
	}
	for (f->at = 0; f->at < f->needles.n; f->at++)
		find_sorted(f, longer[f->at], to[f->at], 1);
}

static const struct dict_gram *
find_gram(const struct dict *d, uint32_t key)
{
	return bsearch(&(struct dict_gram){ .key = key }, d->grams, d->ngrams, sizeof(*d->grams), dict_gram_order);
}

/* The needle's rarest sequences, rarest first.  0: one of them occurs nowhere. */
static size_t
pick_grams(const struct dict *d, struct span needle, const struct dict_gram *picked[GRAMS_USED])
{
	size_t len = needle.len < 3 ? needle.len : 3, n = 0;

	for (size_t i = 0; i + len <= needle.len; i++) {
		const struct dict_gram *g;
		uint32_t key = 0;
		size_t at;

		for (size_t k = 0; k < len; k++)
			key = key << 8 | needle.p[i + k];
		if ((g = find_gram(d, dict_gram_key(key, len))) == NULL)
			return 0;
		for (at = n; at > 0 && g->nblocks < picked[at - 1]->nblocks; at--)
			;
		if (at == GRAMS_USED || (at > 0 && picked[at - 1] == g))
			continue;
		if (n == GRAMS_USED)
			n--;
		memmove(picked + at + 1, picked + at, (n - at) * sizeof(*picked));
		picked[at] = g;
		n++;
	}
	return n;
}

/* A list of blocks being walked. */
struct walk {
	const uint8_t	*p;
	uint32_t	 left, block;
};

static bool
step(struct walk *w)
{
	uint32_t v = 0;
	unsigned shift = 0;

	if (w->left == 0)
		return false;
	do
		v |= (uint32_t)(*w->p & 0x7f) << shift;
	while (shift += 7, (*w->p++ & 0x80) != 0);
	w->block += v;
	w->left--;
	return true;
}

static struct walk
walk_of(const struct dict *d, const struct dict_gram *g)
{
	return (struct walk){ .p = d->lists.v + g->at, .left = g->nblocks };
}

/*
 * memmem() for blocks of a few hundred bytes: places where the first and the
 * last byte fit are found sixteen at a time.
 */
static const uint8_t *
dict_search_find(const uint8_t *at, const uint8_t *end, struct span needle)
{
	const uint8_t first = needle.p[0], last = needle.p[needle.len - 1];

	for (; (size_t)(end - at) >= needle.len + BLOCK - 1; at += BLOCK) {
		block16 ends = block_is(block_load(at), first) & block_is(block_load(at + needle.len - 1), last);

		for (unsigned mask = block_mask(ends); mask != 0; mask &= mask - 1) {
			const uint8_t *p = at + __builtin_ctz(mask);

			if (memcmp(p, needle.p, needle.len) == 0)
				return p;
		}
	}
	return memmem(at, (size_t)(end - at), needle.p, needle.len);
}

/* Matches inside a block that are no beginnings.  False: enough were counted. */
static bool
scan_block(struct finding *f, uint32_t block)
{
	const struct dict *d = f->d;
	struct span needle = f->needles.v[f->at];
	uint32_t value = block * DICT_BLOCK;
	const uint8_t *at = d->blob.v + d->values[value].at, *end = d->blob.v + dict_block_end(d, block);

	while (at < end && (at = dict_search_find(at, end, needle)) != NULL) {
		size_t place = (size_t)(at - d->blob.v);
		struct span folded;

		while (value + 1 < d->nvalues && d->values[value + 1].at <= place)
			value++;
		folded = dict_folded(d, value);
		at = folded.p + folded.len + 1;
		if (dict_search_begins(folded, needle))
			continue;
		take(f, value, 2);
		if (f->total >= DICT_TOTAL_MAX && f->n == f->limit)
			return false;
	}
	return true;
}

static void
find_parts(struct finding *f)
{
	const struct dict_gram *picked[GRAMS_USED];
	struct walk walks[GRAMS_USED];
	size_t n = pick_grams(f->d, f->needles.v[f->at], picked);

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		walks[i] = walk_of(f->d, picked[i]);
	for (size_t i = 1; i < n; i++)
		if (!step(&walks[i]))
			return;
	while (step(&walks[0])) {
		bool all = true;

		for (size_t i = 1; i < n && all; i++) {
			while (walks[i].block < walks[0].block)
				if (!step(&walks[i]))
					return;
			all = walks[i].block == walks[0].block;
		}
		if (all && !scan_block(f, walks[0].block))
			return;
	}
}

/* What is looked for: folded, in its spellings.  False: nothing can be found. */
static bool
read_needle(struct finding *f, struct span value, struct buf *text)
{
	struct buf folded = { 0 };

	text_fold(value, &folded);
	dict_forms_of(buf_view(&folded), text, &f->needles);
	buf_fini(&folded);
	return f->needles.v[0].len > 0 && f->d->nvalues > 0;
}

static void
find_all(struct finding *f)
{
	find_beginnings(f);
	for (f->at = 0; f->at < f->needles.n && (f->total < DICT_TOTAL_MAX || f->n < f->limit); f->at++)
		find_parts(f);
}

size_t
dict_search(const struct dict *d, struct arena *a, struct span value, size_t limit,
    struct dict_match **out, size_t *total)
{
	struct finding f = { .d = d, .limit = limit };
	struct buf text = { 0 };
	struct span trimmed = span_trim(value);

	*total = 0;
	if ((*out = arena_array(a, limit, sizeof(**out))) == NULL)
		return 0;
	f.out = *out;
	if (read_needle(&f, value, &text))
		find_all(&f);
	/* Values stand without the blanks that a type of a fixed length adds. */
	if (f.total == 0 && trimmed.len < value.len && read_needle(&f, trimmed, &text))
		find_all(&f);
	buf_fini(&text);
	buf_fini(&f.forms);
	*total = f.total < DICT_TOTAL_MAX ? f.total : DICT_TOTAL_MAX;
	return f.n;
}

#define NEAR_LEAST	4	/* characters */
#define NEAR_CHARS	64	/* of a longer text nothing is near */
#define NEAR_LOOKS	4096	/* other characters tried */

struct nearing {
	struct finding	 f;
	size_t		 nchars, at[NEAR_CHARS + 1];	/* where the needle's characters begin */
	size_t		 looks;
	struct buf	 text;				/* what is looked up */
};

static size_t
char_len(uint8_t first)
{
	return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Append the needle's characters from..to. */
static void
put_chars(struct nearing *n, size_t from, size_t to)
{
	buf_append(&n->text, n->f.needles.v[0].p + n->at[from], n->at[to] - n->at[from]);
}

/* Take the values that are the text, which ends with the needle's characters from `rest` on. */
static void
take_near(struct nearing *n, size_t rest)
{
	size_t from, to;

	put_chars(n, rest, n->nchars);
	from = end_of(n->f.d, buf_view(&n->text), 0, BEFORE);
	to = end_of(n->f.d, buf_view(&n->text), from, EXACT);
	for (; from < to && n->f.n < n->f.limit; from++) {
		uint32_t entry = n->f.d->sorted[from];

		n->f.out[n->f.n++] = match_of(n->f.d, entry, 0, entry != value_of(n->f.d, entry));
	}
}

/* Values that go on after the needle's first i characters with another one, which stands for the next or before it. */
static void
try_others(struct nearing *n, size_t i)
{
	const struct dict *d = n->f.d;
	size_t prefix = n->at[i], at;

	n->text.len = 0;
	put_chars(n, 0, i);
	at = end_of(d, buf_view(&n->text), end_of(d, buf_view(&n->text), 0, BEFORE), EXACT);
	while (at < d->nvalues && n->looks++ < NEAR_LOOKS) {
		struct span s = dict_folded(d, d->sorted[at]);
		size_t len = s.len > prefix ? char_len(s.p[prefix]) : 0;

		n->text.len = prefix;
		if (len == 0 || prefix + len > s.len || (prefix > 0 && memcmp(s.p, n->text.p, prefix) != 0))
			return;
		buf_append(&n->text, s.p + prefix, len);
		at = end_of(d, buf_view(&n->text), at, BEGINNING);
		if (len == n->at[i + 1] - prefix && memcmp(n->text.p + prefix, n->f.needles.v[0].p + prefix, len) == 0)
			continue;
		take_near(n, i + 1);
		n->text.len = prefix + len;
		take_near(n, i);
	}
}

static void
try_all(struct nearing *n)
{
	for (size_t i = 0; i < n->nchars; i++) {
		try_others(n, i);
		n->text.len = 0;
		put_chars(n, 0, i);
		take_near(n, i + 1); /* one is missing */
		if (i + 1 == n->nchars)
			break;
		n->text.len = 0;
		put_chars(n, 0, i);
		put_chars(n, i + 1, i + 2);
		put_chars(n, i, i + 1);
		take_near(n, i + 2); /* two are swapped */
	}
}

static int
by_column(const void *a, const void *b)
{
	const struct dict_match *x = a, *y = b;
	int order;

	if (x->has_cardinality != y->has_cardinality)
		return x->has_cardinality ? -1 : 1;
	if (x->cardinality != y->cardinality)
		return x->cardinality < y->cardinality ? -1 : 1;
	if ((order = span_cmp(x->table, y->table)) == 0 && (order = span_cmp(x->column, y->column)) == 0)
		order = span_cmp(x->value, y->value);
	return order;
}

size_t
dict_near(const struct dict *d, struct arena *a, struct span value, size_t limit, struct dict_match **out)
{
	struct nearing n = { .f = { .d = d, .limit = limit } };
	struct buf text = { 0 };
	bool letters = false;
	size_t kept = 0;

	if ((*out = arena_array(a, limit, sizeof(**out))) == NULL || !read_needle(&n.f, span_trim(value), &text)) {
		buf_fini(&text);
		return 0;
	}
	n.f.out = *out;
	n.f.needles.v[0] = n.f.needles.v[n.f.needles.n > 1]; /* without accents: every value stands so, too */
	for (size_t i = 0; i < n.f.needles.v[0].len && n.nchars < NEAR_CHARS; n.nchars++) {
		letters = letters || !ascii_is_digit(n.f.needles.v[0].p[i]);
		i += char_len(n.f.needles.v[0].p[i]);
		n.at[n.nchars + 1] = i;
	}
	if (letters && n.nchars >= NEAR_LEAST && n.at[n.nchars] == n.f.needles.v[0].len)
		try_all(&n);
	if (n.f.n > 1)
		qsort(*out, n.f.n, sizeof(**out), by_column);
	for (size_t i = 0; i < n.f.n; i++)
		if (kept == 0 || by_column(&(*out)[kept - 1], &(*out)[i]) != 0)
			(*out)[kept++] = (*out)[i];
	buf_fini(&text);
	buf_fini(&n.text);
	return kept;
}
