#include <signal.h>
#include <stdio.h>

#include "supervisor/death.h"

/*
 * Legend: exit code, its meaning for the restart, for the peers and for /metrics, and its
 * description.  A code that is not listed counts as the child's own fault.
 */
static const struct exit_row {
	int			 code;
	enum life_event		 event;
	enum ipc_detach_cause	 cause;
	enum metric_reason	 reason;
	const char		*text;
} exits[] = {
#define EXIT(code, event, cause, reason, text)	{ code, event, IPC_DETACH_##cause, METRIC_REASON_##reason, text },
	EXIT(EXIT_STOPPED, LIFE_DIED_OUTSIDE, OUTSIDE, EXIT, "stopped")
	EXIT(EXIT_CONFIG, LIFE_DIED_REFUSED, OUTSIDE, REFUSED, "could not use its configuration")
	EXIT(EXIT_CONFINEMENT, LIFE_DIED_REFUSED, OUTSIDE, REFUSED, "could not confine itself")
	EXIT(EXIT_VERSION, LIFE_DIED_REFUSED, OUTSIDE, REFUSED, "is of another build than the supervisor")
	EXIT(EXIT_CONNECTION, LIFE_DIED_CONNECTION, OUTSIDE, CONNECTION, "has no database connection")
	EXIT(EXIT_ORPHANED, LIFE_DIED_OUTSIDE, OUTSIDE, EXIT, "lost its control channel")
	EXIT(EXIT_PEER, LIFE_DIED_OUTSIDE, OUTSIDE, PROTOCOL, "gave up on a peer that broke the protocol")
	EXIT(EXIT_RECYCLE, LIFE_DIED_PLANNED, PLANNED, PLANNED, "was recycled")
	EXIT(EXIT_MEMORY, LIFE_DIED_OWN, OWN, MEMORY, "ran out of memory")
	EXIT(EXIT_DATABASE_CHANGED, LIFE_DIED_PLANNED, PLANNED, PLANNED, "saw its database file change")
	EXIT(EXIT_EXEC, LIFE_DIED_REFUSED, OUTSIDE, REFUSED, "could not be executed")
#undef EXIT
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

enum metric_reason
death_reason(const struct death *d)
{
	static const enum metric_reason ours[] = {
		[DEATH_BY_WATCHDOG] = METRIC_REASON_WATCHDOG,
		[DEATH_BY_SLOW_START] = METRIC_REASON_SLOW_START,
		[DEATH_BY_FAULT] = METRIC_REASON_PROTOCOL,
		[DEATH_BY_STOP] = METRIC_REASON_PLANNED,
	};
	const struct exit_row *row = exit_row(d);

	if (d->by != DEATH_BY_OTHERS)
		return ours[d->by];
	if (!d->signalled)
		return row != NULL ? row->reason : METRIC_REASON_EXIT;
	if (d->status == SIGSYS)
		return METRIC_REASON_SYSCALL;
	if (d->status == SIGXCPU)
		return METRIC_REASON_CPU;
	return own_signal(d->status) != NULL ? METRIC_REASON_CRASH : METRIC_REASON_KILLED;
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
