/* principal - a party that may send requests, and its share of the front. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/span.h"

struct event_keeper;
struct front;

/* The kind of a principal.  CLI: the owner's command line over control.sock. */
enum principal_kind { PRINCIPAL_LOCAL, PRINCIPAL_CLI, PRINCIPAL_STATIC, PRINCIPAL_TOKEN, PRINCIPAL_USER,
	PRINCIPAL_PAGE };

#define PRINCIPAL_PAGE_PREFIX	"page:"	/* before the principal at the administration page */
#define PRINCIPAL_STATIC_ID	"static"

/* What a user allowed a client: the sid of its access tokens. */
struct user_grant {
	LIST_ENTRY(user_grant)	next;
	char			id[33];
	uint64_t		until_unix_ms;	/* of another issuer's tokens: when the last one ends; else 0 */
	bool			watched;	/* carrel-auth, which started again, may not know of it */
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
	struct buf		tools;		/* the team's tools that its credential names: policy/scopes.h */
	struct buf		may_tools;	/* of a user: those that its role names */
	uint32_t		scopes;		/* the scopes that its credential grants now */
	struct buf		claims;		/* what is known of it, as CALL has it; empty: nothing */
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
struct user_grant *principal_grant(struct principal *who, struct span id);

/* Its claims are these from now on. */
void principal_put_claims(struct principal *who, struct span claims);

/* The grant, of all principals of that name, is watched no more. */
void principal_unwatch(struct front *f, struct span name, struct span grant);

/* The team's tools that its credential, and its role, name from now on. */
void principal_put_tools(struct principal *who, struct span tools, struct span may_tools);

bool principal_has_grant(const struct principal *who, struct span id);

/* Remove the grant from the principal's; with an empty id, all of them. */
void principal_forget_grant(struct principal *who, struct span id);

/* Whether it is this machine's owner, who needs no credential. */
bool principal_is_owner(const struct principal *who);

/* The identity that a session of this principal is bound to. */
struct span principal_binding(const struct principal *who);

void principal_free(struct principal *who);

/* The scopes that another credential of the same kind could have. */
uint32_t principal_reach(const struct principal *who);

/* The principal with the largest value; NULL: all are zero. */
struct principal *principal_greatest(const struct front *f, size_t (*has)(const struct principal *who));
