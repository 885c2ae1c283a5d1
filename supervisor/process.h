/*
 * process - one process of ours from its start to its end: its control
 * channel, its log, the configuration that it is told, the time that it has,
 * and how it died.  The household (children.c), the commits (commit.c) and
 * `carrel sandbox verify` handle theirs by this.
 *
 * spawn.c makes it, with exactly the descriptors and the empty environment that
 * ipc/contract.h promises; process.c listens to it.  Either an event loop does
 * that, or, without one, whoever calls process_look().
 */
#ifndef SUPERVISOR_PROCESS_H
#define SUPERVISOR_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <event2/event.h>

#include "base/buf.h"
#include "base/err.h"
#include "ipc/channel.h"
#include "ipc/contract.h"
#include "ipc/ipc.h"
#include "ipc/state.h"
#include "supervisor/death.h"
#include "supervisor/log_file.h"

#define PROCESS_WATCH_SIZE	4096
#define PROCESS_TEXT		512	/* bytes of a note */

/* What a process is told before it serves, with its secrets: its CONFIGURE message, packed. */
struct configuration {
	unsigned	type;		/* 0: it is told nothing */
	struct buf	body;		/* wiped once sent */
	uint8_t		digest[32];
};

struct process;

struct process_hooks {
	/* A message that the table allows, after what this file does with it.  False: to go on reading would be wrong. */
	bool	(*frame)(void *arg, const struct ipc_frame *frame, const union ipc_any *msg);
	/* What it sent is not allowed; it has been killed for it unless the death was decided before.  May be NULL. */
	void	(*broken)(void *arg, const char *what, enum ipc_fault fault);
	/* It was reaped, and all that it said was heard; close it.  Only with an event loop.  May free the struct. */
	void	(*ended)(void *arg, const struct death *d);
};

struct process {
	/* Who it is; whoever owns the struct sets this once. */
	enum ipc_role			 role;
	const struct process_hooks	*hooks;
	void				*arg;
	struct event_base		*base;		/* NULL: no event loop */
	struct log_file			*log_to;	/* NULL: what it logs is dropped */

	/* The process; pid is -1 while there is none. */
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
	bool				 namespaces, degraded;
	char				 note[PROCESS_TEXT];	/* what is missing when degraded */
};

/* Nothing runs; role, hooks, arg, base and log_to as given. */
void process_init(struct process *p, enum ipc_role role, const struct process_hooks *hooks, void *arg,
    struct event_base *base, struct log_file *log_to);

/*
 * Start dir's binary `name`, which has ns to become ready (0: no deadline) and
 * gets p->config.  A binary that cannot be executed shows as exit code
 * EXIT_EXEC.  Returns 0, or -1 with *err when not even a process could be made.
 */
int process_start(struct process *p, const char *dir, const char *name, uint64_t ns, struct err *err);

/* SIGKILL; its death will be attributed to by, unless that was decided before. */
void process_kill(struct process *p, enum death_by by);

/* It has ns from now on at most, or what it had if that is less. */
void process_hurry(struct process *p, uint64_t ns, enum death_by by);

/* It is ready, or need not become so any more. */
void process_settled(struct process *p);

/* Kills it if its deadline has passed.  True: it has been killed now. */
bool process_tick(struct process *p, uint64_t now_ns);

/* Without an event loop: wait ms for it or others (-1: none) to have something, and hear it.  False: it has hung up. */
bool process_look(struct process *p, const int others[2], int ms);

/* Without an event loop: waits for its end.  False: there was nothing to wait for. */
bool process_reap(struct process *p, struct death *d);

/* Free all that belongs to the process, which is not touched, and wipe its configuration. */
void process_close(struct process *p);

/* What a process said of itself as one line of text, cut to cap. */
void process_text(char *out, size_t cap, struct span s);

/* --- spawn.c ------------------------------------------------------------------- */

/* pid, pidfd, control, log and watch of *p, of which none is open. */
int spawn_process(const char *dir, const char *name, struct process *p, struct err *err);

/* Close and unmap these. */
void spawn_close(struct process *p);

/* Free *ev, which may be NULL, and forget it. */
void drop_event(struct event **ev);

#endif
