#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "ipc/messages.h"
#include "policy/profiles.h"

/* From the kernel's headers; C libraries hide them behind feature macros. */
#define FASTOPEN		0x20000000u	/* MSG_FASTOPEN */

#define INT			UINT32_MAX	/* mask of an int argument */
#define POINTER			UINT64_MAX

#define IS(i, value)		{ i, INT, (uint64_t)(value), false }
#define NONE_OF(i, bits)	{ i, (uint64_t)(bits), 0, false }
#define ALL_OF(i, bits)		{ i, (uint64_t)(bits), (uint64_t)(bits), false }
#define NO_POINTER(i)		{ i, POINTER, 0, false }
#define OWN_PID(i)		{ i, INT, 0, true }

#define ALLOW(name)			{ name, POLICY_ALLOW, 0, 0, { IS(0, 0) } }
#define ALLOW_IF(name, a)		{ name, POLICY_ALLOW_IF, 0, 1, { a } }
#define ALLOW_IF2(name, a, b)		{ name, POLICY_ALLOW_IF, 0, 2, { a, b } }
#define REFUSE(name, error)		{ name, POLICY_REFUSE, error, 0, { IS(0, 0) } }
#define REFUSE_IF(name, error, a)	{ name, POLICY_REFUSE_IF, error, 1, { a } }
#define END				{ NULL, POLICY_ALLOW, 0, 0, { IS(0, 0) } }

/*
 * What a C process needs to run and to die.  The clock calls are for machines
 * whose vDSO cannot answer; abort() sends a signal to the process itself.
 */
static const struct policy_rule base[] = {
	ALLOW("brk"),
	ALLOW("clock_gettime"),
	ALLOW("clock_nanosleep"),
	ALLOW("close"),
	ALLOW("exit_group"),
	ALLOW("futex"),
	ALLOW("getpid"),
	ALLOW("getrandom"),
	ALLOW("gettid"),
	ALLOW("gettimeofday"),
	ALLOW_IF("kill", OWN_PID(0)),
	ALLOW("madvise"),
	ALLOW_IF("mmap", NONE_OF(2, PROT_EXEC)),
	ALLOW_IF("mprotect", NONE_OF(2, PROT_EXEC)),
	ALLOW("mremap"),
	ALLOW("munmap"),
	ALLOW("read"),
	ALLOW("restart_syscall"),
	ALLOW("rt_sigprocmask"),
	ALLOW("rt_sigreturn"),
	REFUSE("sysinfo", EPERM),	/* qsort() asks for the size of memory */
	ALLOW_IF("tgkill", OWN_PID(0)),
	ALLOW("time"),
	ALLOW("write"),
	END
};

/* TCP, UDP, MPTCP, Unix: libraries try nscd and syslog. */
static const struct policy_rule no_socket[] = {
	REFUSE("socket", EACCES),
	END
};

/*
 * Control and data channels.  Both sending calls may not name a receiver, and
 * no flag makes them connect: TCP Fast Open would bypass the refused
 * connect().
 */
static const struct policy_rule conversation[] = {
	ALLOW_IF("fcntl", IS(1, F_GETFD)),
	ALLOW_IF("fcntl", IS(1, F_GETFL)),
	ALLOW_IF("fcntl", IS(1, F_SETFD)),
	ALLOW_IF("fcntl", IS(1, F_SETFL)),
	ALLOW("poll"),
	ALLOW_IF("recvfrom", NO_POINTER(4)),
	ALLOW("recvmsg"),
	ALLOW_IF("sendmsg", NONE_OF(2, FASTOPEN)),
	ALLOW_IF2("sendto", NONE_OF(3, FASTOPEN), NO_POINTER(4)),
	ALLOW("writev"),
	END
};

/* For processes without any file: files that a library may look for and not find. */
static const struct policy_rule no_files[] = {
	REFUSE("access", EACCES),
	REFUSE("newfstatat", EACCES),
	REFUSE("openat", EACCES),
	REFUSE("readlink", EACCES),
	END
};

