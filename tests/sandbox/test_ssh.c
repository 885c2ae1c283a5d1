/*
 * test_ssh.c - what is left to an attacker who has taken over ssh (workers/tunnel/ssh_start.h).
 *
 * This program is run in place of ssh, by the function that runs ssh, and tries to get out: to the sockets of a running
 * daemon, to its files, to other processes, to the network.  The same with Landlock as Debian 12's kernel has it, which
 * knows neither ports nor signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sandbox/fixture.h"
#include "workers/tunnel/ssh_start.h"

#define DONE	0

/* What the attacker knows: its key lies in the project, and so does the directory of its socket. */
static char	 project[200], own_dir[256];
static pid_t	 victim;	/* the process that started ssh */

static void
know(const char *directory, pid_t parent)
{
	snprintf(project, sizeof(project), "%s", directory);
	snprintf(own_dir, sizeof(own_dir), "%s/home/tunnel", directory);
	victim = parent;
}

static struct sockaddr_un
unix_address(const char *below)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	snprintf(to.sun_path, sizeof(to.sun_path), "%.60s/%.40s", project, below);
	return to;
}

static int
outcome(long r)
{
	return r == -1 ? errno : DONE;
}

static int
connect_unix(const char *below)
{
	struct sockaddr_un to = unix_address(below);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd == -1 ? 1000 + errno : outcome(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

static int
control_socket(void)
{
	return connect_unix(".carrel/control.sock");
}

static int
auth_socket(void)
{
	return connect_unix(".carrel/auth.sock");
}

/* The one that ssh was given: it is connected, and connect() with no family would let it go elsewhere. */
static int
reconnect(void)
{
	struct sockaddr to = { .sa_family = AF_UNSPEC };

	return outcome(connect(STDIN_FILENO, &to, sizeof(to)));
}

static int
send_to_unix(void)
{
	struct sockaddr_un to = unix_address(".carrel/log.sock");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd == -1 ? 1000 + errno : outcome(sendto(fd, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof(to)));
}

static int
send_message_to_unix(void)
{
	struct sockaddr_un to = unix_address(".carrel/control.sock");
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr mh = { .msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &iov, .msg_iovlen = 1 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd == -1 ? 1000 + errno : outcome(sendmsg(fd, &mh, MSG_NOSIGNAL));
}

static int
make_datagram(void)
{
	return outcome(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static int
make_packets(void)
{
	return outcome(socket(AF_UNIX, SOCK_SEQPACKET, 0));
}

static int
make_pair(void)
{
	int fds[2];

	return outcome(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
}

static int
make_tcp(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

static int
make_udp(void)
{
	return outcome(socket(AF_INET, SOCK_DGRAM, 0));
}

static int
make_netlink(void)
{
	return outcome(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
}

static int
set_up_ring(void)
{
	uint64_t parameters[15] = { 0 };

	return outcome(syscall(425 /* io_uring_setup */, 1, parameters));
}

static int
open_below(const char *below, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", project, below);
	return outcome(open(path, flags | O_CLOEXEC, 0600));
}

static int
read_config(void)
{
	return open_below("carrel.yaml", O_RDONLY);
}

static int
read_key_of_project(void)
{
	return open_below(".carrel/signing.key", O_RDONLY);
}

static int
read_state(void)
{
	return open_below(".carrel/state.db", O_RDONLY);
}

static int
write_page(void)
{
	return open_below("wiki/page.md", O_WRONLY);
}

static int
make_file(void)
{
	return open_below("wiki/new.md", O_WRONLY | O_CREAT);
}

static int
remove_socket(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/.carrel/control.sock", project);
	return outcome(unlink(path));
}

static int
change_mode(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/.carrel/signing.key", project);
	return outcome(syscall(SYS_fchmodat, AT_FDCWD, path, 0666));
}

static int
listen_elsewhere(void)
{
	struct sockaddr_un to = unix_address("wiki/sock");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd == -1 ? 1000 + errno : outcome(bind(fd, (struct sockaddr *)&to, sizeof(to)));
}

static int
list_processes(void)
{
	return outcome(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int
open_memory(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)victim);
	return outcome(open(path, O_RDONLY | O_CLOEXEC));
}

static int
read_memory(void)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &victim, 1 };

	return outcome(process_vm_readv(victim, &to, 1, &from, 1, 0));
}

static int
trace(void)
{
	return outcome(syscall(SYS_ptrace, PTRACE_SEIZE, victim, 0, 0));
}

static int
take_process(void)
{
	return outcome(syscall(434 /* pidfd_open */, victim, 0));
}

static int
signal_victim(void)
{
	return outcome(kill(victim, 0));
}

static int
limit_victim(void)
{
	uint64_t limit[2] = { 0, 0 };

	return outcome(syscall(SYS_prlimit64, victim, 0 /* CPU */, limit, NULL));
}

static int
run_shell(void)
{
	char *const argv[] = { "sh", "-c", "exit 0", NULL }, *const envp[] = { NULL };

	return outcome(execve("/bin/sh", argv, envp));
}

static int
start_process(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return outcome(pid);
}

static int
leave_namespace(void)
{
	return outcome(unshare(CLONE_NEWUSER));
}

static int
make_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ?
	    errno :
	    DONE;
}

static int
make_executable(void)
{
	return outcome(syscall(SYS_memfd_create, "x", 0));
}

/* What ssh needs: were it refused, the refusals above would prove nothing. */
static int
listen_at_own(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%.80s/db", own_dir);
	if (fd == -1 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 1) != 0)
		return errno;
	return outcome(unlink(at.sun_path));
}

static int
read_own_key(void)
{
	return open_below("home/id", O_RDONLY);
}

static int
write_to_server(void)
{
	return outcome(write(STDOUT_FILENO, "x", 1));
}

#ifdef CARREL_SANITIZED
#define LISTS	DONE	/* the leak checker's helper lists threads there */
#else
#define LISTS	EACCES
#endif
#define TRY(fn, errno)	{ #fn, fn, errno }
static const struct attack {
	const char	*name;
	int		(*fn)(void);
	int		 answer;
} attacks[] = {
	TRY(listen_at_own, DONE), TRY(read_own_key, DONE), TRY(write_to_server, DONE),
	TRY(control_socket, ENOSYS), TRY(auth_socket, ENOSYS), TRY(reconnect, ENOSYS), TRY(send_to_unix, ENOSYS),
	TRY(send_message_to_unix, ENOSYS), TRY(make_datagram, ENOSYS), TRY(make_packets, ENOSYS),
	TRY(make_pair, ENOSYS),
	TRY(make_tcp, ENOSYS), TRY(make_udp, ENOSYS), TRY(make_netlink, ENOSYS), TRY(set_up_ring, ENOSYS),
	TRY(read_config, EACCES), TRY(read_key_of_project, EACCES), TRY(read_state, EACCES), TRY(write_page, EACCES),
	TRY(make_file, EACCES), TRY(remove_socket, EACCES), TRY(change_mode, ENOSYS), TRY(listen_elsewhere, EACCES),
	TRY(list_processes, LISTS), TRY(open_memory, EACCES), TRY(read_memory, ENOSYS), TRY(trace, ENOSYS),
	TRY(take_process, ENOSYS), TRY(signal_victim, ENOSYS), TRY(limit_victim, ENOSYS), TRY(run_shell, EACCES),
	TRY(start_process, ENOSYS), TRY(leave_namespace, ENOSYS), TRY(make_code, ENOSYS), TRY(make_executable, ENOSYS),
};
#define ATTACKS	(sizeof(attacks) / sizeof(attacks[0]))

/* What comes out of it is told on standard error. */
static int
attack_all(void)
{
	for (size_t i = 0; i < ATTACKS; i++)
		dprintf(STDERR_FILENO, "%s %d\n", attacks[i].name, attacks[i].fn());
	return 0;
}

/* --- the machine around it ----------------------------------------------------------- */

static struct fixture	fixture;
static int		control, auth, logger;

static int
listen_at(const char *below, int type)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%.60s/%.40s", fixture.project, below);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static void
put_key(void)
{
	int fd = open(fixture_path(&fixture, "home/id"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int
set_up(void **state)
{
	(void)state;
	fixture_make(&fixture, 0);
	put_key();
	assert_int_equal(mkdir(fixture_path(&fixture, "home/tunnel"), 0700), 0);
	control = listen_at(".carrel/control.sock", SOCK_STREAM);
	auth = listen_at(".carrel/auth.sock", SOCK_STREAM);
	logger = listen_at(".carrel/log.sock", SOCK_DGRAM);
	know(fixture.project, getpid());
	return 0;
}

static int
tear_down(void **state)
{
	const int fds[] = { control, auth, logger };

	(void)state;
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
	fixture_remove(&fixture);
	return 0;
}


/* --- run in place of ssh ------------------------------------------------------------- */

/* All that the attacker says, until its end. */
static void
hear(int fd, char *said, size_t size)
{
	struct pollfd p = { fd, POLLIN, 0 };
	size_t have = 0;
	ssize_t n = -1;

	while (have < size - 1 && poll(&p, 1, 20000) == 1 && (n = read(fd, said + have, size - 1 - have)) > 0)
		have += (size_t)n;
	said[have] = '\0';
	assert_int_equal(n, 0);
}

static unsigned
wrong_answers(const char *said)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < ATTACKS; i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s %d\n", attacks[i].name, attacks[i].answer);
		if (strstr(said, line) != NULL)
			continue;
		print_error("%s: not %s\n", attacks[i].name, outcome_text(attacks[i].answer));
		wrong++;
	}
	return wrong;
}

static void
test_in_place_of_ssh(void **state)
{
	static char self[512], said[8192], directory[300], socket_path[320], identity[300];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct ipc_configure_tunnel m = { .ssh_host = SPAN("bastion"), .ssh_port = 22, .ssh_user = SPAN("u"),
		.server_host = SPAN("db"), .server_port = 5432, .memory_max = UINT64_C(1) << 30 };
	int pair[2], complaints;
	char byte;

	(void)state;
#ifdef CARREL_SANITIZED
	skip(); /* what a sanitizer asks for is not in ssh's list */
#endif
	assert_true(n > 0);
	snprintf(directory, sizeof(directory), "%s", own_dir);
	snprintf(socket_path, sizeof(socket_path), "%s/db", own_dir);
	snprintf(identity, sizeof(identity), "%s/home/id", project);
	m.program = span_str(self);
	m.identity = m.known_hosts = span_str(identity);
	m.directory = span_str(directory);
	m.socket = span_str(socket_path);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	complaints = ssh_start(&m, pair[1], false);
	assert_true(complaints >= 0);
	hear(complaints, said, sizeof(said));
	close(complaints);
	if (wrong_answers(said) > 0)
		fail_msg("it said:\n%s", said);
	assert_int_equal(recv(pair[0], &byte, 1, MSG_DONTWAIT), 1); /* the connection to its server is all it has */
	close(pair[0]);
	assert_true(wait(NULL) > 0);
}

/* --- with the kernel of Debian 12 ---------------------------------------------------- */

struct trial {
	const struct attack	*attack;
	unsigned		 abi_cap;
	int			 server;
};

static int
try_one(void *arg)
{
	const struct trial *t = arg;

	dup2(t->server, STDIN_FILENO);
	dup2(t->server, STDOUT_FILENO);
	confine_here(&policy_ssh, &fixture, t->abi_cap);
	return t->attack->fn();
}

static void
test_on_an_older_kernel(void **state)
{
	char identity[300], self[] = "/usr/bin/env";
	unsigned wrong = 0;
	int pair[2];

	(void)state;
	snprintf(identity, sizeof(identity), "%s/home/id", project);
	fixture.places.identity = fixture.places.known_hosts = identity;
	fixture.places.socket_dir = own_dir;
	fixture.places.program = self;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	for (size_t i = 0; i < ATTACKS; i++) {
		struct trial t = { &attacks[i], 2, pair[1] };
		int got = in_child(0, try_one, &t);

		if (got == attacks[i].answer)
			continue;
		print_error("%s: %s, not %s\n", attacks[i].name, outcome_text(got), outcome_text(attacks[i].answer));
		wrong++;
	}
	close(pair[0]);
	close(pair[1]);
	assert_int_equal(wrong, 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_in_place_of_ssh, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_on_an_older_kernel, set_up, tear_down),
	};

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "-oIdentityFile=", 15) == 0) {
			argv[i][strlen(argv[i]) - strlen("/home/id")] = '\0';
			know(argv[i] + 15, getppid());
			return attack_all();
		}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
