/* lexicon.c - see lexicon.h: the rows, found by word, by stem and by spelling, and words taken apart. */
#include <string.h>

#include "words/language.h"
#include "words/lexicon.h"
#include "words/lexicon_tables.h"
#include "words/text.h"
#include "words/words.h"

#define SPLIT_LONGEST	40	/* bytes of a word that is taken apart */
#define SPLIT_MOST	8	/* pieces */
#define SPLIT_LOOSE	8	/* bytes of a word that is taken apart only because it looks abbreviated */
#define COMMON_LEAST	4	/* bytes of a common English word that is a piece of another */
#define TYPO_LEAST	5	/* bytes of a word that may be misspelt, */
#define STEM_TYPO_LEAST	6	/* and of the stem of one */

static struct span
text_at(uint32_t at, size_t len)
{
	return span_of(lexicon_pool + at, len);
}

struct span
lexicon_text(const struct lexicon_word *w)
{
	return text_at(w->at, w->len);
}

struct span
lexicon_head(uint16_t row)
{
	return lexicon_text(&lexicon_words[lexicon_starts[row]]);
}

/* False: no word of three letters and more begins like this. */
static bool
may_be_known(struct span s)
{
	return lexicon_has(&lexicon_known, lexicon_beginning(s, 3));
}

/* The same of its stem. */
static bool
may_have_stem(const struct lexicon_set *set, struct span s)
{
	return lexicon_has(set, lexicon_beginning(s, 3)) || lexicon_has(set, lexicon_beginning(s, 4));
}

struct lexicon_use lexicon_use = { 1, 1, 1, 1, 1 };

/* Tables can be left out, for measuring what they bring. */
static bool
is_in_use(uint16_t row)
{
	const float use[LEXICON_TABLES] = {
		lexicon_use.words, lexicon_use.trades, lexicon_use.sap, lexicon_use.talk, lexicon_use.daily
	};
	size_t table = 0;

	while (row >= lexicon_ends[table])
		table++;
	return use[table] > 0;
}

/* How many entries have this text; *first is the first. */
static size_t
look_up(const struct lexicon_list *l, struct span text, const struct lexicon_entry **first)
{
	uint64_t hash = text_hash(text);
	uint32_t last = l->nplaces - 1;

	for (uint32_t i = (uint32_t)hash & last; l->places[i].entry != 0; i = (i + 1) & last) {
		const struct lexicon_entry *e = &l->entries[l->places[i].entry - 1];

		if (l->places[i].mark == lexicon_mark(hash) && span_is(text_at(e->at, e->len), text)) {
			*first = e;
			return e->more + (size_t)1;
		}
	}
	return 0;
}

size_t
lexicon_exact(struct span folded, const struct lexicon_word **out, size_t max)
{
	const struct lexicon_entry *e;
	size_t found = look_up(&lexicon_by_text, folded, &e), n = 0;

	for (size_t i = 0; i < found && n < max; i++) {
		const struct lexicon_word *w = &lexicon_words[e[i].of];

		if (is_in_use(w->row))
			out[n++] = w;
	}
	return n;
}

/* Add the words of a stem; german: those that are, else the others. */
static size_t
add_stemmed(struct span stem, bool german, const struct lexicon_word **out, size_t n, size_t max)
{
	const struct lexicon_entry *e;
	size_t found = look_up(&lexicon_by_stem, stem, &e);

	for (size_t k = 0; k < found && n < max; k++) {
		const struct lexicon_word *w = &lexicon_words[e[k].of];
		bool known = (w->class == LEXICON_GERMAN) != german || !is_in_use(w->row);

		for (size_t i = 0; i < n; i++)
			known = known || out[i]->row == w->row;
		if (!known)
			out[n++] = w;
	}
	return n;
}

/* Whether one of the rows has this very word as an English one, not as a short form. */
static bool
is_english(const struct lexicon_word *const *words, size_t n, struct span folded)
{
	for (size_t i = 0; i < n; i++)
		if ((words[i]->class == LEXICON_HEAD || words[i]->class == LEXICON_OTHER) &&
		    span_is(lexicon_text(words[i]), folded))
			return true;
	return false;
}

