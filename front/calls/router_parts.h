/* router_parts - the router's state; private to router.c, router_admin.c, router_worker.c and subcall.c. */
#pragma once

#include <sys/queue.h>

#include <event2/event_struct.h>

#include "front/calls/quarantine.h"
#include "front/calls/router.h"
#include "front/calls/router_admin.h"
#include "front/wire/signer.h"
#include "ipc/channel.h"
#include "ipc/state.h"

#define PIPELINE_MAX	64u	/* calls sent ahead to one search or memory worker */
#define SLOTS		4096u	/* calls, sub-calls, and cancelled calls that a worker has not answered yet */
#define DEATHS_MAX	2u	/* unplanned worker deaths that one call may meet */
#define DEPTH_MAX	3u	/* nesting of sub-calls; deeper ones are refused */
#define ANSWERS_MAX	((size_t)32 << 20)	/* bytes of answers to sub-calls that an asker may leave unread */
#define AHEAD_MAX	((size_t)4 << 20)	/* unread bytes beyond which an asker gets no progress messages */
#define CREDIT_STEP	4u	/* chunks stored before more credit is given */

TAILQ_HEAD(callq, front_call);
LIST_HEAD(workers, worker);

struct pool {
	LIST_ENTRY(pool)	 next;
	char			 name[IPC_CONNECTION_MAX + 1];	/* the connection's id; other roles: the role's name */
	enum ipc_role		 role;
	struct workers		 workers;
	struct callq		 waiting;
	unsigned		 nwaiting, nworkers;
	enum ipc_pool_state	 state;		/* as CONNECTION_STATE told; other roles: READY */
	char			 reason[1025];
	unsigned		 most;		/* most workers the pool has had at one time */
	uint64_t		 calls, deaths;
	uint64_t		 cost_ns;	/* see ahead.h; 0: not known */
	struct ahead_deaths {
		uint64_t		 last_ns;	/* of all that count; 0: none */
		uint64_t		 dropped_ns;	/* the newest that is not below any more */
		unsigned		 next;
		struct {
			uint64_t	 generation, at_ns;	/* 0: none, or one that does not count */
		} v[8];
	} ahead_deaths;
};

struct worker {
	LIST_ENTRY(worker)	 of_pool, all;
	TAILQ_ENTRY(worker)	 dirty_next;
	struct router		*router;
	struct pool		*pool;
	struct channel		 ch;
	struct event		 readable, writable;
	struct callq		 calls;		/* sent calls, oldest first */
	LIST_HEAD(subs, subcall)	 subs;		/* sub-calls that the worker asked for */
	unsigned		 ncalls;
	uint64_t		 runs_since_ns;	/* pooled roles: the first of calls, see ahead.h */
	/* bytes of sub-call answers since the worker last had read everything */
	size_t			 answered;
	unsigned		 cause;		/* enum ipc_detach_cause; 0: none yet */
	bool			 retiring;	/* gets no new calls; closed once all is answered */
	bool			 dirty, write_armed;
	bool			 gone;		/* freed at the end of the turn */
	bool			 complained;
};

/* UNSETTLED: the call's workers are gone, and the causes of their ends are not known yet. */
enum call_place { PLACE_FREE, PLACE_WAITING, PLACE_SENT, PLACE_ASKING, PLACE_UNSETTLED };

struct front_call {
	TAILQ_ENTRY(front_call)	 queue;		/* in the pool's waiting, or in the worker's calls */
	struct router		*router;
	uint64_t		 id;		/* serial × SLOTS + slot */
	enum call_place		 place;
	enum call_state		 proto;
	struct call_request	 q;		/* spans point into kept; sink NULL: cancelled or detached */
	struct buf		 kept, front, details;
	struct pool		*pool;
	struct worker		*worker;
	uint64_t		 waiting_ns;
	unsigned		 credit;	/* chunks the worker may still send */
	unsigned		 attempts, owed;	/* owed: chunks stored since the last CREDIT */
	unsigned		 deaths;	/* unplanned deaths of its workers */
	unsigned		 nunsettled;	/* lost workers whose cause is not known yet */
	uint64_t		 unsettled[DEATHS_MAX];
	bool			 continued, forwarded;	/* forwarded: rows were passed on, so no retry */
	struct tool_result		*result;
	char			 snapshot[IPC_SNAPSHOT_MAX + 1];	/* of a continuation that is passed on */
};

struct router {
	struct event_base	*base;
	struct tools		*tools;
	struct result_budget	*results;
	struct router_hooks	 hooks;
	struct signer		 tickets;
	LIST_HEAD(pools, pool)	 pools;
	struct workers		 workers;
	TAILQ_HEAD(dirty, worker) dirty;
	unsigned		 sql_timeout_ms;
	struct front_call		*calls[SLOTS];
	uint16_t		 free_slots[SLOTS];
	unsigned		 nfree, in_flight;
	uint64_t		 next_serial;
	struct callq		 spare;
	unsigned		 nspare;
	struct quarantine	 quarantine;
	struct event		 ahead;		/* see ahead.h */
	bool			 burying;	/* a worker must be freed at the end of the turn */
};

/* The connection that p is the pool of; empty: of none. */
static inline struct span
pool_connection(const struct pool *p)
{
	return ipc_role_is_pooled(p->role) ? span_str(p->name) : SPAN_NONE;
}
