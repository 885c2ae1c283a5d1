#include <string.h>

#include "ask/ask.h"
#include "ask/words_function.h"
#include "base/hash.h"

/* Phrases of one meaning, as the .def files have them. */
struct words_phrases {
	enum ask_word_kind	 kind;
	int			 arg;
	const char *const	*phrases;
};

#define WORD(kind, arg, ...) { ASK_WORD_##kind, arg, (const char *const[]){ __VA_ARGS__, NULL } },
static const struct words_phrases english[] = {
#include "ask/words_en.def"
	{ ASK_WORD_NONE, 0, NULL }
};
static const struct words_phrases german[] = {
#include "ask/words_de.def"
	{ ASK_WORD_NONE, 0, NULL }
};
#undef WORD
#define WORD(kind, arg, ...) + sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)
enum {
	ENGLISH_ROWS = 0
#include "ask/words_en.def"
	,
	GERMAN_ROWS = 0
#include "ask/words_de.def"
};
#undef WORD

#define CHAINS		1024u

/*
 * The rows by the first word of their phrases, made at the first look: head of a chain of those with one hash, and for
 * each row the one that comes after it, in the order of the table.  Numbers are of rows, from 1; 0: the end.
 */
static uint16_t english_next[ENGLISH_ROWS], german_next[GERMAN_ROWS];
static struct ask_word_row english_rows[ENGLISH_ROWS], german_rows[GERMAN_ROWS];
_Static_assert(ENGLISH_ROWS < UINT16_MAX && GERMAN_ROWS < UINT16_MAX, "a row's number fits");

static struct words_table {
	const struct words_phrases	*phrases;
	struct ask_word_row		*rows;
	uint16_t			*next;
	size_t				 n;		/* rows made; 0: none yet */
	uint16_t			 heads[CHAINS];
} tables[ASK_LANGUAGES] = { [ASK_ENGLISH] = { english, english_rows, english_next, 0, { 0 } },
	[ASK_GERMAN] = { german, german_rows, german_next, 0, { 0 } } };

const char *const ask_nothings[] = { "none", "n/a", "na", "unknown", "null", "-", "keine", "unbekannt", "no", "nein",
	"n", "false", "falsch", "f", "0", NULL };

/* The rest of the phrase after the folded word; NULL: the phrase begins otherwise.  Only the phrase may contain ß. */
static const char *
phrase_after(const char *phrase, struct span word)
{
	size_t i = 0;

	while (i < word.len && *phrase != '\0' && *phrase != ' ') {
		if ((uint8_t)phrase[0] == 0xc3 && (uint8_t)phrase[1] == 0x9f) {
			if (i + 1 >= word.len || word.p[i] != 's' || word.p[i + 1] != 's')
				return NULL;
			phrase += 2;
			i += 2;
		} else if (word.p[i++] != (uint8_t)*phrase++)
			return NULL;
	}
	return i == word.len && (*phrase == '\0' || *phrase == ' ') ? phrase : NULL;
}

/* The chain of the word, up to its end or a blank; ß is hashed as it is folded. */
static size_t
chain_of(const uint8_t *word, size_t len)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < len && word[i] != ' '; i++)
		if (word[i] == 0xc3 && i + 1 < len && word[i + 1] == 0x9f) {
			h = hash_step(hash_step(h, 's'), 's');
			i++;
		} else
			h = hash_step(h, word[i]);
	return h % CHAINS;
}

/* The table of the language, made at the first look. */
static struct words_table *
words_of(enum ask_language language)
{
	struct words_table *table = &tables[language];

	if (table->n > 0)
		return table;
	for (const struct words_phrases *g = table->phrases; g->phrases != NULL; g++)
		for (const char *const *phrase = g->phrases; *phrase != NULL; phrase++)
			table->rows[table->n++] = (struct ask_word_row){ g->kind, g->arg, *phrase };
	for (size_t i = table->n; i > 0; i--) {
		struct span phrase = span_str(table->rows[i - 1].phrase);
		uint16_t *head = &table->heads[chain_of(phrase.p, phrase.len)];

		table->next[i - 1] = *head;
		*head = (uint16_t)i;
	}
	return table;
}

/* The number of the first row of the word's chain. */
static uint16_t
first_row(const struct words_table *table, struct span word)
{
	return table->heads[chain_of(word.p, word.len)];
}

