/* lexicon.c - see lexicon.h: the rows, found by word, by stem and by spelling, and words taken apart. */
#include <stdlib.h>
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/lexicon.h"
#include "workers/search/text.h"

#define SPLIT_LONGEST	40	/* bytes of a word that is taken apart */
#define SPLIT_LOOSE	8	/* and of one that is taken apart on suspicion */
#define TYPO_LEAST	5	/* bytes of a word that may be misspelt, */
#define STEM_TYPO_LEAST	6	/* and of the stem of one */

static const struct row {
	const char *words[4];	/* by class */
} rows[] = {
#define ROW(head, brief, other, german) { { head, brief, other, german } },
#include "workers/search/lexicon_words.def"
#include "workers/search/lexicon_trades.def"
#include "workers/search/lexicon_sap.def"
#include "workers/search/lexicon_talk.def"
#undef ROW
};

#define NROWS	(sizeof(rows) / sizeof(rows[0]))

#define BEGINNINGS	65536

/* A word under one of its stems. */
struct stemmed {
	uint8_t		text[TEXT_WORD_MAX];
	uint8_t		len;
	uint16_t	word;
};

static struct {
	size_t			 n, cap;
	struct lexicon_word	*words;		/* row by row, the head first */
	uint32_t		 starts[NROWS + 1];
	uint16_t		*by_text;
	size_t			 nstems, stems_cap;
	struct stemmed		*stems;		/* sorted by text, then word */
	size_t			 nphrases, phrases_cap;
	struct stemmed		*phrases;	/* the first words of heads of several; word is the row */
	uint64_t		 beginnings[BEGINNINGS / 64];	/* a bit for the first letters of every word */
} lex;

/* The vowel that an umlaut is made from: forms of a German word differ in it (gast, gäste). */
static uint8_t
without_dots(uint8_t second)
{
	return second == 0xa4 ? 'a' : second == 0xb6 ? 'o' : second == 0xbc ? 'u' : second;
}

/* The place of the first letters, in any form of the word the same. */
static uint32_t
beginning(struct span s)
{
	uint32_t sum = 0;

	for (size_t i = 0, n = 0; n < 3 && i < s.len; n++, i++) {
		bool dotted = s.p[i] == 0xc3 && i + 1 < s.len;

		i += dotted;
		sum = sum * 31 + (dotted ? without_dots(s.p[i]) : s.p[i]);
		/* Written out it is the same. */
		i += i + 1 < s.len && s.p[i + 1] == 'e' && strchr("aou", s.p[i]) != NULL;
	}
	return sum % BEGINNINGS;
}

/* False: no word of three letters and more begins like this. */
static bool
may_be_known(struct span s)
{
	uint32_t at = beginning(s);

	return (lex.beginnings[at / 64] >> at % 64 & 1) != 0;
}

/* --- the indexes, made once ------------------------------------------------------ */

static void
add_stem(const uint8_t *text, size_t len, uint16_t word)
{
	struct stemmed *s;

	lex.stems = array_grow(lex.stems, lex.nstems, &lex.stems_cap, sizeof(*lex.stems));
	s = &lex.stems[lex.nstems++];
	memcpy(s->text, text, len);
	s->len = (uint8_t)len;
	s->word = word;
}

static void
add_word(uint16_t row, enum lexicon_class class, struct span text)
{
	uint8_t stem[TEXT_WORD_MAX];
	uint16_t word = (uint16_t)lex.n;
	size_t len;

	lex.words = array_grow(lex.words, lex.n, &lex.cap, sizeof(*lex.words));
	lex.words[lex.n++] = (struct lexicon_word){ text, row, class };
	if (text.len >= 3) {
		uint32_t at = beginning(text);

		lex.beginnings[at / 64] |= UINT64_C(1) << at % 64;
	}
	if (class == LEXICON_SHORT)
		return;
	len = class == LEXICON_GERMAN ? text_german_stem(text, stem) : text_stem(text, stem);
	add_stem(stem, len, word);
}

