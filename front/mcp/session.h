/*
 * session - legacy MCP sessions whose state is in their id.
 *
 * An id is base64url over version, negotiated revision, client capabilities, time of birth, owner, a
 * random part, and a MAC over all of these and the principal's name; behind it what the client said it
 * is, which the MAC covers, too.  Sessions therefore survive a
 * restart of the front, and every front with the same key can check them.  A client cannot invent an
 * id, and an id is invalid for any other principal.  This table only holds what the id cannot contain:
 * when a session was last used, and which sessions have ended.  Each principal has room of its own in
 * the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define SESSION_BODY		26	/* bytes before the MAC; the id in SESSION_ENDED */
#define SESSION_ID_LEN		56	/* characters of an id that names no client */
#define SESSION_CLIENT_MAX	96u	/* bytes of a client's name and version */
#define SESSION_ID_MAX		(SESSION_ID_LEN + (SESSION_CLIENT_MAX + 2) / 3 * 4)
#define SESSION_ASK_S		30	/* wait for the other fronts' answers */
#define SESSION_LIFE_S		86400	/* maximum age, even of a session in use */
#define SESSION_KNOWN_EACH	16384	/* per principal; beyond: the least recently used is forgotten, not ended */
#define SESSION_KNOWN_MAX	65536	/* of all principals; beyond: one of the principal with the most is forgotten */
#define SESSION_ENDED_EACH	16384	/* per principal; beyond: one is dropped, and older sessions count as ended */
/* of all principals; beyond: those of the principal with the most are dropped */
#define SESSION_ENDED_MAX	131072

struct sessions;

struct session {
	uint8_t		body[SESSION_BODY];	/* the session's identity */
	unsigned	revision;		/* enum mcp_revision, below 8 */
	unsigned	can;			/* IPC_CAN_*, below 32 */
	unsigned	notices;		/* as set by session_set_notices() on this front; 0 after a restart */
};

/* Sessions end after idle_s seconds without use. */
struct sessions *sessions_new(const uint8_t key[32], uint64_t idle_s);
void sessions_free(struct sessions *s);

/* Begin a session; id is NUL-terminated.  client: what it says it is, UTF-8; its beginning is kept; empty: nothing. */
void session_begin(struct sessions *s, unsigned revision, unsigned can, struct span principal, struct span client,
    uint64_t unix_s, char id[SESSION_ID_MAX + 1]);

/*
 * Whether id is a live session of principal.  Marks the session as used.  False has many causes; the
 * caller answers 404 without naming the cause.
 */
bool session_check(struct sessions *s, struct span id, struct span principal, uint64_t unix_s,
    struct session *out);

/*
 * What the client of a session said it is, at most SESSION_CLIENT_MAX bytes of it; empty: nothing.  It is set where it
 * is said after the session began (HTTP+SSE); such a session is known to one front alone.
 */
void session_set_client(struct sessions *s, const uint8_t body[SESSION_BODY], struct span client);
struct span session_client(const struct sessions *s, const uint8_t body[SESSION_BODY]);

/* Set the log notices that the client wants: 0 none, else 1 + the lowest level. */
void session_set_notices(struct sessions *s, const uint8_t body[SESSION_BODY], unsigned notices);

/*
 * Hooks for data that another module keeps with a session (session_own()).  gone() is called once,
 * with data that is not NULL, when the session ends or is forgotten.  in_use() tells that a session
 * without requests is not idle.
 */
void sessions_hooks(struct sessions *s, void (*gone)(void *own), bool (*in_use)(void *own));

/* Several fronts serve the same sessions: a session idle here may be in use elsewhere. */
void sessions_share(struct sessions *s);

/* So do other nodes, which cannot be asked: a session that is idle here is forgotten, and has not ended. */
void sessions_scatter(struct sessions *s);

/* The place for the other module's data.  NULL when the session is unknown or has ended. */
void **session_own(struct sessions *s, const uint8_t body[SESSION_BODY]);

/* Remember that this session has ended, until its id expires. */
void session_end(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s);

bool session_has_ended(const struct sessions *s, const uint8_t body[SESSION_BODY]);

/* One of the live sessions of principal that are known here.  False if absent. */
bool session_of(const struct sessions *s, struct span principal, uint8_t body[SESSION_BODY]);

/* All sessions of that owner that expire at this time or earlier have ended. */
void session_end_before(struct sessions *s, uint64_t owner, uint64_t expires);

/* The owner's pseudonym: a number that reveals nothing of the principal. */
uint64_t session_owner(const uint8_t body[SESSION_BODY]);

/* When the id expires; an ended session must be remembered until then. */
uint64_t session_expiry(const uint8_t body[SESSION_BODY]);

struct sweep_hooks {
	void	(*ended)(void *arg, const uint8_t body[SESSION_BODY]);
	/* Ask the other fronts whether the session is in use; NULL: there are no others. */
	void	(*ask)(void *arg, const uint8_t body[SESSION_BODY]);
	void	*arg;
};

/*
 * End sessions that are idle, here and on the other fronts; hooks may be NULL.  Forget ended sessions
 * whose ids have expired.  Call every minute.
 */
void sessions_sweep(struct sessions *s, uint64_t unix_s, const struct sweep_hooks *hooks);

/* Another front asks whether the session was used here recently. */
bool session_in_use(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s);

/* Another front reports that the session is in use there. */
void session_used(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s);

size_t sessions_known(const struct sessions *s);
