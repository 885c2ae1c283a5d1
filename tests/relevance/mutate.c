/* mutate.c - see mutate.h. */
#include <stdio.h>
#include <string.h>

#include "tests/relevance/mutate.h"
#include "words/text.h"

#define TYPO_FROM	5	/* letters of a word that may be misspelt */
#define NATURAL_FROM	5	/* and of one that has a plural */

bool
name_read(struct name *name, struct span text)
{
	struct text_reader r;
	struct text_word w;

	name->n = 0;
	text_begin(&r, text);
	while (text_next(&r, &w)) {
		if (name->n == NAME_WORDS_MAX)
			return false;
		snprintf(name->words[name->n++].text, sizeof(name->words[0].text), "%.*s", SPAN_FMT(w.folded));
	}
	return name->n > 0;
}

void
name_key(const struct name *name, struct buf *out)
{
	for (size_t i = 0; i < name->n; i++)
		buf_str(out, name->words[i].text);
}

void
name_write(const struct name *name, const char *between, struct buf *out)
{
	for (size_t i = 0; i < name->n; i++)
		buf_printf(out, "%s%s", i > 0 ? between : "", name->words[i].text);
}

static bool
is_plain(const char *word)
{
	return word[strspn(word, "abcdefghijklmnopqrstuvwxyz")] == '\0';
}

static char
upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 0x20) : c;
}

/* --- marks and cases ------------------------------------------------------------- */

static bool
make_as_it_is(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	name_write(name, " ", out);
	return true;
}

static bool
make_joined_by(const struct name *name, const char *between, struct buf *out)
{
	if (name->n < 2)
		return false;
	name_write(name, between, out);
	return true;
}

static bool
make_snake(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	return make_joined_by(name, "_", out);
}

static bool
make_kebab(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	return make_joined_by(name, "-", out);
}

static bool
make_dotted(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	return make_joined_by(name, ".", out);
}

static bool
make_joined(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	return make_joined_by(name, "", out);
}

static void
put_humps(const struct name *name, bool first, struct buf *out)
{
	for (size_t i = 0; i < name->n; i++) {
		const char *word = name->words[i].text;

		buf_byte(out, (uint8_t)(i > 0 || first ? upper(word[0]) : word[0]));
		buf_str(out, word + 1);
	}
}

static bool
make_camel(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	put_humps(name, false, out);
	return name->n > 1;
}

static bool
make_pascal(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	put_humps(name, true, out);
	return name->n > 1;
}

static bool
make_upper(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	size_t from = out->len;

	(void)above, (void)seed;
	name_write(name, "_", out);
	for (size_t i = from; i < out->len; i++)
		out->p[i] = (uint8_t)upper((char)out->p[i]);
	return true;
}

/* --- whose it is ------------------------------------------------------------------ */

static bool
make_qualified(const struct name *name, const struct name *above, const char *format, const char *between, struct buf *out)
{
	struct buf mine = { 0 }, theirs = { 0 };
	bool first = format[0] == '1'; /* the name, then whose it is */

	if (above == NULL)
		return false;
	name_write(name, between, &mine);
	name_write(above, between, &theirs);
	buf_span(out, first ? buf_view(&mine) : buf_view(&theirs));
	buf_str(out, format + 1);
	buf_span(out, first ? buf_view(&theirs) : buf_view(&mine));
	buf_fini(&mine);
	buf_fini(&theirs);
	return true;
}

static bool
make_path(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)seed;
	return make_qualified(name, above, "2.", "_", out);
}

static bool
make_of(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)seed;
	return make_qualified(name, above, "1 of ", " ", out);
}

static bool
make_behind(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)seed;
	return make_qualified(name, above, "2 ", " ", out);
}

static bool
make_in_table(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)seed;
	return make_qualified(name, above, "1 in the table ", "_", out);
}

static bool
make_before(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)seed;
	return make_qualified(name, above, "1 ", " ", out);
}

/* --- other forms -------------------------------------------------------------------- */

static bool
is_vowel(char c)
{
	return c != '\0' && strchr("aeiouy", c) != NULL;
}

/* Looks like a word of a language, not like one made by leaving letters out. */
static bool
is_natural(const char *word)
{
	size_t len = strlen(word), vowels = 0;

	for (size_t i = 0; i < len; i++)
		vowels += is_vowel(word[i]);
	return len >= NATURAL_FROM && is_plain(word) && vowels * 4 >= len && vowels * 3 <= len * 2;
}

