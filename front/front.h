/* front - the state shared by the parts of this process: one thread, one event loop, one struct front. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "front/wire/access.h"
#include "front/lease.h"
#include "front/who/principal.h"
#include "front/wire/http_write.h"
#include "front/calls/tool_result.h"
#include "front/calls/router.h"
#include "front/mcp/session.h"
#include "front/mcp/session_over.h"
#include "front/wire/seal.h"
#include "front/wire/signer.h"
#include "front/calls/tools.h"
#include "ipc/contract.h"

#define FRONT_TICK_MS		100	/* between checks of deadlines; one second while there is no connection */
/* after SHUTDOWN, time for requests that were sent already: closing their connections would lose them */
#define FRONT_LULL_NS		(250 * CLOCK_MS)

#define FRONT_ROLES		7	/* bits of enum ipc_role */

struct conns;
struct era;
struct locals;
struct statuses;
struct ending;
struct exchange;
struct hub;
struct listen;
struct metering;
struct metrics_page;
struct foreign_tokens;
struct oauth;
struct streams;
struct subscribers;
struct elicitation;
struct task;
struct verify;
struct admissions;

/* Counters for status. */
struct figures {
	uint64_t	requests, refused, calls, failed, cancelled;
	uint64_t	began_unix_ms;
};

/* What the configuration says, apart from struct access. */
struct front_conf {
	char		*project_dir, *scheme;	/* directory and URI scheme of resources */
	unsigned	 auth_failures_per_min, block_s;	/* wrong credentials of one party */
	unsigned	 in_flight_max, research_per_min;
	size_t		 body_max;	/* bound on the bytes of one message */
	uint64_t	 sweep_ns;	/* interval of the sweep for idle sessions */
	bool		 alone;		/* the only front of the project */
	bool		 audit_lenient;	/* calls that cannot be put on record are answered */
	bool		 private;	/* serves one local client and ends with it */
	bool		 brief;		/* surface.result_text: brief */
	unsigned	 export_rows, export_ms, export_link_s;	/* export_rows 0: results have no links */
};

/* What carrel-auth has told. */
struct front_auth {
	bool		up;		/* it greeted on the channel that is open, so it can be asked */
	bool		heard;		/* connectivity was told at least once since the front began */
	char		failing[512];	/* why the audit's store is not well; "": it is */
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
	uint64_t		 serve_ns;	/* until then connections wait: auth_link.h; 0: they do not */
	struct front_auth	 auth;
	struct front_lease	 lease;
	struct front_stop	 stop;

	/* parts */
	struct tools		*tools;
	struct router		*router;
	struct sessions		*sessions;
	struct signer		 cursors;	/* signs positions in lists */
	struct seal		 links;		/* of exports */
	struct signer		 states;	/* signs what a modern client brings back with its answers */
	struct result_budget	 results;
	struct conns		*conns;
	struct locals		*locals;
	struct {
		bool	open, principals;	/* principals: telemetry.principals */
		int	fd;
		uint8_t	key[32];		/* of the digests of statements */
	}			 spans;		/* the channel to carrel-telemetry: observe.h */
	struct metering		*metering;	/* what is counted for /metrics */
	struct metrics_page	*metrics_page;	/* who waits for it */
	struct audits		*audits;
	struct verify		*verify;	/* credentials that carrel-auth knows */
	struct admissions	*admissions;	/* calls that wait until they may begin */
	struct oauth		*oauth;		/* people sign in, by OAuth */
	struct foreign_tokens	*foreign;	/* access tokens of other issuers */
	struct statuses		*statuses;
	struct subscribers	*subscribers;
	const struct era	*legacy;	/* the revisions of MCP before 2026-07-28 */
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
	struct sessions_over	 over;		/* what the store of several nodes has not confirmed */
	struct buf		 unsaid;	/* bodies of ended sessions that the supervisor has no room for yet */

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
	struct figures		 figures;
};

/* Whether other nodes, which share the store, serve the same clients. */
static inline bool
front_has_nodes(const struct front *f)
{
	return f->lease.until_ns != 0;
}
