/*
 * acts - the forbidden acts of `carrel sandbox verify`.  Pure; the table is
 * acts.def, the trying is workers/shared/probe.c.
 */
#ifndef POLICY_ACTS_H
#define POLICY_ACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/profile.h"

enum policy_act_number {
#define ACT(NAME, number, ...)	POLICY_ACT_##NAME = number,
#include "policy/acts.def"
#undef ACT
};

/* How the kernel refuses. */
enum policy_claim {
	POLICY_CLAIM_ALLOWED,	/* not at all: it is what the process is for */
	POLICY_CLAIM_ACCES,
	POLICY_CLAIM_PERM,
	POLICY_CLAIM_KILL	/* death by SIGSYS */
};

/* What an act is tried on: a path that is there. */
enum policy_aim {
	POLICY_AIM_NOTHING,
	POLICY_AIM_CONFIG,	/* carrel.yaml or ktx.yaml */
	POLICY_AIM_PROJECT,	/* directories: the project, */
	POLICY_AIM_WIKI,	/* its wiki/ */
	POLICY_AIM_STATE_DIR,	/* and .carrel/ */
	POLICY_AIM_STATE,	/* a file in .carrel/ */
	POLICY_AIM_KEY,		/* .carrel/signing.key */
	POLICY_AIM_JOURNAL,	/* one in .carrel/memory/ */
	POLICY_AIM_LOG,		/* .carrel/logs/mcp.log */
	POLICY_AIM_PAGE,	/* a file of the project's knowledge */
	POLICY_AIM_GIT_CONFIG,	/* of the repository: its config, */
	POLICY_AIM_HOOKS,	/* and the directory of its hooks */
	POLICY_AIM_PASSWD,
	POLICY_AIM_HOME,	/* a directory */
	POLICY_AIM_TMP,		/* a directory */
	POLICY_AIM_DATABASE,	/* the process's own file; where it has none, another's */
	POLICY_AIM_DATABASE_DIR,
	POLICY_AIM_BESIDE,	/* a file beside it or one below, none of its own */
	POLICY_AIM_OTHER	/* the database file of another connection */
};

#define POLICY_PROFILES	8	/* the columns of acts.def: policy_profiles, in its order */

struct policy_act {
	unsigned		 number;
	const char		*name;		/* "READ_CONFIG" */
	const char		*what;		/* "read the project's configuration file" */
	enum policy_aim		 aim;
	enum policy_claim	 claims[POLICY_PROFILES];
};

/* All acts in the order of acts.def, number 0 last. */
extern const struct policy_act policy_acts[];

/* NULL: no such act. */
const struct policy_act *policy_act(unsigned number);

/* How p's process is refused the act; ALLOWED for an act there is not. */
enum policy_claim policy_act_claim(const struct policy_profile *p, unsigned number);

/* True when p allows the act on purpose: then there is no refusal to show. */
bool policy_act_permitted(const struct policy_profile *p, unsigned number);

/* Acts that `carrel sandbox verify` tries, over all processes. */
size_t policy_acts_count(void);

/* "EACCES", "EPERM", "SIGSYS". */
const char *policy_claim_name(enum policy_claim claim);

/* What came of trying. */
struct policy_trial {
	bool	nothing;	/* there is nothing that it could be tried on; the rest is unused */
	bool	asked;		/* the process was confined and told to try; else it never got so far */
	bool	answered;	/* error is the errno, 0 when the act succeeded */
	int	error;
	int	signal;		/* it was killed instead; 0: it ended otherwise */
};

enum policy_judgement { POLICY_REFUSED, POLICY_NOT_TRIED, POLICY_FAILED };

/*
 * Only the claimed refusal is one.  ENOENT and ENOTDIR say that there was
 * nothing to try on, and so nothing of the sandbox.
 */
enum policy_judgement policy_judge(enum policy_claim claim, const struct policy_trial *trial);

#endif