/* Under the stem of the first word that counts. */
static void
add_phrase(uint16_t row, struct span head)
{
	bool strict = lexicon_is_strict(head);
	struct stemmed *s;
	struct text_reader r;
	struct text_word w;

	text_begin(&r, head);
	while (text_next(&r, &w))
		if (strict || !text_is_function_word(w.folded))
			break;
	lex.phrases = array_grow(lex.phrases, lex.nphrases, &lex.phrases_cap, sizeof(*lex.phrases));
	s = &lex.phrases[lex.nphrases++];
	s->len = (uint8_t)text_stem(w.folded, s->text);
	s->word = row;
}

static void
add_row(uint16_t row)
{
	struct span head = span_str(rows[row].words[LEXICON_HEAD]);

	lex.starts[row] = (uint32_t)lex.n;
	add_word(row, LEXICON_HEAD, head);
	if (memchr(head.p, ' ', head.len) != NULL)
		add_phrase(row, head);
	for (unsigned class = LEXICON_SHORT; class <= LEXICON_GERMAN; class++)
		for (const char *p = rows[row].words[class]; *p != '\0'; ) {
			size_t n = strcspn(p, " ");

			if (n > 0)
				add_word(row, (enum lexicon_class)class, span_of(p, n));
			p += n + (p[n] == ' ');
		}
}

static int
by_text(const void *a, const void *b)
{
	uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;
	int order = span_cmp(lex.words[x].text, lex.words[y].text);

	return order != 0 ? order : (x > y) - (x < y);
}

static int
by_stem(const void *a, const void *b)
{
	const struct stemmed *x = a, *y = b;
	int order = span_cmp(span_of(x->text, x->len), span_of(y->text, y->len));

	return order != 0 ? order : (x->word > y->word) - (x->word < y->word);
}

static void
prepare(void)
{
	if (lex.by_text != NULL)
		return;
	for (uint16_t i = 0; i < NROWS; i++)
		add_row(i);
	lex.starts[NROWS] = (uint32_t)lex.n;
	lex.by_text = array_new(lex.n, sizeof(*lex.by_text));
	for (uint16_t i = 0; i < lex.n; i++)
		lex.by_text[i] = i;
	qsort(lex.by_text, lex.n, sizeof(*lex.by_text), by_text);
	qsort(lex.stems, lex.nstems, sizeof(*lex.stems), by_stem);
	qsort(lex.phrases, lex.nphrases, sizeof(*lex.phrases), by_stem);
}

/* --- finding ------------------------------------------------------------------------ */

size_t
lexicon_exact(struct span folded, const struct lexicon_word **out, size_t max)
{
	size_t low = 0, high, n = 0;

	prepare();
	if (folded.len >= 3 && !may_be_known(folded))
		return 0;
	for (high = lex.n; low < high; ) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(lex.words[lex.by_text[mid]].text, folded) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < lex.n && n < max && span_is(lex.words[lex.by_text[low]].text, folded); low++)
		out[n++] = &lex.words[lex.by_text[low]];
	return n;
}

/* The first of a sorted list that is not before the stem. */
static size_t
first_of(const struct stemmed *list, size_t n, struct span stem)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(span_of(list[mid].text, list[mid].len), stem) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Add the words of a stem; german: those that are, else the others. */
static size_t
add_stemmed(struct span stem, bool german, const struct lexicon_word **out, size_t n, size_t max)
{
	size_t low = first_of(lex.stems, lex.nstems, stem);

	for (; low < lex.nstems && n < max && span_is(span_of(lex.stems[low].text, lex.stems[low].len), stem); low++) {
		const struct lexicon_word *w = &lex.words[lex.stems[low].word];
		bool known = (w->class == LEXICON_GERMAN) != german;

		for (size_t i = 0; i < n; i++)
			known = known || out[i]->row == w->row;
		if (!known)
			out[n++] = w;
	}
	return n;
}

size_t
lexicon_find(struct span folded, const struct lexicon_word **out, size_t max)
{
	uint8_t stem[TEXT_WORD_MAX];
	size_t n;

	prepare();
	if (folded.len >= 3 && !may_be_known(folded))
		return 0;
	n = lexicon_exact(folded, out, max);
	if (folded.len < 3 || folded.len > TEXT_WORD_MAX)
		return n;
	n = add_stemmed(span_of(stem, text_stem(folded, stem)), false, out, n, max);
	return add_stemmed(span_of(stem, text_german_stem(folded, stem)), true, out, n, max);
}

