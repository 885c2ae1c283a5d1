/* child_driver_parts - what the two halves of child_driver share; nobody else includes it. */
#pragma once

#include "base/buf.h"
#include "tests/support/child_driver.h"

#define FRONTS_MAX	8

struct waiting {
	struct waiting		*next;
	struct driver_answer	 answer;
	uint64_t		 id;
	unsigned		 front;
	struct buf		 rows, progress, result, message, details, next_call;
};

struct driver {
	enum ipc_role		 role;
	struct peer_child	 child;
	bool			 ended;
	int			 code;

	bool			 hello, tools_came, is_ready, unable;
	struct buf		 control_in, tools, reason, log, note, report;
	struct ipc_ready	 ready;
	unsigned		 pongs, complaints;
	bool			 probed;
	struct ipc_probed	 probe;

	struct channel		 fronts[FRONTS_MAX];
	unsigned		 nfronts, current;
	uint64_t		 next_id;
	struct waiting		*calls;
	unsigned		 budget_ms;
	unsigned		 asker;
	bool			 asker_set;
	struct span		 proof;
	uint64_t		 nonce;
	uint32_t		 scopes;
	const char		*principal;	/* NULL: "test" */
	bool			 progress, credit;

	driver_on_subcall	*on_subcall;
	void			*subcall_arg;
	unsigned		 sub_credit;
	bool			 sub_cancelled;
	struct buf		 changes;	/* see driver_changes() */
	unsigned		 nchanges;
	uint64_t		 digest;
};

void driver_to_json(struct span raw, struct buf *out);

/* Take in what the child sent on a data channel; close one of ours. */
void driver_read_front(struct driver *d, unsigned front);
void driver_lose(struct driver *d, unsigned front);

/* Forget all calls and channels. */
void driver_free_calls(struct driver *d);