/*
 * libcurl on a connection that it is given: who is there, and what it would set up for several.  Some versions connect
 * it once more, whatever they are told: that it is under way already is the answer they go on with.
 */
static const struct policy_rule one_connection[] = {
	REFUSE("connect", EINPROGRESS),
	ALLOW("getpeername"),
	ALLOW("getsockname"),
	ALLOW_IF("getsockopt", IS(1, SOL_SOCKET)),
	ALLOW_IF2("setsockopt", IS(1, IPPROTO_TCP), IS(2, TCP_NODELAY)),
	REFUSE("socketpair", EACCES),
	END
};

/* Accepting clients and serving them under libevent. */
static const struct policy_rule clients[] = {
	ALLOW("accept4"),
	ALLOW("epoll_ctl"),
	ALLOW("epoll_pwait"),
	ALLOW("epoll_wait"),
	ALLOW("getpeername"),
	ALLOW("getsockname"),
	ALLOW_IF("getsockopt", IS(1, SOL_SOCKET)),
	ALLOW_IF("ioctl", IS(1, FIONREAD)),
	ALLOW("readv"),
	ALLOW_IF2("setsockopt", IS(1, IPPROTO_TCP), IS(2, TCP_NODELAY)),
	ALLOW_IF2("setsockopt", IS(1, IPPROTO_TCP), IS(2, TCP_NOTSENT_LOWAT)),
	ALLOW_IF2("setsockopt", IS(1, SOL_SOCKET), IS(2, SO_LINGER)),
	ALLOW("shutdown"),
	END
};

/* Opening existing files to read them.  Creating and truncating is refused before Landlock is asked. */
static const struct policy_rule open_read_only[] = {
	ALLOW("openat"),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_WRONLY)),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_RDWR)),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_CREAT)),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_TRUNC)),
	END
};

static const struct policy_rule read_files[] = {
	ALLOW("access"),
	ALLOW("fstat"),
	ALLOW("lseek"),
	ALLOW("newfstatat"),
	ALLOW("pread64"),
	END
};

static const struct policy_rule walk_directories[] = {
	ALLOW("getdents64"),
	END
};

/*
 * SQLite on a database that it must not change: record locks, and errnos for
 * what SQLite tries if there is a journal or the process runs as root.
 */
static const struct policy_rule sqlite[] = {
	REFUSE("fchown", EPERM),
	ALLOW_IF("fcntl", IS(1, F_GETLK)),
	ALLOW_IF("fcntl", IS(1, F_SETLK)),
	REFUSE("ftruncate", EROFS),
	ALLOW("geteuid"),
	REFUSE("pwrite64", EROFS),
	END
};

/*
 * DuckDB on files that it must not change: record locks, stat() as the library of an older libc asks it, and errnos for
 * what it tries besides.
 */
static const struct policy_rule duckdb[] = {
	ALLOW("exit"),
	ALLOW_IF("fcntl", IS(1, F_GETLK)),
	ALLOW_IF("fcntl", IS(1, F_SETLK)),
	REFUSE("getcwd", EACCES),
	REFUSE("mkdir", EACCES),
	REFUSE("readlink", EACCES),
	ALLOW("sched_yield"),
	ALLOW("stat"),
	REFUSE("unlink", EACCES),
	END
};

/*
 * The state store: files that exist, to read and write.  It makes, moves and
 * removes none; the errnos are for what SQLite tries at an open or a close.
 */
static const struct policy_rule state_store[] = {
	REFUSE("fchown", EPERM),
	ALLOW_IF("fcntl", IS(1, F_GETLK)),
	ALLOW_IF("fcntl", IS(1, F_SETLK)),
	ALLOW("fdatasync"),
	ALLOW("flock"),
	ALLOW("fstatfs"),
	ALLOW("fsync"),
	ALLOW("ftruncate"),
	ALLOW("geteuid"),
	ALLOW("openat"),
	ALLOW("pwrite64"),
	REFUSE("unlink", EACCES),
	END
};

