/* site.c - the paths there are, and who may have them. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "front/conn.h"
#include "front/peer.h"

#define STATIC_TOKEN	"token:static"

enum place { PLACE_NONE, PLACE_MCP, PLACE_SSE, PLACE_MESSAGES, PLACE_HEALTH, PLACE_READY };

static enum place
place_of(struct span path)
{
	if (span_is_str(path, "/mcp"))
		return PLACE_MCP;
	if (span_is_str(path, "/mcp/sse"))
		return PLACE_SSE;
	if (span_is_str(path, SSE_POST_PATH))
		return PLACE_MESSAGES;
	if (span_is_str(path, "/health"))
		return PLACE_HEALTH;
	if (span_is_str(path, "/health/ready"))
		return PLACE_READY;
	return PLACE_NONE;
}

/* --- who is calling -------------------------------------------------------------------------- */

/* The user of the process at the other end. */
static bool
find_uid(const struct conn *c, uint32_t *uid)
{
	union {
		struct sockaddr		any;
		struct sockaddr_storage	room;
	} peer, own;
	socklen_t n = sizeof(peer), m = sizeof(own);
	struct ucred cred;

	if (c->unix_socket) {
		n = sizeof(cred);
		if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0)
			return false;
		*uid = cred.uid;
		return true;
	}
	return getpeername(c->fd, &peer.any, &n) == 0 && getsockname(c->fd, &own.any, &m) == 0 &&
	    peer_uid(c->front->netlink, &peer.any, &own.any, uid);
}

/* Whose connection it is, looked up once; what a proxy passes on is somebody else's. */
static enum access_peer
peer_of(struct conn *c, const struct http_request *q, uint32_t *uid)
{
	*uid = 0;
	if ((!c->loopback && !c->unix_socket) || (c->proxy && q->field[HTTP_FORWARDED_FOR].p != NULL))
		return ACCESS_PEER_REMOTE;
	if (c->peer_known && c->peer == ACCESS_PEER_OWNER)
		return c->peer;
	c->peer_known = true;
	if (!find_uid(c, uid))
		c->peer = ACCESS_PEER_UNKNOWN;
	else
		c->peer = *uid == c->front->access.owner_uid ? ACCESS_PEER_OWNER : ACCESS_PEER_OTHER;
	return c->peer;
}

/*
 * The address wrong credentials are counted for: what a trusted proxy saw (the
 * last it added), else the connection's.  Give it back with address_close().
 */
static struct address *
client_address(struct conn *c, const struct http_request *q)
{
	struct span list = q->field[HTTP_FORWARDED_FOR];
	union {
		struct sockaddr		any;
		struct sockaddr_in	in;
		struct sockaddr_in6	in6;
	} sa = { .in6 = { .sin6_family = AF_UNSPEC } };
	char text[INET6_ADDRSTRLEN] = "";
	size_t begin = list.len;

	while (begin > 0 && list.p[begin - 1] != ',' && list.p[begin - 1] != ' ')
		begin--;
	if (c->proxy && list.len > begin && list.len - begin < sizeof(text)) {
		memcpy(text, list.p + begin, list.len - begin);
		if (inet_pton(AF_INET, text, &sa.in.sin_addr) == 1)
			sa.in.sin_family = AF_INET;
		else if (inet_pton(AF_INET6, text, &sa.in6.sin6_addr) == 1)
			sa.in6.sin6_family = AF_INET6;
	}
	if (sa.any.sa_family != AF_UNSPEC)
		return address_open(conns_addresses(c->front->conns), &sa.any);
	return address_share(c->address);
}

static bool
challenge(struct conn *c, const struct http_request *q, const char *message, bool wrong)
{
	struct http_reply r = { .challenge = wrong ? "Bearer error=\"invalid_token\"" : "Bearer" };
	struct address *from = client_address(c, q);
	uint64_t now = clock_ns();
	unsigned blocked = address_blocked(from, now);

	if (wrong && blocked == 0)
		address_failed(from, now);
	address_close(conns_addresses(c->front->conns), from);
	if (blocked > 0) {
		r.challenge = NULL;
		r.retry_after = blocked;
		conn_refuse(c, 429, "too many wrong credentials came from this address; wait", &r);
	} else
		conn_refuse(c, 401, message, &r);
	return false;
}

static bool
wrong_token(struct conn *c, const struct http_request *q)
{
	front_log_refusal(c->front, "refused with 401: a wrong token");
	return challenge(c, q, "the token is not valid here", true);
}

static bool
foreign_user(struct conn *c, enum access_peer peer, uint32_t uid)
{
	char message[256];

	if (peer == ACCESS_PEER_OTHER)
		snprintf(message, sizeof(message), "this server serves user id %u without a token and you are "
		    "user id %u; ask its owner for a token (`carrel mcp start --token-file`) and send it as "
		    "Authorization: Bearer", c->front->access.owner_uid, uid);
	else
		snprintf(message, sizeof(message), "which user you are could not be found out; send a token as "
		    "Authorization: Bearer");
	front_log_refusal(c->front, "refused with 403: user id %u without a token", uid);
	conn_refuse(c, 403, message, NULL);
	return false;
}

