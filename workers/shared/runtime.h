/* runtime - the state of a worker's loop; private to workers/shared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/system/coroutine.h"
#include "ipc/channel.h"
#include "ipc/contract.h"
#include "ipc/state.h"
#include "policy/proof.h"
#include "workers/shared/changes.h"
#include "workers/shared/child.h"
#include "workers/shared/call.h"

#define SERVE_ARENA_MAX		((size_t)64 << 20)	/* what one call may allocate */
#define SERVE_QUEUE_MAX		1024			/* calls waiting; more are answered `busy` */
#define SERVE_QUEUE_BYTES	((size_t)32 << 20)	/* their bodies together */
#define SERVE_OUT_MAX		((size_t)4 << 20)	/* unread by a front: its calls wait */
#define SERVE_FLUSH_BYTES	((size_t)64 << 10)	/* queued answers are written at least this often */
#define SERVE_LOOK_NS		UINT64_C(1000000)	/* and the channels are looked at this often inside a call */
#define SERVE_HOLD_QUEUED	2			/* calls behind the running one, with which answers wait */
#define SERVE_BESIDE		2			/* calls that do not wait, in addition to at_once others */
#define SERVE_CALLS		(CHILD_AT_ONCE_MAX + SERVE_BESIDE)
#define SERVE_SUBS_MAX		64			/* sub-calls without an answer, given up ones included */

/* One peer's data channel.  Stays in the list, dead, until no call is running. */
struct worker_link {
	struct worker_link	*next;
	struct channel	 ch;
	enum ipc_role	 peer;		/* IPC_FRONT; or who asks us, or whom we ask */
	bool		 dead;		/* descriptor closed, peer gone or broken */
	bool		 detached;	/* on purpose: close once everything is answered */
	bool		 greeted;	/* was sent the digest of what this worker offers */
	bool		 behind;	/* was not told of a change because it did not read its channel */
};

/* A call that was read: it waits in the queue or is being served.  msg borrows from body. */
struct pending {
	struct pending		*next;
	struct worker_link		*link;
	uint64_t		 id;
	const struct tool	*tool;		/* NULL: no such tool here */
	struct ipc_call		 msg;
	struct buf		 body;
};

/*
 * The scans that an answer stands on: one is its id alone; several are "connection:id, connection:id", and " +2" says
 * that two more had no room.
 */
struct stands {
	char		text[IPC_SNAPSHOT_MAX + 1];	/* each with its connection */
	size_t		len, n, left_out, bare;		/* bare: offset of the first scan's id, after its connection */
};

/* One frame of a sub-call's answer, kept until the call that waits takes it. */
struct sub_answer {
	struct sub_answer	*next;
	unsigned	 type;
	struct buf	 body;
};

struct sub {
	struct sub	*next;
	struct worker_link	*link;
	uint64_t	 id;
	enum call_state	 state;
	unsigned	 credit;	/* ROWS chunks the front may still send */
	bool		 abandoned;	/* cancelled; freed when its answer comes */
	struct sub_answer	*first, **last;
};

struct call {
	struct runtime		*rt;
	struct pending		*from;
	struct arena		*arena;
	struct buf		 details;
	unsigned		 credit;	/* ROWS chunks that may still be sent */
	bool			 rows_sent, finished, cancelled;
	bool			 dropped;	/* its answer is not wanted; it ends when it would wait for CREDIT */
	struct stands		 stands;	/* the scans that the answer stands on */
	char			 artifacts[65];	/* call_artifacts() */
	uint64_t		 file_rows;	/* call_exports() */
	bool			 file_parquet;
	bool			 own;		/* not a client's call but the role's own work: serve_ask_for() */
	struct buf		*keep;		/* with own: where its answer goes; NULL: nowhere */
	uint64_t		 looked_ns;	/* when the channels were last looked at */

	/* With at_once: its stack, and what it waits for. */
	struct coroutine	*co;
	bool			 parked, ready;	/* ready: fd was */
	int			 fd;		/* -1: none */
	short			 events;
	uint64_t		 until;
};

struct runtime {
	const struct role		*role;
	const struct policy_profile	*profile;
	struct contract_watch		*watch;
	void				*state;
	uint8_t				 local_key[PROOF_KEY];
	bool				 has_local_key;
	struct proof_seen		 proofs;
	int				 watch_fd;	/* the role's; -1: none */

	struct worker_link		*links;
	struct pending		*first, **last, *spare;
	size_t			 queued, queued_bytes, nspare;
	uint64_t		 flushed_ns;	/* when all answers were written last */
	bool			 holding;	/* they stay during this poll(2): serve_holds() */
	struct sub		*subs;
	uint64_t		 next_sub;
	unsigned		 nsubs;
	struct sub_answer		*states, **last_state;	/* CONNECTION_STATE bodies, told between calls */

	/* One that waits, one served meanwhile; with at_once in the order of their slots, from NULL: a free one. */
	struct call		 calls[SERVE_CALLS];
	unsigned		 level;		/* how many are running, one inside the other; with at_once none is */
	struct call		*apart;		/* with at_once: the one whose stack is in use; NULL: the loop's */

	struct changes		 changes;
	struct buf		 control, report;
	bool			 report_due;
	bool				 turn_due, in_turn;	/* role->turn() */
	bool			 stop_asked, draining, over;
	uint64_t		 drain_until;
	enum contract_exit	 code;
	char			 reason[256];
};