/* What other nodes imported is put in its place as a whole. */
static const struct policy_rule place_files[] = {
	ALLOW("mkdirat"),
	ALLOW("renameat"),
	ALLOW("renameat2"),
	ALLOW("unlinkat"),
	END
};

/* Following changes of the project's files. */
static const struct policy_rule follow_files[] = {
	ALLOW("inotify_add_watch"),
	ALLOW("inotify_rm_watch"),
	END
};

/* Writing below the places that Landlock grants: temporary name, sync, rename. */
static const struct policy_rule write_files[] = {
	ALLOW_IF("fcntl", IS(1, F_SETLK)),
	ALLOW("fdatasync"),
	ALLOW("flock"),
	ALLOW("fsync"),
	ALLOW("ftruncate"),
	ALLOW("link"),
	ALLOW("linkat"),
	ALLOW("mkdir"),
	ALLOW("mkdirat"),
	ALLOW("openat"),
	ALLOW("pwrite64"),
	ALLOW("rename"),
	ALLOW("renameat"),
	ALLOW("renameat2"),
	ALLOW("rmdir"),
	ALLOW("unlink"),
	ALLOW("unlinkat"),
	END
};

/* SQLite as the only writer of a database, and a workbook's zip as a stream. */
static const struct policy_rule import_files[] = {
	ALLOW("dup"),
	REFUSE("fchown", EPERM),
	ALLOW_IF("fcntl", IS(1, F_DUPFD)),
	ALLOW_IF("fcntl", IS(1, F_GETFD)),
	ALLOW_IF("fcntl", IS(1, F_GETFL)),
	ALLOW_IF("fcntl", IS(1, F_GETLK)),
	ALLOW_IF("fcntl", IS(1, F_SETFD)),
	REFUSE("getcwd", EACCES),
	ALLOW("geteuid"),
	ALLOW("readlink"),
	END
};

/*
 * The calls of libgit2 on files that it reads.  It would also refresh the time stamps of existing
 * objects, which our own code does.
 */
static const struct policy_rule git_files[] = {
	REFUSE("getcwd", EACCES),
	ALLOW("geteuid"),
	ALLOW("getuid"),
	ALLOW("readlink"),
	ALLOW("sync_file_range"),
	REFUSE("utime", EPERM),
	REFUSE("utimensat", EPERM),
	REFUSE("utimes", EPERM),
	END
};

/* The fixed acts of carrel-git's keeper and hand: lock, link, rename.  Files that they create cannot be executable. */
static const struct policy_rule keep_repository[] = {
	ALLOW("fdatasync"),
	ALLOW("flock"),
	ALLOW("fsync"),
	ALLOW("linkat"),
	ALLOW("mkdirat"),
	ALLOW("openat"),
	REFUSE_IF("openat", EACCES, ALL_OF(3, 0100)),
	REFUSE_IF("openat", EACCES, ALL_OF(3, 0010)),
	REFUSE_IF("openat", EACCES, ALL_OF(3, 0001)),
	ALLOW("renameat"),
	ALLOW("unlinkat"),
	ALLOW("utimensat"),
	END
};

/* The hand moves files that other processes wrote, and writes nothing itself. */
static const struct policy_rule write_nothing[] = {
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_WRONLY)),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_RDWR)),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_TRUNC)),
	END
};

/*
 * The loader of a program that is not ours: what of the system it maps may be run or written, never both.  Limits are
 * asked for and not set.
 */
static const struct policy_rule run_program[] = {
	ALLOW("arch_prctl"),
	ALLOW("execve"),
	ALLOW_IF("fcntl", IS(1, F_GETFL)),
	REFUSE("getcwd", EACCES),
	ALLOW_IF("mmap", NONE_OF(2, PROT_WRITE)),
	ALLOW_IF("prlimit64", NO_POINTER(2)),
	REFUSE("readlink", EACCES),
	ALLOW("rseq"),
	ALLOW("set_robust_list"),
	ALLOW("set_tid_address"),
	END
};

#ifdef CARREL_SANITIZED
/*
 * Reporting: alternate stacks, the map of modules, and the leak checker's
 * helper that stops the process from outside.  Release builds do not have
 * these rows.
 */
