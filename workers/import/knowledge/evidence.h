/*
 * evidence - what statements that were run tell of tables, counted: joins, standing filters, and pairs of tables.
 *
 * A join is the equalities of columns that one query has between two of its tables, a filter a column that a query
 * compares with values, in a condition that no OR makes optional.  Each fact counts once a statement, however often the
 * statement says it.  Only names of tables and columns, and operators, are kept.
 */
#pragma once

#include "workers/import/knowledge/knowledge.h"

/* How often: statements of the files, and the calls that a log counted. */
struct log_use {
	uint64_t	statements, calls;
	uint64_t	last;		/* number of the latest statement */
};

struct used_table {
	struct knowledge_model	*model;
	struct log_use		 use;
};

enum fact_kind { FACT_JOIN, FACT_FILTER, FACT_PAIR, FACT_KINDS };

struct log_fact {
	enum fact_kind	 kind;
	size_t		 a, b;		/* tables; FILTER: a alone */
	struct span	 text;		/* JOIN: "x = y AND ..." from a to b; FILTER: the column */
	const char	*operator;	/* FILTER */
	struct log_use	 use;
};

struct log_evidence {
	struct knowledge	*k;
	uint64_t		 serial, calls;	/* of the statement that is counted: its number, and how often it ran */
	uint64_t		 nread, ncalls;
	size_t			 ntables, tables_cap, nfacts, facts_cap;
	struct used_table	*tables;
	struct log_fact		*facts;
	struct table		 keys;		/* of facts */
};

#define EVIDENCE_NO_TABLE	SIZE_MAX

/* Counts a statement, whose tables and facts follow. */
void evidence_begin(struct log_evidence *e, uint64_t calls);

/* The table, added if it is new; without a schema the first one of its name.  EVIDENCE_NO_TABLE: too many. */
size_t evidence_table(struct log_evidence *e, struct span schema, struct span name);

/* A fact of the statement.  operator stays valid, as a literal does. */
void evidence_add(struct log_evidence *e, enum fact_kind kind, size_t a, size_t b, struct span text,
    const char *operator);

/* Each pair of the tables that the statement reads. */
void evidence_pairs(struct log_evidence *e);

/* Makes the joins and the page of what was counted, and frees it. */
void evidence_end(struct log_evidence *e);
