/* router_parts.h - private to router.c, router_admin.c, worker.c and subcall.c. */
#ifndef FRONT_ROUTER_PARTS_H
#define FRONT_ROUTER_PARTS_H

#include <sys/queue.h>

#include <event2/event_struct.h>

#include "front/quarantine.h"
#include "front/router.h"
#include "ipc/channel.h"
#include "ipc/state.h"

#define PIPELINE_MAX	64u	/* calls sent at once to one search or memory worker */
#define SLOTS		4096u	/* calls, sub-calls and those given up but not yet answered */
#define DEATHS_MAX	2u	/* of workers, not planned, that one call may meet */
#define GRAVES		64u	/* dead workers whose cause of death is not yet known */
#define DEPTH_MAX	3u	/* sub-calls of sub-calls; deeper ones are refused */
#define ANSWERS_MAX	((size_t)32 << 20)	/* of those, what an asker that reads nothing is given */
#define AHEAD_MAX	((size_t)4 << 20)	/* unread by an asker: it hears of no progress meanwhile */
#define CREDIT_STEP	4u	/* chunks stored before more are asked for */

/* The causes of a DETACH, as ipc/messages.def has them. */

TAILQ_HEAD(callq, call);
LIST_HEAD(workers, worker);

struct pool {
	LIST_ENTRY(pool)	 next;
	char			 name[129];	/* the connection; a role's name for the others */
	enum ipc_role		 role;
	struct workers		 workers;
	struct callq		 waiting;
	unsigned		 nwaiting, nworkers;
	unsigned		 state;		/* as CONNECTION_STATE; other roles: 1 */
	char			 reason[1025];
	unsigned		 most;		/* workers it has had at one time */
	uint64_t		 lost_ns;	/* when the last worker went; 0: never had one */
	uint64_t		 calls, deaths;
};

struct worker {
	LIST_ENTRY(worker)	 of_pool, all;
	TAILQ_ENTRY(worker)	 dirty_next;
	struct router		*router;
	struct pool		*pool;
	struct channel		 ch;
	struct event		 readable, writable;
	struct callq		 calls;		/* sent, oldest first */
	LIST_HEAD(subs, sub)	 subs;		/* it asked for */
	unsigned		 ncalls;
	size_t			 answered;	/* bytes of answers to its sub-calls since it last had read all */
	unsigned		 cause;		/* of DETACH, 0 until then */
	bool			 retiring;	/* gets no new calls; closed once all is answered */
	bool			 dirty, write_armed;
	bool			 gone;		/* freed at the end of the turn */
	bool			 complained;
};

/* UNSETTLED: its workers are gone, and it is not known yet whether they meant to go. */
enum call_place { PLACE_FREE, PLACE_WAITING, PLACE_SENT, PLACE_ASKING, PLACE_UNSETTLED };

struct call {
	TAILQ_ENTRY(call)	 queue;		/* of the pool's waiting, or of the worker's calls */
	struct router		*router;
	uint64_t		 id;		/* serial × SLOTS + slot */
	enum call_place		 place;
	enum call_state		 proto;
	struct call_request	 q;		/* its spans are in kept; sink NULL: given up */
	struct buf		 kept, front, details;
	struct pool		*pool;
	struct worker		*worker;
	uint64_t		 waiting_ns;
	unsigned		 credit;	/* chunks the worker may still send */
	unsigned		 attempts, owed;	/* owed: chunks stored since the last CREDIT */
	unsigned		 deaths;	/* of its workers that were not planned */
	unsigned		 nunsettled;	/* other deaths, of a cause not known yet: the workers' generations */
	uint64_t		 unsettled[DEATHS_MAX];
	bool			 continued, forwarded;	/* forwarded: rows have left, no second try */
	struct result		*result;
};

struct grave {
	uint64_t		generation;
	struct print	print;
	char			connection[129];
};

struct router {
	struct event_base	*base;
	struct tools		*tools;
	struct result_budget	*results;
	struct router_hooks	 hooks;
	LIST_HEAD(pools, pool)	 pools;
	struct workers		 workers;
	TAILQ_HEAD(dirty, worker) dirty;
	unsigned		 sql_timeout_ms;
	struct call		*calls[SLOTS];
	uint16_t		 free_slots[SLOTS];
	unsigned		 nfree, in_flight;
	uint64_t		 next_serial;
	struct callq		 spare;
	unsigned		 nspare;
	struct quarantine	 quarantine;
	struct grave		 graves[GRAVES];
	unsigned		 next_grave;
	bool			 burying;	/* a worker is to be freed at the end of the turn */
};

/* --- router.c -------------------------------------------------------------------- */
struct pool *pool_find(struct router *r, enum ipc_role role, struct span connection);
void pool_dispatch(struct pool *p);
struct call *call_find(struct router *r, uint64_t id);

/* The sink's outcome; the call is gone afterwards. */
void call_fail(struct call *c, const struct err *err, struct span details);
void call_free(struct call *c);

/* Give back the memory of a call that is nowhere any more. */
void call_drop(struct call *c);

/* The worker of a SENT call is gone. */
void call_worker_lost(struct call *c);

/* Why the worker behind generation died: 1 counts against what it was running. */
void grave_settle(struct router *r, uint64_t generation, unsigned cause);

/* Send the call elsewhere: a continuation. */
int call_continue_with(struct call *c, const struct ipc_continue_with *msg, struct err *err,
    struct buf *details);

/* The worker wants the client asked: the call leaves it and rests. */
void call_ask_client(struct call *c, const struct ipc_ask *msg);

#endif