static const struct policy_rule sanitizer[] = {
	ALLOW("clone"),
	ALLOW("getdents"),
	ALLOW("getppid"),
	ALLOW("open"),
	ALLOW("prctl"),
	ALLOW("prlimit64"),
	ALLOW("ptrace"),
	ALLOW("rt_sigaction"),
	ALLOW("sched_getaffinity"),
	ALLOW("sigaltstack"),
	ALLOW("wait4"),
	END
};
/* Calls of the helper that profiles with threads already have for their own. */
static const struct policy_rule sanitizer_thread[] = {
	ALLOW("exit"),
	ALLOW("sched_yield"),
	END
};
/* A call of the helper that the other profiles already have for their own files. */
static const struct policy_rule sanitizer_seek[] = {
	ALLOW("lseek"),
	END
};
const struct policy_rule *const policy_sanitizer_set = sanitizer;
#define SANITIZER sanitizer, sanitizer_thread,
#define SANITIZER_NO_FILES sanitizer, sanitizer_thread, sanitizer_seek,
#define SANITIZER_THREADS sanitizer,
#else
const struct policy_rule *const policy_sanitizer_set = NULL;
#define SANITIZER
#define SANITIZER_NO_FILES
#define SANITIZER_THREADS
#endif

static const struct policy_rule *const front_sets[] = {
	base, no_socket, conversation, clients, no_files, SANITIZER_NO_FILES NULL
};
static const struct policy_rule *const sqlite_sets[] = {
	base, no_socket, conversation, open_read_only, read_files, sqlite, SANITIZER NULL
};
static const struct policy_rule *const duckdb_sets[] = {
	base, no_socket, conversation, open_read_only, read_files, duckdb, SANITIZER_THREADS NULL
};
static const struct policy_rule *const server_sets[] = {
	base, no_socket, conversation, no_files, SANITIZER_NO_FILES NULL
};
static const struct policy_rule *const search_sets[] = {
	base, no_socket, conversation, open_read_only, read_files, walk_directories, follow_files, SANITIZER NULL
};
static const struct policy_rule *const memory_sets[] = {
	base, no_socket, conversation, read_files, walk_directories, write_files, SANITIZER NULL
};

static const struct policy_rule *const import_sets[] = {
	base, no_socket, read_files, write_files, import_files, SANITIZER NULL
};

static const struct policy_rule *const git_sets[] = {
	base, no_socket, conversation, read_files, walk_directories, write_files, git_files, SANITIZER NULL
};

static const struct policy_rule *const keeper_sets[] = {
	base, no_socket, conversation, read_files, keep_repository, SANITIZER NULL
};
static const struct policy_rule *const hand_sets[] = {
	base, no_socket, conversation, read_files, walk_directories, keep_repository, write_nothing, SANITIZER NULL
};

static const struct policy_rule *const agent_sets[] = {
	base, no_socket, conversation, no_files, one_connection, SANITIZER_NO_FILES NULL
};

static const struct policy_rule *const auth_sets[] = {
	base, no_socket, conversation, read_files, state_store, SANITIZER NULL
};
static const struct policy_rule *const nodes_sets[] = {
	base, no_socket, conversation, read_files, walk_directories, state_store, place_files, SANITIZER NULL
};

static const struct policy_rule *const fetch_sets[] = {
	base, no_socket, conversation, one_connection, no_files, SANITIZER_NO_FILES NULL
};

static const struct policy_rule *const tunnel_sets[] = {
	base, no_socket, conversation, no_files, SANITIZER_NO_FILES NULL
};

/* Channels of fronts that come and go, and the descriptor that tells of them all. */
static const struct policy_rule follow_channels[] = {
	ALLOW("epoll_ctl"),
	ALLOW("epoll_wait"),
	END
};
static const struct policy_rule *const telemetry_sets[] = {
	base, no_socket, conversation, no_files, one_connection, follow_channels, SANITIZER_NO_FILES NULL
};

