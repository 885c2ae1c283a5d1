#include <string.h>

#include "workers/memory/read/condition_column.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/wording.h"

bool
condition_is_noun(const struct condition_of *of, struct span word)
{
	return wording_is_alike(word, of->name) || wording_is_alike(word, SPAN("row")) ||
	    wording_is_alike(word, SPAN("record"));
}

bool
condition_is_boolean(const struct source_column *c)
{
	return c->type != NULL &&
	    (span_is_word(span_str(c->type), "boolean") || span_is_word(span_str(c->type), "bool")) &&
	    c->visibility != SOURCE_HIDDEN && !c->withheld;
}

/* Whether the column's name consists of these words: is_test and has_test_order match "test" for orders. */
static bool
is_called(const struct condition_of *of, const char *name, const struct span *words, size_t n)
{
	struct span rest = span_str(name);
	size_t k = 0;
	bool first = true;

	while (rest.len > 0) {
		const uint8_t *end = memchr(rest.p, '_', rest.len);
		struct span part = span_of(rest.p, end == NULL ? rest.len : (size_t)(end - rest.p));
		bool opening = first && end != NULL &&
		    (span_is_word(part, "is") || span_is_word(part, "has") || span_is_word(part, "was"));
		bool closing = end == NULL && k > 0 && (span_is_word(part, "flag") || condition_is_noun(of, part));

		rest = end == NULL ? SPAN_NONE : formula_from(rest, part.len + 1);
		first = false;
		if (opening || closing)
			continue;
		if (k == n || !wording_is_alike(part, words[k++]))
			return false;
	}
	return k == n && n > 0;
}

const struct source_column *
condition_flag(const struct condition_of *of, const struct span *words, size_t n)
{
	const struct source_column *found = NULL;

	for (size_t i = 0; of->source != NULL && i < of->source->ncolumns; i++) {
		const struct source_column *c = &of->source->columns[i];

		if (!condition_is_boolean(c) || !is_called(of, c->name, words, n))
			continue;
		if (found != NULL)
			return NULL;
		found = c;
	}
	return found;
}

const struct source_column *
condition_flag_in(const struct condition_of *of, struct span name, struct span *said)
{
	struct wording w;

	wording_split(name, &w);
	for (size_t i = 0; of->source != NULL && i < of->source->ncolumns; i++)
		for (size_t k = 0; k < w.n; k++)
			for (size_t n = 1; k + n <= w.n && n <= 4; n++)
				if (condition_is_boolean(&of->source->columns[i]) &&
				    is_called(of, of->source->columns[i].name, &w.v[k], n)) {
					*said = w.v[k];
					return &of->source->columns[i];
				}
	return NULL;
}
