/*
 * acts - the forbidden acts of `carrel sandbox verify`.  Pure; the table is
 * acts.def, the trying is workers/shared/probe.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/profiles.h"

enum policy_act_number {
#define BUT(...)
#define ACT(NAME, number, ...)	POLICY_ACT_##NAME = number,
#include "policy/acts.def"
#undef ACT
#undef BUT
};

/* How the kernel refuses. */
enum policy_claim {
	POLICY_CLAIM_ALLOWED,	/* not refused: the process needs it */
	POLICY_CLAIM_ACCES,
	POLICY_CLAIM_PERM,
	POLICY_CLAIM_UNDER_WAY,	/* EINPROGRESS, although no connection is in progress */
	POLICY_CLAIM_KILL	/* death by SIGSYS */
};

/* The target of an act: an existing path. */
enum policy_aim {
	POLICY_AIM_NOTHING,
	POLICY_AIM_CONFIG,	/* carrel.yaml or ktx.yaml */
	POLICY_AIM_PROJECT,	/* the directory of the project */
	POLICY_AIM_WIKI,	/* <project>/wiki, a directory */
	POLICY_AIM_STATE_DIR,	/* <project>/.carrel, a directory */
	POLICY_AIM_STATE,	/* a file in .carrel/ */
	POLICY_AIM_KEY,		/* .carrel/signing.key */
	POLICY_AIM_JOURNAL,	/* a journal in .carrel/memory/ */
	POLICY_AIM_LOG,		/* .carrel/logs/mcp.log */
	POLICY_AIM_PAGE,	/* a file of the project's knowledge */
	POLICY_AIM_GIT_CONFIG,	/* .git/config of the repository */
	POLICY_AIM_HOOKS,	/* the directory of the repository's hooks */
	POLICY_AIM_PASSWD,
	POLICY_AIM_HOME,	/* a directory */
	POLICY_AIM_TMP,		/* a directory */
	POLICY_AIM_DATABASE,	/* the process's own database file, or another connection's if it has none */
	POLICY_AIM_DATABASE_DIR,
	POLICY_AIM_BESIDE,	/* a file in or below the directory of the database file, not one of its journals */
	POLICY_AIM_OTHER	/* the database file of another connection */
};

struct policy_act {
	unsigned		 number;
	const char		*name;		/* "READ_CONFIG" */
	const char		*what;		/* "read the project's configuration file" */
	enum policy_aim		 aim;
	enum policy_claim	 claim;		/* but for those of policy_exceptions */
};

struct policy_exception {
	const char		*profile;	/* its name */
	unsigned		 number;	/* of the act */
	enum policy_claim	 claim;
};

/* All acts in the order of acts.def, number 0 last. */
extern const struct policy_act policy_acts[];

/* Profile NULL last. */
extern const struct policy_exception policy_exceptions[];

/* NULL if no act has that number. */
const struct policy_act *policy_act(unsigned number);

/* How the kernel must refuse the act to p's process.  ALLOWED for an unknown number. */
enum policy_claim policy_act_claim(const struct policy_profile *p, unsigned number);

/* True when p allows the act on purpose, so that no refusal can be shown. */
bool policy_act_permitted(const struct policy_profile *p, unsigned number);

/*
 * Whether `carrel sandbox verify` tries acts in p's process.  A program that the command line
 * starts, not the supervisor, has no channel to be asked by.
 */
bool policy_acts_concern(const struct policy_profile *p);

/* The number of acts that `carrel sandbox verify` tries, over all processes. */
size_t policy_acts_count(void);

/* "EACCES", "EPERM", "SIGSYS". */
const char *policy_claim_name(enum policy_claim claim);

/* The result of trying an act. */
struct policy_trial {
	bool	nothing;	/* the path that the act needs does not exist; the other fields are unused */
	bool	asked;		/* the process was confined and told to try the act */
	bool	answered;	/* error is the errno, 0 when the act succeeded */
	int	error;
	int	signal;		/* the signal that killed the process; 0: none */
};

enum policy_judgement { POLICY_REFUSED, POLICY_NOT_TRIED, POLICY_FAILED };

/*
 * Only the refusal that acts.def claims counts.  ENOENT and ENOTDIR say that
 * the path does not exist, which says nothing about the sandbox.
 */
enum policy_judgement policy_judge(enum policy_claim claim, const struct policy_trial *trial);