static const struct policy_rule *const pwhash_sets[] = {
	base, no_socket, conversation, no_files, SANITIZER_NO_FILES NULL
};

/* No sanitizer has a hand in a program that is not ours. */
static const struct policy_rule *const pdf_sets[] = {
	base, no_socket, open_read_only, read_files, run_program, NULL
};

/* Files that are there, for what Landlock grants: ssh opens /dev/null for writing, and removes a socket of its own. */
static const struct policy_rule ssh_files[] = {
	ALLOW("dup"),
	ALLOW("dup2"),
	ALLOW("dup3"),
	ALLOW_IF("fcntl", IS(1, F_DUPFD)),
	ALLOW_IF("fcntl", IS(1, F_DUPFD_CLOEXEC)),
	ALLOW_IF("fcntl", IS(1, F_GETFD)),
	ALLOW_IF("fcntl", IS(1, F_SETFD)),
	ALLOW_IF("fcntl", IS(1, F_SETFL)),
	ALLOW("openat"),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_CREAT)),
	REFUSE_IF("openat", EACCES, ALL_OF(2, O_TRUNC)),
	ALLOW("umask"),
	ALLOW("unlink"),
	ALLOW("unlinkat"),
	END
};

/*
 * A Unix socket that listens, and the connection to the server, which ssh is given.  A stream socket reaches nothing
 * without connect(): the kinds that can send without one are not made.
 */
#define STREAM(i)	{ i, INT & ~(uint64_t)(SOCK_CLOEXEC | SOCK_NONBLOCK), SOCK_STREAM, false }
static const struct policy_rule ssh_sockets[] = {
	ALLOW("accept"),
	ALLOW("accept4"),
	ALLOW("bind"),
	ALLOW("getpeername"),
	ALLOW("getsockname"),
	ALLOW_IF("getsockopt", IS(1, SOL_SOCKET)),
	ALLOW_IF("getsockopt", IS(1, IPPROTO_TCP)),
	ALLOW("listen"),
	ALLOW("poll"),
	ALLOW("ppoll"),
	ALLOW("pselect6"),
	ALLOW("readv"),
	ALLOW("select"),
	ALLOW_IF2("setsockopt", IS(1, IPPROTO_IP), IS(2, IP_TOS)),
	ALLOW_IF2("setsockopt", IS(1, IPPROTO_IPV6), IS(2, IPV6_TCLASS)),
	ALLOW_IF2("setsockopt", IS(1, IPPROTO_TCP), IS(2, TCP_NODELAY)),
	ALLOW("shutdown"),
	ALLOW_IF2("socket", IS(0, AF_UNIX), STREAM(1)),
	ALLOW("writev"),
	END
};

static const struct policy_rule ssh_itself[] = {
	ALLOW("getegid"),
	ALLOW("geteuid"),
	ALLOW("getgid"),
	ALLOW("getppid"),
	ALLOW("getuid"),
	ALLOW("rt_sigaction"),
	ALLOW("uname"),
	END
};

static const struct policy_rule *const ssh_sets[] = {
	base, read_files, run_program, ssh_files, ssh_sockets, ssh_itself, NULL
};

#define READ	(POLICY_READ_FILE | POLICY_READ_DIR)
#define WRITE	(READ | POLICY_WRITE_FILE | POLICY_MAKE)

static const struct policy_path no_paths[] = {
	{ POLICY_PLACE_END, 0 }
};
static const struct policy_path database_paths[] = {
	{ POLICY_PLACE_DATABASE, POLICY_READ_FILE },
	{ POLICY_PLACE_END, 0 }
};
static const struct policy_path search_paths[] = {
	{ POLICY_PLACE_WIKI, READ },
	{ POLICY_PLACE_SEMANTIC, READ },
	{ POLICY_PLACE_RAW, READ },
	{ POLICY_PLACE_DOCUMENTS, READ },
	{ POLICY_PLACE_END, 0 }
};
static const struct policy_path memory_paths[] = {
	{ POLICY_PLACE_WIKI, WRITE },
	{ POLICY_PLACE_SEMANTIC, WRITE },
	{ POLICY_PLACE_RAW, WRITE },
	{ POLICY_PLACE_MEMORY_STATE, WRITE },
	{ POLICY_PLACE_END, 0 }
};

