/*
 * problem - why a semantic-layer query or model was refused.
 *
 * category is one of the stable names of SEM_CATEGORIES; it reaches the client
 * as details.category.  text is the offending piece as it was written,
 * candidates the closest valid names.
 */
#pragma once

#include <stddef.h>

#include "base/span.h"

#define SEM_CATEGORIES(X)						\
	X(UNKNOWN_SOURCE, "unknown_source")				\
	X(UNKNOWN_COLUMN, "unknown_column")				\
	X(UNKNOWN_MEASURE, "unknown_measure")				\
	X(NOT_AGGREGATED, "not_aggregated")				\
	X(NO_SOURCE, "no_source")					\
	X(EMPTY_QUERY, "empty_query")					\
	X(AMBIGUOUS_NAME, "ambiguous_name")				\
	X(AMBIGUOUS_JOIN_PATH, "ambiguous_join_path")			\
	X(NO_JOIN_PATH, "no_join_path")					\
	X(FAN_OUT, "fan_out")						\
	X(FAN_OUT_FILTER, "fan_out_filter")				\
	X(ASYMMETRIC_DIMENSIONS, "asymmetric_dimensions")		\
	X(CROSS_FACT_EXPRESSION, "cross_fact_expression")		\
	X(MIXED_FILTER, "mixed_filter")					\
	X(NESTED_AGGREGATE, "nested_aggregate")				\
	X(WINDOW_FUNCTION, "window_function")				\
	X(CIRCULAR_MEASURE, "circular_measure")				\
	X(UNKNOWN_SEGMENT, "unknown_segment")				\
	X(SEGMENT_NOT_QUALIFIED, "segment_not_qualified")		\
	X(SEGMENT_NO_MATCHING_MEASURE, "segment_no_matching_measure")	\
	X(HIDDEN_COLUMN, "hidden_column")				\
	X(UNKNOWN_ORDER_FIELD, "unknown_order_field")			\
	X(INVALID_LIMIT, "invalid_limit")				\
	X(UNSUPPORTED_GRANULARITY, "unsupported_granularity")		\
	X(UNSUPPORTED_FUNCTION, "unsupported_function")			\
	X(PARSE_ERROR, "parse_error")					\
	X(INVALID_SOURCE, "invalid_source")				\
	X(DUPLICATE_SOURCE, "duplicate_source")				\
	X(UNKNOWN_JOIN_TARGET, "unknown_join_target")			\
	X(INVALID_JOIN, "invalid_join")					\
	X(QUERY_POLICY, "query_policy")

/* Of SEM_UNKNOWN_SOURCE: also of a source that is there and outside of what may be read. */
#define SEM_UNKNOWN_SOURCE_TEXT	"There is no source or join alias \"%.*s\"; discover_data finds sources."

enum sem_category {
	SEM_OK = 0,
#define X(NAME, text)	SEM_##NAME,
	SEM_CATEGORIES(X)
#undef X
};

#define SEM_CANDIDATES_MAX	5

struct sem_problem {
	enum sem_category	category;
	char			message[640];	/* one sentence and what to try */
	char			text[160];	/* the offending text, may be empty */
	size_t			ncandidates;
	char			candidates[SEM_CANDIDATES_MAX][96];
};

/* "fan_out"; never NULL. */
const char *sem_category_name(enum sem_category category);

/* Fill *p and return -1.  text may be empty. */
int sem_fail(struct sem_problem *p, enum sem_category category, struct span text,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The edit distance of two names without case; only the first 48 bytes of each are compared. */
unsigned sem_distance(struct span a, struct span b);

/*
 * Remember name as a candidate when it is close to wanted (few edits, or one
 * contains the other); keeps the SEM_CANDIDATES_MAX closest, best first.
 */
void sem_candidate(struct sem_problem *p, struct span wanted, struct span name);

/* Remember a name to write instead, as printf() does; those beyond SEM_CANDIDATES_MAX are dropped. */
void sem_alternative(struct sem_problem *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* AMBIGUOUS_NAME: what fmt says, and the candidates that were remembered; -1. */
int sem_ambiguous(struct sem_problem *p, struct span text, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
