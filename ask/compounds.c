#include "ask/compounds.h"
#include "ask/words_function.h"

#define PART_MIN	3u	/* bytes of a part */

#define COLUMN (1u << ASK_KIND_COLUMN)
#define SOURCE (1u << ASK_KIND_SOURCE)
#define STATE  (1u << ASK_KIND_SEGMENT | 1u << ASK_KIND_VALUE)
#define VERB   (1u << ASK_KIND_VERB | 1u << ASK_KIND_EVENT | 1u << ASK_KIND_DATE)

/* Whether the words name something of these kinds, a mask. */
static bool
is_called(const struct ask_model *m, struct arena *a, const struct ask_token *t, size_t n, unsigned kinds)
{
	return ask_lexicon_has(m->lexicon, a, t, n, kinds);
}

/* "alter", of alter_jahre: a number whose name says its unit, too. */
static bool
begins_name(const struct ask_model *m, const struct ask_token *t)
{
	for (size_t i = 0; i < m->nsources; i++)
		for (size_t c = 0; c < m->sources[i].ncolumns; c++) {
			const struct ask_column *column = &m->sources[i].columns[c];
			struct ask_words name = column->names.words;
			size_t len;

			if (column->type == ASK_TYPE_NUMBER && !column->internal && name.n == 2 &&
			    span_is(name.t[0].german, t->german) &&
			    (ask_word(ASK_GERMAN, &name.t[1], 1, ASK_WORD_UNIT, &len) != NULL ||
				span_is_str(name.t[1].folded, "jahre")))
				return true;
		}
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
	    ((ask_word(ASK_GERMAN, parts, 1, ASK_WORD_AGGREGATE, &len) != NULL ||
		 ask_word(ASK_GERMAN, parts, 1, ASK_WORD_EXTREME, &len) != NULL) &&
		(is_called(m, a, &parts[1], 1, COLUMN) || begins_name(m, &parts[1]))) ||
	    (is_called(m, a, parts, 1, SOURCE) && (ends_names(&parts[1]) || is_called(m, a, &parts[1], 1, COLUMN))) ||
	    (span_is_str(parts[0].folded, "anzahl") && is_called(m, a, &parts[1], 1, SOURCE));
}

/* "Höchstpreis", "Mindestalter": an extreme of the rest.  "Kundenzahl": the number of the rest, which comes behind. */
static void
read_parts(struct ask_token *parts)
{
	static const char *const extremes[][2] = { { "höchst", "höchste" }, { "maximal", "maximale" },
		{ "mindest", "minimale" }, { "minimal", "minimale" }, { "tiefst", "minimale" } };

	for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++)
		if (span_is_str(parts[0].folded, extremes[i][0]))
			parts[0].folded = span_str(extremes[i][1]);
	if (span_is_str(parts[1].folded, "zahl") || span_is_str(parts[1].folded, "anzahl")) {
		struct ask_token number = parts[1];

		/* each keeps its place in the question */
		parts[1] = parts[0];
		parts[1].text = number.text;
		number.text = parts[0].text;
		number.folded = SPAN("anzahl");
		parts[0] = number;
	}
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
		read_parts(both);
		if (!are_parts(m, a, both))
			continue;
		ways++;
		memcpy(parts, both, sizeof(both));
	}
	parts[0].comma = t->comma;
	return ways == 1;
}

/* "Kreditkarten", where it is a state of cards: the state, and the rows. */
static bool
cut_state(const struct ask_model *m, struct arena *a, const struct ask_token *t, struct ask_token *parts)
{
	size_t n;

	if (t->number || t->quoted || t->text.len < 2 * PART_MIN || !is_called(m, a, t, 1, STATE) ||
	    is_called(m, a, t, 1, ~STATE))
		return false;
	for (size_t at = PART_MIN; at + PART_MIN <= t->text.len; at++) {
		struct ask_token *rows = (t->text.p[at] & 0xc0) == 0x80 ?
		    NULL :
		    ask_tokens(a, span_of(t->text.p + at, t->text.len - at), false, 1, &n);

		if (rows == NULL || n != 1 || !is_called(m, a, rows, 1, SOURCE))
			continue;
		parts[0] = *t;
		parts[0].text.len = at;
		parts[0].capital = false;
		parts[1] = *rows;
		return true;
	}
	return false;
}

static struct ask_token *
joined_token(struct arena *a, struct span first, struct span rest)
{
	size_t n;
	char *both = arena_printf(a, "%.*s%.*s", SPAN_FMT(first), SPAN_FMT(rest));

	return both == NULL ? NULL : ask_tokens(a, span_str(both), false, 1, &n);
}

/* The word reads as this one, and keeps its place. */
static void
read_as(struct ask_token *t, const struct ask_token *other)
{
	t->folded = other->folded;
	t->stem = other->stem;
	t->german = other->german;
	t->plural = other->plural;
}

