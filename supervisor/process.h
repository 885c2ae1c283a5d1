/*
 * process - one process of ours from its start to its end: its control
 * channel, its log, the configuration that it is told, the time that it has,
 * and how it died.  The household (children.c), the commits (commit.c) and
 * `carrel sandbox verify` handle theirs by this.
 *
 * spawn.c makes it, with exactly the descriptors and the empty environment that
 * ipc/contract.h promises; process.c listens to it.  Either an event loop does
 * that, or, without one, the caller of process_look().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <event2/event.h>

#include "base/buf.h"
#include "base/err.h"
#include "ipc/channel.h"
#include "ipc/contract.h"
#include "ipc/messages.h"
#include "ipc/state.h"
#include "supervisor/death.h"
#include "supervisor/log/log_file.h"

#define PROCESS_WATCH_SIZE	4096
#define PROCESS_TEXT		512	/* bytes of a note */

/* The packed CONFIGURE message of a process, which contains secrets. */
struct configuration {
	unsigned	type;		/* 0: no message */
	struct buf	body;		/* wiped once sent */
	bool		alone;		/* given: no other process of this role serves */
	uint8_t		digest[32];
};

struct process;

struct process_hooks {
	/* A message that is allowed for this role, after process.c has handled it.  False: stop reading the channel. */
	bool	(*frame)(void *arg, const struct ipc_frame *frame, const union ipc_any *msg);
	/* The process broke the protocol and was killed, unless it was being killed already.  May be NULL. */
	void	(*broken)(void *arg, const char *what, enum ipc_fault fault);
	/* The process was reaped and all its messages were read: close it.  Only in an event loop; may free it. */
	void	(*ended)(void *arg, const struct death *d);
};

struct process {
	/* Set once by the owner of the struct. */
	enum ipc_role			 role;
	const struct process_hooks	*hooks;
	void				*arg;
	struct event_base		*base;		/* NULL: no event loop */
	struct log_file			*log_to;	/* NULL: what it logs is dropped */

	/* The process; pid is -1 while it does not run. */
	const char			*binary;
	pid_t				 pid;
	int				 pidfd;
	int				 control;	/* our end; non-blocking */
	int				 log;		/* read end of its stderr; non-blocking */
	struct contract_watch		*watch;		/* mapped, PROCESS_WATCH_SIZE bytes */
	struct event			*on_control, *on_exit, *on_log;
	struct configuration		 config;	/* packed before the start, sent when it says HELLO */
	enum greet_state		 greet;
	bool				 hung_up;	/* its control channel is closed */
	enum death_by			 killed_by;
	uint64_t			 deadline_ns;	/* 0: none; after it, it is killed by late_by */
	enum death_by			 late_by;
	struct log_lines		 lines;

	/* The outcome of its confinement, as READY said it. */
	uint64_t			 landlock_abi;
	bool				 namespaces, degraded, asks;
	char				 note[PROCESS_TEXT];	/* the missing protections, if degraded */
};

/* A struct without a process; role, hooks, arg, base and log_to as given. */
void process_init(struct process *p, enum ipc_role role, const struct process_hooks *hooks, void *arg,
    struct event_base *base, struct log_file *log_to);

/*
 * Start dir's binary `name`, which has ns to become ready (0: no deadline) and
 * gets p->config.  A binary that cannot be executed shows as exit code
 * EXIT_EXEC.  Returns 0, or -1 with *err when not even a process could be made.
 */
int process_start(struct process *p, const char *dir, const char *name, uint64_t ns, struct err *err);

/* Send SIGKILL.  `by` is recorded as the cause of death unless a cause is recorded already. */
void process_kill(struct process *p, enum death_by by);

/* Shorten the deadline to ns from now; an earlier deadline stays. */
void process_hurry(struct process *p, uint64_t ns, enum death_by by);

/* Remove the deadline: the process is ready, or readiness is no longer awaited. */
void process_settled(struct process *p);

/* Kill the process if its deadline has passed.  True: it was killed by this call. */
bool process_tick(struct process *p, uint64_t now_ns);

/*
 * Without an event loop: waits at most ms for input from the process or from the descriptors `others` (-1: none), and
 * handles the process's messages.  False: its control channel is closed.
 */
bool process_look(struct process *p, const int others[2], int ms);

/* Without an event loop: wait until the process has ended.  False: there was no process. */
bool process_reap(struct process *p, struct death *d);

/* Close the descriptors and wipe the configuration.  The process itself is not signalled. */
void process_close(struct process *p);

/* Copy a text that a process sent as one line, cut to cap. */
void process_text(char *out, size_t cap, struct span s);

/* Free *ev, which may be NULL, and forget it. */
void drop_event(struct event **ev);
