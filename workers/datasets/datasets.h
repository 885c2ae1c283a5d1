/* datasets - the tools of published datasets, which carrel-search serves, and what they share. */
#ifndef DATASETS_DATASETS_H
#define DATASETS_DATASETS_H

#include "workers/search/tools/search.h"

/* --- tools ---------------------------------------------------------------------- */

int tool_list_datasets(struct call *c, const struct mp_value *args, struct err *err);
int tool_get_schema(struct call *c, const struct mp_value *args, struct err *err);
int tool_search(struct call *c, const struct mp_value *args, struct err *err);
int tool_sql(struct call *c, const struct mp_value *args, struct err *err);

/* The owner's: the same with what belongs to whom, and whether a table can be published. */
int tool_dataset_list(struct call *c, const struct mp_value *args, struct err *err);
int tool_dataset_check(struct call *c, const struct mp_value *args, struct err *err);

/* A page of the texts of a published table's column, which the owner wants to be searched. */
int tool_dataset_column(struct call *c, const struct mp_value *args, struct err *err);

/* --- what they share ------------------------------------------------------------- */

/* A row of carrel-auth's answer; texts borrow from it. */
struct dataset {
	struct span	 id, name, connection, db, table, description, type, created_at;
	uint64_t	 since_ms;		/* published, for the last time of several; 0: unknown */

	/* What databases said; in the call's arena. */
	bool		 has_rows, has_width;
	uint64_t	 rows, width;		/* width: columns */
	struct mp_value	 columns, types;	/* arrays, or MP_NIL */
	struct buf	 sample;		/* an array of rows, once all were asked */
	size_t		 mark, nsample;
	struct err	 why;			/* columns is MP_NIL: the reason */
	uint64_t	 weight;		/* what it is likely to cost to count */
	bool		 skip[2];		/* not to be asked: for columns, for the number of rows */
};

struct look;

struct datasets {
	struct call	*call;
	size_t		 n;
	struct dataset	*v;
	/* What is being asked: see datasets_look(). */
	unsigned	 rows;
	uint64_t	 answer_ns[2];	/* how long a database may take for columns, and for a number of rows */
	uint64_t	 all_ns[2];	/* and how long more is asked of each */
	bool		 counting, more;
	size_t		 next;
	struct dataset	**order;
	uint64_t	 until_ns;
	struct look	*questions;	/* two a dataset */
	uint8_t		*lanes;		/* by connection */
};

/* All that is published, or with an id or a name only that.  Borrows from the call.  -1 with *err. */
int datasets_ask(struct call *c, struct span id, struct datasets *out, struct err *err);

/* -1 with the error that there is no dataset of this id. */
int datasets_none(struct span id, struct err *err);

/*
 * Ask the databases of all of them: their columns, with so many rows to sample, and how many rows they have, unless
 * that is known or skipped.  What one does not say in time is missing.
 */
int datasets_look(struct datasets *all, unsigned rows, struct err *err);
void datasets_fini(struct datasets *all);

/* What the latest scan says of the table; NULL: there is none, or it does not have it. */
const struct schema_table *datasets_scanned(const struct connection *from, const struct dataset *d);

/* Withhold from the search what the column policies of now protect from anybody. */
void datasets_withhold(struct call *c, const struct datasets *all);

#endif
