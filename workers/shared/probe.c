/*
 * probe.c - the forbidden acts, each tried for real.
 *
 * Every function makes the one call its row of policy/acts.def is about and
 * says the errno, 0 when the act succeeded.  Acts go past libc where libc
 * would do something else first, so that the verdict is the filter's on the
 * act itself.  What succeeds is undone where that is possible.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "ipc/channel.h"
#include "policy/acts.h"
#include "workers/shared/child.h"
#include "workers/shared/probe.h"

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup	425
#endif

/* Whoever started us, asked while asking was allowed. */
static pid_t parent;

void
probe_remember_parent(void)
{
	parent = getppid();
}

static int
outcome(long r)
{
	return r == -1 ? errno : 0;
}

static int
try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0600);

	if (fd == -1)
		return errno;
	close(fd);
	return 0;
}

struct aim {
	char	project[4096], database[4096], beside[4096], home[4096], path[4200];
};

static const char *
below(struct aim *a, const char *name)
{
	snprintf(a->path, sizeof(a->path), "%s/%s", a->project, name);
	return a->path;
}

/* When the file is not there its directory stands for it. */
static int
read_or_list(struct aim *a, const char *file, const char *directory)
{
	int r = try_open(below(a, file), O_RDONLY);

	return r == ENOENT ? try_open(below(a, directory), O_RDONLY | O_DIRECTORY) : r;
}

static int
try_create(const char *path)
{
	int r = try_open(path, O_WRONLY | O_CREAT | O_EXCL);

	if (r == 0)
		unlink(path);
	return r;
}

/* --- files --------------------------------------------------------------------- */

static int
act_READ_CONFIG(struct aim *a)
{
	int r = try_open(below(a, "carrel.yaml"), O_RDONLY);

	return r == ENOENT ? read_or_list(a, "ktx.yaml", ".") : r;
}

static int
act_READ_STATE(struct aim *a)
{
	return read_or_list(a, ".carrel/state.db", ".carrel");
}

static int
act_READ_GIT(struct aim *a)
{
	int r = read_or_list(a, ".git/config", ".git");

	return r == ENOENT ? try_open(below(a, "."), O_RDONLY | O_DIRECTORY) : r;
}

static int
act_WRITE_HOOK(struct aim *a)
{
	return try_create(below(a, ".git/hooks/x"));
}

static int
act_READ_PASSWD(struct aim *a)
{
	(void)a;
	return try_open("/etc/passwd", O_RDONLY);
}

static int
act_READ_HOME(struct aim *a)
{
	return try_open(a->home[0] != '\0' ? a->home : "/root", O_RDONLY | O_DIRECTORY);
}

static int
act_WRITE_TMP(struct aim *a)
{
	(void)a;
	return try_create("/tmp/carrel-sandbox-verify");
}

static int
act_WRITE_PROJECT(struct aim *a)
{
	return try_create(below(a, "carrel-sandbox-verify"));
}

static int
act_WRITE_WIKI(struct aim *a)
{
	return try_create(below(a, "wiki/carrel-sandbox-verify"));
}

/* A process that was never told of a database is tried on the configuration file. */
static const char *
database(struct aim *a)
{
	return a->database[0] != '\0' ? a->database : below(a, "carrel.yaml");
}

static int
act_LIST_BESIDE(struct aim *a)
{
	const char *path = database(a), *slash = strrchr(path, '/');

	snprintf(a->path, sizeof(a->path), "%.*s/", slash == NULL ? 0 : (int)(slash - path), path);
	return try_open(a->path, O_RDONLY | O_DIRECTORY);
}

static int
act_READ_BESIDE(struct aim *a)
{
	return try_open(a->beside[0] != '\0' ? a->beside : database(a), O_RDONLY);
}

static int
act_WRITE_DATABASE(struct aim *a)
{
	return try_open(database(a), O_RDWR);
}

/* To a size no file has: where it is not refused, nothing is lost. */
static int
act_TRUNCATE(struct aim *a)
{
	struct stat st;
	int fd = open(database(a), O_RDONLY | O_CLOEXEC);
	off_t size = fd != -1 && fstat(fd, &st) == 0 ? st.st_size : 0;

	if (fd != -1)
		close(fd);
	return outcome(syscall(SYS_truncate, database(a), size));
}

static int
act_CHMOD(struct aim *a)
{
	return outcome(syscall(SYS_fchmodat, AT_FDCWD, database(a), 0600));
}

static int
act_PROC_MEM(struct aim *a)
{
	(void)a;
	snprintf(a->path, sizeof(a->path), "/proc/%d/mem", (int)parent);
	return try_open(a->path, O_RDONLY);
}

/* --- sockets -------------------------------------------------------------------- */

static int
try_socket(int domain, int type)
{
	int fd = socket(domain, type | SOCK_CLOEXEC, 0);

	if (fd == -1)
		return errno;
	close(fd);
	return 0;
}

static int
act_SOCKET_TCP(struct aim *a)
{
	(void)a;
	return try_socket(AF_INET, SOCK_STREAM);
}

