/*
 * test_live.c - what the kernel answers a confined process.
 *
 * Every act of policy/acts.def under every profile, in a child of its own, as
 * we are and as nobody: refused as its row says.  Then the ways round a refused
 * socket, foreign ABIs, and what must still work.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "policy/acts.h"
#include "tests/sandbox/fixture.h"
#include "workers/shared/probe.h"
#include "policy/profiles.h"

#define FASTOPEN	0x20000000
#define MPTCP		262

static struct fixture fixture;

struct trial {
	const struct policy_profile	*profile;
	unsigned			 act;
	unsigned			 abi_cap;
	int				(*fn)(void);
};

/* --- the acts ---------------------------------------------------------------------- */

static int
try_act(void *arg)
{
	const struct trial *t = arg;

	probe_remember_parent();
	confine_here(t->profile, &fixture, t->abi_cap);
	return probe_try(t->act, span_str(fixture_aim(&fixture, policy_act(t->act)->aim)));
}

/* What in_child() returns when the act is refused as its row says. */
static int
claimed(enum policy_claim claim)
{
	return claim == POLICY_CLAIM_KILL   ? -SIGSYS :
	    claim == POLICY_CLAIM_PERM      ? EPERM :
	    claim == POLICY_CLAIM_UNDER_WAY ? EINPROGRESS :
					      EACCES;
}

static void
check_acts(uid_t uid, unsigned abi_cap)
{
	unsigned wrong = 0;

	fixture_make(&fixture, uid);
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		for (const struct policy_act *a = policy_acts; a->number != 0; a++) {
			struct trial t = { .profile = p, .act = a->number, .abi_cap = abi_cap };
			int got;

			if (policy_act_permitted(p, a->number))
				continue;
			if ((got = in_child(uid, try_act, &t)) == claimed(policy_act_claim(p, a->number)))
				continue;
			print_error("%s %s: %s, not %s\n", p->name, a->name, outcome_text(got),
			    policy_claim_name(policy_act_claim(p, a->number)));
			wrong++;
		}
	fixture_remove(&fixture);
	assert_int_equal(wrong, 0);
}

static void
test_acts_are_refused(void **state)
{
	(void)state;
	check_acts(0, 0);
	check_acts(0, 2);
}

static void
test_acts_are_refused_to_nobody(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	check_acts(NOBODY, 0);
}

/* --- single trials ------------------------------------------------------------------- */

static int
try_fn(void *arg)
{
	const struct trial *t = arg;

	return t->fn();
}

static int
outcome(long r)
{
	return r == -1 ? errno : 0;
}

/* Each fn prepares, confines itself as `under` says and tries. */
static const struct policy_profile *under;

static int connects(void);

static void
check_all(int (*fn)(void), int all)
{
	fixture_make(&fixture, 0);
	for (under = policy_profiles; under->name != NULL; under++) {
		struct trial t = { .fn = fn };
		int want = fn == connects ? claimed(policy_act_claim(under, POLICY_ACT_CONNECT)) : all;
		int got = in_child(0, try_fn, &t);

		if (got != want) {
			print_error("%s: wanted %s", under->name, outcome_text(want));
			fail_msg("%s: got %s", under->name, outcome_text(got));
		}
	}
	fixture_remove(&fixture);
}

static void
confine(void)
{
	confine_here(under, &fixture, 0);
}

static int
sockets(void)
{
	static const int kinds[][3] = {
		{ AF_INET, SOCK_STREAM, 0 }, { AF_INET6, SOCK_STREAM, IPPROTO_TCP },
		{ AF_INET, SOCK_DGRAM, 0 }, { AF_INET6, SOCK_DGRAM, IPPROTO_UDP },
		{ AF_INET, SOCK_STREAM, MPTCP }, { AF_INET, SOCK_RAW, IPPROTO_ICMP },
		{ AF_UNIX, SOCK_STREAM, 0 }, { AF_UNIX, SOCK_DGRAM, 0 },
		{ AF_NETLINK, SOCK_RAW, NETLINK_ROUTE }, { AF_PACKET, SOCK_RAW, 0 }, { AF_VSOCK, SOCK_STREAM, 0 },
	};

	confine();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (socket(kinds[i][0], kinds[i][1], kinds[i][2]) != -1 || errno != EACCES)
			return 1;
	return EACCES;
}

