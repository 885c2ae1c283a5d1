/* datasets - the tools of published datasets, which carrel-search serves, and their shared parts. */
#ifndef WORKERS_SEARCH_DATASETS_DATASETS_H
#define WORKERS_SEARCH_DATASETS_DATASETS_H

#include "workers/search/answer/search.h"

/* --- tools ---------------------------------------------------------------------- */

int tool_list_datasets(struct call *c, const struct mp_value *args, struct err *err);
int tool_get_schema(struct call *c, const struct mp_value *args, struct err *err);
int tool_search(struct call *c, const struct mp_value *args, struct err *err);
int tool_sql(struct call *c, const struct mp_value *args, struct err *err);

/* For the owner: the list with all details, and whether a table can be published. */
int tool_dataset_list(struct call *c, const struct mp_value *args, struct err *err);
int tool_dataset_check(struct call *c, const struct mp_value *args, struct err *err);

/* A page of the texts of a published table's column, for the index of passages. */
int tool_dataset_column(struct call *c, const struct mp_value *args, struct err *err);

/* --- what they share ------------------------------------------------------------- */

/* A row of carrel-auth's answer; texts borrow from it. */
struct dataset {
	struct span	 id, name, connection, db, table, description, type, created_at;
	uint64_t	 since_ms;		/* the last publication; 0: unknown */

	/* answers of the database; in the call's arena */
	bool		 has_rows, has_width;
	uint64_t	 rows, width;		/* width: columns */
	struct mp_value	 columns, types;	/* arrays, or MP_NIL */
	struct buf	 sample;		/* an array of rows, complete after all answers */
	size_t		 mark, nsample;
	struct err	 why;			/* the reason when columns is MP_NIL */
	uint64_t	 weight;		/* the estimated cost of counting */
	bool		 skip[2];		/* what not to ask: columns; number of rows */
};

struct dataset_look;

struct datasets {
	struct call	*call;
	size_t		 n;
	struct dataset	*v;
	/* the questions of datasets_look() */
	unsigned	 rows;
	uint64_t	 answer_ns[2];	/* time for each answer: columns; number of rows */
	uint64_t	 all_ns[2];	/* time for starting further questions of each kind */
	bool		 counting, more;
	size_t		 next;
	struct dataset	**order;
	uint64_t	 until_ns;
	struct dataset_look	*questions;	/* two for each dataset */
	uint8_t		*lanes;		/* by connection */
};

/* All published datasets, or only the one with this id or name.  Borrows from the call.  -1 with *err. */
int datasets_ask(struct call *c, struct span id, struct datasets *out, struct err *err);

/* -1 with the error that there is no dataset of this id. */
int datasets_none(struct span id, struct err *err);

/*
 * Ask the databases of all datasets for their columns, with at most `rows` sample rows, and for their number of rows,
 * unless known or skipped.  Answers that are late are missing.
 */
int datasets_look(struct datasets *all, unsigned rows, struct err *err);
void datasets_fini(struct datasets *all);

/* The table in the latest scan; NULL: no scan, or not in it. */
const struct schema_table *datasets_scanned(const struct connection *from, const struct dataset *d);

/* Exclude from the search the documents that the current column policies protect from anybody. */
void datasets_withhold(struct call *c, const struct datasets *all);

#endif
