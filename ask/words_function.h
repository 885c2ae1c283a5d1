/*
 * words_function - the vocabulary of a language: function words, one table for each language (words_en.def,
 * words_de.def).
 *
 * A row is WORD(KIND, arg, "phrase", …): phrases of one meaning, compared as written, case folded.  Of two rows with
 * the same phrase the first is what the word means alone.  A word that is in no table and in no model has no meaning; a
 * question that contains one is not answered.
 */
#pragma once

#include "ask/text_question.h"

enum ask_language { ASK_ENGLISH, ASK_GERMAN, ASK_LANGUAGES };

enum ask_stop {
	ASK_STOP_PLAIN,
	ASK_STOP_INSIDE,	/* may stand inside a name: "cash was collected" */
	ASK_STOP_ROWS,		/* may ask for rows: "show me" */
	ASK_STOP_WHAT,		/* asks for a value, not for a number of rows: "what is" */
	ASK_STOP_HAPPENS,	/* a verb that only says that something happened: "made" */
	ASK_STOP_STATE,		/* a state that is known of every row, unless the data have it as a value: "listed" */
	ASK_STOP_JOINS,		/* joins a condition, except at the beginning of a question: "where" */
	ASK_STOP_CONTRACTED	/* the rest of a contraction: "ll" */
};

enum ask_word_kind {
	ASK_WORD_NONE,
	ASK_WORD_STOP,		/* carries no meaning of its own; arg: enum ask_stop */
	ASK_WORD_BY,		/* arg 1: "per", which may also mean a ratio */
	/* "across all": what follows is no group; arg 1: "across", which may be one; 2: "among", of what is measured */
	ASK_WORD_OVERALL,
	ASK_WORD_COUNT,
	ASK_WORD_DISTINCT,
	ASK_WORD_AGGREGATE,	/* arg: enum ask_fold */
	/* highest, lowest; arg: 1 or -1; most, fewest: ASK_MOST or -ASK_MOST; most common: ASK_COMMONEST */
	ASK_WORD_EXTREME,
	ASK_WORD_TOP,		/* top, bottom; arg: 1 or -1 */
	ASK_WORD_LATEST,	/* arg: 1, or -1: earliest */
	ASK_WORD_SHARE,
	ASK_WORD_VERSUS,
	ASK_WORD_RELATION,	/* of two measures, "and" between them */
	ASK_WORD_COMPARE,
	ASK_WORD_CHANGE,
	ASK_WORD_COMPARATOR,	/* arg: enum ask_operator */
	ASK_WORD_RANGE,		/* not in the tables: "between 5 and 10", of numbers */
	ASK_WORD_NOT,		/* arg ASK_NOT_HAVING: "without", said of what a thing has rather than of what it is */
	ASK_WORD_AND,
	ASK_WORD_OR,
	ASK_WORD_WHICH,
	ASK_WORD_WHEN,
	ASK_WORD_LIST,		/* asks for rows; arg: ASK_LIST_WHOLE: all columns of each */
	ASK_WORD_GRAIN,		/* month; arg: enum ask_unit, plus 100 when it groups by itself (monthly) */
	ASK_WORD_NUMBER,	/* arg: its value */
	ASK_WORD_TIMES,		/* how often, behind a number; else a multiplication */
	ASK_WORD_REFUSED,	/* arg: enum ask_reason */
	ASK_WORD_VAGUE,
	ASK_WORD_VAGUE_TIME,
	ASK_WORD_STAKES,
	ASK_WORD_UNIT,		/* arg: enum ask_measured */
	ASK_WORD_ALWAYS,	/* all time: no window */
	ASK_WORD_MEANING,	/* what does … mean */
	ASK_WORD_KINDS,		/* measures, dimensions; arg: enum ask_catalogue_kind */
	ASK_WORD_VALUES,	/* which values */

	/* words of time, see period.h */
	ASK_WORD_MONTH,		/* arg: 1 to 12 */
	ASK_WORD_ORDINAL,	/* arg: 1 to 4 */
	ASK_WORD_THIS,
	ASK_WORD_LAST,
	ASK_WORD_NEXT,
	ASK_WORD_DAY,		/* today, yesterday; arg: days from today */
	ASK_WORD_TO_DATE,	/* arg: enum ask_unit */
	ASK_WORD_SINCE,
	ASK_WORD_BEFORE,
	ASK_WORD_AFTER,
	ASK_WORD_UNTIL,
	ASK_WORD_BETWEEN,
	ASK_WORD_FROM,
	ASK_WORD_TO,
	ASK_WORD_FISCAL,
	ASK_WORD_HALF,
	ASK_WORD_OF,		/* of, in, the: between parts of a date */
	ASK_WORD_PARTICIPLE,	/* paid, sold; arg 1: how participles end */

