/*
 * postgres_prepared - the statements that the connection keeps prepared.
 *
 * Reading and planning a small statement costs the server more than running it.  So a statement that leaves nothing
 * behind (postgres_db.h, alone) is prepared under a name when it comes for the second time, and later run by that
 * name.  Any other statement, and the proof of the session at least every PG_SESSION_CHECK_MAX_AGE, is preceded by
 * DEALLOCATE ALL: then none is prepared, and what the proof counts was prepared by somebody else.
 *
 * When the catalogue changes the server plans what it concerns again.  If the columns are others, or the name is not
 * known, the server refuses it before the first row, and the statement is sent as a text again.
 */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/parameter_types.h"

#define PG_PREPARED_SLOTS	32u
#define PG_PREPARED_MOST	64u	/* made between two DEALLOCATE ALL: what the server keeps at most */
#define PG_PREPARED_TEXT_MAX	8192u	/* longer statements are not kept */

struct pg_round_trip;

/* A statement that came; the same text with parameters of other types is another one. */
struct pg_prepared_slot {
	uint64_t	 hash;
	char		*text;			/* NULL: the slot is free */
	size_t		 len;
	int		 nparams;
	Oid		 types[PARAMETERS_MOST];
	char		 name[24];		/* empty: not prepared */
};

struct pg_prepared {
	struct pg_prepared_slot	 slots[PG_PREPARED_SLOTS];
	struct pg_prepared_slot	*now;		/* of the statement chosen last; NULL: it is sent as a text */
	bool			 is_new;	/* it is to be prepared first */
	unsigned		 made;		/* since the last DEALLOCATE ALL */
	uint64_t		 number;	/* of the last name */
};

/* How a statement that runs alone is sent: sets now and is_new. */
void postgres_prepared_choose(struct pg_prepared *p, const struct pg_round_trip *t);

/* The next statement is sent as a text. */
void postgres_prepared_choose_none(struct pg_prepared *p);

/* The server has none any more: DEALLOCATE ALL was sent. */
void postgres_prepared_forget(struct pg_prepared *p);

/*
 * Whether the refusal, before any row, may concern what is kept and not the statement, which is then to be sent again.
 * A refusal to prepare is the statement's own.  Either way the name is not used again.
 */
bool postgres_prepared_is_stale(struct pg_prepared *p, const PGresult *refusal);

void postgres_prepared_fini(struct pg_prepared *p);
