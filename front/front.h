/* front - the state shared by the parts of this process: one thread, one event loop, one struct front. */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "front/access.h"
#include "front/http_write.h"
#include "front/tool_result.h"
#include "front/router.h"
#include "front/session.h"
#include "front/signer.h"
#include "front/tools.h"
#include "ipc/contract.h"

#define FRONT_TICK_MS		100	/* between checks of deadlines; one second while nobody is connected */
/* after SHUTDOWN, time for requests that were sent already: closing their connections would lose them */
#define FRONT_LULL_NS		(250 * CLOCK_MS)

#define FRONT_ROLES		7	/* bits of enum ipc_role */

struct conns;
struct locals;
struct statuses;
struct ending;
struct exchange;
struct hub;
struct event_keeper;
struct listen;
struct metering;
struct oauth;
struct streams;
struct subscribers;
struct elicitation;
struct task;
struct verify;
struct admissions;

/* The kind of a principal.  CLI: the owner's command line over control.sock. */
enum principal_kind { PRINCIPAL_LOCAL, PRINCIPAL_CLI, PRINCIPAL_STATIC, PRINCIPAL_TOKEN, PRINCIPAL_USER,
	PRINCIPAL_PAGE };

#define PRINCIPAL_PAGE_PREFIX	"page:"	/* before whoever is at the administration page */
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

/* Counters for status. */
struct figures {
	uint64_t	requests, refused, calls, failed, cancelled;
	uint64_t	began_unix_ms;
};

/* How much front_log_refusal() has logged in this second. */
struct refusals {
	uint64_t	second;
	unsigned	said, unsaid;
};

/* What the configuration says, beside struct access. */
struct front_conf {
	char		*project_dir, *scheme;	/* directory and URI scheme of resources */
	unsigned	 auth_failures_per_min, block_s;	/* wrong credentials of one party */
	unsigned	 in_flight_max, research_per_min;
	size_t		 body_max;	/* bound on the bytes of one message */
	uint64_t	 sweep_ns;	/* interval of the sweep for idle sessions */
	bool		 alone;		/* the only front of the project */
	bool		 audit_lenient;	/* calls that cannot be put on record are answered */
	bool		 private;	/* serves one local client and ends with it */
};

/* What carrel-auth has told. */
struct front_auth {
	bool		up;		/* it greeted on the channel that is open, so it can be asked */
	bool		heard;		/* connectivity was told at least once since the front began */
	bool		connectivity;	/* the owner has it switched on, as was told last; kept while up is false */
};

/* From SHUTDOWN on. */
struct front_stop {
	bool		begun;		/* every response says Connection: close */
	uint64_t	close_ns;	/* connections without a request are closed from then on */
	uint64_t	until_ns;	/* latest end of the shutdown */
	bool		done;
	int		exit_code;
};

struct front {
	struct event_base	*base;
	struct event		 tick;
	struct contract_watch	*watch;
	int			 netlink;	/* for peer_uid() */
	struct control		*control;	/* this end of the control channel */

	struct access		 access;
	struct front_conf	 conf;
	bool			 degraded;	/* confinement is weaker than required */
	struct front_auth	 auth;
	struct front_stop	 stop;

	/* parts */
	struct tools		*tools;
	struct router		*router;
	struct sessions		*sessions;
	struct signer		 cursors;	/* signs positions in lists */
	struct signer		 states;	/* signs what a modern client brings back with its answers */
	struct result_budget	 results;
	struct conns		*conns;
	struct locals		*locals;
	struct metering		*metering;	/* what is counted for /metrics */
	struct audits		*audits;
	struct verify		*verify;	/* credentials that carrel-auth knows */
	struct admissions	*admissions;	/* calls that wait until they may begin */
	struct oauth		*oauth;		/* people sign in, by OAuth */
	struct statuses		*statuses;
	struct subscribers	*subscribers;
	struct streams		*streams;	/* event streams of legacy sessions */

	LIST_HEAD(endings, ending) endings;	/* principals whose credentials have ended just now */
	LIST_HEAD(principals, principal)	 principals;
	LIST_HEAD(running, exchange)	 running;	/* requests without an answer yet */
	LIST_HEAD(asking_list, elicitation)	 asking;	/* requests whose client is asked a question */
	struct {
		TAILQ_HEAD(spares, exchange)	 list;	/* exchanges kept for reuse */
		unsigned			 n;
	}	spare;
	struct {
		LIST_HEAD(hubs, hub)		 all;
		TAILQ_HEAD(empty_hubs, hub)	 empty;	/* without a stream, the longest first */
	}	hubs;
	struct {
		LIST_HEAD(listens, listen)	 list;	/* open subscriptions/listen streams */
		unsigned			 n;
	}	listens;
	struct {
		TAILQ_HEAD(tasks, task)		 list;	/* oldest first */
		unsigned			 n;
		size_t				 bytes;	/* of their outcomes */
	}	tasks;

	/* serial of the last request; the upper half differs per run of the front */
	uint64_t		 serial;
	/* digest of each role's offer, by bit of the role; 0: not known */
	uint64_t		 digests[FRONT_ROLES];
	struct {
		struct buf	 text;		/* empty: not asked for yet */
		unsigned	 changes;	/* tools_changes() when it was composed */
	}			 openapi;	/* all of the document but its servers: anybody may ask for it */
	uint64_t		 swept_ns;	/* time of the last sweep of sessions */
	struct http_date_line	 date;
	struct refusals		 refusals;
	struct figures		 figures;
};

/*
 * Find or create the principal with this id; from now on it has these scopes.  Principals live as long
 * as the front.
 */
struct principal *front_principal(struct front *f, enum principal_kind kind, const char *id, uint32_t scopes);

/* Find or create the principal of a user, of the client that the user signed in by and of the resource. */
struct principal *front_user(struct front *f, const char *id, struct span client, struct span resource);

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
struct principal *front_greatest(const struct front *f, size_t (*has)(const struct principal *who));

/* Log a refusal.  At most a few lines are written per second; the rest are counted. */
void front_log_refusal(struct front *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