static int
act_SOCKET_UDP(struct aim *a)
{
	(void)a;
	return try_socket(AF_INET, SOCK_DGRAM);
}

static int
act_SOCKET_UNIX(struct aim *a)
{
	(void)a;
	return try_socket(AF_UNIX, SOCK_STREAM);
}

static int
act_CONNECT(struct aim *a)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };

	(void)a;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return outcome(connect(CONTRACT_FD_CONTROL, (struct sockaddr *)&to, sizeof(to)));
}

/* --- processes ------------------------------------------------------------------ */

static int
act_EXECVE(struct aim *a)
{
	char *const argv[] = { "sh", "-c", "exit 0", NULL }, *const envp[] = { NULL };

	(void)a;
	return outcome(execve("/bin/sh", argv, envp));
}

static int
act_FORK(struct aim *a)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	(void)a;
	if (pid == 0)
		_exit(0);
	return outcome(pid);
}

static int
act_THREAD(struct aim *a)
{
	static char stack[16384] __attribute__((aligned(16)));
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	long tid = syscall(SYS_clone, flags, stack + sizeof(stack), 0, 0, 0);

	(void)a;
	if (tid == 0)
		syscall(SYS_exit, 0);
	return outcome(tid);
}

static int
act_PTRACE(struct aim *a)
{
	(void)a;
	return outcome(syscall(SYS_ptrace, PTRACE_SEIZE, parent, 0, 0));
}

static int
act_KILL_PARENT(struct aim *a)
{
	(void)a;
	return outcome(kill(parent, 0));
}

static int
act_SETUID(struct aim *a)
{
	(void)a;
	return outcome(syscall(SYS_setuid, 0));
}

static int
act_UNSHARE(struct aim *a)
{
	(void)a;
	return outcome(unshare(CLONE_NEWUSER));
}

/* --- the kernel ------------------------------------------------------------------- */

static int
act_MOUNT(struct aim *a)
{
	(void)a;
	return outcome(syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
}

static int
act_BPF(struct aim *a)
{
	/* r0 = 0; exit */
	struct bpf_insn program[] = { { BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 } };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2,
		.insns = (uint64_t)(uintptr_t)program, .license = (uint64_t)(uintptr_t)"GPL"
	};

	(void)a;
	return outcome(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
}

static int
act_IO_URING(struct aim *a)
{
	uint64_t parameters[15] = { 0 };	/* struct io_uring_params, 120 bytes */

	(void)a;
	return outcome(syscall(SYS_io_uring_setup, 1, parameters));
}

static int
act_PERF(struct aim *a)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK
	};

	(void)a;
	return outcome(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static int
act_KEYCTL(struct aim *a)
{
	(void)a;
	return outcome(syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3 /* session */, 1, 0, 0));
}

static int
act_MODULE(struct aim *a)
{
	(void)a;
	return outcome(syscall(SYS_init_module, "", 0, ""));
}

static int
act_WX_MAP(struct aim *a)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)a;
	if (p == MAP_FAILED)
		return errno;
	munmap(p, 4096);
	return 0;
}

static int
act_MPROTECT_EXEC(struct aim *a)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	(void)a;
	if (p == MAP_FAILED)
		return errno;
	r = outcome(mprotect(p, 4096, PROT_READ | PROT_EXEC));
	munmap(p, 4096);
	return r;
}

/* ------------------------------------------------------------------------------------ */

static bool
copy_path(char *out, size_t cap, struct span s)
{
	if (s.len >= cap)
		return false;
	if (s.len > 0)
		memcpy(out, s.p, s.len);
	out[s.len] = '\0';
	return true;
}

int
probe_try(unsigned act, struct span project_dir, struct span database_path, struct span beside, struct span home)
{
	static struct aim aim;

	if (!copy_path(aim.project, sizeof(aim.project), project_dir) ||
	    !copy_path(aim.database, sizeof(aim.database), database_path) ||
	    !copy_path(aim.beside, sizeof(aim.beside), beside) ||
	    !copy_path(aim.home, sizeof(aim.home), home))
		return ENAMETOOLONG;
	switch (act) {
#define ACT(NAME, number, what)		\
	case number:			\
		return act_##NAME(&aim);
#include "policy/acts.def"
#undef ACT
	default:
		return -1;
	}
}

void
child_probe(const struct policy_profile *p, const struct ipc_probe *msg)
{
	struct ipc_probed answer = { .act = msg->act };
	int r;

	if (policy_act_permitted(p, (unsigned)msg->act)) {
		log_error("asked to try what profile %s permits: act %llu", p->name,
		    (unsigned long long)msg->act);
		return;
	}
	if ((r = probe_try((unsigned)msg->act, msg->project_dir, msg->database, msg->beside, msg->home)) == -1) {
		log_error("asked to try an unknown act: %llu", (unsigned long long)msg->act);
		return;
	}
	answer.error = (uint64_t)r;
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_PROBED, &answer, -1);
}
