// libs: carrel_search carrel_base
/*
 * fuzz_search.c - documents and a question out of any text, line by line:
 * indexed, asked, changed, asked again.  Counts stay true, answers repeat.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "workers/search/rank/rank.h"
#include "words/text.h"
#include "workers/search/index/tiers.h"
#include "workers/search/rank/matched.h"
#include "workers/search/rank/question.h"
#include "workers/search/index/builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES_MAX	64

static struct span lines[LINES_MAX];

static void
line_name(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	(void)shelf;
	buf_span(out, lines[s->item[doc]]);
}

static const struct shelf_ops ops = { .name = line_name, .id = line_name };
static const struct shelf shelf = { .ops = &ops };

static size_t
split(const uint8_t *data, size_t size)
{
	size_t n = 0;

	for (size_t at = 0; at < size && n < LINES_MAX; n++) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t len = end == NULL ? size - at : (size_t)(end - (data + at));

		lines[n] = span_of(data + at, len);
		at += len + 1;
	}
	return n;
}

static void
put(struct tiers *t, uint32_t unit)
{
	struct builder *b = tiers_put(t, unit);
	uint32_t doc = builder_doc(b, (enum kind)(unit % KINDS), VOCAB_NONE, unit);

	builder_text(b, FIELD_NAME, lines[unit]);
	builder_doc(b, KIND_COLUMN, doc, unit);
	builder_text(b, FIELD_BODY, lines[unit]);
	/* Its name by a key, which the second of two finds there. */
	for (uint32_t i = 0; i < unit % 3; i++) {
		builder_doc(b, KIND_COLUMN, doc, unit);
		builder_name(b, unit, lines[unit]);
		builder_plain_name(b, lines[unit]);
	}
	builder_family(b, doc);
	builder_close(b);
}

static size_t
ask(struct vocab *v, struct tiers *t, struct span text, struct ranked out[10])
{
	static struct match_result r;
	struct arena *a = arena_new(16u << 20);
	struct part parts[LINES_MAX];
	struct question q;
	size_t n;

	for (size_t i = 0; i < t->n; i++)
		parts[i] = (struct part){ t->segments[i], &shelf };
	question_read(&q, v, a, text, parts, t->n, KINDS_ALL, tiers_documents(t));
	match(&q, parts, t->n, KINDS_ALL, MATCH_HITS_MAX, false, &r);
	n = rank_answers(a, &q, text, parts, KINDS_ALL, &r, 10, out);
	for (size_t i = 0; i < n; i++) {
		(void)match_field(&q, parts[out[i].part].segment, out[i].doc);
		if (out[i].score < 0 || out[i].score > 1 || (i > 0 && out[i].score > out[i - 1].score))
			abort();
	}
	if (n > 0 && out[0].score < 1)
		abort();
	arena_free(a);
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vocab_scratch scratch;
	struct vocab *v;
	struct tiers t;
	struct ranked first[10], again[10];
	struct buf b = { 0 };
	size_t n, found;

	if (!utf8_valid(data, size) || size > 65536)
		return 0;
	n = split(data, size);
	v = vocab_new();
	tiers_init(&t, v);
	for (uint32_t i = 1; i < n; i++) {
		put(&t, i);
		if (i % 5 == 0)
			tiers_commit(&t);
	}
	tiers_commit(&t);
	found = n > 0 ? ask(v, &t, lines[0], first) : 0;
	for (uint32_t i = 1; i < n; i += 3)
		put(&t, i);
	tiers_commit(&t);
	if (n > 0 && ask(v, &t, lines[0], again) != found)
		abort();
	for (size_t i = 0; i < n; i++) {
		text_fold(lines[i], &b);
		text_snippet(lines[i], 0, TEXT_SNIPPET_MAX, &b);
	}
	if (!utf8_valid(b.p, b.len))
		abort();
	for (uint32_t i = 1; i < n; i++)
		tiers_remove(&t, i);
	tiers_commit(&t);
	scratch = vocab_scratch(v);
	for (uint32_t i = 0; i < vocab_count(v) + vocab_count_exact(v); i++) {
		uint32_t term = i < vocab_count(v) ? i : VOCAB_EXACT | (i - vocab_count(v));

		if (vocab_documents(v, term) != 0 || *vocab_place(&scratch, term) != 0)
			abort();
	}
	tiers_fini(&t);
	vocab_free(v);
	buf_fini(&b);
	return 0;
}