/* A credential decides alone; without one the owner's own processes on this machine may pass. */
static bool
authenticate(struct conn *c, const struct http_request *q, struct principal **who)
{
	const struct access *a = &c->front->access;
	enum access_peer peer;
	struct span token;
	char id[64];
	uint32_t uid = 0;

	switch (access_bearer(q->field[HTTP_AUTHORIZATION], &token)) {
	case ACCESS_BEARER:
		if (!access_token_matches(a, token))
			return wrong_token(c, q);
		*who = front_principal(c->front, STATIC_TOKEN, POLICY_SCOPES_RESEARCH);
		return true;
	case ACCESS_UNUSABLE:
		return wrong_token(c, q);
	case ACCESS_NONE:
		break;
	}
	peer = a->loopback_open ? peer_of(c, q, &uid) : ACCESS_PEER_REMOTE;
	if (peer == ACCESS_PEER_REMOTE)
		return challenge(c, q, "a token is needed: Authorization: Bearer", false);
	if (peer != ACCESS_PEER_OWNER)
		return foreign_user(c, peer, uid);
	snprintf(id, sizeof(id), "local:%u", a->owner_uid);
	*who = front_principal(c->front, id, POLICY_SCOPES_RESEARCH);
	return true;
}

/* --- before the body ---------------------------------------------------------------------------- */

static bool
check_origin(struct conn *c, const struct http_request *q)
{
	const struct access *a = &c->front->access;
	struct span origin = q->field[HTTP_ORIGIN];
	bool listed;

	switch (access_host(a, q->field[HTTP_HOST])) {
	case ACCESS_PASS:
		break;
	case ACCESS_BAD_HOST:
		conn_refuse(c, 400, "the Host header is no host", NULL);
		return false;
	default:
		front_log_refusal(c->front, "refused with 403: a foreign Host");
		conn_refuse(c, 403, "this Host is not served here; --allowed-host adds one", NULL);
		return false;
	}
	if (access_origin(a, origin, &listed) != ACCESS_PASS) {
		front_log_refusal(c->front, "refused with 403: a foreign Origin");
		conn_refuse(c, 403, "this Origin may not call; --allowed-origin adds one", NULL);
		return false;
	}
	c->cors = NULL;
	for (size_t i = 0; listed && i < a->norigins; i++)
		if (span_is_str(origin, a->origins[i]))
			c->cors = a->origins[i];
	return true;
}

static bool
check_method(struct conn *c, const struct http_request *q, enum place place)
{
	static const struct {
		const char	*allow;
		unsigned	 methods;
	} rows[] = {
		[PLACE_MCP] = { "GET, POST, DELETE", 1u << HTTP_GET | 1u << HTTP_POST | 1u << HTTP_DELETE },
		[PLACE_SSE] = { "GET", 1u << HTTP_GET },
		[PLACE_MESSAGES] = { "POST", 1u << HTTP_POST },
		[PLACE_HEALTH] = { "GET, HEAD", 1u << HTTP_GET | 1u << HTTP_HEAD },
		[PLACE_READY] = { "GET, HEAD", 1u << HTTP_GET | 1u << HTTP_HEAD },
	};
	struct http_reply r = { .status = 405, .allow = rows[place].allow };
	bool ok = (rows[place].methods & 1u << q->method) != 0;

	if (q->method == HTTP_OPTIONS && c->cors != NULL) {
		struct http_reply preflight = { .status = 204, .preflight = true };

		conn_reply(c, &preflight, (struct span){ NULL, 0 });
		return false;
	}
	if (!ok)
		conn_refuse(c, 405, "this method is not served here", &r);
	return ok;
}

bool
site_admit(struct conn *c, const struct http_request *q, struct principal **who)
{
	enum place place;

	if (!check_origin(c, q))
		return false;
	place = place_of(q->path);
	if (place == PLACE_NONE) {
		conn_refuse(c, 404, "there is nothing at this path; the server is at /mcp", NULL);
		return false;
	}
	if (!check_method(c, q, place))
		return false;
	if (place == PLACE_HEALTH || place == PLACE_READY)
		return true;
	if (!authenticate(c, q, who))
		return false;
	if (q->method == HTTP_POST && (q->field[HTTP_CONTENT_TYPE].p == NULL ||
	    !http_media_type_is(q->field[HTTP_CONTENT_TYPE], "application/json"))) {
		conn_refuse(c, 415, "the Content-Type must be application/json", NULL);
		return false;
	}
	return true;
}

/* --- health ---------------------------------------------------------------------------------------- */

static void
serve_health(struct conn *c)
{
	struct front *f = c->front;
	struct http_reply r = { .status = 200, .type = "application/json", .no_store = true };
	struct buf out = { .max = 0 };

	buf_printf(&out, "{\"status\":\"%s\"", f->degraded || !router_is_ready(f->router) ? "degraded" : "ok");
	if (c->loopback) {
		buf_str(&out, ",\"projectDir\":");
		json_write_string(&out, span_str(f->project_dir));
		buf_printf(&out, ",\"port\":%u", f->access.port);
	}
	buf_byte(&out, '}');
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}

static void
serve_ready(struct conn *c)
{
	struct front *f = c->front;
	bool ready = router_is_ready(f->router) && !f->stopping;
	struct http_reply r = {
		.status = ready ? 200 : 503, .type = "application/json", .no_store = true
	};
	struct buf out = { .max = 0 };

	buf_printf(&out, "{\"ready\":%s", ready ? "true" : "false");
	if (c->loopback) {
		buf_byte(&out, ',');
		router_put_workers(f->router, &out);
	}
	buf_byte(&out, '}');
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}

void
site_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	log_debug("%.*s, %zu bytes, %s", SPAN_FMT(q->path), body.len, who != NULL ? who->id : "anybody");
	switch (place_of(q->path)) {
	case PLACE_MCP:
		if (q->method == HTTP_POST)
			mcp_http_post(c, q, who, body);
		else if (q->method == HTTP_GET)
			legacy_get(c, q, who);
		else
			legacy_delete(c, q, who);
		break;
	case PLACE_SSE:
		sse_open(c, q, who);
		break;
	case PLACE_MESSAGES:
		sse_post(c, q, who, body);
		break;
	case PLACE_READY:
		serve_ready(c);
		break;
	default:
		serve_health(c);
		break;
	}
}