static const struct policy_path import_paths[] = {
	{ POLICY_PLACE_IMPORTS, WRITE },
	{ POLICY_PLACE_END, 0 }
};

static const struct policy_path git_paths[] = {
	{ POLICY_PLACE_GIT, READ },
	{ POLICY_PLACE_GIT_WORK, WRITE },
	{ POLICY_PLACE_MEMORY_STATE, READ },
	{ POLICY_PLACE_END, 0 }
};

static const struct policy_path auth_paths[] = {
	{ POLICY_PLACE_STATE, POLICY_READ_FILE | POLICY_WRITE_FILE },
	{ POLICY_PLACE_END, 0 }
};
static const struct policy_path nodes_paths[] = {
	{ POLICY_PLACE_STATE, POLICY_READ_FILE | POLICY_WRITE_FILE },
	{ POLICY_PLACE_SHARED_IMPORTS, WRITE },
	{ POLICY_PLACE_DOCUMENTS, WRITE },
	{ POLICY_PLACE_END, 0 }
};

/* Files get into objects/ by rename. */
static const struct policy_path keeper_paths[] = {
	{ POLICY_PLACE_GIT, READ },
	{ POLICY_PLACE_GIT_WORK, READ | POLICY_MAKE },
	{ POLICY_PLACE_GIT_OBJECTS, READ | POLICY_MAKE },
	{ POLICY_PLACE_GIT_REFS, WRITE },
	{ POLICY_PLACE_GIT_LOGS, READ | POLICY_WRITE_FILE },
	{ POLICY_PLACE_END, 0 }
};
static const struct policy_path hand_paths[] = {
	{ POLICY_PLACE_GIT, READ | POLICY_MAKE },
	{ POLICY_PLACE_END, 0 }
};

static const struct policy_path pdf_paths[] = {
	{ POLICY_PLACE_PROGRAM, POLICY_EXECUTE },
	{ POLICY_PLACE_LIBRARIES, POLICY_READ_FILE },
	{ POLICY_PLACE_END, 0 }
};

static const struct policy_path ssh_paths[] = {
	{ POLICY_PLACE_PROGRAM, POLICY_EXECUTE },
	{ POLICY_PLACE_LIBRARIES, POLICY_READ_FILE },
	{ POLICY_PLACE_ACCOUNT, POLICY_READ_FILE },
	{ POLICY_PLACE_SSH_KEYS, POLICY_READ_FILE },
	{ POLICY_PLACE_SSH_SOCKET, POLICY_READ_DIR | POLICY_LISTEN },
	{ POLICY_PLACE_END, 0 }
};

#define MIB	(UINT64_C(1) << 20)

