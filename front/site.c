/* site.c - see site.h. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "front/caller.h"
#include "front/conn.h"
#include "front/conn_write.h"
#include "front/legacy_http.h"
#include "front/mcp_http.h"
#include "front/site.h"
#include "front/sse.h"

struct site_place {
	const char	*path;
	const char	*allow;		/* value of the Allow field */
	unsigned	 methods;	/* bits by enum http_method */
	bool		 open;		/* needs no credential */
	void		(*serve)(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
};

/* --- who is calling -------------------------------------------------------------------------- */

static bool
challenge(struct conn *c, const char *message, bool wrong)
{
	struct http_reply r = { .challenge = wrong ? "Bearer error=\"invalid_token\"" : "Bearer" };
	struct address *from = caller_address(c);
	uint64_t now = clock_ns();
	unsigned blocked = address_blocked(from, now);

	if (wrong && blocked == 0)
		address_failed(from, now);
	if (blocked > 0) {
		r.challenge = NULL;
		r.refusal = ERR_IP_BLOCKED;
		r.retry_after = blocked;
		conn_refuse(c, 429, "too many wrong credentials came from this address; wait", &r);
	} else
		conn_refuse(c, 401, message, &r);
	return false;
}

static bool
wrong_token(struct conn *c)
{
	front_log_refusal(c->front, "refused with 401: a wrong token");
	return challenge(c, "the token is not valid here", true);
}

static bool
foreign_user(struct conn *c, enum access_peer peer, uint32_t uid)
{
	char message[256];

	if (peer == ACCESS_PEER_OTHER)
		snprintf(message, sizeof(message),
		    "this server serves user id %u without a token and you are "
		    "user id %u; ask its owner for a token (`carrel mcp start --token-file`) and send it as "
		    "Authorization: Bearer",
		    c->front->access.owner_uid, uid);
	else
		snprintf(message, sizeof(message),
		    "which user you are could not be found out; send a token as "
		    "Authorization: Bearer");
	front_log_refusal(c->front, "refused with 403: user id %u without a token", uid);
	conn_refuse(c, 403, message, NULL);
	return false;
}

/* A credential, if present, decides alone.  Without one only the owner's local processes pass. */
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
			return wrong_token(c);
		*who = front_principal(c->front, PRINCIPAL_STATIC, PRINCIPAL_STATIC_ID, POLICY_SCOPES_OPEN);
		return true;
	case ACCESS_UNUSABLE:
		return wrong_token(c);
	case ACCESS_NONE:
		break;
	}
	peer = a->loopback_open ? caller_peer(c, q, &uid) : ACCESS_PEER_REMOTE;
	if (peer == ACCESS_PEER_REMOTE)
		return challenge(c, "a token is needed: Authorization: Bearer", false);
	if (peer != ACCESS_PEER_OWNER)
		return foreign_user(c, peer, uid);
	snprintf(id, sizeof(id), "local:%u", a->owner_uid);
	*who = front_principal(c->front, PRINCIPAL_LOCAL, id, POLICY_SCOPES_OPEN);
	return true;
}

/* --- before the body ---------------------------------------------------------------------------- */

