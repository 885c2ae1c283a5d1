/* datasets - the tools of published datasets, which carrel-search serves, and their shared parts. */
#pragma once

#include "workers/search/answer/search.h"

/* A row of carrel-auth's answer; texts borrow from it. */
struct dataset {
	struct span	 id, name, connection, db, table, description, type, created_at;
	uint64_t	 since_ms;		/* the last publication; 0: unknown */

	bool		 table_lacks, texts_lack;	/* what another node imported is not here yet */

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
