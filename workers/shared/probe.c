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
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/log.h"
#include "ipc/control.h"
#include "policy/acts.h"
#include "policy/hostile.h"
#include "workers/shared/child.h"
#include "workers/shared/probe.h"
#include "policy/profiles.h"

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup	425
#endif

#define OURS	"carrel-sandbox-verify"	/* what the acts make, where they can */

/* The parent, determined while that was allowed. */
static pid_t parent;

void
probe_remember_parent(void)
{
	parent = getppid();
}

static int
probe_outcome(long r)
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

struct probe_path {
	char	text[4200];
};

/* The path of name in a directory. */
static struct probe_path
probe_below(const char *dir, const char *name)
{
	struct probe_path path;

	snprintf(path.text, sizeof(path.text), "%s/%s", dir, name);
	return path;
}

static int
try_create(const char *path)
{
	int r = try_open(path, O_WRONLY | O_CREAT | O_EXCL);

	if (r == 0)
		unlink(path);
	return r;
}

static int
act_READ_CONFIG(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_READ_STATE(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_READ_GIT(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_WRITE_HOOK(const char *path)
{
	return try_create(probe_below(path, "x").text);
}

static int
act_MAKE_EXECUTABLE(const char *path)
{
	int fd = open(probe_below(path, OURS).text, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	if (fd == -1)
		return errno;
	close(fd);
	unlink(probe_below(path, OURS).text);
	return 0;
}

static int
act_WRITE_STATE(const char *path)
{
	return try_open(path, O_WRONLY);
}

static int
act_READ_KEY(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_READ_PASSWD(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_READ_HOME(const char *path)
{
	return try_open(path, O_RDONLY | O_DIRECTORY);
}

static int
act_WRITE_TMP(const char *path)
{
	return try_create(probe_below(path, OURS).text);
}

static int
act_WRITE_PROJECT(const char *path)
{
	return try_create(probe_below(path, OURS).text);
}

static int
act_WRITE_WIKI(const char *path)
{
	return try_create(probe_below(path, OURS).text);
}

static int
act_LIST_BESIDE(const char *path)
{
	return try_open(path, O_RDONLY | O_DIRECTORY);
}

static int
act_READ_BESIDE(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_READ_OTHER(const char *path)
{
	return try_open(path, O_RDONLY);
}

static int
act_WRITE_DATABASE(const char *path)
{
	return try_open(path, O_RDWR);
}

static int
act_WRITE_PAGE(const char *path)
{
	return try_open(path, O_WRONLY);
}

static int
act_WRITE_JOURNAL(const char *path)
{
	return try_open(path, O_WRONLY);
}

static int
act_WRITE_CONFIG(const char *path)
{
	return try_open(path, O_WRONLY);
}

static int
act_WRITE_GIT_CONFIG(const char *path)
{
	return try_open(path, O_WRONLY | O_APPEND);
}

static int
act_WRITE_LOG(const char *path)
{
	return try_open(path, O_WRONLY | O_APPEND);
}

/* Rename the file onto itself: if the kernel allows it, nothing changes. */
static int
try_rename(const char *path)
{
	return probe_outcome(syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, path, 0));
}

static int
act_MOVE_LOG(const char *path)
{
	return try_rename(path);
}

static int
act_RENAME(const char *path)
{
	return try_rename(path);
}

/* A directory, which unlinkat() never removes without being told so. */
static int
act_UNLINK(const char *path)
{
	return probe_outcome(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

/* The path of OURS in the directory of path. */
static struct probe_path
probe_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct probe_path other;

	snprintf(other.text, sizeof(other.text), "%.*s/" OURS, slash == NULL ? 0 : (int)(slash - path), path);
	return other;
}

static int
act_LINK(const char *path)
{
	int r = probe_outcome(syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, probe_beside(path).text, 0));

	if (r == 0)
		unlink(probe_beside(path).text);
	return r;
}

static int
act_SYMLINK(const char *path)
{
	int r = probe_outcome(syscall(SYS_symlinkat, "nowhere", AT_FDCWD, probe_below(path, OURS).text));

	if (r == 0)
		unlink(probe_below(path, OURS).text);
	return r;
}

static int
act_MKDIR(const char *path)
{
	int r = probe_outcome(syscall(SYS_mkdirat, AT_FDCWD, probe_below(path, OURS).text, 0700));

	if (r == 0)
		rmdir(probe_below(path, OURS).text);
	return r;
}

/* Truncate to the size that the file has: if it is not refused, nothing is lost. */
static int
act_TRUNCATE(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool known = fd != -1 && fstat(fd, &st) == 0;

	if (fd != -1)
		close(fd);
	return probe_outcome(syscall(SYS_truncate, path, known ? st.st_size : (off_t)-1));
}

static int
act_CHMOD(const char *path)
{
	return probe_outcome(syscall(SYS_fchmodat, AT_FDCWD, path, 0600));
}

static int
act_PROC_MEM(const char *path)
{
	char mem[64];

	(void)path;
	snprintf(mem, sizeof(mem), "/proc/%d/mem", (int)parent);
	return try_open(mem, O_RDONLY);
}

static int
act_CHROOT(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_chroot, "/"));
}

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
act_SOCKET_TCP(const char *path)
{
	(void)path;
	return try_socket(AF_INET, SOCK_STREAM);
}

static int
act_SOCKET_UDP(const char *path)
{
	(void)path;
	return try_socket(AF_INET, SOCK_DGRAM);
}

static int
act_SOCKET_UNIX(const char *path)
{
	(void)path;
	return try_socket(AF_UNIX, SOCK_STREAM);
}

static int
act_CONNECT(const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };

	(void)path;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return probe_outcome(connect(CONTRACT_FD_CONTROL, (struct sockaddr *)&to, sizeof(to)));
}

static int
act_CONNECT_UNIX(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/run/carrel-sandbox-verify" };

	(void)path;
	return probe_outcome(connect(CONTRACT_FD_CONTROL, (struct sockaddr *)&to, sizeof(to)));
}

static int
act_TIOCSTI(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_ioctl, CONTRACT_FD_CONTROL, TIOCSTI, "x"));
}

static int
act_EXECVE(const char *path)
{
	char *const argv[] = { "sh", "-c", "exit 0", NULL }, *const envp[] = { NULL };

	(void)path;
	return probe_outcome(execve("/bin/sh", argv, envp));
}

static int
act_FORK(const char *path)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	(void)path;
	if (pid == 0)
		_exit(0);
	return probe_outcome(pid);
}

