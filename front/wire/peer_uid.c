#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "front/wire/peer_uid.h"

struct peer_request {
	struct nlmsghdr		head;
	struct inet_diag_req_v2	body;
};

/* Look up an IPv4-mapped IPv6 address as IPv4. */
static int
put_end(const struct sockaddr *sa, __be32 addr[4], __be16 *port)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		addr[0] = in.sin_addr.s_addr;
		*port = in.sin_port;
		return AF_INET;
	}
	if (sa->sa_family != AF_INET6)
		return -1;
	memcpy(&in6, sa, sizeof(in6));
	*port = in6.sin6_port;
	if (memcmp(in6.sin6_addr.s6_addr, mapped, sizeof(mapped)) == 0) {
		memcpy(addr, in6.sin6_addr.s6_addr + 12, 4);
		return AF_INET;
	}
	memcpy(addr, in6.sin6_addr.s6_addr, 16);
	return AF_INET6;
}

enum peer_found
peer_uid(int netlink, const struct sockaddr *peer, const struct sockaddr *own, uint32_t *uid)
{
	struct peer_request q = {
		.head = {
			.nlmsg_len = sizeof(q), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST
		},
		.body = { .sdiag_protocol = IPPROTO_TCP, .idiag_states = UINT32_MAX },
	};
	uint8_t answer[1024];
	struct nlmsghdr head;
	struct nlmsgerr failure;
	struct inet_diag_msg msg;
	ssize_t n;
	int family = put_end(peer, q.body.id.idiag_src, &q.body.id.idiag_sport);

	if (family < 0 || put_end(own, q.body.id.idiag_dst, &q.body.id.idiag_dport) != family)
		return PEER_UNKNOWN;
	q.body.sdiag_family = (uint8_t)family;
	q.body.id.idiag_cookie[0] = q.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	if (send(netlink, &q, sizeof(q), MSG_NOSIGNAL) != (ssize_t)sizeof(q))
		return PEER_UNKNOWN;
	/* The kernel has answered before send() returns. */
	n = recv(netlink, answer, sizeof(answer), MSG_DONTWAIT);
	if (n < (ssize_t)(sizeof(head) + sizeof(failure)))
		return PEER_UNKNOWN;
	memcpy(&head, answer, sizeof(head));
	if (head.nlmsg_type == NLMSG_ERROR) {
		memcpy(&failure, answer + sizeof(head), sizeof(failure));
		return failure.error == -ENOENT ? PEER_ELSEWHERE : PEER_UNKNOWN;
	}
	if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || n < (ssize_t)(sizeof(head) + sizeof(msg)))
		return PEER_UNKNOWN;
	memcpy(&msg, answer + sizeof(head), sizeof(msg));
	/* The kernel also offers a listening socket with the port of the other end. */
	if (msg.id.idiag_sport != q.body.id.idiag_sport || msg.id.idiag_dport != q.body.id.idiag_dport)
		return PEER_ELSEWHERE;
	if (msg.idiag_inode == 0)
		return PEER_UNKNOWN;
	*uid = msg.idiag_uid;
	return PEER_HELD;
}

/*
 * Filter the socket so that only answers to exact lookups pass.  A compromised front then cannot list
 * the machine's sockets: dumps are marked NLM_F_MULTI or end with NLMSG_DONE, in every protocol.  The
 * check of the family excludes Unix and packet sockets, which are looked up by inode.  The kernel runs
 * the filter on all that it queues on the socket.  Filters load in network byte order; netlink writes
 * in host byte order.
 */
static int
hear_exact_answers(int fd)
{
	enum {
		TYPE = offsetof(struct nlmsghdr, nlmsg_type),
		FLAGS = offsetof(struct nlmsghdr, nlmsg_flags),
		FAMILY = NLMSG_HDRLEN + offsetof(struct inet_diag_msg, idiag_family)
	};
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, FLAGS),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, htons(NLM_F_MULTI), 6, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, TYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(NLMSG_ERROR), 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(SOCK_DIAG_BY_FAMILY), 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FAMILY),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	const struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0)
		return -1;
	return setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on));
}

int
peer_open(struct err *err)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	uint32_t uid;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0) {
		err_set(err, ERR_INTERNAL, "the kernel has no socket diagnostics (SOCK_DIAG)");
		return err_detail(err, "socket: %s", strerror(errno));
	}
	if (hear_exact_answers(fd) != 0) {
		err_set(err, ERR_INTERNAL, "socket diagnostics cannot be limited to single answers");
		err_detail(err, "SO_ATTACH_FILTER: %s", strerror(errno));
		close(fd);
		return -1;
	}
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in6.sin6_addr = in6addr_loopback;
	/* No such connection exists.  The lookup makes the kernel load its modules while that is still possible. */
	(void)peer_uid(fd, (struct sockaddr *)&in, (struct sockaddr *)&in, &uid);
	(void)peer_uid(fd, (struct sockaddr *)&in6, (struct sockaddr *)&in6, &uid);
	return fd;
}