static bool
check_origin(struct conn *c, const struct http_request *q)
{
	const struct access *a = &c->front->access;
	struct span origin = q->field[HTTP_ORIGIN];
	bool listed, foreign;

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
	foreign = access_origin(a, origin, &listed) != ACCESS_PASS ||
	    /* Browsers send some requests of a page without an Origin: images, scripts, no-cors. */
	    (origin.p == NULL && access_site_is_foreign(q->field[HTTP_SEC_FETCH_SITE]));
	if (foreign) {
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
check_method(struct conn *c, const struct http_request *q)
{
	struct http_reply r = { .status = 405, .allow = c->place->allow };
	bool ok = (c->place->methods & 1u << q->method) != 0;

	if (q->method == HTTP_OPTIONS && c->cors != NULL) {
		struct http_reply preflight = { .status = 204, .preflight = true };

		conn_reply(c, &preflight, (struct span){ NULL, 0 });
		return false;
	}
	if (!ok)
		conn_refuse(c, 405, "this method is not served here", &r);
	return ok;
}

/* --- health ---------------------------------------------------------------------------------------- */

/* Only the owner may see where the project is and which processes serve it. */
static bool
is_owner(struct conn *c, const struct http_request *q)
{
	uint32_t uid;

	return caller_peer(c, q, &uid) == ACCESS_PEER_OWNER;
}

static void
serve_health(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	struct http_reply r = { .status = 200, .type = "application/json", .no_store = true };
	struct buf out = { .max = 0 };

	(void)who, (void)body;
	buf_printf(&out, "{\"status\":\"%s\"", f->degraded || !router_is_ready(f->router) ? "degraded" : "ok");
	if (is_owner(c, q)) {
		buf_str(&out, ",\"projectDir\":");
		json_write_string(&out, span_str(f->project_dir));
		buf_printf(&out, ",\"port\":%u", f->access.port);
	}
	buf_byte(&out, '}');
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}

static void
serve_ready(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	bool ready = router_is_ready(f->router) && !f->stopping;
	struct http_reply r = {
		.status = ready ? 200 : 503, .type = "application/json", .no_store = true
	};
	struct buf out = { .max = 0 };

	(void)who, (void)body;
	buf_printf(&out, "{\"ready\":%s", ready ? "true" : "false");
	if (is_owner(c, q)) {
		buf_byte(&out, ',');
		router_put_workers(f->router, &out);
	}
	buf_byte(&out, '}');
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}

/* --- the paths --------------------------------------------------------------------------------------- */

static void
serve_mcp(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	if (q->method == HTTP_POST)
		mcp_http_post(c, q, who, body);
	else if (q->method == HTTP_GET)
		legacy_get(c, q, who);
	else
		legacy_delete(c, q, who);
}

static void
serve_sse(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)body;
	sse_open(c, q, who);
}

#define GET	(1u << HTTP_GET)
#define HEAD	(1u << HTTP_HEAD)
#define POST	(1u << HTTP_POST)
#define DELETE	(1u << HTTP_DELETE)

static const struct site_place places[] = {
	{ "/mcp",	   "GET, POST, DELETE", GET | POST | DELETE, false, serve_mcp },
	{ "/mcp/sse",	   "GET",		GET,		     false, serve_sse },
	{ SSE_POST_PATH,   "POST",		POST,		     false, sse_post },
	{ "/health",	   "GET, HEAD",		GET | HEAD,	     true,  serve_health },
	{ "/health/ready", "GET, HEAD",		GET | HEAD,	     true,  serve_ready },
};

static const struct site_place *
place_of(struct span path)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (span_is_str(path, places[i].path))
			return &places[i];
	return NULL;
}

bool
site_admit(struct conn *c, const struct http_request *q, struct principal **who)
{
	if (!check_origin(c, q))
		return false;
	c->place = place_of(q->path);
	if (c->place == NULL) {
		conn_refuse(c, 404, "there is nothing at this path; the server is at /mcp", NULL);
		return false;
	}
	if (!check_method(c, q))
		return false;
	if (c->place->open)
		return true;
	if (!authenticate(c, q, who))
		return false;
	if (q->method == HTTP_POST &&
	    (q->field[HTTP_CONTENT_TYPE].p == NULL ||
		!http_media_type_is(q->field[HTTP_CONTENT_TYPE], "application/json"))) {
		conn_refuse(c, 415, "the Content-Type must be application/json", NULL);
		return false;
	}
	return true;
}

void
site_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	log_debug("%.*s, %zu bytes, %s", SPAN_FMT(q->path), body.len, who != NULL ? who->id : "anybody");
	c->place->serve(c, q, who, body);
}
