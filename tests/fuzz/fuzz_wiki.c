// libs: carrel_project carrel_base
/* fuzz_wiki.c - any bytes: a page whose every text is UTF-8 and inside its memory, or a refusal with a message. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "project/format/files.h"
#include "project/model/also.h"
#include "project/model/wiki.h"
#include "project/model/wiki_words.h"
#include "tests/fuzz/fuzz.h"

static void
look(struct span s)
{
	if (!utf8_valid(s.p, s.len))
		abort();
}

static void
look_all(const struct wiki_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		look(s->v[i]);
}

static void
look_short(struct span s, size_t max)
{
	look(s);
	if (s.len == 0 || s.len > max)
		abort();
}

/* Words that the body declares, and names as a description says them: UTF-8, none empty, no more than there may be. */
static void
look_words(struct span body)
{
	struct buf rest = { 0 };
	struct wiki_words w;
	struct also also;
	struct span word, means;
	unsigned n = 0;

	wiki_words_begin(&w, &(struct wiki_page){ .body = body });
	while (wiki_words_next(&w, &word, &means)) {
		look_short(word, WIKI_WORD_BYTES_MAX);
		look_short(means, WIKI_WORD_BYTES_MAX);
		if (++n > WIKI_WORDS_MAX)
			abort();
	}
	n = 0;
	also_begin(&also, body);
	while (also_next(&also, &word)) {
		look_short(word, ALSO_NAME_MAX);
		if (++n > ALSO_NAMES_MAX)
			abort();
	}
	also_without(body, &rest);
	look(buf_view(&rest));
	if (rest.len > body.len)
		abort();
	buf_fini(&rest);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(16u << 20);
	struct err err = { .code = ERR_NONE };
	struct buf key = { 0 };
	struct wiki_page page;

	if (wiki_parse(a, span_of(data, size), &page, &err) == 0) {
		look(page.summary);
		look(page.body);
		look_words(page.body);
		look_all(&page.tags);
		look_all(&page.refs);
		look_all(&page.sl_refs);
	} else if (err.code == ERR_NONE || err.message[0] == '\0')
		abort();
	/* Whatever is suggested is a key. */
	wiki_suggest_key(span_of(data, size), &key);
	if (!files_is_id(buf_view(&key)))
		abort();
	buf_fini(&key);
	arena_free(a);
	return 0;
}