static int
act_THREAD(const char *path)
{
	static char stack[16384] __attribute__((aligned(16))); /* the thread may run on when this returns */
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	long tid = syscall(SYS_clone, flags, stack + sizeof(stack), 0, 0, 0);

	(void)path;
	if (tid == 0)
		syscall(SYS_exit, 0);
	return probe_outcome(tid);
}

static int
act_PTRACE(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_ptrace, PTRACE_SEIZE, parent, 0, 0));
}

static int
act_KILL_PARENT(const char *path)
{
	(void)path;
	return probe_outcome(kill(parent, 0));
}

static int
act_SETUID(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_setuid, 0));
}

static int
act_UNSHARE(const char *path)
{
	(void)path;
	return probe_outcome(unshare(CLONE_NEWUSER));
}

static int
act_SETNS(const char *path)
{
	(void)path;
	return probe_outcome(setns(CONTRACT_FD_CONTROL, CLONE_NEWNET));
}

static int
act_PROCESS_READ(const char *path)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	(void)path;
	return probe_outcome(syscall(SYS_process_vm_readv, parent, &to, 1, &from, 1, 0));
}

static int
act_PIDFD_OPEN(const char *path)
{
	long fd = syscall(SYS_pidfd_open, parent, 0);

	(void)path;
	if (fd >= 0)
		close((int)fd);
	return probe_outcome(fd);
}

/* The filter does not look at what the descriptor is. */
static int
act_PIDFD_GETFD(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_pidfd_getfd, CONTRACT_FD_CONTROL, 0, 0));
}

static int
act_MOUNT(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
}

static int
act_BPF(const char *path)
{
	/* r0 = 0; exit */
	struct bpf_insn program[] = { { BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 } };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2,
		.insns = (uint64_t)(uintptr_t)program, .license = (uint64_t)(uintptr_t)"GPL"
	};

	(void)path;
	return probe_outcome(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
}

