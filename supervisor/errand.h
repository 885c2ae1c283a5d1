/*
 * errand - a process of a role that lives for one order of a worker (ONCE in ipc/roles.def): a commit, a fetch.  It is
 * no place in the household: it has no data channels, is not restarted, and its death is reported as an ordinary
 * answer.  Of one kind there is one at a time; further orders wait.
 */
#pragma once

#include "supervisor/supervisor.h"

struct errand {
	TAILQ_ENTRY(errand)	 entry;
	struct child		*from;		/* NULL: the worker has died, no answer is owed */
	uint64_t		 serial;
	char			*what;		/* the run, the URL, or IDENTIFY as it was packed */
	size_t			 len;
};

/* The properties of a kind of errand. */
struct errand_kind {
	enum ipc_role	 role;
	uint64_t	 life_ns;
	size_t		 waiting_max;
	uint64_t	 unable, lost;	/* outcomes: the process cannot be started; it died, or too many orders wait */

	/* Pack the configuration of the process.  -1 with *err: none is started, and *outcome is the answer. */
	int	(*configure)(struct supervisor *sup, const struct errand *e, struct configuration *out,
		    uint64_t *outcome, struct err *err);
	/* The process is ready: send the order.  NULL: the configuration was the order. */
	void	(*begin)(const struct errand *e, const struct process *p);
	/* Handle msg if it is the answer to e: pass it to the asking worker.  False: msg is another message. */
	bool	(*answered)(const struct errand *e, unsigned type, const union ipc_any *msg);
	/* Send the asking worker an answer in place of a process that gave none. */
	void	(*fail)(struct child *from, uint64_t serial, uint64_t outcome, struct span reason);
};

struct errands *errands_new(struct supervisor *sup, const struct errand_kind *kind);
void errands_order(struct errands *k, struct child *from, uint64_t serial, struct span what);

/* In all of these NULL is allowed, and has no orders. */

/* Kill the process at work and drop all orders. */
void errands_close(struct errands *k);

void errands_tick(struct errands *k, uint64_t now_ns);

/* The asking worker has died: its orders are carried out without a report. */
void errands_forget(struct errands *k, const struct child *from);

/* Whether the pid is the process at work. */
bool errands_are(const struct errands *k, pid_t pid);
