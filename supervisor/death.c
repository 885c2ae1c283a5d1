/* death.c - see death.h. */
#include <signal.h>
#include <stdio.h>

#include "supervisor/death.h"

/*
 * Legend: exit code, its meaning for the restart and for the peers, and its
 * description.  A code that is not listed counts as the child's own fault.
 */
static const struct exit_row {
	int			 code;
	enum life_event		 event;
	enum ipc_detach_cause	 cause;
	const char		*text;
} exits[] = {
	{ EXIT_STOPPED,          LIFE_DIED_OUTSIDE,    IPC_DETACH_OUTSIDE, "stopped" },
	{ EXIT_CONFIG,           LIFE_DIED_REFUSED,    IPC_DETACH_OUTSIDE, "could not use its configuration" },
	{ EXIT_CONFINEMENT,      LIFE_DIED_REFUSED,    IPC_DETACH_OUTSIDE, "could not confine itself" },
	{ EXIT_VERSION,          LIFE_DIED_REFUSED,    IPC_DETACH_OUTSIDE, "is of another build than the supervisor" },
	{ EXIT_CONNECTION,       LIFE_DIED_CONNECTION, IPC_DETACH_OUTSIDE, "has no database connection" },
	{ EXIT_ORPHANED,         LIFE_DIED_OUTSIDE,    IPC_DETACH_OUTSIDE, "lost its control channel" },
	{ EXIT_PEER,             LIFE_DIED_OUTSIDE,    IPC_DETACH_OUTSIDE, "gave up on a peer that broke the protocol" },
	{ EXIT_RECYCLE,          LIFE_DIED_PLANNED,    IPC_DETACH_PLANNED, "was recycled" },
	{ EXIT_MEMORY,           LIFE_DIED_OWN,        IPC_DETACH_OWN,     "ran out of memory" },
	{ EXIT_DATABASE_CHANGED, LIFE_DIED_PLANNED,    IPC_DETACH_PLANNED, "saw its database file change" },
	{ EXIT_EXEC,             LIFE_DIED_REFUSED,    IPC_DETACH_OUTSIDE, "could not be executed" },
};

static const struct exit_row *
exit_row(const struct death *d)
{
	for (size_t i = 0; !d->signalled && i < sizeof(exits) / sizeof(exits[0]); i++)
		if (exits[i].code == d->status)
			return &exits[i];
	return NULL;
}

/* Signals that a process raises by its own fault. */
static const char *
own_signal(int signal)
{
	switch (signal) {
	case SIGSEGV:
		return "crashed (segmentation fault)";
	case SIGBUS:
		return "crashed (bus error)";
	case SIGILL:
		return "crashed (illegal instruction)";
	case SIGFPE:
		return "crashed (arithmetic error)";
	case SIGABRT:
		return "crashed (aborted)";
	case SIGTRAP:
		return "crashed (trap)";
	case SIGSYS:
		return "was killed for a forbidden system call";
	case SIGXCPU:
		return "used up its processor time";
	default:
		return NULL;
	}
}

enum life_event
death_event(const struct death *d)
{
	const struct exit_row *row = exit_row(d);

	if (d->by == DEATH_BY_WATCHDOG || d->by == DEATH_BY_FAULT)
		return LIFE_DIED_OWN;
	if (row != NULL)
		return row->event;
	return !d->signalled || own_signal(d->status) != NULL ? LIFE_DIED_OWN : LIFE_DIED_OUTSIDE;
}

enum ipc_detach_cause
death_cause(const struct death *d)
{
	const struct exit_row *row = exit_row(d);

	if (row != NULL && d->by == DEATH_BY_OTHERS)
		return row->cause;
	return death_event(d) == LIFE_DIED_OWN ? IPC_DETACH_OWN : IPC_DETACH_OUTSIDE;
}

void
death_text(const struct death *d, char *out, size_t cap)
{
	static const char *const ours[] = {
		[DEATH_BY_WATCHDOG] = "did not answer in time and was killed",
		[DEATH_BY_SLOW_START] = "was not ready in time and was killed",
		[DEATH_BY_FAULT] = "broke the protocol and was killed",
		[DEATH_BY_STOP] = "did not stop when told and was killed",
	};
	const struct exit_row *row = exit_row(d);

	if (d->by != DEATH_BY_OTHERS)
		snprintf(out, cap, "%s", ours[d->by]);
	else if (row != NULL)
		snprintf(out, cap, "%s", row->text);
	else if (!d->signalled)
		snprintf(out, cap, "ended with exit code %d", d->status);
	else if (own_signal(d->status) != NULL)
		snprintf(out, cap, "%s", own_signal(d->status));
	else
		snprintf(out, cap, "was killed by signal %d", d->status);
}