/* The number of words of t that match the phrase; 0: no match. */
static size_t
phrase_at(const char *phrase, const struct ask_token *t, size_t n)
{
	size_t i = 0;

	while (i < n && (i == 0 || !t[i].comma)) {
		phrase = phrase_after(phrase, t[i++].folded);
		if (phrase == NULL)
			return 0;
		if (*phrase++ == '\0')
			return i;
	}
	return 0;
}

const struct ask_word_row *
ask_word(enum ask_language language, const struct ask_token *t, size_t n, enum ask_word_kind kind, size_t *len)
{
	const struct words_table *table = words_of(language);
	const struct ask_word_row *best = NULL;

	*len = 0;
	for (uint16_t i = n == 0 ? 0 : first_row(table, t[0].folded); i != 0; i = table->next[i - 1]) {
		const struct ask_word_row *row = &table->rows[i - 1];
		size_t words;

		if (kind == ASK_WORD_NONE ? row->kind >= ASK_WORD_MONTH : row->kind != kind)
			continue;
		if ((words = phrase_at(row->phrase, t, n)) <= *len)
			continue;
		best = row;
		*len = words;
	}
	return best;
}

/* Cut the next word off the front of a phrase. */
static struct span
phrase_word(const char **phrase)
{
	const char *end = strchr(*phrase, ' ');
	struct span word = end == NULL ? span_str(*phrase) : span_of(*phrase, (size_t)(end - *phrase));

	*phrase += word.len + (end != NULL);
	return word;
}

/* The next row of this kind, from *at on; NULL: no more. */
static const struct ask_word_row *
next_of_kind(enum ask_language language, enum ask_word_kind kind, size_t *at)
{
	const struct words_table *table = words_of(language);

	while (*at < table->n)
		if (table->rows[(*at)++].kind == kind)
			return &table->rows[*at - 1];
	return NULL;
}

bool
ask_code(enum ask_language language, const struct ask_token *word, size_t *at, struct ask_code *out)
{
	for (const struct ask_word_row *row; (row = next_of_kind(language, ASK_WORD_CODE, at)) != NULL;) {
		const char *phrase = row->phrase;

		if (!span_is(phrase_word(&phrase), word->folded))
			continue;
		out->column = phrase_word(&phrase);
		out->code = phrase_word(&phrase);
		out->other = phrase_word(&phrase);
		return true;
	}
	return false;
}

bool
ask_is_degree(enum ask_language language, struct span word, struct span noun, bool part)
{
	size_t at = 0;

	for (const struct ask_word_row *row; (row = next_of_kind(language, ASK_WORD_DEGREE, &at)) != NULL;) {
		const char *phrase = row->phrase;

		if (!span_is(phrase_word(&phrase), word))
			continue;
		if (noun.len == 0)
			return true;
		while (*phrase != '\0') {
			struct span end = phrase_word(&phrase);

			if (span_is(end, noun) ||
			    (part && language == ASK_GERMAN && noun.len > end.len &&
				memcmp(noun.p + noun.len - end.len, end.p, end.len) == 0))
				return true;
		}
	}
	return false;
}

struct span
ask_does(enum ask_language language, struct span noun, size_t *at, const char **rest)
{
	while (**rest == '\0') {
		const struct ask_word_row *row = next_of_kind(language, ASK_WORD_DOES, at);

		if (row == NULL)
			return SPAN("");
		*rest = row->phrase;
		if (!span_is(phrase_word(rest), noun))
			*rest = "";
	}
	return phrase_word(rest);
}

bool
ask_stop_may_be_value(int arg)
{
	return arg == ASK_STOP_HAPPENS || arg == ASK_STOP_STATE;
}

bool
ask_is_participle(enum ask_language language, struct span folded)
{
	size_t at = 0;

	for (const struct ask_word_row *row; (row = next_of_kind(language, ASK_WORD_PARTICIPLE, &at)) != NULL;)
		if (row->arg != 0 ? span_ends(folded, row->phrase) : span_is_str(folded, row->phrase))
			return true;
	return false;
}

