/* baseline.c - see baseline.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/relevance/baseline.h"
#include "workers/search/array.h"

#define RRF_K		60
#define TOKENS_MAX	64
#define FIELDS_MAX	5
#define PAGES_LEAST	25	/* candidates of the wiki search at least */

enum lane { WIKI, SEMANTIC, RAW, LANES };

struct entry {
	enum lane	 lane;
	char		*id;			/* "kind:id" */
	size_t		 nfields;
	struct field_text {
		char	*text;			/* lower case */
		double	 weight;
	}		 fields[FIELDS_MAX];
	char		*page;			/* of a page: all its text, lower case */
	double		 score, fused;
	bool		 in;
};

struct baseline {
	size_t		 n, cap;
	struct entry	*v;
	size_t		 npages;
	double		 average;		/* words of a page */
	size_t		 ntokens;
	char		*tokens[TOKENS_MAX];
	struct entry	**order;
};

/* --- what there is ------------------------------------------------------------ */

static char *
lower(const struct buf *b)
{
	char *s = strdup(b->len == 0 ? "" : (const char *)b->p);

	if (s == NULL)
		abort();
	s[b->len] = '\0';
	for (char *p = s; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	return s;
}

static char *
lower_span(struct span s)
{
	struct buf b = { 0 };
	char *out;

	buf_span(&b, s);
	(void)buf_cstr(&b);
	out = lower(&b);
	buf_fini(&b);
	return out;
}

static void
add_field(struct entry *e, double weight, struct span text)
{
	if (text.len > 0)
		e->fields[e->nfields++] = (struct field_text){ lower_span(text), weight };
}

static struct entry *
add(struct baseline *b, enum lane lane, enum kind kind, const struct part *p, uint32_t doc)
{
	struct buf id = { 0 };
	struct entry *e;

	b->v = array_grow(b->v, b->n, &b->cap, sizeof(*b->v));
	e = &b->v[b->n++];
	*e = (struct entry){ .lane = lane };
	buf_printf(&id, "%s:", kind_name(kind));
	p->shelf->ops->id(p->shelf, p->segment, doc, &id);
	if ((e->id = strdup(buf_cstr(&id))) == NULL)
		abort();
	buf_fini(&id);
	return e;
}

static void
add_page(struct baseline *b, const struct part *p, uint32_t doc)
{
	const struct page *page = pages_of((const struct pages *)p->shelf, p->segment, doc);
	struct entry *e = add(b, WIKI, KIND_WIKI, p, doc);
	struct buf whole = { 0 };

	add_field(e, 1.1, span_str(page->key));
	add_field(e, 1, page->good->summary);
	add_field(e, 0.8, page->good->body);
	/* ktx stores the whole search text as the content: key, summary and tags count twice. */
	for (int twice = 0; twice < 2; twice++) {
		buf_printf(&whole, "%s\n", page->key);
		buf_span(&whole, page->good->summary);
		for (size_t i = 0; i < page->good->tags.n; i++) {
			buf_byte(&whole, ' ');
			buf_span(&whole, page->good->tags.v[i]);
		}
		buf_byte(&whole, '\n');
	}
	buf_span(&whole, page->good->body);
	(void)buf_cstr(&whole);
	e->page = lower(&whole);
	buf_fini(&whole);
	b->npages++;
}

static void
add_member(struct baseline *b, const struct part *p, uint32_t doc)
{
	enum kind kind = (enum kind)p->segment->kind[doc];
	uint32_t i;
	const struct source *s = models_of((const struct models *)p->shelf, p->segment, doc, &i);
	struct entry *e = add(b, SEMANTIC, kind, p, doc);

	switch (kind) {
	case KIND_SL_MEASURE:
		add_field(e, 1.2, span_str(s->measures[i].name));
		add_field(e, 1, s->measures[i].description);
		add_field(e, 0.9, span_str(s->measures[i].expr));
		break;
	case KIND_SL_DIMENSION:
		add_field(e, 1.2, span_str(s->columns[i].name));
		add_field(e, 1.1, span_str(strchr(e->id, ':') + 1));
		add_field(e, 1, s->columns[i].description);
		add_field(e, 0.9, span_str(s->columns[i].expr));
		break;
	default:
		add_field(e, 1.2, span_str(s->name));
		add_field(e, 1, s->description);
		add_field(e, 0.8, span_str(s->table != NULL ? s->table : s->sql));
		break;
	}
}

static void
add_raw(struct baseline *b, const struct part *p, uint32_t doc)
{
	const struct schema *s = (const struct schema *)p->shelf;
	const struct schema_column *c;
	const struct schema_table *t = schema_of(s, p->segment, doc, &c);
	struct entry *e = add(b, RAW, (enum kind)p->segment->kind[doc], p, doc);
	struct buf samples = { 0 };

	add_field(e, 1.2, schema_span(s, c != NULL ? c->name : t->name));
	add_field(e, 1.1, span_str(strchr(e->id, ':') + 1));
	add_field(e, 1, schema_span(s, c != NULL ? c->description : t->description));
	add_field(e, 1, schema_span(s, c != NULL ? c->comment : t->comment));
	if (c != NULL) {
		size_t n;
		const schema_text *v = schema_samples(s, c, &n);

		for (size_t i = 0; i < n && i < 5; i++) {
			buf_span(&samples, schema_span(s, v[i]));
			buf_byte(&samples, ' ');
		}
		add_field(e, 1.3, buf_view(&samples));
	}
	buf_fini(&samples);
}

/* --- words -------------------------------------------------------------------- */

/* ktx's words: ASCII letters, digits and underscores. */
static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void
read_tokens(struct baseline *b, const char *question)
{
	struct buf q = { 0 };
	char *text, *p;

	while (b->ntokens > 0)
		free(b->tokens[--b->ntokens]);
	buf_str(&q, question);
	(void)buf_cstr(&q);
	text = p = lower(&q);
	while (*p != '\0' && b->ntokens < TOKENS_MAX) {
		char *end = p;

		while (is_word(*end))
			end++;
		if (end > p && (b->tokens[b->ntokens++] = strndup(p, (size_t)(end - p))) == NULL)
			abort();
		p = end + (end == p);
	}
	free(text);
	buf_fini(&q);
}

static double
share_in(const struct baseline *b, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < b->ntokens; i++)
		n += strstr(text, b->tokens[i]) != NULL;
	return b->ntokens == 0 ? 0 : (double)n / (double)b->ntokens;
}

