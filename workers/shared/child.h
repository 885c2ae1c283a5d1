/*
 * child - the main() that every confined process shares.  Descriptors and the contract are
 * ipc/contract.h.  The start is the same for all: close stray descriptors, HELLO, TOOLS, wait for
 * CONFIGURE_*, confine files, open, confine calls, READY, then serve until told to stop.  A worker
 * only fills a struct role.  The front uses the pieces below under its own event loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "ipc/channel.h"
#include "ipc/messages.h"
#include "policy/profile.h"
#include "workers/shared/confine.h"
#include "workers/shared/tool.h"

#define CHILD_AT_ONCE_MAX	8u

/* The description of a worker. */
struct role {
	enum ipc_role		 role;
	const char		*binary;	/* the driver's program; NULL: the role's own, of ipc/roles.def */
	const char		*profile;	/* policy_profile() name; NULL: the role's name */
	const struct tool	*tools;		/* ends with a row without a name; NULL: it serves no calls */
	unsigned		 configure;	/* IPC_MSG_CONFIGURE_* */
	size_t			 configure_size; /* of its struct */
	size_t			 local_key;	/* offset of that member, where the role has tools */

	/*
	 * Copy what is needed from the configuration (its spans die with the
	 * call), say where the profile's places are and how much memory is
	 * allowed.  *state is the role's own.  -1: exit EXIT_CONFIG.
	 */
	int	(*configure_with)(const void *msg, void **state, struct confine_places *places,
		    uint64_t *memory_max, bool *best_effort, struct err *err);

	/* Before Landlock: only to connect to a database.  May be NULL.  -1: exit EXIT_CONNECTION. */
	int	(*connect)(void *state, struct err *err);

	/* After Landlock, before seccomp: open, warm.  -1: exit EXIT_CONNECTION when err is database_unavailable, else EXIT_CONFIG. */
	int	(*open)(void *state, struct err *err);

	/*
	 * Before each call, whenever the loop wakes with nothing to serve, and at
	 * least once a second; never while a call is running, waiting ones
	 * included (search: follow the files).  May be NULL.
	 */
	void	(*idle)(void *state);

	/*
	 * How many calls of tools that wait may be under way at once, each with a stack of its own; half of them,
	 * and at least one, for one principal.  Four times as many more wait; further ones are `busy`.  Tools that do
	 * not wait are served meanwhile.  Whatever a tool keeps from before a wait to after it must be its call's
	 * own.  At most CHILD_AT_ONCE_MAX; 0: one at a time.
	 */
	unsigned at_once;

	/* The longest time between two calls of idle(), in milliseconds.  NULL: a second. */
	unsigned (*idle_ms)(void *state);

	/*
	 * A descriptor to watch in the loop (inotify); idle() is called when it is readable, and this is asked again
	 * afterwards.  -1: none.  May be NULL.
	 */
	int	(*watch)(void *state);

	/*
	 * A digest of all that the rows of ipc/surface_calls.h give out, so that a front
	 * sees whether a worker that took another's place has something else to
	 * say; 0: not known yet, in which case nothing is told either.  Between
	 * calls.  NULL: no such rows, or they never change.
	 */
	uint64_t (*content)(void *state);

	/* Whether there is an ontology: told with CHANGED, as a change of IPC_LISTS_TOOLS.  NULL: no. */
	bool	(*ready)(void *state);

	/* CONNECTION_STATE for search, between calls as idle().  May be NULL. */
	void	(*connection_state)(void *state, const struct ipc_connection_state *msg);

	/* COMMITTED arrived, for memory; also within a call, so only record the outcome.  May be NULL. */
	void	(*committed)(void *state, const struct ipc_committed *msg);

	/* FETCHED arrived, for carrel-auth.  May be NULL. */
	void	(*fetched)(void *state, const struct ipc_fetched *msg);
	/* IDENTIFIED, the same. */
	void	(*identified)(void *state, const struct ipc_identified *msg);
	/* DIALLED arrived, for the agent; also within a call.  The role owns fd. */
	void	(*dialled)(void *state, enum ipc_outside place, uint64_t serial, int fd);
	/* A front's channel of calls that have ended, for carrel-telemetry, which owns fd; and what /metrics tells. */
	void	(*spans)(void *state, int fd);
	void	(*measured)(void *state, const struct ipc_measured *msg);

	/*
	 * For a role that exchanges further messages with its peers
	 * (messages.def): frame() takes a message that is not part of a call, id as
	 * its frame has it; anything but IPC_OK breaks the channel.  turn() follows
	 * when everything that had come on all channels was taken, also within a
	 * call that waits: what came together is answered together.  peer names the
	 * channel for serve_send(), from attached() to detached(); role is who is at
	 * its other end.  event() takes
	 * the supervisor's EVENT as it comes.  All may be NULL.
	 */
	enum ipc_fault (*frame)(void *state, uint64_t peer, uint64_t id, unsigned type, const union ipc_any *msg);
	void	(*turn)(void *state);
	/* Before turn(): how many microseconds to wait for more to come.  NULL: none. */
	unsigned (*gather_us)(void *state);
	void	(*attached)(void *state, uint64_t peer, enum ipc_role role);
	void	(*detached)(void *state, uint64_t peer);
	/* This audit journal belongs to peer (ipc/journal.h).  The role owns fd.  NULL: the role reads none. */
	void	(*journal)(void *state, uint64_t peer, unsigned number, int fd);
	void	(*event)(void *state, const struct ipc_event *msg);
	/* The supervisor's SYNCED, for carrel-auth. */
	void	(*synced)(void *state, const struct ipc_synced *msg);

	/* Before exit: free everything, so that leak checkers report only real leaks. */
	void	(*close)(void *state);
};

/* The process's exit code: `return child_main(&role);` is all of main(). */
int child_main(const struct role *role);

/*
 * Answers come and go by the megabyte: keep their memory, since a page fault
 * costs more than what is written to the page; what is larger still grows by
 * being moved, not copied.  child_begin() does it; benchmarks do as well.
 */
void child_keep_memory(void);

/*
 * Close every descriptor from CONTRACT_FD_NEXT on, map the watch page (and
 * close its descriptor), reset signals, umask 077, start the log.  Exits
 * EXIT_PEER if the parent did not hand over what the contract promises.
 */
struct contract_watch *child_begin(const char *binary);

/*
 * HELLO, then wait (at most CONTRACT_READY_MS) for the configuration message.
 * Fills *msg, whose spans borrow from buf; the caller wipes buf.  Exits by
 * itself when told to stop, orphaned, or when the message is of another
 * version of the table.  -1: nothing came.
 */
int child_greet(enum ipc_role role, unsigned configure,
    struct buf *buf, void *msg, size_t size, struct err *err);

/* READY with what confinement gave; asks: what role.ready says, false for those that have none. */
void child_ready(const struct confine_report *report, bool asks);

/* UNABLE with the reason, then _exit(code). */
void child_unable(enum contract_exit code, const struct err *err) __attribute__((noreturn));
