#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "supervisor/errand.h"
#include "supervisor/orphans.h"
#include "supervisor/password.h"

#define LEAVE_NS	(2 * CLOCK_SECOND)	/* for processes that still run when we end */
#define LOOK_US		1000

void
orphans_adopt(void)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		log_warn("what children leave running is not adopted: %s", strerror(errno));
}

static bool
is_watched(const struct supervisor *sup, pid_t pid)
{
	const struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->process.pid == pid)
			return true;
	for (size_t i = 0; i < 1 + SUPERVISOR_ISSUERS; i++)
		if (errands_are(sup->identities[i], pid))
			return true;
	return password_is(sup, pid) || errands_are(sup->commits, pid) || errands_are(sup->fetches, pid);
}

/* False if no child is left, dead or alive. */
bool
orphans_reap(const struct supervisor *sup)
{
	for (;;) {
		siginfo_t dead = { .si_pid = 0 };

		if (waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0)
			return errno != ECHILD;
		/* A watched dead child hides later ones until its own event has been handled. */
		if (dead.si_pid == 0 || is_watched(sup, dead.si_pid))
			return true;
		(void)waitid(P_PID, (id_t)dead.si_pid, &dead, WEXITED | WNOHANG);
	}
}

void
orphans_reap_last(const struct supervisor *sup)
{
	uint64_t end = clock_ns() + LEAVE_NS;

	while (orphans_reap(sup) && clock_ns() < end)
		usleep(LOOK_US);
}