size_t
lexicon_find(struct span folded, const struct lexicon_word **out, size_t max)
{
	uint8_t stem[TEXT_WORD_MAX];
	size_t n;

	if (folded.len >= 3 && !may_be_known(folded))
		return 0;
	n = lexicon_exact(folded, out, max);
	if (folded.len < 3 || folded.len > TEXT_WORD_MAX)
		return n;
	if (may_have_stem(&lexicon_english, folded))
		n = add_stemmed(span_of(stem, text_stem(folded, stem)), false, out, n, max);
	/* An English word is no form of a German one (spend, spenden). */
	if (!is_english(out, n, folded) && may_have_stem(&lexicon_german, folded))
		n = add_stemmed(span_of(stem, text_german_stem(folded, stem)), true, out, n, max);
	return n;
}

size_t
lexicon_phrases(struct span folded, uint16_t *found, size_t max)
{
	uint8_t stem[TEXT_WORD_MAX];
	const struct lexicon_entry *e;
	size_t had = look_up(&lexicon_by_first, span_of(stem, text_stem(folded, stem)), &e), n = 0;

	for (size_t i = 0; i < had && n < max; i++)
		if (is_in_use(e[i].of))
			found[n++] = e[i].of;
	return n;
}

/* The row in which the word has the highest class, as its head; of equals the first. */
static uint16_t
best_row(const struct lexicon_word **w, size_t n)
{
	const struct lexicon_word *best = n > 0 ? w[0] : NULL;

	for (size_t i = 1; i < n; i++)
		if (w[i]->class < best->class || (w[i]->class == best->class && w[i]->row < best->row))
			best = w[i];
	return best == NULL ? LEXICON_NONE : best->row;
}

uint16_t
lexicon_row_of(struct span word)
{
	const struct lexicon_word *w[8] = { NULL };

	return best_row(w, lexicon_find(word, w, sizeof(w) / sizeof(w[0])));
}

bool
lexicon_is_word(struct span folded)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_find(folded, w, sizeof(w) / sizeof(w[0]));

	for (size_t i = 0; i < n; i++)
		if (w[i]->class != LEXICON_GERMAN || span_is(lexicon_text(w[i]), folded))
			return true;
	return n > 0 && strchr("emnrs", folded.p[folded.len - 1]) != NULL;
}

const struct lexicon_word *
lexicon_row(uint16_t row, size_t *n)
{
	if (row >= lexicon_nrows)
		return NULL;
	*n = (size_t)(lexicon_starts[row + 1] - lexicon_starts[row]);
	return &lexicon_words[lexicon_starts[row]];
}

/* The words of the lexicon that are nearest to the one asked, so far. */
struct nearest {
	const struct lexicon_word	**out;
	size_t				  n, max;
	unsigned			  best, least;	/* edits that a further word may have; edits of those in out */
};

static void
try_near(struct nearest *near, const struct lexicon_word *w, struct span asked, struct span text)
{
	unsigned d;

	if (w->class == LEXICON_SHORT || text.len < TYPO_LEAST || !is_in_use(w->row) ||
	    (d = text_distance(asked, text, near->best)) > near->best)
		return;
	if (d < near->least)
		near->n = 0;
	near->best = near->least = d;
	for (size_t i = 0; i < near->n; i++)
		if (near->out[i] == w)
			return;
	if (near->n < near->max)
		near->out[near->n++] = w;
}

/* Compare with all words of the same first letter. */
static void
try_words(struct nearest *near, struct span folded)
{
	const uint16_t *starts = &lexicon_initial_starts[folded.p[0]];

	for (size_t i = starts[0]; i < starts[1] && near->best > 0; i++) {
		const struct lexicon_word *w = &lexicon_words[lexicon_initials[i]];

		try_near(near, w, folded, text_at(w->at, w->len));
	}
}

/* In another form the word itself is far off (recieving, receive); one edit of a stem is enough. */
static void
try_stems(struct nearest *near, struct span stem)
{
	const uint16_t *starts = &lexicon_stem_starts[stem.p[0]];

	near->best = near->best > 1 ? 1 : near->best;
	for (size_t i = starts[0]; i < starts[1] && near->best > 0; i++) {
		const struct lexicon_entry *e = &lexicon_by_stem.entries[i];

		try_near(near, &lexicon_words[e->of], stem, text_at(e->at, e->len));
	}
}

