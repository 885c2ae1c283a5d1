/* fixture - a project with everything a sandbox must tell apart, and children to confine in it. */
#pragma once

#include <sys/types.h>

#include "policy/acts.h"
#include "workers/shared/confine.h"
#include "policy/profiles.h"

#define NOBODY	65534

struct fixture {
	char			project[64], database[128], beside[128], git[200], work[256], home[128],
				state[128], imports[128];
	struct confine_places	places;		/* point into here */
};

/*
 * carrel.yaml, .carrel/{state.db,memory/run,logs/mcp.log}, .git/ with a work directory, wiki/page.md,
 * semantic-layer/source.yaml, raw-sources/table.json, data/{db.sqlite,other,sub/key}, home/,
 * all owned by uid (0: by us).
 */
void fixture_make(struct fixture *f, uid_t uid);
void fixture_remove(struct fixture *f);

/* A path inside the project; until the next call. */
const char *fixture_path(const struct fixture *f, const char *below);

/* What an act aims at here (policy/acts.h); until the next call. */
const char *fixture_aim(const struct fixture *f, enum policy_aim aim);

/*
 * Run fn in a forked child as uid (0: as us).  What fn returned (0..4095), or
 * minus the signal that ended it.
 */
int in_child(uid_t uid, int (*fn)(void *arg), void *arg);

/* Both steps of confinement for the calling process; ends it when one fails. */
void confine_here(const struct policy_profile *p, const struct fixture *f, unsigned abi_cap);
void confine_files_here(const struct policy_profile *p, const struct fixture *f, unsigned abi_cap);

/* "EACCES", "killed by SIGSYS", "done": what in_child() returned, as text. */
const char *outcome_text(int outcome);