static bool
ends(const char *word, const char *with)
{
	size_t n = strlen(word), m = strlen(with);

	return n > m && strcmp(word + n - m, with) == 0;
}

/* The other number, as English makes it. */
static bool
make_other_number(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	char *last = other.words[other.n - 1].text, *end = last + strlen(last);

	(void)above, (void)seed;
	if (!is_natural(last) || end - last > 60 || ends(last, "ss") || ends(last, "us") || ends(last, "is"))
		return false;
	if (ends(last, "ies"))
		strcpy(end - 3, "y");
	else if (ends(last, "ches") || ends(last, "shes") || ends(last, "xes") || ends(last, "sses"))
		end[-2] = '\0';
	else if (ends(last, "s"))
		end[-1] = '\0';
	else if (ends(last, "y") && !is_vowel(end[-2]))
		strcpy(end - 1, "ies");
	else
		strcpy(end, ends(last, "ch") || ends(last, "sh") || ends(last, "x") ? "es" : "s");
	name_write(&other, " ", out);
	return true;
}

/* --- misspelt --------------------------------------------------------------------------- */

/* A word that may be misspelt, and a place in it behind its first letter; NULL: there is none. */
static char *
typo_place(struct name *name, uint64_t seed, size_t *at)
{
	for (size_t i = 0; i < name->n; i++) {
		char *word = name->words[(i + seed) % name->n].text;
		size_t len = strlen(word);

		if (len < TYPO_FROM || len > 60 || !is_plain(word))
			continue;
		*at = 1 + (size_t)(seed / 16 % (len - 2));
		return word;
	}
	return NULL;
}

static bool
make_dropped(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t at;
	char *word = typo_place(&other, seed, &at);

	(void)above;
	if (word == NULL)
		return false;
	memmove(word + at, word + at + 1, strlen(word + at));
	name_write(&other, " ", out);
	return true;
}

static bool
make_doubled(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t at;
	char *word = typo_place(&other, seed, &at);

	(void)above;
	if (word == NULL)
		return false;
	memmove(word + at + 1, word + at, strlen(word + at) + 1);
	name_write(&other, " ", out);
	return true;
}

static bool
make_swapped(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t at;
	char *word = typo_place(&other, seed, &at), c;

	(void)above;
	if (word == NULL || word[at] == word[at + 1])
		return false;
	c = word[at];
	word[at] = word[at + 1];
	word[at + 1] = c;
	name_write(&other, " ", out);
	return true;
}

static bool
make_replaced(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t at;
	char *word = typo_place(&other, seed, &at);

	(void)above;
	if (word == NULL)
		return false;
	word[at] = (char)('a' + (word[at] - 'a' + 1 + (int)(seed / 1024 % 25)) % 26);
	name_write(&other, " ", out);
	return true;
}

static bool
make_beside(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	static const char rows[] = "qwertyuiop asdfghjkl zxcvbnm", *key;
	struct name other = *name;
	size_t at;
	char *word = typo_place(&other, seed, &at);

	(void)above;
	if (word == NULL || (key = strchr(rows, word[at])) == NULL)
		return false;
	word[at] = key > rows && key[-1] != ' ' && (seed / 1024 % 2 == 0 || key[1] == ' ' || key[1] == '\0') ? key[-1] :
													       key[1];
	name_write(&other, " ", out);
	return true;
}

static bool
make_first_letter(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t at;
	char *word = typo_place(&other, seed, &at), c;

	(void)above;
	if (word == NULL || word[0] == word[1])
		return false;
	c = word[0];
	word[0] = word[1];
	word[1] = c;
	name_write(&other, " ", out);
	return true;
}

static bool
make_umlauts_out(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	uint8_t text[2 * TEXT_WORD_MAX];
	bool changed = false;

	(void)above, (void)seed;
	for (size_t i = 0; i < name->n; i++) {
		struct span word = span_str(name->words[i].text), other = text_respell(word, true, text);

		changed = changed || !span_is(word, other);
		buf_str(out, i > 0 ? " " : "");
		buf_span(out, other);
	}
	return changed;
}

/* Two misspelt words at once. */
static bool
make_two_typos(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t found = 0;

	(void)above;
	for (size_t i = 0; i < other.n && found < 2; i++) {
		char *word = other.words[i].text;
		size_t len = strlen(word), at = 1 + (size_t)(seed / 16 % (len + 1)) % (len > 2 ? len - 2 : 1);

		if (len < TYPO_FROM + 1 || !is_plain(word))
			continue;
		memmove(word + at, word + at + 1, strlen(word + at));
		found++;
	}
	name_write(&other, " ", out);
	return found == 2;
}