const struct policy_profile policy_profiles[] = {
	{
		.name = "front", .binary = "carrel-front",
		.why = "reads what strangers send: inherited sockets, no file, no way out",
		.sets = front_sets, .paths = no_paths,
		.limits = { .files = 0, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "sql-sqlite", .binary = "carrel-sql-sqlite",
		.why = "one database file to read, with its journals and no other file; no network",
		.sets = sqlite_sets, .paths = database_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "sql-duckdb", .binary = "carrel-sql-duckdb",
		.why = "the database file and its .wal, or the files of its connection, to read; no network",
		.sets = duckdb_sets, .paths = database_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		/* The parser of PostgreSQL recurses once per operator: 19,000 of them exhaust a stack of 8 MiB. */
		.name = "sql-postgres", .binary = "carrel-sql-postgres",
		.why = "one socket, connected before confinement; no file, no other socket",
		.sets = server_sets, .paths = no_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 64 * MIB, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "sql-mysql", .binary = "carrel-sql-mysql",
		.why = "two sockets, connected before confinement; no file, no other socket",
		.sets = server_sets, .paths = no_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "search", .binary = "carrel-search",
		.why = "the project's knowledge, to read and to follow; no network",
		.sets = search_sets, .paths = search_paths,
		.limits = { .files = 256, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "memory", .binary = "carrel-memory",
		.why = "the only writer of the project's knowledge; no network",
		.sets = memory_sets, .paths = memory_paths,
		.limits = { .files = 256, .file_size = 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "git", .binary = "carrel-git",
		.why = "reads the repository and the journal to compose a commit, which its keeper puts in place; "
		       "no network",
		.sets = git_sets, .paths = git_paths,
		.limits = { .files = 256, .file_size = 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "git-keeper", .binary = "carrel-git", .part = IPC_PART_KEEPER,
		.why = "adds objects, moves the branch that is checked out and logs it; of the rest of .git it reads; "
		       "no network",
		.sets = keeper_sets, .paths = keeper_paths,
		.limits = { .files = 64, .file_size = 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "git-hand", .binary = "carrel-git", .part = IPC_PART_HAND,
		.why = "locks and moves .git/index and cleans up, by numbers that the keeper says; writes no file; "
		       "no network",
		.sets = hand_sets, .paths = hand_paths,
		.limits = { .files = 64, .file_size = 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "auth", .binary = "carrel-auth",
		.why = "the state store's files and no others; no network",
		.sets = auth_sets, .paths = auth_paths,
		.limits = { .files = 64, .file_size = 1024 * 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "auth-nodes", .binary = "carrel-auth-postgres",
		.why = "the same, one connection made before confinement, and the files that nodes share, which it "
		       "carries and does not read",
		.sets = nodes_sets, .paths = nodes_paths,
		.limits = { .files = 64, .file_size = 1024 * 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "pwhash", .binary = "carrel-pwhash",
		.why = "compares a password with a digest, for carrel-auth alone; no file, no network",
		.sets = pwhash_sets, .paths = no_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "fetch", .binary = "carrel-fetch",
		.why = "one connection, made before confinement, for one document; no file, no other socket",
		.sets = fetch_sets, .paths = no_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "tunnel", .binary = "carrel-tunnel",
		.why = "hears what ssh complains of, and ends with it; no file, no socket",
		.sets = tunnel_sets, .paths = no_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true, .takes_along = true,
	},
	{
		.name = "telemetry", .binary = "carrel-telemetry",
		.why = "sends traces and metrics over connections that it is handed, to one address; no file, no "
		       "socket",
		.sets = telemetry_sets, .paths = no_paths,
		.limits = { .files = 256, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "agent", .binary = "carrel-agent",
		.why = "answers questions with what others tell it, a model among them; no file, no network",
		.sets = agent_sets, .paths = no_paths,
		.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
		.namespaces = true,
	},
	{
		.name = "import", .binary = "carrel-import",
		.why = "one inherited file to read, the directory of imports to write; no network",
		.sets = import_sets, .paths = import_paths,
		.limits = { .files = 64, .file_size = 1024 * 1024 * MIB, .stack = 0, .address_space = true },
		.namespaces = true, .takes_along = true,
	},
	{ .name = NULL }
};

const struct policy_profile policy_pdf = {
	.name = "pdf", .binary = "pdftotext",
	.why = "one inherited file to read and a pipe to write, with the system's libraries; no other file, no network",
	.sets = pdf_sets, .paths = pdf_paths,
	.limits = { .files = 64, .file_size = 0, .stack = 0, .address_space = true },
	.namespaces = true,
};

const struct policy_profile policy_ssh = {
	.name = "ssh", .binary = "ssh",
	.why = "its key, its known hosts, one socket to listen at; no way out but the connection that it has",
	.sets = ssh_sets, .paths = ssh_paths,
	.limits = { .files = 256, .file_size = 0, .stack = 0, .address_space = true },
	.namespaces = true, .unlisted = ENOSYS,
};

_Static_assert(sizeof(policy_profiles) / sizeof(policy_profiles[0]) <= POLICY_PROFILES_MAX, "room for all");

const struct policy_profile *
policy_profile(const char *name)
{
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}
