/*
 * profile - what a confined process may ask of the kernel, as data.  A
 * profile is a name, a reason, sets of system-call rules, path rules,
 * resource limits and namespaces.  A call that no rule lists kills the
 * process, unless the profile has an errno for it.  The tables are in profiles.c, which contains no code, so a review
 * of the confinement is a review of one file, and tests check the tables.
 * workers/shared applies them (confine.h); nothing here does I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_verdict {
	POLICY_ALLOW,
	POLICY_ALLOW_IF,	/* if every condition of the row holds; several rows for one call: if any row holds */
	POLICY_REFUSE,		/* with an errno, for calls that libraries try and can do without */
	POLICY_REFUSE_IF	/* the same under conditions; compiled into a separate filter that is loaded first */
};

/*
 * Holds when (argument & mask) == value, over all 64 bits.  The kernel reads
 * only the low half of an int, so the mask of an int argument must cover only
 * that half.
 */
struct policy_arg {
	unsigned	index;
	uint64_t	mask, value;
	bool		own_pid;	/* compare with the confined process's own id instead of value */
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
 * from the process's configuration.  If the place does not exist, a rule with
 * POLICY_MAKE creates it (unless the project is served read-only); other
 * rules are skipped.
 */
enum policy_place {
	POLICY_PLACE_END,
	POLICY_PLACE_WIKI,		/* <project>/wiki */
	POLICY_PLACE_SEMANTIC,		/* <project>/semantic-layer */
	POLICY_PLACE_RAW,		/* <project>/raw-sources */
	POLICY_PLACE_DOCUMENTS,		/* <project>/.carrel/documents */
	POLICY_PLACE_MEMORY_STATE,	/* <project>/.carrel/memory */
	POLICY_PLACE_IMPORTS,		/* the directory that imported tables are kept in */
	POLICY_PLACE_SHARED_IMPORTS,	/* <project>/.carrel/imports, where nodes share it */
	POLICY_PLACE_GIT,		/* the repository around the project: .git, and what a linked tree shares */
	POLICY_PLACE_GIT_WORK,		/* a directory in .git that was made for this process */
	POLICY_PLACE_GIT_OBJECTS,	/* .git/objects */
	POLICY_PLACE_GIT_REFS,		/* .git/refs */
	POLICY_PLACE_GIT_LOGS,		/* .git/logs, also those of a linked working tree */
	POLICY_PLACE_DATABASE,		/* the database file, and its .wal, -wal, -shm and -journal that exist */
	POLICY_PLACE_PROGRAM,		/* a program that is not ours, with the loader that runs it */
	POLICY_PLACE_LIBRARIES,		/* the system's shared libraries and what poppler keeps of encodings */
	POLICY_PLACE_SSH_KEYS,		/* identity, its certificate, and known hosts of ssh */
	POLICY_PLACE_SSH_SOCKET,	/* the directory of the socket at which it listens */
	POLICY_PLACE_ACCOUNT,		/* what of /etc and /dev a program needs: its account, random numbers */
	POLICY_PLACE_STATE		/* the state store's files, by POLICY_STATE_SUFFIXES; they exist */
};

/* Suffixes of what an engine keeps with the file of a database. */
#define POLICY_DATABASE_SUFFIXES	{ "", "-wal", "-shm", "-journal", ".wal" }

/*
 * Suffixes of the store's files: its log and the log's index, the copy from before a migration, the copy of the audit's
 * head, and the journals of the audit, one for each front (ipc/journal.h).
 */
#define POLICY_STATE_SUFFIXES	{ "", "-wal", "-shm", POLICY_STATE_BEFORE, POLICY_STATE_HEAD, POLICY_STATE_JOURNALS }
#define POLICY_STATE_BEFORE	"-before"
#define POLICY_STATE_HEAD	"-head"
#define POLICY_STATE_JOURNALS	"-audit0", "-audit1", "-audit2", "-audit3"
#define POLICY_JOURNAL_FILES	4u

enum policy_access {
	POLICY_READ_FILE	= 1 << 0,
	POLICY_READ_DIR		= 1 << 1,
	POLICY_WRITE_FILE	= 1 << 2,	/* write, truncate */
	POLICY_EXECUTE		= 1 << 4,	/* run it; also read it */
	POLICY_LISTEN		= 1 << 5,	/* make and remove Unix sockets below */
	POLICY_MAKE		= 1 << 3	/* create, remove, rename and link files and directories below */
};

struct policy_path {
	enum policy_place	place;
	unsigned		access;		/* POLICY_READ_FILE | … */
};

struct policy_limits {
	uint64_t	files;		/* RLIMIT_NOFILE; 0: the hard limit */
	uint64_t	file_size;	/* RLIMIT_FSIZE */
	uint64_t	stack;		/* RLIMIT_STACK; 0: unchanged */
	bool		address_space;	/* RLIMIT_AS from the configured memory_max */
};

struct policy_profile {
	const char				*name;		/* "sql-sqlite" */
	const char				*binary;	/* "carrel-sql-sqlite" */
	unsigned				 part;		/* enum ipc_part: which process of that program */
	const char				*why;
	const struct policy_rule *const		*sets;		/* NULL-terminated list of lists */
	const struct policy_path		*paths;		/* ends with POLICY_PLACE_END */
	struct policy_limits			 limits;
	bool					 namespaces;	/* own user + network + IPC namespace */
	bool					 takes_along;	/* when it dies, the kernel ends its child */
	int					 unlisted;	/* errno of a call without a rule; 0: it kills */
};

/* All profiles; the last one has the name NULL. */
extern const struct policy_profile policy_profiles[];

/*
 * The profile of pdftotext, which carrel-import starts for a PDF (workers/import/pdf.h).  It is separate, as pdftotext
 * is not a program of ours: it permits running that one program and mapping its libraries; the process's only output
 * goes to the descriptors that it was given.
 */
extern const struct policy_profile policy_pdf;

/*
 * The same of ssh, which carrel-tunnel starts (workers/tunnel/ssh_start.h) with a connection to its server.  It listens
 * at one Unix socket and can connect to nothing: neither to other machines nor to the sockets of this one, which
 * Landlock does not tell apart.  A call that is not listed fails with ENOSYS, as on an older kernel: which ones ssh
 * tries, its version and its libraries decide.
 */
extern const struct policy_profile policy_ssh;

#define POLICY_PROFILES_MAX	32u

/* The first of the rule sets that sanitizer builds append to every list; NULL in all other builds. */
extern const struct policy_rule *const policy_sanitizer_set;
