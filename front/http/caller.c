#include <string.h>
#include <sys/socket.h>

#include "front/http/caller.h"
#include "front/http/conn.h"
#include "front/wire/peer_uid.h"

/* Find the user of the process at the other end, whose address is sa.  NULL: it is asked for. */
static enum peer_found
find_uid(const struct conn *c, const struct sockaddr *sa, uint32_t *uid)
{
	union {
		struct sockaddr any;
		struct sockaddr_storage room;
	} peer, own;
	socklen_t n = sizeof(peer), m = sizeof(own);
	struct ucred cred;

	if (c->unix_socket) {
		n = sizeof(cred);
		if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0)
			return PEER_UNKNOWN;
		*uid = cred.uid;
		return PEER_HELD;
	}
	if ((sa == NULL && getpeername(c->fd, &peer.any, &n) != 0) || getsockname(c->fd, &own.any, &m) != 0)
		return PEER_UNKNOWN;
	return peer_uid(c->front->netlink, sa != NULL ? sa : &peer.any, &own.any, uid);
}

static void
look_up(struct conn *c, const struct sockaddr *sa)
{
	if (find_uid(c, sa, &c->uid) != PEER_HELD)
		c->peer = ACCESS_PEER_UNKNOWN;
	else
		c->peer = c->uid == c->front->access.owner_uid ? ACCESS_PEER_OWNER : ACCESS_PEER_OTHER;
}

/*
 * Whether a reverse proxy is at the other end.  Every account of this machine can connect from each of its addresses,
 * so a proxy that runs here is recognised by its user as well.  Only the proxy has access to the Unix socket.
 */
static bool
is_proxy(const struct conn *c, const struct sockaddr *sa, const uint8_t *address)
{
	const struct access *a = &c->front->access;
	enum peer_found found = PEER_HELD;
	uint32_t uid = c->uid;

	if (c->unix_socket || address == NULL || !access_is_proxy(a, address))
		return c->unix_socket;
	if (!c->loopback)
		found = find_uid(c, sa, &uid);
	else if (c->peer == ACCESS_PEER_UNKNOWN)
		return false;
	return found == PEER_ELSEWHERE || (found == PEER_HELD && access_is_proxy_user(a, uid));
}

void
caller_arrive(struct conn *c, const struct sockaddr *sa)
{
	struct addresses *all = conns_addresses(c->front->conns);
	uint8_t bytes[NET_ADDRESS];
	bool known = net_address_of(sa, bytes);

	c->unix_socket = sa->sa_family == AF_UNIX;
	c->loopback = known && net_is_loopback(bytes);
	c->peer = ACCESS_PEER_REMOTE;
	if (c->loopback || c->unix_socket)
		look_up(c, sa);
	c->proxy = is_proxy(c, sa, known ? bytes : NULL);
	c->owners = c->peer == ACCESS_PEER_OWNER;
	switch (c->peer) {
	case ACCESS_PEER_REMOTE:
		c->address = address_open(all, bytes);
		break;
	case ACCESS_PEER_UNKNOWN:
		c->address = address_open_unknown(all);
		break;
	default:
		c->address = address_open_user(all, c->uid);
		break;
	}
}

void
caller_leave(struct conn *c)
{
	caller_end(c);
	address_close(conns_addresses(c->front->conns), c->address);
}

int
caller_room(const struct conn *c, unsigned conns, unsigned others, unsigned max)
{
	unsigned own = address_connections(c->address);

	if (conns > max)
		return 503;
	if (c->owners)
		return 0;
	if (others > CALLER_OTHERS(max))
		return 503;
	if (c->proxy)
		return own > CALLER_PROXY(max) ? 503 : 0;
	return own > (c->peer == ACCESS_PEER_REMOTE ? ADDRESS_CONNS_MAX : CALLER_USER(max)) ? 429 : 0;
}

/* Cut the last hop off the list.  False: the list is empty. */
static bool
last_hop(struct span *list, struct span *hop)
{
	size_t begin = list->len;

	if (list->len == 0)
		return false;
	while (begin > 0 && list->p[begin - 1] != ',')
		begin--;
	*hop = http_trim(span_of(list->p + begin, list->len - begin));
	list->len = begin == 0 ? 0 : begin - 1;
	return true;
}

