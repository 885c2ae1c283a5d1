/*
 * profile - what a confined process may ask of the kernel, as data.
 *
 * A profile is a name, a reason, sets of system-call rules, path rules,
 * resource limits and namespaces.  Every call not listed kills the process.
 * The tables live in profiles.c and hold no code, so a review of our
 * confinement is a review of one file, and tests walk them.  workers/shared
 * applies them (confine.h); nothing here does I/O.
 */
#ifndef POLICY_PROFILE_H
#define POLICY_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_verdict {
	POLICY_ALLOW,
	POLICY_ALLOW_IF,	/* when every condition of the row holds; several rows for one call: any of them */
	POLICY_REFUSE,		/* with an errno: for calls that libraries probe */
	POLICY_REFUSE_IF	/* the same, conditionally; compiled into a filter of its own, loaded first */
};

/*
 * Holds when (argument & mask) == value, over all 64 bits.  The kernel looks
 * at the low half of an int only, and so must the mask of one.
 */
struct policy_arg {
	unsigned	index;
	uint64_t	mask, value;
	bool		own_pid;	/* value is the confined process's id instead */
};

#define POLICY_ARGS_MAX	3

struct policy_rule {
	const char		*syscall;
	enum policy_verdict	 verdict;
	int			 error;		/* REFUSE*: the errno the caller sees */
	unsigned		 nargs;		/* *_IF only */
	struct policy_arg	 args[POLICY_ARGS_MAX];
};

/*
 * Where a path rule points.  Names, not paths: confine_files() resolves them
 * from the process's configuration.  A place that does not exist is made
 * first when its rule has POLICY_MAKE (not in a project that is served as it
 * is), else skipped.
 */
enum policy_place {
	POLICY_PLACE_END,
	POLICY_PLACE_WIKI,		/* <project>/wiki */
	POLICY_PLACE_SEMANTIC,		/* <project>/semantic-layer */
	POLICY_PLACE_RAW,		/* <project>/raw-sources */
	POLICY_PLACE_MEMORY_STATE,	/* <project>/.carrel/memory */
	POLICY_PLACE_GIT,		/* the repository around the project: .git, and what a linked tree shares */
	POLICY_PLACE_GIT_WORK,		/* a directory in it that was made for this process */
	POLICY_PLACE_GIT_OBJECTS,	/* its objects/, */
	POLICY_PLACE_GIT_REFS,		/* refs/ */
	POLICY_PLACE_GIT_LOGS,		/* and logs/, a linked tree's own as well */
	POLICY_PLACE_DATABASE		/* the SQLite file, its -wal, -shm and -journal: what is there of them, and nothing beside */
};

enum policy_access {
	POLICY_READ_FILE	= 1 << 0,
	POLICY_READ_DIR		= 1 << 1,
	POLICY_WRITE_FILE	= 1 << 2,	/* write, truncate */
	POLICY_MAKE		= 1 << 3	/* create, remove, rename and link below: files and directories */
};

struct policy_path {
	enum policy_place	place;
	unsigned		access;		/* POLICY_READ_FILE | … */
};

struct policy_limits {
	uint64_t	files;		/* RLIMIT_NOFILE; 0: raise to the hard limit */
	uint64_t	file_size;	/* RLIMIT_FSIZE */
	uint64_t	stack;		/* RLIMIT_STACK; 0: leave */
	bool		address_space;	/* RLIMIT_AS from the configured memory_max */
};

struct policy_profile {
	const char				*name;		/* "sql-sqlite" */
	const char				*binary;	/* "carrel-sql-sqlite" */
	const char				*why;
	const struct policy_rule *const		*sets;		/* NULL-terminated list of lists */
	const struct policy_path		*paths;		/* ends with POLICY_PLACE_END */
	struct policy_limits			 limits;
	bool					 namespaces;	/* own user + network + IPC namespace */
};

/* All profiles, NULL name last. */
extern const struct policy_profile policy_profiles[];

/* NULL: no such profile. */
const struct policy_profile *policy_profile(const char *name);

/* The first rule set of sanitizer builds, which end every list; NULL in every other build. */
extern const struct policy_rule *const policy_sanitizer_set;

#endif