static size_t
words_known(enum ask_language language, const struct ask_token *t, size_t n)
{
	const struct words_table *table = words_of(language);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		for (uint16_t k = first_row(table, t[i].folded); k != 0; k = table->next[k - 1]) {
			const struct ask_word_row *row = &table->rows[k - 1];

			if (((row->kind < ASK_WORD_PARTICIPLE && row->kind != ASK_WORD_UNIT) ||
				row->kind == ASK_WORD_CODE) &&
			    phrase_after(row->phrase, t[i].folded) != NULL) {
				known++;
				break;
			}
		}
	return known;
}

static bool
has_native(enum ask_language language, const struct ask_token *t, size_t n)
{
	size_t at = 0;

	for (const struct ask_word_row *row; (row = next_of_kind(language, ASK_WORD_NATIVE, &at)) != NULL;)
		for (size_t i = 0; i < n; i++)
			/* A single letter tells nothing of a name: Köln. */
			if (!(t[i].capital && (uint8_t)row->phrase[0] == 0xc3) &&
			    memmem(t[i].folded.p, t[i].folded.len, row->phrase, strlen(row->phrase)) != NULL)
				return true;
	return false;
}

enum ask_language
ask_language_of(const struct ask_token *t, size_t n)
{
	size_t german_known = words_known(ASK_GERMAN, t, n), english_known = words_known(ASK_ENGLISH, t, n);

	return german_known > english_known || (german_known == english_known && has_native(ASK_GERMAN, t, n)) ?
	    ASK_GERMAN :
	    ASK_ENGLISH;
}

/* The unit in either language that the words begin with; NULL: none. */
static const struct ask_word_row *
unit_at(const struct ask_token *t, size_t n)
{
	size_t len;
	const struct ask_word_row *row = ask_word(ASK_ENGLISH, t, n, ASK_WORD_UNIT, &len);

	return row != NULL ? row : ask_word(ASK_GERMAN, t, n, ASK_WORD_UNIT, &len);
}

enum ask_measured
ask_unit_of(struct arena *a, struct span text)
{
	size_t n;
	struct ask_token *t = ask_tokens(a, text, false, 200, &n);
	enum ask_measured found = ASK_MEASURED;

	for (size_t i = 0; t != NULL && i < n && i < 200; i++) {
		const struct ask_word_row *row = unit_at(t + i, n - i);

		/* "isn't"; "euros, not cents" */
		if (t[i].contracted)
			continue;
		if (i > 0 && (span_is_str(t[i - 1].folded, "not") || span_is_str(t[i - 1].folded, "nicht")))
			continue;
		if (row == NULL || (row->arg <= ASK_POUND && found == ASK_CENTS))
			continue;
		/* "euro cents" are cents. */
		if (found != ASK_MEASURED && found != (enum ask_measured)row->arg &&
		    !(row->arg == ASK_CENTS && found <= ASK_POUND))
			return ASK_MEASURED;
		found = (enum ask_measured)row->arg;
	}
	return found;
}

bool
ask_names_unit(struct arena *a, struct span text)
{
	size_t n;
	struct ask_token *t = ask_tokens(a, text, false, 200, &n);

	for (size_t i = 0; t != NULL && i < n && i < 200; i++)
		if (unit_at(t + i, n - i) != NULL)
			return true;
	return false;
}

bool
ask_is_money(enum ask_measured unit)
{
	return unit == ASK_EURO || unit == ASK_DOLLAR || unit == ASK_POUND;
}

const char *
ask_unit_name(enum ask_measured unit)
{
	static const char *const names[] = { [ASK_EURO] = "euros (EUR)", [ASK_DOLLAR] = "US dollars (USD)",
		[ASK_POUND] = "pounds (GBP)",
		[ASK_MINUTES] = "minutes", [ASK_HOURS] = "hours", [ASK_DAYS] = "days", [ASK_PERCENT] = "percent",
		[ASK_SECONDS] = "seconds", [ASK_CENTS] = "cents", [ASK_KILOMETRES] = "kilometres",
		[ASK_METRES] = "metres", [ASK_KILOGRAMS] = "kilograms", [ASK_TONNES] = "tonnes",
		[ASK_HECTARES] = "hectares", [ASK_LITRES] = "litres", [ASK_MEASURED] = "no unit" };

	return names[unit];
}

const char *
ask_unit_of_time(int unit)
{
	static const char *const names[] = { "hour", "day", "week", "month", "quarter", "year" };

	return names[unit];
}
