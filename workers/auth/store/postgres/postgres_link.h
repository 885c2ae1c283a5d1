/*
 * postgres_link - the connection to the store's server, which carrel-auth waits for no longer than a moment.
 *
 * carrel-auth is one thread.  Statements have their limits on the server; if the answer has not come a moment later,
 * the connection is closed, as its state is not known.  Once it is closed or lost, everything fails at once and says
 * why.
 */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct postgres_link {
	PGconn		*conn;		/* NULL: lost */
	char		 why[256];	/* it was lost */
	unsigned	 patience_ms;	/* for an answer */
	bool		 posted;	/* a statement was sent that is not answered yet */
	int		 outcome;	/* of the one before: 1: done, -1: failed, posted_err says why */
	struct err	 posted_err;
};

/*
 * Connect to the server that can be written, which TLS verifies unless all hosts are local, and settle the session.
 * url is wiped.  -1 with *err; call postgres_link_close() in any case.
 */
int postgres_link_open(struct postgres_link *l, char *url, struct err *err);
void postgres_link_close(struct postgres_link *l);

/* Close a connection that is of no use, unless it was lost before. */
void postgres_link_give_up(struct postgres_link *l, const char *why);

/* -1, with why the connection was lost. */
int postgres_link_fail(const struct postgres_link *l, struct err *err);

/* Take in what the server says unasked, without waiting.  False: the connection was lost. */
bool postgres_link_hear(struct postgres_link *l);

/* The answer to what was sent; sent: what libpq returned for sending it.  Clear it; NULL with *err. */
PGresult *postgres_link_await(struct postgres_link *l, int sent, struct err *err);

/*
 * Do not wait for the answer to what was sent.  postgres_link_posted(): 1: done, 0: not answered yet, -1: it failed.
 * postgres_link_settle(): wait for it, before another statement is sent.
 */
int postgres_link_post(struct postgres_link *l, int sent, struct err *err);
int postgres_link_posted(struct postgres_link *l, struct err *err);
void postgres_link_settle(struct postgres_link *l);

/* The answer to SQL without parameters; of several statements the last one's. */
PGresult *postgres_link_tell(struct postgres_link *l, const char *sql, struct err *err);

/* The same, without an interest in rows; and for one number, which stays if there is no row. */
int postgres_link_do(struct postgres_link *l, const char *sql, struct err *err);
int postgres_link_number(struct postgres_link *l, const char *sql, int64_t *n, struct err *err);
