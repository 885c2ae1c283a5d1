#include "ask/compounds.h"
#include "ask/words_function.h"

#define PART_MIN	3u	/* bytes of a part */

#define COLUMN (1u << ASK_KIND_COLUMN)
#define SOURCE (1u << ASK_KIND_SOURCE)

/* Whether the words name something of these kinds, a mask. */
static bool
is_called(const struct ask_model *m, struct arena *a, const struct ask_token *t, size_t n, unsigned kinds)
{
	const struct ask_entry *found[16];

	for (unsigned german = 0; german < 2; german++)
		for (size_t k = ask_lexicon_find(m->lexicon, ask_key(a, t, n, german), german, found, 16); k > 0; k--)
			if ((kinds & 1u << found[k - 1]->kind) != 0)
				return true;
	return false;
}

/* "name", "datum": a noun that ends names of columns. */
static bool
ends_names(const struct ask_token *t)
{
	size_t len;

	return ask_word(ASK_GERMAN, t, 1, ASK_WORD_KEY, &len) != NULL ||
	    ask_word(ASK_GERMAN, t, 1, ASK_WORD_NOUN, &len) != NULL;
}

/* Whether the two parts are rows and a column of theirs, the name of a column, or an aggregate of one. */
static bool
are_parts(const struct ask_model *m, struct arena *a, const struct ask_token *parts)
{
	size_t len;

	return is_called(m, a, parts, 2, COLUMN) ||
	    (ask_word(ASK_GERMAN, parts, 1, ASK_WORD_AGGREGATE, &len) != NULL &&
		is_called(m, a, &parts[1], 1, COLUMN)) ||
	    (is_called(m, a, parts, 1, SOURCE) && (ends_names(&parts[1]) || is_called(m, a, &parts[1], 1, COLUMN)));
}

/* The only way to cut the word.  False: none, or several. */
static bool
cut_word(const struct ask_model *m, struct arena *a, const struct ask_token *t, struct ask_token *parts)
{
	size_t len, n, ways = 0;

	if (t->number || t->quoted || t->text.len < 2 * PART_MIN || is_called(m, a, t, 1, ~0u) ||
	    ask_word(ASK_GERMAN, t, 1, ASK_WORD_NONE, &len) != NULL)
		return false;
	for (size_t at = PART_MIN; at + PART_MIN <= t->text.len && ways < 2; at++) {
		struct ask_token *left, *right, both[2];

		if ((t->text.p[at] & 0xc0) == 0x80)
			continue;
		left = ask_tokens(a, span_of(t->text.p, at), false, 1, &n);
		right = ask_tokens(a, span_of(t->text.p + at, t->text.len - at), false, 1, &len);
		if (left == NULL || right == NULL || n != 1 || len != 1)
			continue;
		both[0] = left[0];
		both[1] = right[0];
		if (!are_parts(m, a, both))
			continue;
		ways++;
		memcpy(parts, both, sizeof(both));
	}
	parts[0].comma = t->comma;
	return ways == 1;
}

struct ask_token *
compounds_split(const struct ask_model *m, struct arena *a, const struct ask_token *t, size_t *n)
{
	struct ask_token *out = arena_array(a, 2 * *n + 1, sizeof(*out)), parts[2];
	size_t many = 0;

	for (size_t i = 0; out != NULL && i < *n; i++)
		if (cut_word(m, a, &t[i], parts)) {
			out[many++] = parts[0];
			out[many++] = parts[1];
		} else
			out[many++] = t[i];
	*n = many;
	return out;
}