static double
field_score(const struct baseline *b, const struct entry *e)
{
	double best = 0;

	for (size_t i = 0; i < e->nfields; i++) {
		double s = share_in(b, e->fields[i].text) * e->fields[i].weight;

		best = s > best ? s : best;
	}
	return best;
}

/* Words as FTS5 has them: letters and digits of any script, no underscore. */
static size_t
count_word(const char *text, const char *word, size_t *words)
{
	size_t n = 0, len = strlen(word);

	*words = 0;
	for (const char *p = text; *p != '\0'; ) {
		const char *end = p;

		while (isalnum((unsigned char)*end) || (unsigned char)*end >= 0x80)
			end++;
		n += (size_t)(end - p) == len && len > 0 && memcmp(p, word, len) == 0;
		*words += end > p;
		p = end + (end == p);
	}
	return n;
}

static double
bm25(const struct baseline *b, const struct entry *e)
{
	double score = 0;

	for (size_t i = 0; i < b->ntokens; i++) {
		size_t words, holding = 0, n = count_word(e->page, b->tokens[i], &words);

		for (size_t k = 0; k < b->n && n > 0; k++) {
			size_t any;

			holding += b->v[k].lane == WIKI && count_word(b->v[k].page, b->tokens[i], &any) > 0;
		}
		if (n > 0)
			score += fmax(1e-6, log(((double)b->npages - (double)holding + 0.5) / ((double)holding + 0.5))) *
			    (double)n * 2.2 / ((double)n + 1.2 * (0.25 + 0.75 * (double)words / b->average));
	}
	return score;
}

/* --- asking --------------------------------------------------------------------- */

static int
by_score(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return x->score > y->score || x->score < y->score ? (x->score < y->score) - (x->score > y->score) :
	    strcasecmp(x->id, y->id);
}