/* "Vor- und Nachnamen": the first word ends as the second one does. */
static void
complete_word(const struct ask_model *m, struct arena *a, struct ask_token *t, size_t n)
{
	size_t len;

	if (n < 3 || t->text.p[t->text.len] != '-' || t[1].text.p != t->text.p + t->text.len + 2 ||
	    (ask_word(ASK_GERMAN, &t[1], 1, ASK_WORD_AND, &len) == NULL &&
		ask_word(ASK_GERMAN, &t[1], 1, ASK_WORD_OR, &len) == NULL))
		return;
	for (size_t at = PART_MIN; at + PART_MIN <= t[2].text.len; at++) {
		struct ask_token *whole = (t[2].text.p[at] & 0xc0) == 0x80 ?
		    NULL :
		    joined_token(a, t->text, span_of(t[2].text.p + at, t[2].text.len - at));

		if (whole != NULL && is_called(m, a, whole, 1, ~0u)) {
			read_as(t, whole);
			return;
		}
	}
}

/* "aufgeführt", "gebaut", "bestellt", not "verkaufen": what a passive ends in. */
static bool
is_passive_end(const struct ask_token *t)
{
	return !t->capital && !t->number && t->folded.len > 4 &&
	    (span_ends(t->folded, "t") ||
		(t->folded.len > 6 && span_ends(t->folded, "en") && t->folded.p[0] == 'g' && t->folded.p[1] == 'e'));
}

/* "wird … verwendet" tells nothing of the future. */
static void
read_passive(struct ask_token *t, size_t i, size_t n)
{
	size_t end = i + 1, len;

	if (!span_is_str(t[i].folded, "wird"))
		return;
	for (; end < n && !t[end].comma; end++)
		if (ask_word(ASK_GERMAN, &t[end], 1, ASK_WORD_NEXT, &len) != NULL)
			return;
	if (is_passive_end(&t[end - 1]))
		t[i].folded = SPAN("wurde");
}

/* "hoechste", "groesser als": a function word of umlauts, written without them. */
static void
respell(struct arena *a, struct ask_token *t, size_t n)
{
	static const char *const umlauts[][2] = { { "ae", "ä" }, { "oe", "ö" }, { "ue", "ü" } };
	const struct span folded = t->folded;
	struct buf spelled = { 0 };
	bool any = false;
	size_t len;

	for (size_t i = 0; i < folded.len; i++) {
		size_t k = 0;

		while (k < 3 && !(i + 1 < folded.len && memcmp(folded.p + i, umlauts[k][0], 2) == 0))
			k++;
		any |= k < 3;
		buf_append(&spelled, k < 3 ? (const void *)umlauts[k][1] : folded.p + i, k < 3 ? 2 : 1);
		i += k < 3;
	}
	if (!any) {
		buf_fini(&spelled);
		return;
	}
	t->folded = ask_text(a, &spelled);
	if (ask_word(ASK_GERMAN, t, n, ASK_WORD_NONE, &len) == NULL)
		t->folded = folded;
}

/* "reichten … ein", "kommt … vor": the verb that the last word of a clause belongs to.  False: it is another word. */
static bool
join_verb(const struct ask_model *m, struct arena *a, struct ask_token *t, size_t i, size_t n)
{
	static const char *const prefixes[] = { "ab", "an", "auf", "aus", "bei", "ein", "nach", "statt", "teil", "vor",
		"zu", NULL };
	size_t len;

	if (i < 2 || t[i].comma || t[i].capital || (i + 1 < n && !t[i + 1].comma) ||
	    !span_is_any(t[i].folded, prefixes))
		return false;
	for (size_t k = i; k-- > 0;) {
		struct ask_token *verb =
		    t[k].capital || t[k].number || t[k].quoted ? NULL : joined_token(a, t[i].folded, t[k].folded);

		if (verb != NULL &&
		    (is_called(m, a, verb, 1, VERB) || ask_word(ASK_GERMAN, verb, 1, ASK_WORD_STOP, &len) != NULL)) {
			read_as(&t[k], verb);
			return true;
		}
		if (t[k].comma)
			break;
	}
	return false;
}

struct ask_token *
compounds_split(const struct ask_model *m, struct arena *a, const struct ask_token *t, size_t *n)
{
	struct ask_token *out = arena_array(a, 2 * *n + 1, sizeof(*out)),
			 *words = arena_array(a, *n + 1, sizeof(*words)), parts[2];
	size_t many = 0;

	if (out == NULL || words == NULL)
		return NULL;
	memcpy(words, t, *n * sizeof(*t));
	for (size_t i = 0; i < *n; i++) {
		complete_word(m, a, &words[i], *n - i);
		respell(a, &words[i], *n - i);
		read_passive(words, i, *n);
	}
	for (size_t i = *n; i-- > 0;)
		if (join_verb(m, a, words, i, *n)) {
			/* what begins behind it still does */
			memmove(&words[i], &words[i + 1], (--*n - i) * sizeof(*words));
		}
	for (size_t i = 0; i < *n; i++)
		if (cut_word(m, a, &words[i], parts) || cut_state(m, a, &words[i], parts)) {
			out[many++] = parts[0];
			out[many++] = parts[1];
		} else
			out[many++] = words[i];
	*n = many;
	return out;
}