	/* words that work together with others, see comparisons.c and missing.c */
	/* "longer duration length": a comparative or superlative, and words of the columns that it compares */
	ASK_WORD_DOES,		/* what people are called, and verbs of what they do: "author write wrote" */
	ASK_WORD_DEGREE,
	ASK_WORD_NOUN,		/* a noun that completes a name, "birth date"; arg: enum ask_noun */
	ASK_WORD_WITH,		/* "with", "have"; arg 1: an article after it */
	ASK_WORD_AGED,		/* "years old", after a number */
	ASK_WORD_CODE,		/* "female sex f m": the word, what columns are called where it may be a code,
				 * the code, and another one that the column must have, too */
	/* words of lists, see readings.c */
	ASK_WORD_ORDER,		/* sorted by */
	ASK_WORD_DIRECTION,	/* in ascending order; arg: 1, or -1: descending */
	ASK_WORD_ALPHABETICAL,
	ASK_WORD_THEN,		/* "then by", before a further column of the order */
	ASK_WORD_LIKE,		/* "contains"; arg: enum ask_like */
	ASK_WORD_BELONGS,	/* "of all the": between a column and its rows */
	/* "id": what tells rows apart; arg ASK_KEY_NAME: what names them; ASK_KEY_NUMBER: "number" */
	ASK_WORD_KEY,
	ASK_WORD_NAMELESS,	/* "data": an ending of table names that is not part of the rows' name */
	ASK_WORD_NATIVE		/* a part of nouns that only this language has; decides the language of "Umsatz 2024" */
};

enum ask_fold { ASK_FOLD_NONE, ASK_FOLD_AVG, ASK_FOLD_SUM, ASK_FOLD_MEDIAN };
enum ask_operator { ASK_OVER, ASK_UNDER, ASK_AT_LEAST, ASK_AT_MOST, ASK_EXACTLY };
enum ask_like { ASK_CONTAINS, ASK_BEGINS, ASK_ENDS };
enum ask_unit { ASK_UNIT_HOUR, ASK_UNIT_DAY, ASK_UNIT_WEEK, ASK_UNIT_MONTH, ASK_UNIT_QUARTER, ASK_UNIT_YEAR };
enum ask_measured { ASK_EURO, ASK_DOLLAR, ASK_POUND, ASK_MINUTES, ASK_HOURS, ASK_DAYS, ASK_PERCENT, ASK_SECONDS,
	ASK_CENTS,
	ASK_KILOMETRES, ASK_METRES, ASK_KILOGRAMS, ASK_TONNES, ASK_HECTARES, ASK_LITRES, ASK_MEASURED };
enum ask_noun { ASK_NOUN_DATE, ASK_NOUN_NUMBER, ASK_NOUN_NAME, ASK_NOUN_TEXT };
enum ask_catalogue_kind { ASK_LIST_MEASURES, ASK_LIST_DIMENSIONS, ASK_LIST_SOURCES };

#define ASK_GROUPS_BY_ITSELF	100
#define ASK_VAGUE_MONEY		1	/* a condition for it that names nothing is about money */
#define ASK_LIST_WHOLE		1
#define ASK_LIST_NAMES		2	/* "names of": the column is part of the phrase */
#define ASK_KEY_NAME		1
#define ASK_KEY_NUMBER		2
#define ASK_NOT_HAVING		1
#define ASK_NOT_BUT		2	/* "but": AND, unless "not" follows */
#define ASK_NOT_APART		3	/* "besides", "neither": sets apart what follows */
#define ASK_NOT_EXCEPT		4	/* "but not": takes away from what was said before */
#define ASK_NOT_NEITHER		5	/* "neither": denies what things are, and what they have */
#define ASK_NOT_NOR		6	/* "nor": the same, joined by AND */
#define ASK_MOST		2	/* may rank by a number of rows */
#define ASK_COMMONEST		3	/* ranks by a number of rows only */

struct ask_word_row {
	enum ask_word_kind	 kind;
	int			 arg;
	const char		*phrase;
};

/*
 * The longest phrase at t, of at most n words, of this kind; with ASK_WORD_NONE of any kind but time.  NULL: none.
 * *len: its words.
 */
const struct ask_word_row *ask_word(enum ask_language language, const struct ask_token *t, size_t n,
    enum ask_word_kind kind,
    size_t *len);

/* Iterate over the codes that a word may stand for, *at from 0.  False after the last. */
struct ask_code {
	struct span	column, code, other;	/* folded */
};
bool ask_code(enum ask_language language, const struct ask_token *word, size_t *at, struct ask_code *out);

/*
 * Whether the word compares columns of that name; with an empty noun, columns of some name only.  part: also of a
 * compound of it, "Grundpreis".
 */
bool ask_is_degree(enum ask_language language, struct span word, struct span noun, bool part);

/* A verb of what those do who are called by the noun, from *at and *rest on, at first 0 and ""; empty: no more. */
struct span ask_does(enum ask_language language, struct span noun, size_t *at, const char **rest);

/* Values that mean "nothing": "none", "n/a"; NULL-terminated. */
extern const char *const ask_nothings[];

/* Whether data may say the stop word, too: a value "done" of a status. */
bool ask_stop_may_be_value(int arg);

/* "closed", "paid": may name an event. */
bool ask_is_participle(enum ask_language language, struct span folded);

/*
 * The language with more of its function words among the words, units aside, which languages share; then the one whose
 * nouns are there; English.
 */
enum ask_language ask_language_of(const struct ask_token *t, size_t n);

/* The unit that a text names: "EUR", "… in US dollars"; ASK_MEASURED: none, or several. */
enum ask_measured ask_unit_of(struct arena *a, struct span text);
bool ask_names_unit(struct arena *a, struct span text);	/* one or several */
bool ask_is_money(enum ask_measured unit);	/* not cents */
const char *ask_unit_name(enum ask_measured unit);
const char *ask_unit_of_time(int unit);	/* enum ask_unit */