static int
by_fused(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return x->fused > y->fused || x->fused < y->fused ? (x->fused < y->fused) - (x->fused > y->fused) :
	    strcasecmp(x->id, y->id);
}

/* The entries of a lane that are in, best first. */
static size_t
sorted(struct baseline *b, enum lane lane)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].lane == lane && b->v[i].in)
			b->order[n++] = &b->v[i];
	qsort(b->order, n, sizeof(struct entry *), by_score);
	return n;
}

/* ktx's wiki search: its two lists, fused; then the field score on top. */
static size_t
rank_pages(struct baseline *b, size_t limit)
{
	static const double weights[2] = { 1.5, 0.75 };
	size_t n, keep = limit > PAGES_LEAST ? limit : PAGES_LEAST;

	for (size_t i = 0; i < b->n; i++)
		b->v[i].fused = 0;
	for (int list = 0; list < 2; list++) {
		for (size_t i = 0; i < b->n; i++)
			if (b->v[i].lane == WIKI) {
				b->v[i].score = list == 0 ? bm25(b, &b->v[i]) : share_in(b, b->v[i].page);
				b->v[i].in = b->v[i].score > 0;
			}
		n = sorted(b, WIKI);
		for (size_t i = 0; i < n; i++)
			b->order[i]->fused += weights[list] / (double)(RRF_K + i + 1);
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].lane == WIKI) {
			b->v[i].in = b->v[i].fused > 0;
			b->v[i].score = b->v[i].fused;
		}
	n = sorted(b, WIKI);
	for (size_t i = 0; i < n; i++)
		b->order[i]->in = i < keep;
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].lane == WIKI)
			b->v[i].score += field_score(b, &b->v[i]);
	return sorted(b, WIKI);
}

size_t
baseline_ask(struct baseline *b, const char *question, size_t max, const char **ids)
{
	double *fused = array_new(b->n, sizeof(*fused));
	size_t n;

	read_tokens(b, question);
	for (enum lane lane = WIKI; lane < LANES; lane++) {
		if (lane == WIKI)
			n = rank_pages(b, max);
		else {
			for (size_t i = 0; i < b->n; i++)
				if (b->v[i].lane == lane) {
					b->v[i].score = field_score(b, &b->v[i]);
					b->v[i].in = b->v[i].score > 0;
				}
			n = sorted(b, lane);
		}
		for (size_t i = 0; i < n; i++)
			fused[b->order[i] - b->v] = 1.0 / (double)(RRF_K + i + 1);
	}
	n = 0;
	for (size_t i = 0; i < b->n; i++) {
		b->v[i].fused = fused[i];
		if (fused[i] > 0)
			b->order[n++] = &b->v[i];
	}
	qsort(b->order, n, sizeof(struct entry *), by_fused);
	for (size_t i = 0; i < n && i < max; i++)
		ids[i] = b->order[i]->id;
	free(fused);
	return n < max ? n : max;
}

struct baseline *
baseline_new(struct library *l)
{
	struct baseline *b = array_new(1, sizeof(*b));
	size_t nparts, words, total = 0;
	const struct part *parts = library_parts(l, NULL, &nparts);

	for (size_t i = 0; i < nparts; i++)
		for (uint32_t doc = 0; doc < parts[i].segment->ndocs; doc++) {
			if (segment_is_dead(parts[i].segment, doc))
				continue;
			if (parts[i].segment->kind[doc] == KIND_WIKI)
				add_page(b, &parts[i], doc);
			else if (parts[i].segment->kind[doc] < KIND_TABLE)
				add_member(b, &parts[i], doc);
			else
				add_raw(b, &parts[i], doc);
		}
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].lane == WIKI) {
			(void)count_word(b->v[i].page, "", &words);
			total += words;
		}
	b->average = b->npages == 0 ? 1 : (double)total / (double)b->npages;
	b->order = array_new(b->n, sizeof(struct entry *));
	return b;
}

void
baseline_free(struct baseline *b)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->v[i].nfields; k++)
			free(b->v[i].fields[k].text);
		free(b->v[i].page);
		free(b->v[i].id);
	}
	while (b->ntokens > 0)
		free(b->tokens[--b->ntokens]);
	free(b->order);
	free(b->v);
	free(b);
}
