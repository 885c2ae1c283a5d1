/*
 * caller - the party behind a connection and behind a request, the principal that a credential makes of it, and the
 * share of the front that each may use.
 *
 * A connection belongs to a user on this machine and to an address elsewhere.  A request that a
 * trusted proxy forwards belongs to the client that the proxy saw: the rightmost hop that is no proxy
 * itself.  Only the owner, the user the daemon runs as, may use all connections.  All others together
 * leave room.
 */
#ifndef FRONT_WHO_CALLER_H
#define FRONT_WHO_CALLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "base/span.h"
#include "front/wire/access.h"
#include "front/wire/address.h"

struct conn;
struct event_keeper;
struct front;
struct http_request;

/* Shares of n connections, or of n bytes of unfinished requests. */
#define CALLER_OTHERS(n)	((n) / 4 * 3)	/* all parties but the owner, together */
#define CALLER_PROXY(n)		((n) / 2)	/* connections of one trusted proxy; bytes of one party but the owner */
#define CALLER_USER(n)		((n) / 16 > 64 ? (n) / 16 : 64)	/* another user of this machine: connections */

/* Find the party that c->fd is connected to and fill in c.  Undone by caller_leave(). */
void caller_arrive(struct conn *c, const struct sockaddr *sa);
void caller_leave(struct conn *c);

/*
 * The HTTP status that refuses c, or 0.  There are `conns` connections, `others` of them not the
 * owner's, of `max` at most.
 */
int caller_room(const struct conn *c, unsigned conns, unsigned others, unsigned max);

/*
 * A request begins: from now on the client named by a proxy is counted.  Returns the HTTP status that
 * refuses the request, or 0.  Undone by caller_end().
 */
int caller_begin(struct conn *c, const struct http_request *q);
void caller_end(struct conn *c);

/* The party that is counted for c at present; borrowed. */
struct address *caller_address(const struct conn *c);

/* Where the client of c is, for people: what counts as a user of this machine is at 127.0.0.1. */
void caller_put_address(const struct conn *c, char out[ADDRESS_TEXT_MAX]);

/* Whether the request may pass as the owner's without a credential.  *uid is the client's user, when known. */
enum access_peer caller_peer(struct conn *c, const struct http_request *q, uint32_t *uid);
bool caller_is_owner(struct conn *c, const struct http_request *q);

/*
 * Whether the bytes of c's unfinished requests exceed its party's share.  all: bytes of all parties;
 * others: bytes of all but the owner; max: the bound.
 */
bool caller_overdrawn(const struct conn *c, size_t all, size_t others, size_t max);

/* --- principals ------------------------------------------------------------------ */

/* The kind of a principal.  CLI: the owner's command line over control.sock. */
enum principal_kind { PRINCIPAL_LOCAL, PRINCIPAL_CLI, PRINCIPAL_STATIC, PRINCIPAL_TOKEN, PRINCIPAL_USER,
	PRINCIPAL_PAGE };

#define PRINCIPAL_PAGE_PREFIX	"page:"	/* before the principal at the administration page */
#define PRINCIPAL_STATIC_ID	"static"

/* What a user allowed a client: the sid of its access tokens. */
struct user_grant {
	LIST_ENTRY(user_grant)	next;
	char			id[33];
};

/*
 * A party that may send requests: "local:1000", "static", "token:7fKq2LmX", "user:ada".  A user is one for each
 * client and resource that it comes by.
 */
struct principal {
	LIST_ENTRY(principal)	next;
	char			id[80];
	char			*binding;	/* of a user: id, client and resource; NULL: id says all */
	char			*metadata;	/* of a user: URL of the resource's metadata; NULL: none */
	LIST_HEAD(, user_grant)	grants;		/* of a user: those it has come with */
	const struct user_grant	*grant;		/* the current request's; NULL: none */
	uint32_t		may;		/* of a user: what its role could have */
	enum principal_kind	kind;
	uint32_t		scopes;		/* the scopes that its credential grants now */
	unsigned		in_flight;	/* tool calls being served */
	unsigned		admitting;	/* those that wait until they may begin */
	uint64_t		minute_ns;	/* start of the minute that calls are counted in */
	unsigned		in_minute;	/* calls in that minute */
	/* the principal's share of common resources: share.h */
	unsigned		ntasks, nlistens, nuris;
	size_t			task_bytes;	/* bytes of the outcomes of its tasks */
	uint64_t		result_bytes;	/* bytes of its results, being built or sent */
	struct event_keeper		*keeper;	/* owned by stream.c; NULL: no events are stored */
};

/*
 * Find or create the principal with this id; from now on it has these scopes.  Principals live as long
 * as the front.
 */
struct principal *principal_of(struct front *f, enum principal_kind kind, const char *id, uint32_t scopes);

/* Find or create the principal of a user, of the client that the user signed in by and of the resource. */
struct principal *principal_of_user(struct front *f, const char *id, struct span client, struct span resource);

/* The user's grant with this id, added to the principal's grants. */
const struct user_grant *principal_grant(struct principal *who, struct span id);

bool principal_has_grant(const struct principal *who, struct span id);

/* Remove the grant from the principal's; with an empty id, all of them. */
void principal_forget_grant(struct principal *who, struct span id);

/* The identity that a session of this principal is bound to. */
struct span principal_binding(const struct principal *who);

void principal_free(struct principal *who);

/* The scopes that another credential of the same kind could have. */
uint32_t principal_reach(const struct principal *who);

/* The principal with the largest value; NULL: all are zero. */
struct principal *principal_greatest(const struct front *f, size_t (*has)(const struct principal *who));

#endif