/* An inherited socket that is not connected anywhere: the ways to make it so. */
static int	loose;
static struct sockaddr_in nowhere;

static void
confine_with_loose_socket(void)
{
	loose = socket(AF_INET, SOCK_STREAM, 0);
	nowhere = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(9) };
	nowhere.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	confine();
}

static int
connects(void)
{
	confine_with_loose_socket();
	return outcome(connect(loose, (struct sockaddr *)&nowhere, sizeof(nowhere)));
}

static int
sends_to(void)
{
	confine_with_loose_socket();
	return outcome(sendto(loose, "x", 1, 0, (struct sockaddr *)&nowhere, sizeof(nowhere)));
}

static int
sends_fast(void)
{
	confine_with_loose_socket();
	return outcome(sendto(loose, "x", 1, FASTOPEN, NULL, 0));
}

static int
sends_message_fast(void)
{
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr mh = {
		.msg_name = &nowhere, .msg_namelen = sizeof(nowhere), .msg_iov = &iov, .msg_iovlen = 1
	};

	confine_with_loose_socket();
	return outcome(sendmsg(loose, &mh, FASTOPEN));
}

static int
binds(void)
{
	confine_with_loose_socket();
	return outcome(bind(loose, (struct sockaddr *)&nowhere, sizeof(nowhere)));
}

static int
listens(void)
{
	confine_with_loose_socket();
	return outcome(listen(loose, 1));
}

static int
receives_with_address(void)
{
	socklen_t len = sizeof(nowhere);
	char byte;

	confine_with_loose_socket();
	return outcome(recvfrom(loose, &byte, 1, 0, (struct sockaddr *)&nowhere, &len));
}

/*
 * Not refused, but it must not get out: a socket that is not connected stays so.  A process that has no
 * channel is killed.
 */
static int
sends_message_with_address(void)
{
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr mh = {
		.msg_name = &nowhere, .msg_namelen = sizeof(nowhere), .msg_iov = &iov, .msg_iovlen = 1
	};

	if (strcmp(under->name, "import") == 0)
		return EPIPE; /* see imports_have_no_channel() */
	confine_with_loose_socket();
	return outcome(sendmsg(loose, &mh, MSG_NOSIGNAL));
}

static int
sends_message(void)
{
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };

	confine_with_loose_socket();
	return outcome(sendmsg(loose, &mh, MSG_NOSIGNAL));
}

static void
imports_have_no_channel(void)
{
	struct trial t = { .fn = sends_message };

	fixture_make(&fixture, 0);
	under = policy_profile("import");
	assert_int_equal(in_child(0, try_fn, &t), -SIGSYS);
	fixture_remove(&fixture);
}

static void
test_no_way_to_the_network(void **state)
{
	(void)state;
	check_all(sockets, EACCES);
	check_all(connects, -SIGSYS);
	check_all(sends_to, -SIGSYS);
	check_all(sends_fast, -SIGSYS);
	check_all(sends_message_fast, -SIGSYS);
	check_all(binds, -SIGSYS);
	check_all(listens, -SIGSYS);
	check_all(receives_with_address, -SIGSYS);
	check_all(sends_message_with_address, EPIPE);
	imports_have_no_channel();
}

#ifdef __x86_64__
static int
calls_as_i386(void)
{
	long r = 20; /* getpid there */

	confine();
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory");
	return 0;
}

static int
calls_as_x32(void)
{
	confine();
	return outcome(syscall(0x40000000 | 39));
}
#endif

static void
test_foreign_abis_kill(void **state)
{
	(void)state;
#ifdef __x86_64__
	struct trial t = { .fn = calls_as_i386 };
	int got;

	fixture_make(&fixture, 0);
	under = policy_profiles;
	got = in_child(0, try_fn, &t);
	fixture_remove(&fixture);
	/* A kernel without the 32-bit door answers the instruction with SIGSEGV. */
	if (got != -SIGSEGV)
		check_all(calls_as_i386, -SIGSYS);
	check_all(calls_as_x32, -SIGSYS);
#else
	skip();
#endif
}