size_t
lexicon_phrases(struct span folded, uint16_t *found, size_t max)
{
	uint8_t text[TEXT_WORD_MAX];
	struct span stem = span_of(text, text_stem(folded, text));
	size_t at, n = 0;

	prepare();
	at = first_of(lex.phrases, lex.nphrases, stem);
	for (; at < lex.nphrases && n < max && span_is(span_of(lex.phrases[at].text, lex.phrases[at].len), stem); at++)
		found[n++] = lex.phrases[at].word;
	return n;
}

bool
lexicon_is_strict(struct span head)
{
	struct text_reader r;
	struct text_word w;
	unsigned content = 0;

	text_begin(&r, head);
	while (text_next(&r, &w))
		content += !text_is_function_word(w.folded);
	return content < 2;
}

uint16_t
lexicon_row_of(struct span word)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_find(word, w, sizeof(w) / sizeof(w[0]));
	const struct lexicon_word *best = n > 0 ? w[0] : NULL;

	for (size_t i = 1; i < n; i++)
		if (w[i]->class < best->class || (w[i]->class == best->class && w[i]->row < best->row))
			best = w[i];
	return best == NULL ? LEXICON_NONE : best->row;
}

bool
lexicon_is_word(struct span folded)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_find(folded, w, sizeof(w) / sizeof(w[0]));

	for (size_t i = 0; i < n; i++)
		if (w[i]->class != LEXICON_GERMAN || span_is(w[i]->text, folded))
			return true;
	return n > 0 && strchr("emnrs", folded.p[folded.len - 1]) != NULL;
}

const struct lexicon_word *
lexicon_row(uint16_t row, size_t *n)
{
	prepare();
	if (row >= NROWS)
		return NULL;
	*n = lex.starts[row + 1] - lex.starts[row];
	return &lex.words[lex.starts[row]];
}

