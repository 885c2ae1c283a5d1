// libs: carrel_front
/*
 * test_peer.c - what the front's socket for diagnostics tells, and what it
 * does not: the owner of one connection, never a list.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/wire/peer_uid.h"

struct pair {
	int			listener, client, server;
	struct sockaddr_storage	client_end, server_end;
};

static void
connect_pair(struct pair *p, int family)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr *sa = family == AF_INET ? (struct sockaddr *)&in : (struct sockaddr *)&in6;
	socklen_t n = family == AF_INET ? sizeof(in) : sizeof(in6), m = sizeof(p->client_end);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->listener = socket(family, SOCK_STREAM, 0);
	p->client = socket(family, SOCK_STREAM, 0);
	if (bind(p->listener, sa, n) != 0 && family == AF_INET6)
		skip();
	assert_int_equal(listen(p->listener, 1), 0);
	assert_int_equal(getsockname(p->listener, sa, &n), 0);
	assert_int_equal(connect(p->client, sa, n), 0);
	assert_true((p->server = accept(p->listener, NULL, NULL)) >= 0);
	assert_int_equal(getsockname(p->client, (struct sockaddr *)&p->client_end, &m), 0);
	m = sizeof(p->server_end);
	assert_int_equal(getpeername(p->client, (struct sockaddr *)&p->server_end, &m), 0);
}

static void
close_pair(struct pair *p)
{
	close(p->listener);
	close(p->client);
	close(p->server);
}

/* Bytes that came within a moment; that a question cannot be answered is no answer. */
static size_t
hear(int fd)
{
	struct pollfd wait = { fd, POLLIN, 0 };
	union {
		struct nlmsghdr head;
		char bytes[32768];
	} answer;
	size_t all = 0;
	ssize_t n;

	while (poll(&wait, 1, 100) > 0 && (n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT)) > 0)
		all += answer.head.nlmsg_type == NLMSG_ERROR ? 0 : (size_t)n;
	return all;
}

static size_t
dump(int fd, uint8_t family, uint8_t protocol)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} q = {
		.head = { .nlmsg_len = sizeof(q),
		    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.body = { .sdiag_family = family, .sdiag_protocol = protocol, .idiag_states = UINT32_MAX },
	};

	assert_int_equal(send(fd, &q, sizeof(q), 0), (int)sizeof(q));
	return hear(fd);
}

/* A Unix socket by its inode; with a flag all of them. */
static size_t
ask_unix(int fd, uint32_t inode, uint16_t flags)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} q = {
		.head = { .nlmsg_len = sizeof(q),
		    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		    .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags) },
		.body = { .sdiag_family = AF_UNIX,
		    .udiag_states = UINT32_MAX,
		    .udiag_ino = inode,
		    .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER,
		    .udiag_cookie = { UINT32_MAX, UINT32_MAX } },
	};

	assert_int_equal(send(fd, &q, sizeof(q), 0), (int)sizeof(q));
	return hear(fd);
}

static void
test_one_connection_is_told(void **state)
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct sockaddr_in elsewhere = { .sin_family = AF_INET, .sin_port = htons(443) };
	struct err err;
	int fd = peer_open(&err);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < 2; i++) {
		struct pair p;
		uint32_t uid = UINT32_MAX;

		connect_pair(&p, families[i]);
		assert_int_equal(peer_uid(fd, (struct sockaddr *)&p.client_end, (struct sockaddr *)&p.server_end, &uid),
		    PEER_HELD);
		assert_int_equal(uid, geteuid());
		/* The process has left, its socket not yet: another answer than for a socket of another machine. */
		close(p.client);
		assert_int_equal(peer_uid(fd, (struct sockaddr *)&p.client_end, (struct sockaddr *)&p.server_end, &uid),
		    PEER_UNKNOWN);
		p.client = -1;
		close_pair(&p);
		elsewhere.sin_addr.s_addr = htonl(0xc0000201);
		assert_int_equal(peer_uid(fd, (struct sockaddr *)&elsewhere, (struct sockaddr *)&elsewhere, &uid),
		    PEER_ELSEWHERE);
	}
	close(fd);
}

static void
test_nothing_is_listed(void **state)
{
	static const uint8_t protocols[] = { IPPROTO_TCP, IPPROTO_UDP };
	struct stat st;
	struct pair p;
	struct err err;
	uint32_t uid;
	int fd = peer_open(&err), plain = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG), ends[2];

	(void)state;
	assert_true(fd >= 0 && plain >= 0);
	connect_pair(&p, AF_INET);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(fstat(ends[0], &st), 0);
	/* What is asked has an answer elsewhere. */
	assert_true(dump(plain, AF_INET, IPPROTO_TCP) > 0);
	for (size_t i = 0; i < sizeof(protocols); i++) {
		assert_int_equal(dump(fd, AF_INET, protocols[i]), 0);
		assert_int_equal(dump(fd, AF_INET6, protocols[i]), 0);
	}
	if (ask_unix(plain, 0, NLM_F_DUMP) > 0)
		assert_int_equal(ask_unix(fd, 0, NLM_F_DUMP), 0);
	if (ask_unix(plain, (uint32_t)st.st_ino, 0) > 0)
		assert_int_equal(ask_unix(fd, (uint32_t)st.st_ino, 0), 0);
	/* And it goes on telling the one. */
	assert_int_equal(peer_uid(fd, (struct sockaddr *)&p.client_end, (struct sockaddr *)&p.server_end, &uid),
	    PEER_HELD);
	close_pair(&p);
	close(ends[0]);
	close(ends[1]);
	close(plain);
	close(fd);
}

static void
test_the_filter_stays(void **state)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	struct sock_fprog program = { 1, &all };
	struct err err;
	int fd = peer_open(&err), zero = 0;

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &zero, sizeof(zero)), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &zero, sizeof(zero)), -1);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_connection_is_told),
		cmocka_unit_test(test_nothing_is_listed),
		cmocka_unit_test(test_the_filter_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