size_t
lexicon_guess(struct span folded, const struct lexicon_word **out, size_t max, unsigned *distance)
{
	struct nearest near = { .out = out, .max = max, .best = folded.len < 8 ? 1 : 2 };
	uint8_t stem[TEXT_WORD_MAX];
	size_t len;

	*distance = 0;
	if (folded.len < TYPO_LEAST)
		return 0;
	near.least = near.best + 1;
	try_words(&near, folded);
	len = text_stem(folded, stem);
	if (len >= STEM_TYPO_LEAST && len < folded.len)
		try_stems(&near, span_of(stem, len));
	*distance = near.least;
	return near.n;
}

/* Known as German, and not as another form of a word that is English as well. */
static bool
is_german_form(struct span s)
{
	uint8_t stem[TEXT_WORD_MAX];
	const struct lexicon_word *w[8];
	size_t n;

	if (!may_have_stem(&lexicon_german, s) ||
	    add_stemmed(span_of(stem, text_german_stem(s, stem)), true, w, 0, 1) == 0)
		return false;
	n = lexicon_find(s, w, sizeof(w) / sizeof(w[0]));
	for (size_t i = 0; i < n; i++)
		if (w[i]->class == LEXICON_GERMAN)
			return true;
	return false;
}

/* Known, in a form that words have within others: an English one as it is or with an ending of its own. */
static bool
is_form(struct span s)
{
	const struct lexicon_word *w[1];

	if (s.len >= COMMON_LEAST && language_rank(s) > 0)
		return true;
	if (s.len >= 3 && !may_be_known(s))
		return false;
	if (lexicon_exact(s, w, 1) > 0)
		return true;
	if (s.len < 3)
		return false;
	if (strchr("dgs", s.p[s.len - 1]) != NULL)
		return lexicon_find(s, w, 1) > 0;
	return is_german_form(s);
}

/* Before another word German nouns may lose their ending: liefer(ung), bestell(ung). */
static bool
is_stripped(struct span s, struct span *whole)
{
	uint8_t text[SPLIT_LONGEST + 3];
	const struct lexicon_word *w[1];

	if (s.len < 4 || !may_be_known(s))
		return false;
	memcpy(text, s.p, s.len);
	memcpy(text + s.len, "ung", 3);
	if (lexicon_exact(span_of(text, s.len + 3), w, 1) == 0)
		return false;
	*whole = lexicon_text(w[0]);
	return true;
}

static bool
is_short(struct span s)
{
	const struct lexicon_word *w[4];
	size_t n = lexicon_exact(s, w, 4);

	for (size_t i = 0; i < n; i++)
		if (w[i]->class == LEXICON_SHORT)
			return true;
	return false;
}

/* May s be a piece of a word, and as what?  Two letters are one only as an abbreviation at an end. */
static bool
is_piece(struct span s, bool first, bool last, struct span *piece)
{
	*piece = s;
	if (s.len == 2)
		return (first || last) && is_short(s) && !words_has(WORDS_FUNCTION, s);
	return is_form(s) || (!last && is_stripped(s, piece));
}

/*
 * The fewest pieces, of those the longest first, into pieces from n on; at
 * most max in all.  Returns how many there are then; 0: no way through.  row:
 * what the whole means, LEXICON_NONE for an unknown one.
 */
static size_t
search_lexicon_split(struct span whole, size_t from, uint16_t row, struct span *pieces, size_t n, size_t max)
{
	struct span tried[SPLIT_MOST];
	size_t best = 0;

	if (from == whole.len)
		return n;
	for (size_t len = whole.len - from; len >= 2 && n < max; len--) {
		struct span s = span_of(whole.p + from, len);
		size_t all;

		if (len == whole.len || (from + len < whole.len && (whole.p[from + len] & 0xc0) == 0x80) ||
		    !is_piece(s, from == 0, from + len == whole.len, &tried[n]) ||
		    (row != LEXICON_NONE && lexicon_row_of(s) == row) ||
		    (all = search_lexicon_split(whole, from + len, row, tried, n + 1, max)) == 0)
			continue;
		memcpy(pieces + n, tried + n, (all - n) * sizeof(tried[0]));
		best = all;
		max = all - 1;
	}
	return best;
}

static bool
has_vowel(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr("aeiou", s.p[i]) != NULL)
			return true;
	return false;
}