/* Find the rightmost hop of this line that is no trusted proxy.  False: all hops are proxies. */
static bool
find_hop(const struct access *a, struct span list, uint8_t out[NET_ADDRESS], bool *known)
{
	struct span hop;

	while (last_hop(&list, &hop)) {
		*known = net_hop_read(hop, out);
		if (!*known || !access_is_proxy(a, out))
			return true; /* hops further left could be forged by anybody */
	}
	return false;
}

/* Find the client's address in what trusted proxies report.  False: no usable address. */
static bool
forwarded_client(const struct access *a, const struct http_request *q, uint8_t out[NET_ADDRESS])
{
	struct span lines[HTTP_FIELDS_MAX], name, value;
	size_t at = 0, n = 0;
	bool known = false;

	while (n < HTTP_FIELDS_MAX && http_next_field(q, &at, &name, &value))
		if (http_same(name, "x-forwarded-for"))
			lines[n++] = value;
	while (n > 0)
		if (find_hop(a, lines[--n], out, &known))
			return known;
	return false;
}

/* Charge the bytes that c has buffered to another party from now on. */
static void
count_for(struct conn *c, struct address *client)
{
	address_charge(caller_address(c), -c->charged);
	if (c->client != NULL)
		address_close(conns_addresses(c->front->conns), c->client);
	c->client = client;
	address_charge(caller_address(c), c->charged);
}

/*
 * Whether a proxy passed the request on.  A proxy that does not name its client is recognised by other fields that it
 * adds.  The Unix socket is the proxy's alone, unless the configuration opens it to the owner's own programs.
 */
static bool
is_forwarded(const struct conn *c, const struct http_request *q)
{
	struct span name, value;
	size_t at = 0;

	if (!c->proxy)
		return false;
	if (q->field[HTTP_FORWARDED_FOR].p != NULL || (c->unix_socket && !c->front->access.loopback_open))
		return true;
	while (http_next_field(q, &at, &name, &value))
		if (http_same(name, "forwarded") || http_same(name, "via") || http_same(name, "x-real-ip") ||
		    http_same(name, "x-forwarded-host") || http_same(name, "x-forwarded-proto") ||
		    http_same(name, c->front->access.proxy_header))
			return true;
	return false;
}

int
caller_begin(struct conn *c, const struct http_request *q)
{
	uint8_t bytes[NET_ADDRESS];

	caller_end(c);
	if (!is_forwarded(c, q))
		return 0;
	/* The proxy may run as the owner, but its clients are others. */
	if (c->owners && !conns_disown(c))
		return 503;
	if (!forwarded_client(&c->front->access, q, bytes)) {
		count_for(c, address_open_unknown(conns_addresses(c->front->conns)));
		return 0;
	}
	count_for(c, address_open(conns_addresses(c->front->conns), bytes));
	return address_connections(c->client) > ADDRESS_CONNS_MAX && !net_is_loopback(bytes) ? 429 : 0;
}

void
caller_end(struct conn *c)
{
	if (c->client != NULL)
		count_for(c, NULL);
}

struct address *
caller_address(const struct conn *c)
{
	return c->client != NULL ? c->client : c->address;
}

void
caller_put_address(const struct conn *c, char out[ADDRESS_TEXT_MAX])
{
	static const char here[] = "127.0.0.1";
	const struct address *address = caller_address(c);

	if (address_is_user(address))
		memcpy(out, here, sizeof(here));
	else
		address_name(address, out);
}

enum access_peer
caller_peer(struct conn *c, const struct http_request *q, uint32_t *uid)
{
	*uid = 0;
	/* Requests that a proxy forwards are never the owner's. */
	if (c->peer == ACCESS_PEER_REMOTE || is_forwarded(c, q))
		return ACCESS_PEER_REMOTE;
	if (c->peer == ACCESS_PEER_UNKNOWN)
		look_up(c, NULL); /* look up again for this request; the connection stays counted as unknown */
	*uid = c->uid;
	return c->peer;
}

bool
caller_is_owner(struct conn *c, const struct http_request *q)
{
	uint32_t uid;

	return caller_peer(c, q, &uid) == ACCESS_PEER_OWNER;
}

bool
caller_overdrawn(const struct conn *c, size_t all, size_t others, size_t max)
{
	if (c->charged == 0)
		return false;
	if (c->owners)
		return all > max;
	return others > CALLER_OTHERS(max) || address_charged(caller_address(c)) > CALLER_PROXY(max);
}