static int
aborts(void)
{
	confine();
	abort();
}

static int
kills_itself(void)
{
	confine();
	return outcome(kill(getpid(), SIGKILL));
}

static int
kills_init(void)
{
	confine();
	return outcome(kill(1, 0));
}

static int
kills_group(void)
{
	confine();
	return outcome(kill(0, 0));
}

static void
test_signals_nobody_else(void **state)
{
	(void)state;
	check_all(aborts, -SIGABRT);
	check_all(kills_itself, -SIGKILL);
	check_all(kills_init, -SIGSYS);
	check_all(kills_group, -SIGSYS);
}

static int
maps_file_executable(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	confine();
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED ? errno : 0;
}

static int
unprotects_text(void)
{
	uintptr_t page = (uintptr_t)unprotects_text & ~(uintptr_t)4095;

	confine();
	return outcome(mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
}

static int
works_with_memory(void)
{
	confine();
	for (size_t size = 16; size <= (size_t)64 << 20; size *= 2) {
		char *p = malloc(size), *larger;

		if (p == NULL)
			return ENOMEM;
		memset(p, 1, size);
		if ((larger = realloc(p, size * 2)) == NULL) {
			free(p);
			return ENOMEM;
		}
		free(larger);
	}
	return 0;
}

static void
test_memory_is_data(void **state)
{
	(void)state;
	check_all(maps_file_executable, -SIGSYS);
	check_all(unprotects_text, -SIGSYS);
	check_all(works_with_memory, 0);
}

static int
by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* qsort() asks for the size of memory, once the array is large. */
static int
sorts(void)
{
	static int numbers[100000];

	confine();
	for (int i = 0; i < 100000; i++)
		numbers[i] = (int)((unsigned)i * 2654435761u >> 1);
	qsort(numbers, 100000, sizeof(numbers[0]), by_value);
	return numbers[0] <= numbers[99999] ? 0 : 1;
}

static void
test_libc_keeps_working(void **state)
{
	(void)state;
	check_all(sorts, 0);
}

/* --- the time zone --------------------------------------------------------------------- */

/* A winter noon, as libc sees it inside. */
static int
is_new_york(void)
{
	time_t t = 1768478400; /* 2026-01-15 12:00:00 UTC */
	struct tm *tm = localtime(&t);

	return tm->tm_hour == 7 && strcmp(tm->tm_zone, "EST") == 0 ? 0 : 1;
}

static int
zone_from_environment(void)
{
	setenv("TZ", "America/New_York", 1);
	confine();
	return is_new_york();
}

/* With /etc/localtime as another machine has it. */
static int
zone_from_file(void)
{
	unsetenv("TZ");
	if (unshare(CLONE_NEWNS) == -1 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("/usr/share/zoneinfo/America/New_York", "/etc/localtime", NULL, MS_BIND, NULL) == -1)
		return ENOSYS;
	confine();
	return is_new_york();
}

static void
test_time_zone_survives(void **state)
{
	struct trial t = { .fn = zone_from_file };
	int got;

	(void)state;
	if (access("/usr/share/zoneinfo/America/New_York", R_OK) != 0)
		skip();
	check_all(zone_from_environment, 0);
	fixture_make(&fixture, 0);
	under = policy_profiles;
	got = in_child(0, try_fn, &t);
	fixture_remove(&fixture);
	/* Making such a machine takes privileges we may lack. */
	if (got != ENOSYS)
		check_all(zone_from_file, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acts_are_refused),
		cmocka_unit_test(test_acts_are_refused_to_nobody),
		cmocka_unit_test(test_no_way_to_the_network),
		cmocka_unit_test(test_foreign_abis_kill),
		cmocka_unit_test(test_signals_nobody_else),
		cmocka_unit_test(test_memory_is_data),
		cmocka_unit_test(test_libc_keeps_working),
		cmocka_unit_test(test_time_zone_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
