/*
 * front - what the parts of this process share.  One thread, one loop, one of
 * these.
 */
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
#include "front/cursor.h"
#include "front/http_write.h"
#include "front/result.h"
#include "front/router.h"
#include "front/session.h"
#include "front/tools.h"
#include "ipc/contract.h"

#define FRONT_TICK_MS		100	/* between looks at deadlines; a second while nobody is connected */
#define FRONT_LULL_NS		(250 * CLOCK_MS)	/* after SHUTDOWN, for requests that are on their way: dropping a connection loses them */

#define FRONT_ROLES		7	/* bits of enum ipc_role */

struct conns;
struct locals;
struct statuses;
struct exchange;
struct hub;
struct keeper;
struct listen;
struct streams;
struct subscribers;
struct asking;
struct task;

/* Somebody who may ask: "local:1000", "token:static". */
struct principal {
	LIST_ENTRY(principal)	next;
	char			id[64];
	uint32_t		scopes;
	unsigned		in_flight;	/* tool calls being served */
	uint64_t		minute_ns;	/* began then, for the rate */
	unsigned		in_minute;	/* calls since */
	/* of what all share: share.h */
	unsigned		ntasks, nlistens, nuris;
	size_t			task_bytes;	/* of their outcomes */
	uint64_t		result_bytes;	/* of those being made or sent */
	struct keeper		*keeper;	/* stream.c's; NULL: it keeps nothing */
};

/* What status shows. */
struct figures {
	uint64_t	requests, refused, calls, failed, cancelled;
	uint64_t	began_unix_ms;
};

/* What front_log_refusal() has said this second. */
struct refusals {
	uint64_t	second;
	unsigned	said, unsaid;
};

struct front {
	struct event_base	*base;
	struct event		 tick;
	struct contract_watch	*watch;
	int			 netlink;	/* for peer_uid() */

	/* configuration */
	struct access		 access;
	char			*project_dir, *scheme;	/* of resources */
	unsigned		 in_flight_max, research_per_min;
	size_t			 body_max;	/* bytes of one message */
	uint64_t		 sweep_ns;	/* between looks for idle sessions */
	bool			 alone;		/* no other front shares its port */
	bool			 private;	/* serves one local client and ends with it */
	bool			 degraded;	/* confined less than required */
	char			 note[512];	/* what is missing then */

	/* parts */
	struct tools		*tools;
	struct router		*router;
	struct sessions		*sessions;
	struct cursors		 cursors;
	struct result_budget	 results;
	struct conns		*conns;
	struct locals		*locals;
	struct statuses		*statuses;
	LIST_HEAD(principals, principal)	 principals;
	LIST_HEAD(running, exchange)	 running;	/* requests owed an answer */
	TAILQ_HEAD(spares, exchange)	 spare;		/* exchanges kept for reuse */
	unsigned		 nspare;
	struct subscribers	*subscribers;
	struct streams		*streams;	/* of legacy sessions */
	LIST_HEAD(hubs, hub)	 hubs;
	TAILQ_HEAD(empty_hubs, hub)	 empty_hubs;
	LIST_HEAD(listens, listen)	 listens;	/* open subscriptions/listen streams */
	unsigned		 nlistens;
	uint64_t		 digests[FRONT_ROLES];	/* of what each role offers, by bit; 0: not told */
	TAILQ_HEAD(tasks, task)	 tasks;		/* oldest first */
	unsigned		 ntasks;
	size_t			 task_bytes;	/* of their outcomes */
	LIST_HEAD(asking_list, asking)	 asking;	/* those whose client is asked something */

	uint64_t		 serial;	/* of the last request; the upper half tells this front's life from others */
	uint64_t		 swept_ns;	/* sessions were swept then */
	struct http_date_line	 date;
	struct refusals		 refusals;
	struct figures		 figures;
	bool			 stopping;	/* SHUTDOWN came: every answer says Connection: close */
	uint64_t		 close_ns;	/* from then on connections without a request are closed */
	uint64_t		 stop_ns;	/* latest end of that */
	bool			 done;
	int			 exit_code;
};

/* The principal with this id; made on first sight.  Never freed while the front lives. */
struct principal *front_principal(struct front *f, const char *id, uint32_t scopes);

/* Who has most of something; NULL: nobody has any. */
struct principal *front_greatest(const struct front *f, size_t (*has)(const struct principal *who));

/* A refusal worth a line, at most a few a second; the rest are counted. */
void front_log_refusal(struct front *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* --- control.c ----------------------------------------------------------------- */

/* Tell the supervisor: a session ended, what carrel status shows. */
void control_session_ended(void *front, const uint8_t body[SESSION_BODY]);
/* Ask the other fronts whether they saw it. */
void control_session_ask(void *front, const uint8_t body[SESSION_BODY]);
bool control_ask_status(struct front *f, uint64_t serial);

#endif
