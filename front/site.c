/* site.c - the paths there are, and who may have them. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "front/conn.h"
#include "front/peer.h"

#define STATIC_TOKEN	"token:static"

enum place { PLACE_NONE, PLACE_MCP, PLACE_HEALTH, PLACE_READY };

static enum place
place_of(struct span path)
{
	if (span_is_str(path, "/mcp"))
		return PLACE_MCP;
	if (span_is_str(path, "/health"))
		return PLACE_HEALTH;
	if (span_is_str(path, "/health/ready"))
		return PLACE_READY;
	return PLACE_NONE;
}

/* --- who is calling -------------------------------------------------------------------------- */

/* The user at the other end, looked up once per connection. */
static enum access_peer
peer_of(struct conn *c, uint32_t *uid)
{
	union {
		struct sockaddr		any;
		struct sockaddr_storage	room;
	} peer, own;
	socklen_t n = sizeof(peer), m = sizeof(own);

	*uid = 0;
	if (!c->loopback)
		return ACCESS_PEER_REMOTE;
	if (c->peer_known && c->peer == ACCESS_PEER_OWNER)
		return c->peer;
	c->peer_known = true;
	c->peer = ACCESS_PEER_UNKNOWN;
	if (getpeername(c->fd, &peer.any, &n) == 0 && getsockname(c->fd, &own.any, &m) == 0 &&
	    peer_uid(c->front->netlink, &peer.any, &own.any, uid))
		c->peer = *uid == c->front->access.owner_uid ? ACCESS_PEER_OWNER : ACCESS_PEER_OTHER;
	return c->peer;
}

static bool
challenge(struct conn *c, const char *message, const char *header)
{
	struct http_reply r = { .status = 401, .challenge = header };
	uint64_t now = clock_ns();
	unsigned blocked = address_blocked(c->address, now);

	if (blocked > 0) {
		r.challenge = NULL;
		r.retry_after = blocked;
		conn_refuse(c, 429, "too many wrong credentials came from this address; wait", &r);
		return false;
	}
	conn_refuse(c, 401, message, &r);
	return false;
}

static bool
wrong_token(struct conn *c)
{
	uint64_t now = clock_ns();
	bool refused = challenge(c, "the token is not valid here", "Bearer error=\"invalid_token\"");

	front_log_refusal(c->front, "refused with 401: a wrong token");
	if (address_blocked(c->address, now) == 0)
		address_failed(c->address, now);
	return refused;
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
	uint32_t uid;

	switch (access_bearer(q->field[HTTP_AUTHORIZATION], &token)) {
	case ACCESS_BEARER:
		if (!access_token_matches(a, token))
			return wrong_token(c);
		*who = front_principal(c->front, STATIC_TOKEN, POLICY_SCOPES_RESEARCH);
		return true;
	case ACCESS_UNUSABLE:
		return wrong_token(c);
	case ACCESS_NONE:
		break;
	}
	peer = a->loopback_open ? peer_of(c, &uid) : ACCESS_PEER_REMOTE;
	if (peer == ACCESS_PEER_REMOTE)
		return challenge(c, "a token is needed: Authorization: Bearer", "Bearer");
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
	const char *allow = place == PLACE_MCP ? "POST, DELETE" : "GET, HEAD";
	struct http_reply r = { .status = 405, .allow = allow };
	bool ok;

	if (q->method == HTTP_OPTIONS && c->cors != NULL) {
		struct http_reply preflight = { .status = 204, .preflight = true };

		conn_reply(c, &preflight, (struct span){ NULL, 0 });
		return false;
	}
	if (place == PLACE_MCP)
		ok = q->method == HTTP_POST || q->method == HTTP_DELETE;
	else
		ok = q->method == HTTP_GET || q->method == HTTP_HEAD;
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
	if (place != PLACE_MCP)
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
	switch (place_of(q->path)) {
	case PLACE_MCP:
		if (q->method == HTTP_POST)
			mcp_http_post(c, q, who, body);
		else
			mcp_http_delete(c, q, who);
		break;
	case PLACE_READY:
		serve_ready(c);
		break;
	default:
		serve_health(c);
		break;
	}
}
