/*
 * sets - questions with what answers them, over scanned projects, and how well
 * a ranking answers each of them.
 *
 * A file of questions is in one of two forms, told apart by its columns:
 *
 *	category, question, answers        "kind:id|…"; "-": nothing answers it
 *	connection, question, tables, columns   what a query that is right uses: "t|…", "t.c|…"
 *
 * The second is what public text-to-SQL sets give.  All of a project's
 * connections are asked at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "workers/search/answer/search.h"

enum measure {
	MEASURE_MRR,		/* reciprocal rank of the first answer */
	MEASURE_RECALL,		/* share of the answers among the first ten; of tables, with any column of theirs, the first fifteen */
	MEASURE_TABLES,		/* the same of tables, when tables alone are asked for */
	MEASURE_COLUMNS,	/* the same of columns, among all kinds */
	MEASURE_CONNECTION,	/* the first is of the right connection */
	MEASURE_EMPTY,		/* nothing was answered */
	MEASURE_UNSURE,		/* of a question that nothing answers: it was left so, or the answer says it is a guess */
	MEASURE_SURE,		/* of one with answers: it does not say so, */
	MEASURE_RIGHT,		/* the first being one of them, */
	MEASURE_RIGHT_UNSURE,	/* and how often it is where the answer says it is a guess */
	MEASURES
};

extern const char *const measure_names[MEASURES];

struct result {
	float	v[MEASURES];	/* negative: it has none of these */
};

struct asked {
	char	*category, *connection, *text;	/* connection: NULL in the first form */
	char	*answers, *columns;		/* answers: tables in the second form */
};

struct project {
	char			*dir;
	struct library		*library;
	struct bm25		*bm25;
};

struct set {
	char		*name;
	size_t		 n, cap;
	struct asked	*v;
	size_t		*project;	/* of each question */
};

struct sets {
	size_t		 nprojects, projects_cap;
	struct project	*projects;
	size_t		 n, cap;
	struct set	*v;
	const struct vectors *vectors;	/* for the projects; NULL: none */
};

/* Add a project's questions to the set called name.  False: a file cannot be read. */
bool sets_add(struct sets *s, const char *name, const char *project, const char *questions);

/* Read all projects anew, as the ranking now is. */
void sets_open(struct sets *s);

void sets_close(struct sets *s);

/* Close them, and free all that was read. */
void sets_free(struct sets *s);

/* Ask every question of the set; out has room for set->n. */
void sets_ask(struct sets *s, const struct set *set, struct result *out);

/* The same of plain BM25. */
void sets_ask_bm25(struct sets *s, const struct set *set, struct result *out);

/* Print what is missed: the question, its answers and the first refs. */
void sets_show_misses(struct sets *s, const struct set *set);
