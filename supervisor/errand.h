/*
 * errand - a process of a role that lives for one order of a worker (ONCE in ipc/roles.def): a commit, a fetch.  It is
 * no place in the household: it has no data channels, is not restarted, and its death is reported as an ordinary
 * answer.  Of one kind there is one at a time; further orders wait.
 */
#ifndef SUPERVISOR_ERRAND_H
#define SUPERVISOR_ERRAND_H

#include "supervisor/supervisor.h"

struct errand {
	TAILQ_ENTRY(errand)	 entry;
	struct child		*from;		/* NULL: the worker has died, nobody waits */
	uint64_t		 serial;
	char			*what;		/* the run, the URL */
};

/* What tells the kinds apart. */
struct errand_kind {
	enum ipc_role	 role;
	uint64_t	 life_ns;
	size_t		 waiting_max;
	uint64_t	 unable, lost;	/* outcomes: it says that it cannot; it died, or there are too many */

	/* Pack its configuration.  -1 with *err: no process is started, *outcome is the answer. */
	int	(*configure)(struct supervisor *sup, const struct errand *e, struct configuration *out,
		    uint64_t *outcome, struct err *err);
	/* It is ready: tell it its order.  NULL: its configuration said it. */
	void	(*begin)(const struct errand *e, const struct process *p);
	/* Whether msg is its answer to e; then whoever asked has it. */
	bool	(*answered)(const struct errand *e, unsigned type, const union ipc_any *msg);
	/* An answer of our own. */
	void	(*fail)(struct child *from, uint64_t serial, uint64_t outcome, struct span reason);
};

struct errands *errands_new(struct supervisor *sup, const struct errand_kind *kind);

/* What is under way dies with us at the latest.  NULL: nothing. */
void errands_close(struct errands *k);

void errands_order(struct errands *k, struct child *from, uint64_t serial, struct span what);
void errands_tick(struct errands *k, uint64_t now_ns);

/* The asking worker has died: its orders are carried out without a report. */
void errands_forget(struct errands *k, const struct child *from);

/* Whether it is the process at work. */
bool errands_are(const struct errands *k, pid_t pid);

#endif