static int
act_IO_URING(const char *path)
{
	uint64_t parameters[15] = { 0 }; /* struct io_uring_params, 120 bytes */

	(void)path;
	return probe_outcome(syscall(SYS_io_uring_setup, 1, parameters));
}

static int
act_PERF(const char *path)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK
	};

	(void)path;
	return probe_outcome(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static int
act_KEYCTL(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3 /* session */, 1, 0, 0));
}

static int
act_MODULE(const char *path)
{
	(void)path;
	return probe_outcome(syscall(SYS_init_module, "", 0, ""));
}

static int
act_WX_MAP(const char *path)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)path;
	if (p == MAP_FAILED)
		return errno;
	munmap(p, 4096);
	return 0;
}

static int
act_MPROTECT_EXEC(const char *path)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	(void)path;
	if (p == MAP_FAILED)
		return errno;
	r = probe_outcome(mprotect(p, 4096, PROT_READ | PROT_EXEC));
	munmap(p, 4096);
	return r;
}

static int
act_MEMFD(const char *path)
{
	long fd = syscall(SYS_memfd_create, "verify", 0);

	(void)path;
	if (fd >= 0)
		close((int)fd);
	return probe_outcome(fd);
}

static int
act_USERFAULTFD(const char *path)
{
	long fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	(void)path;
	if (fd >= 0)
		close((int)fd);
	return probe_outcome(fd);
}

#define FLOOD_LINES	16384	/* of 256 bytes: sixteen times what a child may write at once */
#define FLOOD_MESSAGES	50000	/* a child may say 4,000 a second */

static void
flood_log(void)
{
	char line[256];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < FLOOD_LINES; i++)
		if (write(STDERR_FILENO, line, sizeof(line)) < 0)
			return;
}

static void
flood_control(void)
{
	const struct ipc_report report = { .report = MP_EMPTY_MAP };
	struct pollfd room = { CONTRACT_FD_CONTROL, POLLOUT, 0 };

	for (int i = 0; i < FLOOD_MESSAGES; i++)
		while (control_send(CONTRACT_FD_CONTROL, IPC_MSG_REPORT, &report, -1) != 0)
			if (errno != EAGAIN || poll(&room, 1, 1000) <= 0)
				return;
}

/* False: there is no such word. */
static bool
probe_say(const struct ipc_probe *msg)
{
	struct ipc_complaint complaint = { .generation = 0, .reason = IPC_COMPLAINT_PROTOCOL };

	switch (msg->act) {
	case HOSTILE_COMPLAINT:
		for (size_t i = 0; i < msg->path.len; i++)
			complaint.generation = complaint.generation * 10 + (uint64_t)(msg->path.p[i] - '0');
		(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_COMPLAINT, &complaint, -1);
		return true;
	case HOSTILE_CONTROL:
		flood_control();
		return true;
	case HOSTILE_LOG:
		flood_log();
		return true;
	default:
		return false;
	}
}

int
probe_try(unsigned act, struct span target)
{
	char path[4096];

	if (target.len >= sizeof(path))
		return ENAMETOOLONG;
	if (target.len > 0)
		memcpy(path, target.p, target.len);
	path[target.len] = '\0';
	switch (act) {
#define BUT(...)
#define ACT(NAME, number, ...) \
	case number:           \
		return act_##NAME(path);
#include "policy/acts.def"
#undef ACT
#undef BUT
	default:
		return -1;
	}
}

void
probe_child(const struct policy_profile *p, const struct ipc_probe *msg)
{
	struct ipc_probed answer = { .error = 0 };
	int r;

	if (msg->act >= HOSTILE_PROBE_FIRST) {
		if (probe_say(msg))
			(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_PROBED, &answer, -1);
		return;
	}
	if (policy_act_permitted(p, (unsigned)msg->act)) {
		log_error("asked to try what profile %s permits: act %llu", p->name, (unsigned long long)msg->act);
		return;
	}
	if ((r = probe_try((unsigned)msg->act, msg->path)) == -1) {
		log_error("asked to try an unknown act: %llu", (unsigned long long)msg->act);
		return;
	}
	answer.error = (uint64_t)r;
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_PROBED, &answer, -1);
}
