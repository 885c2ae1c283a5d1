/*
 * property.h - private to the property test: random models, data and queries,
 * and an evaluator that goes row by row.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TABLES_MAX	5
#define ROWS_MAX	7
#define JOINS_MAX	8
#define NODES_MAX	(TABLES_MAX + JOINS_MAX)
#define MEASURES_MAX	3
#define FACTS_MAX	8
#define VALUES		7	/* of the column v, from 0 */
#define NONE		(-1)
#define SEGMENT		2	/* the place of the segment behind the filters */
#define OUT_ROWS_MAX	4096

/* NULL is present = false.  A bucket of time is the number YYYYMMDD of its first day. */
struct value {
	bool	present, text;
	double	number;
	char	letter;
};

struct row {
	struct value	v, c, d;		/* a number, a letter, a day since 1970 */
	struct value	fk[JOINS_MAX];		/* by join: the row it means */
};

struct join {
	int	from, to;		/* many, one; or one, one */
	bool	declared_by_one, aliased, one_to_one;
	bool	composite;		/* the key is two columns */
	char	alias[16];
};

struct model {
	int		ntables, njoins, nrows[TABLES_MAX];
	struct row	rows[TABLES_MAX][ROWS_MAX];
	struct join	joins[JOINS_MAX];
};

/* A node is a table (0..ntables) or the alias of a join (ntables + join). */
enum measure { TOTAL, COUNT_ALL, COUNT_V, DISTINCT_C, MAX_V, TOTAL_A, MEDIAN, LEAST_C, RATIO, MEASURES,
	MINUS = MEASURES, OVER };	/* fact.total - other.total, fact.total / other.n */

/* 0: c = 'a'; 1: v > 3; 2: c IS NULL; 3: v <> 2 OR c = 'b'; 10: total > 4; 11: n >= 2 */
struct filter {
	int	node, kind;
};

enum grain { PLAIN, MONTH, WEEK, QUARTER, GRAINS };

struct query {
	int		nmeasures, ndims, nfilters;
	int		fact[MEASURES_MAX], what[MEASURES_MAX], other[MEASURES_MAX];
	int		dim[2], segment;	/* segment: node or NONE */
	enum grain	grain[2];		/* of d; PLAIN: the dimension is c */
	struct filter	filters[2];
	bool		include_empty;
};

struct result {
	int		n, ncolumns;
	int		lacking;	/* facts that a filter or the segment does not limit; each is owed a note */
	struct value	cells[OUT_ROWS_MAX][8];
};

enum verdict { ROWS, REFUSED };

/* The way from a root over joins that lead to one row at most. */
struct way {
	int	distance[NODES_MAX], parent[NODES_MAX], join[NODES_MAX];
	bool	inverse[NODES_MAX];	/* against the join's direction: one-to-one only */
	bool	tie[NODES_MAX];		/* there is another way as short */
};

void property_make(uint64_t seed, struct model *m, struct query *q);
void property_ways(const struct model *m, int root, struct way *w);
int property_table_of(const struct model *m, int node);
enum verdict property_evaluate(const struct model *m, const struct query *q, struct result *out);
