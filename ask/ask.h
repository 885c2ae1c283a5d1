/*
 * ask - reads a question in words as queries of the semantic layer, or says why it cannot be read.
 *
 * Pure: a model (ask/ask_model.h), the asker's context, the known values and the question in; a reading out.  No word
 * is dropped to make a match: every word that carries meaning is consumed by a named part of the reading; otherwise
 * the reading is a clarifying question or a refusal.  Nothing here reads data.
 *
 * A question is read in rounds.  ask_phrases() lists the phrases that may be values: the caller looks them up among
 * sampled values and puts the matches into ask_known.  ask_read() may then answer ASK_PROBE: the caller runs the
 * probes' queries, adds their results to ask_known, and reads again; each probe is requested once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"

#define ASK_QUESTION_MAX	4000u	/* bytes; a longer question is refused */
#define ASK_WORDS_MAX		200u	/* words of a question; one with more is refused */
#define ASK_PHRASES_MAX		256u
#define ASK_PHRASE_WORDS_MAX	6u	/* words of one phrase that may be a value */
#define ASK_PROBES_MAX		12u
#define ASK_VALUES_MAX		200u	/* known values that are looked at */

#define ASK_QUERIES_MAX		2u
#define ASK_MEASURES_MAX	4u
#define ASK_DIMENSIONS_MAX	10u	/* six columns of a list, those that it is ordered by, and the key */
#define ASK_THEN_MAX		2u
#define ASK_TIES_MAX		100u	/* rows beyond the limit that are looked at for ties */
#define ASK_FILTERS_MAX		8u
#define ASK_NOTES_MAX		8u
#define ASK_CLOSEST_MAX		5u
#define ASK_UNKNOWN_MAX		5u
#define ASK_AVAILABLE_MAX	12u
#define ASK_QUESTIONS_MAX	3u
#define ASK_SUGGESTIONS_MAX	8u

struct ask_model;

enum ask_date_order { ASK_ORDER_UNSAID, ASK_ORDER_DMY, ASK_ORDER_MDY };

/* Preferences (ask.md 7); a missing one is empty. */
struct ask_preferences {
	struct span		 default_period;	/* a time phrase */
	bool			 sunday;		/* weeks begin on Sunday */
	unsigned		 fiscal_month, fiscal_day;	/* 0: no fiscal calendar */
	enum ask_date_order	 date_order;
	size_t			 nthresholds;
	const struct ask_threshold {
		struct span	word, condition;	/* condition: of a filter, "accounts.employees >= 250" */
	}			*thresholds;
};

/* Read {defaultTimePeriod, weekStart, fiscalYearStart, dateOrder, thresholds, …}.  Borrows; lists are in a. */
void ask_preferences_read(struct arena *a, const struct mp_value *map, struct ask_preferences *out);

struct ask_context {
	int64_t			 now;		/* Unix seconds, UTC */
	int			 utc_offset;	/* seconds east of UTC where the asker is, now */
	struct ask_preferences	 preferences;
};

struct ask_value {
	struct span	source, column, value;	/* value as it is stored */
};

/*
 * What a language model takes a word for that nothing knows: "customers", "orders.revenue"; with a value, the column's
 * rows that have it.
 */
struct ask_meaning {
	struct span	word, means, value;
};

struct ask_known {
	size_t			 nvalues, nprobed, nmeanings;
	const struct ask_value	*values;
	const struct ask_value	*probed;	/* the probes that were run, with or without a result; value: the
                                                 * probe's text */
	const struct ask_meaning *meanings;	/* of words that mean nothing otherwise */
};

struct ask_probe {
	struct span	source, column, text;
	/* the query: dimensions [field], filters [filter], limit 3; each value of its result is a known value */
	struct span	field;
	struct span	filter;
};

/* The phrases of the question that may be values, longest first, at most ASK_PHRASES_MAX.  Returns their number. */
size_t ask_phrases(struct arena *a, struct span question, const struct span **phrases);

