/*
 * audit_requests - puts on record what becomes of requests, before anybody is answered.
 *
 * The answer to a call, a read resource, a prompt and an opened session waits until carrel-auth has written the entry
 * (AUDIT, AUDITED); so does the refusal of a credential.  While much is going on, and all goes well, carrel-auth takes
 * entries from the front's journal instead (ipc/journal.h): what was put there survives every process, and its answer
 * leaves at once.  If the channel is lost, what is not answered is sent again
 * on the next one.  What cannot be put on record within AUDIT_MS is withheld, or, with audit.on_failure: warn and in a
 * private front, answered with a line in the log.
 *
 * Refusals of one address: the first AUDIT_REFUSALS of a minute have an entry each, the others one together, when
 * the minute is over; so have those beyond AUDIT_REFUSALS_A_SECOND of all addresses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mp.h"
#include "base/span.h"
#include "base/text/uuid.h"
#include "front/wire/address.h"
#include "ipc/messages.h"
#include "policy/audit_words.h"

#define AUDIT_MS		5000u	/* until an entry must be written */
#define AUDIT_WAITS		16384u	/* entries not yet answered; beyond: as if they could not be written */
#define AUDIT_FAILED_S		60u	/* how long a failure makes the health bad without further calls */
#define AUDIT_REFUSALS		5u	/* of an address in a minute, with an entry each */
#define AUDIT_REFUSALS_A_SECOND	20u	/* of all addresses */

struct mcp_answer;
struct audits;
struct audit_wait;
struct conn;
struct exchange;
struct front;
struct http_reply;

/* What is noted of a request while it is served; its texts are in x->audit.texts. */
struct audit_note {
	enum audit_action	action;		/* AUDIT_ACTIONS: it has no entry */
	enum audit_surface	surface;
	enum err_code		code;		/* the error code of the answer; ERR_NONE: it succeeded */
	size_t			target, connection, client, statement;	/* bytes of each, in this order */
	size_t			name;		/* bytes of the client's name in client */
	bool			asked;		/* the statement is a question in words */
	bool			exported;	/* rows, bytes and cut are of an export */
	bool			cut;		/* there were more rows than an export may have */
	uint64_t		rows, bytes;	/* that were given to the client */
	char			ran_as[257];	/* as whom a statement ran; empty: as the account */
	char			ontology[UUID_LENGTH + 1];	/* that it is asked of; empty: none is named */
	uint8_t			statement_sha256[32];
	struct audit_wait	*wait;		/* while the answer waits */
	struct audit_wait	*opening;	/* while what is given before the answer waits */
};

/* key: of the journal's records; empty if absent. */
struct audits *audits_new(struct span key);
void audits_free(struct audits *a);

/* The journal of this front: while carrel-auth looks there, answers need not wait for it.  fd is taken over. */
void audit_journal(struct front *f, int fd);

/* Number of entries that carrel-auth has not confirmed. */
unsigned audits_waiting(const struct audits *a);

/* Note as whom a statement of x ran. */
void audit_ran_as(struct exchange *x, struct span text);

/* Begin the entry of x.  params may be NULL. */
void audit_begin(struct exchange *x, enum audit_action action, const struct mp_value *params);

/* Who x's client says it is, "name version"; borrowed until the next audit_statement(). */
struct span audit_client(const struct exchange *x);

/* Its statement, as it is sent to the database; and the connection that is for. */
void audit_statement(struct exchange *x, struct span connection, struct span sql);

/* The question in words that x asks; empty: none. */
struct span audit_question(const struct exchange *x);

/* Note the error code that the answer of x will carry. */
void audit_code(struct exchange *x, enum err_code code);

/*
 * The answer of x is known.  True: it was taken over, and x is answered by exchange_answer() later.  False: x has no
 * entry, and is answered by the caller.
 */
bool audit_answer(struct exchange *x, const struct mcp_answer *a);

/*
 * x, an export, is about to give away rows before its answer: put that on record.  True: it is.  False: told() hears
 * whether it was written, unless x is answered or ends before.
 */
bool audit_opening(struct exchange *x, void (*told)(struct exchange *x, bool written));
void audit_opening_forget(struct exchange *x);

/* x ends unanswered: its entry says cancelled, unless the entry of its answer was already sent. */
void audit_cancelled(struct exchange *x);

/* Whether entries cannot be written at the moment; then no call may begin. */
bool audit_stalls(const struct front *f);

/*
 * Why the last entry was not written, within the last AUDIT_FAILED_S; NULL: it was.  Who calls nothing any more is no
 * sign of either.
 */
const char *audit_failure(const struct front *f);

/* Record the refusal of c's request with this reply.  True: conn_reply() sends a copy of the reply later. */
bool audit_refusal(struct conn *c, const struct http_reply *reply, struct span code, struct span body);

/* The connection c has ended: drop what waits for it. */
void audit_conn_forget(struct conn *c);

/* A legacy session has ended; principal empty: whose it was is not known any more. */
void audit_session_ended(struct front *f, struct span principal);

/* Handle AUDITED.  False: the message breaks the protocol. */
bool audit_confirm(struct front *f, uint64_t id, const struct ipc_audited *m);

/* The channel to carrel-auth was made or lost. */
void audit_channel(struct front *f, bool up);

void audit_tick(struct front *f, uint64_t now);
