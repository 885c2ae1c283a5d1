/*
 * session - legacy MCP sessions that live in their own id.
 *
 * An id is base64url over version, negotiated revision, what the client said
 * it can be asked, time of birth, whose it is, a random part and a MAC of all
 * that and the principal's name.  So it survives a restart of the front, any node can check
 * it, a client cannot invent one, and under another principal it is not a
 * session at all.  What is kept here is only what the id cannot say: when a
 * session was last used, and which ones have ended; each principal has room of
 * its own for that.
 */
#ifndef FRONT_SESSION_H
#define FRONT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define SESSION_BODY		26	/* bytes before the MAC: what SESSION_ENDED carries */
#define SESSION_ID_LEN		56	/* characters */
#define SESSION_ASK_S		30	/* among several fronts: what another knows is waited for this long */
#define SESSION_LIFE_S		86400	/* older than this: ended, whatever its use */
#define SESSION_KNOWN_EACH	16384	/* of one principal; beyond: its longest unused is forgotten, not ended */
#define SESSION_KNOWN_MAX	65536	/* of all; beyond: that of who has the most */
#define SESSION_ENDED_EACH	16384	/* of one principal; beyond: its sessions older than the one dropped count as ended */
#define SESSION_ENDED_MAX	131072	/* of all; beyond: those of who has the most */

struct sessions;

struct session {
	uint8_t		body[SESSION_BODY];	/* identifies it */
	unsigned	revision;		/* enum mcp_revision, below 8 */
	unsigned	can;			/* IPC_CAN_*, below 32 */
	unsigned	notices;		/* as session_set_notices() had it here; 0 after a restart */
};

/* Those that are not used for idle_s seconds end. */
struct sessions *sessions_new(const uint8_t key[32], uint64_t idle_s);
void sessions_free(struct sessions *s);

/* Begin one; id is NUL-terminated. */
void session_begin(struct sessions *s, unsigned revision, unsigned can, struct span principal,
    uint64_t unix_s, char id[SESSION_ID_LEN + 1]);

/*
 * Is id a live session of principal?  Marks it used.  False for whatever
 * else it may be: the caller says 404 without saying why.
 */
bool session_check(struct sessions *s, struct span id, struct span principal, uint64_t unix_s,
    struct session *out);

/* Which notices its client wants: 0 none, else 1 + the least level. */
void session_set_notices(struct sessions *s, const uint8_t body[SESSION_BODY], unsigned notices);

/*
 * What others keep with a session while it is known here.  gone() is called
 * once with what is not NULL when the session ends or is forgotten; in_use()
 * says that it is not idle although no request comes.
 */
void sessions_hooks(struct sessions *s, void (*gone)(void *own), bool (*in_use)(void *own));

/* Other fronts have the same sessions: what is idle here may be in use there. */
void sessions_share(struct sessions *s);

/* Where that is kept.  NULL when the session is not known, or ended. */
void **session_own(struct sessions *s, const uint8_t body[SESSION_BODY]);

/* Remember that the session with this body ended, until it would have expired. */
void session_end(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s);

/* All sessions of that owner that expire no later have ended. */
void session_end_before(struct sessions *s, uint64_t owner, uint64_t expires);

/* Whose it is: a number that stands for its principal and tells nothing of it. */
uint64_t session_owner(const uint8_t body[SESSION_BODY]);

/* Until when an ended session must be remembered. */
uint64_t session_expiry(const uint8_t body[SESSION_BODY]);

struct sweep_hooks {
	void	(*ended)(void *arg, const uint8_t body[SESSION_BODY]);
	/* Ask the other fronts whether they saw it; NULL: there is no other. */
	void	(*ask)(void *arg, const uint8_t body[SESSION_BODY]);
	void	*arg;
};

/*
 * End what was idle for too long, here or by what others say; hooks
 * may be NULL.  Forget ended ones that have expired.  Call every minute.
 */
void sessions_sweep(struct sessions *s, uint64_t unix_s, const struct sweep_hooks *hooks);

/* Another front asks: was it used here lately enough? */
bool session_in_use(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s);

/* Another front says that it was used there. */
void session_used(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s);

size_t sessions_known(const struct sessions *s);

#endif