struct ask_measure {
	struct span	expr;		/* "invoices.net_revenue", or an aggregate, as sl_query takes it */
	struct span	name;		/* for an expression: its column's; empty: expr names a measure */
	struct span	label, unit;	/* as shown to people; unit may be empty */
	bool		additive;	/* groups may be summed */
	size_t		nnone_over;
	const struct span *none_over;	/* columns of the source over which the measure must not be summed */
	bool		ratio;		/* divides: null where the divisor is zero */
	bool		rows;		/* the number of rows of its source */
	bool		counts;		/* a number of rows or values: 0 where there are none */
};

struct ask_dimension {
	struct span	field, granularity;	/* granularity: empty for columns that are not times */
	struct span	label;
	bool		time;
	bool		key;		/* a key: its numbers name things, and have no order that means something */
	bool		entity;		/* names rows of a joined source: the question says of which */
	bool		keyed;		/* has an identity, in the order of these */
	bool		identity;	/* a key that only tells rows of the same name apart; not a group of its own */
};

struct ask_filter {
	struct span	sql;		/* one condition as sl_query takes it */
	struct span	field, operator, value;	/* the same in parts, for people; field may be empty */
	bool		literal;	/* value came from the question */
	bool		groups;		/* a condition on groups, not on rows: field is a measure's label */
};

struct ask_window {
	struct span	field;		/* empty: there is no window */
	struct span	start, end;	/* ISO dates, half-open; either may be empty */
	struct span	label;		/* "Q3 2025" */
	bool		one_day;
};

enum ask_role { ASK_VALUE, ASK_TOTAL, ASK_FIRST, ASK_SECOND };

/* One semantic query.  The window is not among the filters. */
struct ask_query {
	enum ask_role		 role;
	struct span		 label;		/* of a side of a comparison */
	size_t			 nmeasures, ndimensions, nfilters;
	struct ask_measure	 measures[ASK_MEASURES_MAX];
	struct ask_dimension	 dimensions[ASK_DIMENSIONS_MAX];
	struct ask_filter	 filters[ASK_FILTERS_MAX];
	struct ask_window	 window;
	struct span		 order_by;	/* a field or a measure's column; empty: by the dimensions */
	bool			 descending, spelled;	/* spelled: text is ordered as it is written, not as numbers */
	size_t			 nthen;		/* what rows of the same are ordered by */
	struct ask_then { struct span field; bool descending; } then[ASK_THEN_MAX];
	size_t			 limit;		/* of a ranking; 0: none */
	bool			 ties;		/* rows equal to the last one are in the answer, beyond the limit */
	/* for a list that names rows: the expression that counts them; empty: values are listed */
	struct span		 rows;
	bool			 no_empty;	/* groups without rows are left out */
};

/*
 * SCALAR (S1, S8, S9), GROUPS (S2), TIME (S3), RANKING (S4): one query.  SHARE (S5): VALUE, grouped or with the
 * filter, and TOTAL.  COMPARE (S6) and PERIODS (S7): FIRST and SECOND as the question names them.  LIST:
 * distinct values, no measure.
 */
enum ask_shape {
	ASK_SCALAR, ASK_GROUPS, ASK_TIME, ASK_RANKING, ASK_SHARE, ASK_COMPARE, ASK_PERIODS, ASK_LIST
};

/* A name by which the question means a row, and which several rows may have. */
struct ask_named {
	struct span	filter, rows;	/* the condition; what counts the rows that meet it, as sl_query takes it */
	struct span	label, value;	/* of the rows; the name */
	struct span	field;		/* the column of the name */
	size_t		expected;	/* how many rows the question names */
	bool		root;		/* rows of what is measured or listed */
};

enum ask_status {
	ASK_ANSWER,	/* run the queries */
	ASK_CATALOGUE,	/* rows are in `rows`: nothing to run */
	ASK_CLARIFY,	/* questions */
	ASK_REFUSE,	/* reason */
	ASK_PROBE	/* run the probes and read again */
};