/* --- shortened ------------------------------------------------------------------------------ */

static bool
make_without_vowels(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	bool changed = false;

	(void)above, (void)seed;
	for (size_t i = 0; i < name->n; i++) {
		const char *word = name->words[i].text;
		bool shorten = strlen(word) >= TYPO_FROM && is_natural(word);

		buf_str(out, i > 0 ? " " : "");
		for (size_t k = 0; word[k] != '\0'; k++)
			if (!shorten || k == 0 || strchr("aeiou", word[k]) == NULL)
				buf_byte(out, (uint8_t)word[k]);
		changed = changed || shorten;
	}
	return changed;
}

/* The beginnings of its words: cust addr. */
static bool
make_beginnings(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	bool changed = false;

	(void)above, (void)seed;
	for (size_t i = 0; i < name->n; i++) {
		const char *word = name->words[i].text;
		bool shorten = strlen(word) >= TYPO_FROM + 1 && is_natural(word);
		/* People stop behind a consonant. */
		int len = shorten ? is_vowel(word[3]) ? 3 : 4 : 60;

		buf_printf(out, "%s%.*s", i > 0 ? " " : "", len, word);
		changed = changed || shorten;
	}
	return changed;
}

static bool
make_acronym(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	if (name->n < 3)
		return false;
	for (size_t i = 0; i < name->n; i++) {
		char c = name->words[i].text[0];

		if (c < 'a' || c > 'z')
			return false;
		buf_byte(out, (uint8_t)upper(c));
	}
	return true;
}

static bool
make_word_left_out(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	struct name other = *name;
	size_t out_of = (size_t)(seed / 16 % name->n);

	(void)above;
	if (name->n < 3)
		return false;
	memmove(&other.words[out_of], &other.words[out_of + 1], (other.n - out_of - 1) * sizeof(other.words[0]));
	other.n--;
	name_write(&other, " ", out);
	return true;
}

/* --- turned round ----------------------------------------------------------------------------- */

static bool
make_turned(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	for (size_t i = 0; i < name->n; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "", name->words[name->n - 1 - i].text);
	return name->n > 1;
}

/* "Date of order" for order date. */
static bool
make_last_of(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	(void)above, (void)seed;
	if (name->n < 2)
		return false;
	buf_printf(out, "%s of", name->words[name->n - 1].text);
	for (size_t i = 0; i + 1 < name->n; i++)
		buf_printf(out, " %s", name->words[i].text);
	return true;
}

static bool
make_question(const struct name *name, const struct name *above, uint64_t seed, struct buf *out)
{
	static const char *const frames[] = {
		"where do I find the ", "which table has ", "show me the ", "what is the ", "I need data about the ", "wo finde ich "
	};

	(void)above;
	buf_str(out, frames[seed / 16 % (sizeof(frames) / sizeof(frames[0]))]);
	name_write(name, " ", out);
	buf_byte(out, '?');
	return true;
}

const struct mutation mutations[] = {
	{ "as it is", false, false, make_as_it_is },
	{ "snake_case", false, false, make_snake },
	{ "kebab-case", false, false, make_kebab },
	{ "dotted.case", false, false, make_dotted },
	{ "camelCase", false, false, make_camel },
	{ "PascalCase", false, false, make_pascal },
	{ "UPPER_CASE", false, false, make_upper },
	{ "joined", false, false, make_joined },
	{ "table.name", false, true, make_path },
	{ "name of table", false, true, make_of },
	{ "table name", false, true, make_behind },
	{ "name table", false, true, make_before },
	{ "name in the table", false, true, make_in_table },
	{ "other number", false, false, make_other_number },
	{ "dropped", true, false, make_dropped },
	{ "doubled", true, false, make_doubled },
	{ "swapped", true, false, make_swapped },
	{ "replaced", true, false, make_replaced },
	{ "key beside", true, false, make_beside },
	{ "first swapped", true, false, make_first_letter },
	{ "two typos", true, false, make_two_typos },
	{ "umlauts out", false, false, make_umlauts_out },
	{ "no vowels", true, false, make_without_vowels },
	{ "beginnings", true, false, make_beginnings },
	{ "acronym", true, false, make_acronym },
	{ "word left out", false, false, make_word_left_out },
	{ "turned round", false, false, make_turned },
	{ "last of first", false, false, make_last_of },
	{ "in a question", false, false, make_question },
};

const size_t mutations_n = sizeof(mutations) / sizeof(mutations[0]);