/* Whether it has so few vowels that it is hardly a word of a language. */
static bool
looks_short(struct span s)
{
	size_t vowels = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < 'a' || s.p[i] > 'z')
			return false;
		vowels += strchr("aeiou", s.p[i]) != NULL;
	}
	return vowels * 3 <= s.len;
}

/*
 * One letter for what kind of thing it is, behind an abbreviation (expd, lotn)
 * or before it (qshp).  The longer piece and the letter's meaning.
 */
static size_t
split_letter(struct span whole, struct span *pieces)
{
	static const struct {
		char letter;
		bool first;
		const char *means;
	} letters[] = { { 'd', false, "dt" }, { 'n', false, "no" }, { 'q', false, "qty" }, { 'a', false, "amt" },
		{ 'q', true, "qty" } };

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		bool first = letters[i].first;
		struct span rest = span_of(whole.p + first, whole.len - 1);
		const struct lexicon_word *word;

		if (rest.len < 3 || whole.p[first ? 0 : whole.len - 1] != (uint8_t)letters[i].letter ||
		    lexicon_exact(rest, &word, 1) == 0)
			continue;
		pieces[0] = rest;
		pieces[1] = span_str(letters[i].means);
		return 2;
	}
	return 0;
}

/* prmdt: an abbreviation at one end, whatever the rest stands for. */
static size_t
split_loosely(struct span whole, struct span *pieces)
{
	for (size_t len = 4; len >= 2; len--) {
		struct span tail, head;

		if (whole.len < len + 2)
			continue;
		tail = span_of(whole.p + whole.len - len, len);
		head = span_of(whole.p, whole.len - len);
		if (!is_short(tail) || head.len > 5) {
			head = span_of(whole.p, len);
			tail = span_of(whole.p + len, whole.len - len);
			if (len < 3 || !is_short(head) || tail.len > 4)
				continue;
		}
		pieces[0] = head;
		pieces[1] = tail;
		return 2;
	}
	return 0;
}

static bool
is_phrase(struct span s)
{
	return memchr(s.p, ' ', s.len) != NULL;
}

/* A word that is known does only when it is a German one that means several. */
static bool
may_come_apart(const struct lexicon_word **w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (w[i]->class != LEXICON_GERMAN || !is_phrase(lexicon_head(w[i]->row)))
			return false;
	return true;
}

size_t
lexicon_split(struct span folded, bool loose, struct span *pieces, size_t max)
{
	const struct lexicon_word *w[8];
	size_t n;

	if (folded.len < 4 || folded.len > SPLIT_LONGEST)
		return 0;
	n = lexicon_find(folded, w, sizeof(w) / sizeof(w[0]));
	if (!may_come_apart(w, n) || (n == 0 && language_has(folded)))
		return 0;
	n = search_lexicon_split(folded, 0, best_row(w, n), pieces, 0, max < SPLIT_MOST ? max : SPLIT_MOST);
	/* kdnr may be two abbreviations, crop is a word. */
	if (n == 2 && folded.len == 4 && has_vowel(folded))
		n = 0;
	if (n == 0 && loose && folded.len <= SPLIT_LOOSE && max >= 2 && looks_short(folded) &&
	    (n = split_letter(folded, pieces)) == 0)
		n = split_loosely(folded, pieces);
	return n;
}

size_t
lexicon_head_words(uint16_t row, bool content, struct span *words, size_t max)
{
	struct span head = lexicon_head(row);
	size_t found = 0;

	if (!is_phrase(head))
		return 0;
	for (size_t at = 0, len; at < head.len && found < max; at += len + 1) {
		const uint8_t *blank = memchr(head.p + at, ' ', head.len - at);

		len = blank == NULL ? head.len - at : (size_t)(blank - head.p) - at;
		words[found] = span_of(head.p + at, len);
		found += !content || !words_has(WORDS_FUNCTION, words[found]);
	}
	return found;
}

size_t
lexicon_spell_out(struct span folded, struct span *words, size_t max)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_exact(folded, w, sizeof(w) / sizeof(w[0])), found = 0;

	for (size_t i = 0; i < n; i++)
		if (w[i]->class != LEXICON_SHORT || !is_phrase(lexicon_head(w[i]->row)))
			return 0;
	for (size_t i = 0; i < n && found == 0; i++)
		found = lexicon_head_words(w[i]->row, true, words, max);
	return found;
}