/* Reasons of a refusal.  The names are the values of the answer's reason.code. */
#define ASK_REASONS(X)                                                                                              \
	X(CAUSE, "cause") X(FORECAST, "forecast") X(UNKNOWN, "unknown") X(COHORT, "cohort") X(WRITE, "write")       \
	X(NESTED, "nested") X(ARITHMETIC, "arithmetic") X(NO_PATH, "no_path") X(CORRELATION, "correlation")         \
	X(ANOMALY, "anomaly") X(CONTEXT, "context") X(NON_ADDITIVE, "non_additive") X(UNIT, "unit")                 \
	X(NO_MEASURE, "no_measure") X(UNSUPPORTED, "unsupported") X(TOO_LONG, "too_long")         \
	X(POLICY, "policy")

enum ask_reason {
#define X(NAME, code) ASK_REASON_##NAME,
	ASK_REASONS(X)
#undef X
};

struct ask_word {
	/* consumed_by: "measure invoices.net_revenue", "no meaning of its own"; empty: not consumed */
	struct span	word, consumed_by;
};

struct ask_clarification {
	/* topic: the user may append an answer to the question as "[Time period: 2025]" */
	struct span	question, topic;
	size_t		nsuggestions;
	struct span	suggestions[ASK_SUGGESTIONS_MAX];
	struct span	assumption;		/* the answer that would be assumed; empty: none */
};

/* Rows of a catalogue answer: ncolumns texts each. */
struct ask_rows {
	size_t			 ncolumns, nrows;
	const struct span	*headers, *cells;
};

struct ask_reading {
	enum ask_status		 status;
	bool			 german;

	size_t			 nwords;
	struct ask_word		 words[ASK_WORDS_MAX];

	/* ASK_ANSWER */
	enum ask_shape		 shape;
	size_t			 nqueries;
	struct ask_query	 queries[ASK_QUERIES_MAX];
	bool			 relation;
	size_t			 nnamed;
	struct ask_named	 named[ASK_FILTERS_MAX];
	const char		*confidence;	/* "high", "medium", "low" */

	/* for ASK_ANSWER and ASK_CATALOGUE the whole reading; otherwise the part that was understood */
	struct span		 interpretation;
	struct span		 title;		/* ASK_ANSWER: made of labels only; may be empty */
	size_t			 title_measures; /* bytes of the title that name the measures */
	struct ask_rows		 rows;		/* ASK_CATALOGUE */
	size_t			 nassumptions, ncaveats;
	struct span		 assumptions[ASK_NOTES_MAX], caveats[ASK_NOTES_MAX];

	/* ASK_CLARIFY */
	size_t			 nquestions;
	struct ask_clarification questions[ASK_QUESTIONS_MAX];
	struct ask_clarification instead;	/* of several typos at once, where those lead to no answer */

	/* ASK_REFUSE */
	enum ask_reason		 reason;
	struct span		 message;
	size_t			 nclosest, navailable;
	struct span		 closest[ASK_CLOSEST_MAX];
	struct span		 available[ASK_AVAILABLE_MAX];	/* sources, where the question is of none of them */

	/* ASK_CLARIFY, ASK_REFUSE: words that nothing knows */
	size_t			 nunknown;
	struct span		 unknown[ASK_UNKNOWN_MAX];

	/* ASK_PROBE */
	size_t			 nprobes;
	struct ask_probe	 probes[ASK_PROBES_MAX];
};

/*
 * Read the question, UTF-8.  *out lives in a, or borrows from the model, the context and the question.  known may be
 * NULL.  Returns -1 with *err only when a is full.
 */
int ask_read(const struct ask_model *m, const struct ask_context *c, struct span question,
    const struct ask_known *known,
    struct arena *a, struct ask_reading *out, struct err *err);

const char *ask_reason_code(enum ask_reason reason);

/* A filter's operator as people say it. */
struct span ask_operator(struct span operator, bool german);

/* The column of the result by which the rows are in order; the first measure when the query names none. */
size_t ask_order_column(const struct ask_query *q);
