#include <string.h>

#include "ask/ask.h"
#include "ask/words_function.h"
#include "base/hash.h"

#define WORD(kind, arg, phrase) { ASK_WORD_##kind, arg, phrase },
static const struct ask_word_row english[] = {
#include "ask/words_en.def"
};
static const struct ask_word_row german[] = {
#include "ask/words_de.def"
};
#undef WORD

#define ROWS(table)	(sizeof(table) / sizeof((table)[0]))
#define CHAINS		1024u

/*
 * The rows by the first word of their phrases, made at the first look: head of a chain of those with one hash, and for
 * each row the one that comes after it, in the order of the table.  Numbers are of rows, from 1; 0: the end.
 */
static uint16_t english_next[ROWS(english)], german_next[ROWS(german)];
_Static_assert(ROWS(english) < UINT16_MAX && ROWS(german) < UINT16_MAX, "a row's number fits");

static struct words_table {
	const struct ask_word_row	*rows;
	size_t				 n;
	uint16_t			*next;
	bool				 chained;
	uint16_t			 heads[CHAINS];
} tables[ASK_LANGUAGES] = { [ASK_ENGLISH] = { english, ROWS(english), english_next, false, { 0 } },
	[ASK_GERMAN] = { german, ROWS(german), german_next, false, { 0 } } };

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

/* The number of the first row of the word's chain. */
static uint16_t
first_row(struct words_table *table, struct span word)
{
	for (size_t i = table->n; !table->chained && i > 0; i--) {
		struct span phrase = span_str(table->rows[i - 1].phrase);
		uint16_t *head = &table->heads[chain_of(phrase.p, phrase.len)];

		table->next[i - 1] = *head;
		*head = (uint16_t)i;
	}
	table->chained = true;
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
	struct words_table *table = &tables[language];
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

bool
ask_code(enum ask_language language, const struct ask_token *word, size_t *at, struct ask_code *out)
{
	while (*at < tables[language].n) {
		const struct ask_word_row *row = &tables[language].rows[(*at)++];
		const char *phrase = row->phrase;

		if (row->kind != ASK_WORD_CODE || !span_is(phrase_word(&phrase), word->folded))
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
	for (size_t i = 0; i < tables[language].n; i++) {
		const char *phrase = tables[language].rows[i].phrase;

		if (tables[language].rows[i].kind != ASK_WORD_DEGREE || !span_is(phrase_word(&phrase), word))
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

bool
ask_stop_may_be_value(int arg)
{
	return arg == ASK_STOP_HAPPENS || arg == ASK_STOP_STATE;
}

bool
ask_is_participle(enum ask_language language, struct span folded)
{
	for (size_t i = 0; i < tables[language].n; i++) {
		const struct ask_word_row *row = &tables[language].rows[i];
		size_t n = strlen(row->phrase);

		if (row->kind != ASK_WORD_PARTICIPLE || n > folded.len || (row->arg == 0 && n != folded.len))
			continue;
		if (memcmp(folded.p + folded.len - n, row->phrase, n) == 0)
			return true;
	}
	return false;
}

static size_t
words_known(enum ask_language language, const struct ask_token *t, size_t n)
{
	struct words_table *table = &tables[language];
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
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < tables[language].n; k++)
			/* A single letter tells nothing of a name: Köln. */
			if (tables[language].rows[k].kind == ASK_WORD_NATIVE &&
			    !(t[i].capital && (uint8_t)tables[language].rows[k].phrase[0] == 0xc3) &&
			    memmem(t[i].folded.p, t[i].folded.len, tables[language].rows[k].phrase,
				strlen(tables[language].rows[k].phrase)) != NULL)
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

		/* "euros, not cents" */
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
		[ASK_METRES] = "metres", [ASK_KILOGRAMS] = "kilograms", [ASK_MEASURED] = "no unit" };

	return names[unit];
}

const char *
ask_unit_of_time(int unit)
{
	static const char *const names[] = { "hour", "day", "week", "month", "quarter", "year" };

	return names[unit];
}