bool
lexicon_is_wrapping(struct span plain)
{
	static const char *const words[] = {
		"tbl", "tab", "tabl", "dim", "dimens", "fct", "fact", "stg", "stage", "vw", "v", "view", "mart", "master",
		"data", "info", "inform"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (span_is_str(plain, words[i]))
			return true;
	return false;
}

float
lexicon_likeness(enum lexicon_class a, enum lexicon_class b)
{
	static const float strength[] = {
		[LEXICON_HEAD] = 1, [LEXICON_SHORT] = 0.9f, [LEXICON_OTHER] = 0.6f, [LEXICON_GERMAN] = 0.85f
	};

	return strength[a] * strength[b];
}

/* The nearest so far. */
struct nearest {
	const struct lexicon_word	**out;
	size_t				  n, max;
	unsigned			  best, least;	/* edits: at most, and of those that are in out */
};

static void
try_near(struct nearest *near, const struct lexicon_word *w, struct span asked, struct span text)
{
	unsigned d;

	if (w->class == LEXICON_SHORT || text.len < TYPO_LEAST || text.p[0] != asked.p[0] ||
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

size_t
lexicon_guess(struct span folded, const struct lexicon_word **out, size_t max, unsigned *distance)
{
	struct nearest near = { .out = out, .max = max, .best = folded.len < TYPO_LEAST ? 0 : folded.len < 8 ? 1 : 2 };
	uint8_t text[TEXT_WORD_MAX];
	struct span stem = span_of(text, text_stem(folded, text));

	prepare();
	near.least = near.best + 1;
	for (size_t i = 0; i < lex.n && near.best > 0; i++)
		try_near(&near, &lex.words[i], folded, lex.words[i].text);
	/* In another form the word itself is far off (recieving, receive); one edit of a stem is enough. */
	near.best = near.best > 1 ? 1 : near.best;
	for (size_t i = 0; i < lex.nstems && near.best > 0 && stem.len >= STEM_TYPO_LEAST && stem.len < folded.len; i++)
		try_near(&near, &lex.words[lex.stems[i].word], stem, span_of(lex.stems[i].text, lex.stems[i].len));
	*distance = near.least;
	return near.n;
}

/* --- taking apart --------------------------------------------------------------------- */

static bool
is_known(struct span s)
{
	const struct lexicon_word *w[1];

	return lexicon_find(s, w, 1) > 0;
}

/* Known, in a form that words have within others: an English one as it is or with an ending of its own. */
static bool
is_form(struct span s)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_find(s, w, sizeof(w) / sizeof(w[0]));

	for (size_t i = 0; i < n; i++)
		if (w[i]->class == LEXICON_GERMAN || span_is(w[i]->text, s))
			return true;
	return n > 0 && strchr("dgs", s.p[s.len - 1]) != NULL;
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
	*whole = w[0]->text;
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
		return (first || last) && is_short(s) && !text_is_function_word(s);
	return is_form(s) || (!last && is_stripped(s, piece));
}

/* The longest pieces first; 0: no way through.  row: what the whole means, LEXICON_NONE for an unknown one. */
static size_t
split(struct span whole, size_t from, uint16_t row, struct span *pieces, size_t n, size_t max)
{
	if (from == whole.len)
		return n;
	if (n == max)
		return 0;
	for (size_t len = whole.len - from; len >= 2; len--) {
		struct span s = span_of(whole.p + from, len);
		size_t all;

		if (len == whole.len || (from + len < whole.len && (whole.p[from + len] & 0xc0) == 0x80) ||
		    !is_piece(s, from == 0, from + len == whole.len, &pieces[n]) ||
		    (row != LEXICON_NONE && lexicon_row_of(s) == row))
			continue;
		if ((all = split(whole, from + len, row, pieces, n + 1, max)) > 0)
			return all;
	}
	return 0;
}

static bool
has_vowel(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr("aeiou", s.p[i]) != NULL)
			return true;
	return false;
}

/* Few vowels: hardly a word of a language. */
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
		char		letter;
		bool		first;
		const char	*means;
	} letters[] = {
		{ 'd', false, "dt" }, { 'n', false, "no" }, { 'q', false, "qty" }, { 'a', false, "amt" },
		{ 'q', true, "qty" }
	};

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

/* A German word that means several: it still comes apart. */
static bool
is_compound(struct span s)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_find(s, w, sizeof(w) / sizeof(w[0]));

	for (size_t i = 0; i < n; i++)
		if (w[i]->class != LEXICON_GERMAN || !is_phrase(lex.words[lex.starts[w[i]->row]].text))
			return false;
	return n > 0;
}

size_t
lexicon_split(struct span folded, bool loose, struct span *pieces, size_t max)
{
	size_t n;

	if (folded.len < 4 || folded.len > SPLIT_LONGEST || (is_known(folded) && !is_compound(folded)))
		return 0;
	n = split(folded, 0, lexicon_row_of(folded), pieces, 0, max);
	/* kdnr may be two abbreviations, crop is a word. */
	if (n == 2 && folded.len == 4 && has_vowel(folded))
		n = 0;
	if (n == 0 && loose && folded.len <= SPLIT_LOOSE && max >= 2 && looks_short(folded) &&
	    (n = split_letter(folded, pieces)) == 0)
		n = split_loosely(folded, pieces);
	return n;
}

size_t
lexicon_spell_out(struct span folded, struct span *words, size_t max)
{
	const struct lexicon_word *w[8];
	size_t n = lexicon_exact(folded, w, sizeof(w) / sizeof(w[0])), found = 0;

	for (size_t i = 0; i < n; i++)
		if (w[i]->class != LEXICON_SHORT || !is_phrase(lex.words[lex.starts[w[i]->row]].text))
			return 0;
	for (size_t i = 0; i < n && found == 0; i++) {
		struct span head = lex.words[lex.starts[w[i]->row]].text;

		for (size_t at = 0, len; at < head.len && found < max; at += len + 1) {
			const uint8_t *blank = memchr(head.p + at, ' ', head.len - at);

			len = blank == NULL ? head.len - at : (size_t)(blank - head.p) - at;
			words[found] = span_of(head.p + at, len);
			found += !text_is_function_word(words[found]);
		}
	}
	return found;
}
