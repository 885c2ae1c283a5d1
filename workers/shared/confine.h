/*
 * confine - apply a profile to the calling process, for good.
 *
 * Order: limits, namespaces, Landlock, then the caller opens and warms what it needs, then seccomp.  Hence two steps.
 * Step 1 needs a single thread: Landlock and capabilities are the calling thread's.  Threads that start after it
 * inherit them, and step 2 reaches them all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "policy/profiles.h"

/* What the names in a profile's path rules mean for this process. */
struct confine_places {
	const char	*project_dir;		/* NULL when the profile has no project place */
	bool		 project_as_it_is;	/* missing directories are not made, except the state's */
	const char	*git_dir, *git_common_dir;	/* NULL when the profile has no git place */
	const char	*git_work_dir;		/* NULL or empty: none was made */
	const char	*import_dir;		/* NULL when the profile has no place for imports */
	const char	*database_path;		/* NULL when the profile has no database place, or files instead */
	char		*const *database_files;	/* real paths, up to a NULL; NULL: there are none */
	const char	*program;		/* NULL when the profile has no program of its own to run */
	const char	*identity, *known_hosts;	/* of ssh; NULL when the profile has no place for them */
	const char	*socket_dir;		/* where it listens */
	const char	*state_path;		/* of the store; NULL when the profile has no state place */
};

struct confine_report {
	unsigned	landlock_abi;	/* in force; 0: none (best effort only) */
	bool		namespaces;
	bool		degraded;	/* something required is missing and best_effort let it pass */
	char		note[512];	/* what is missing, one sentence; empty when nothing is */
};

/* Of step 1 the bound of the address space alone, for what a process does before. */
int confine_memory(const struct policy_profile *p, uint64_t memory_max, struct err *err);

/*
 * Step 1: no new privileges, not dumpable, parent-death signal, no core,
 * limits, namespaces (their absence is noted, no failure), Landlock.
 * memory_max bounds the address space in bytes (ignored in sanitizer builds).
 * landlock_abi_cap: use at most this ABI; 0: what the kernel has.
 * Returns 0, or -1 and the process must exit EXIT_CONFINEMENT; with
 * best_effort what is missing is noted in the report instead.
 */
int confine_files(const struct policy_profile *p, const struct confine_places *places,
    uint64_t memory_max, bool best_effort, unsigned landlock_abi_cap,
    struct confine_report *report, struct err *err);

/*
 * Something required is missing, as *err says: with best_effort note it, mark
 * the report degraded and return 0; else return -1.
 */
int confine_missing(struct confine_report *report, bool best_effort, const struct err *err);
