#include <string.h>

#include "front/admin/admin_page.h"
#include "front/calls/export_link.h"
#include "front/http/conn.h"
#include "front/http/conn_read.h"
#include "front/http/conn_write.h"
#include "front/mcp/mcp_http.h"
#include "front/calls/metering.h"
#include "front/metrics_page.h"
#include "front/oauth/oauth_authorize.h"
#include "front/oauth/oauth_device.h"
#include "front/oauth/oauth_documents.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_login.h"
#include "front/oauth/oauth_provider.h"
#include "front/oauth/oauth_token.h"
#include "front/rest/rest.h"
#include "front/export/export_file.h"
#include "front/rest/rest_openapi.h"
#include "front/admin/settings.h"
#include "front/site.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/legacy/sse.h"
#include "front/mcp/legacy/stream.h"
#include "front/oauth/oauth_request.h"
#include "front/who/verify_credential.h"
#include "policy/oauth_texts.h"
#include "front/status.h"

#define SITE_FORM_MAX	(64u * 1024)	/* bytes of a body at the places of OAuth, which anybody can send */

/*
 * Whether a page of another origin sent the request.  Without an Origin only forms are checked: a page may be opened
 * from anywhere, so Sec-Fetch-Site says nothing about a GET.
 */
static bool
is_foreign_to_page(struct conn *c, const struct http_request *q)
{
	struct span origin = q->field[HTTP_ORIGIN], own;

	if (origin.p == NULL)
		return q->method == HTTP_POST && access_site_is_foreign(q->field[HTTP_SEC_FETCH_SITE]);
	own = oauth_issuer(c->front, q->field[HTTP_HOST]);
	return !span_is(origin, span_of(own.p, document_origin(own)));
}

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
		conn_refuse(c, 400, "the Host header names no valid host", NULL);
		return false;
	default:
		metering_log_refusal(c->front, "refused with 403: a foreign Host");
		conn_refuse(c, 403, "this Host is not served here; --allowed-host adds one", NULL);
		return false;
	}
	foreign = access_origin(a, origin, &listed) != ACCESS_PASS ||
	    /* Browsers send some requests of a page without an Origin: images, scripts, no-cors. */
	    (origin.p == NULL && access_site_is_foreign(q->field[HTTP_SEC_FETCH_SITE]));
	if (site_has(c->place, SITE_SHARED))
		foreign = false;
	else if (site_has(c->place, SITE_PAGE)) {
		listed = false;
		foreign = is_foreign_to_page(c, q);
	}
	if (foreign) {
		metering_log_refusal(c->front, "refused with 403: a foreign Origin");
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

	if (q->method == HTTP_OPTIONS && site_has(c->place, SITE_SHARED)) {
		oauth_documents_preflight(c);
		return false;
	}
	if (q->method == HTTP_OPTIONS && c->cors != NULL) {
		struct http_reply preflight = { .status = 204, .preflight = true };

		conn_reply(c, &preflight, SPAN_NONE);
		return false;
	}
	if (!ok)
		conn_refuse(c, 405, "this method is not served here", &r);
	return ok;
}

#define GET	(1u << HTTP_GET)
#define HEAD	(1u << HTTP_HEAD)
#define POST	(1u << HTTP_POST)
#define DELETE	(1u << HTTP_DELETE)
#define PATCH	(1u << HTTP_PATCH)

#define DOCUMENT(path, serve)							\
	{ path, "GET, HEAD, OPTIONS", GET | HEAD, SITE_OPEN, serve, SITE_OAUTH | SITE_SHARED, { NULL } }

/* A document, and its copy for proxies that pass on only what is under /api. */
#define DOCUMENTS(path, serve)	DOCUMENT(path, serve), DOCUMENT("/api/oauth" path, serve)

#define PAGE(path, allow, methods, serve)					\
	{ path, allow, methods, SITE_OPEN, serve, SITE_OAUTH | SITE_PAGE | SITE_ANY_MEDIA, { NULL } }
#define ADMIN_FILE(path, serve)						\
	{ path, "GET, HEAD", GET | HEAD, SITE_OPEN, serve, SITE_PAGE, { NULL } }
#define ADMIN_ASKED(path, serve)						\
	{ ADMIN_API path, "POST", POST, SITE_OPEN, serve, SITE_PAGE | SITE_ADMIN, { NULL } }
#define ENDPOINT(path, serve)							\
	{ path, "POST", POST, SITE_OPEN, serve, SITE_OAUTH | SITE_ANY_MEDIA, { NULL } }

static const struct site_place places[] = {
	{ DOCUMENTS_MCP,   "GET, POST, DELETE", GET | POST | DELETE, SITE_CREDENTIAL, mcp_http_serve, 0,
	    { DOCUMENTS_MCP } },
	{ "/mcp/sse",	   "GET",		GET,		     SITE_CREDENTIAL, sse_open, 0, { DOCUMENTS_MCP } },
	{ SSE_POST_PATH,   "POST",		POST,		     SITE_CREDENTIAL, sse_post, 0, { DOCUMENTS_MCP } },
	{ "/health",	   "GET, HEAD",		GET | HEAD,	     SITE_OPEN, status_serve_health, 0, { NULL } },
	{ "/health/ready", "GET, HEAD",		GET | HEAD,	     SITE_OPEN, status_serve_ready, 0, { NULL } },
	{ "/metrics",	   "GET, HEAD",		GET | HEAD,	     SITE_OWNER, metrics_page_serve, 0, { NULL } },
	{ "/api/user-settings", "GET, PATCH",	GET | PATCH,	     SITE_CREDENTIAL, settings_serve, 0,
	    { DOCUMENTS_MCP, DOCUMENTS_DATA_AGENT } },
	{ DOCUMENTS_DATA_AGENT, "GET, POST, DELETE", GET | POST | DELETE, SITE_USER, mcp_http_serve, SITE_OAUTH,
	    { DOCUMENTS_DATA_AGENT } },
	DOCUMENTS(DOCUMENTS_RESOURCE, oauth_documents_mcp),
	DOCUMENTS(DOCUMENTS_RESOURCE DOCUMENTS_MCP, oauth_documents_mcp),
	DOCUMENTS(DOCUMENTS_RESOURCE DOCUMENTS_DATA_AGENT, oauth_documents_data_agent),
	DOCUMENT("/api/oauth/.well-known/protected-resource", oauth_documents_data_agent),
	DOCUMENTS(DOCUMENTS_SERVER, oauth_documents_server),
	DOCUMENTS(DOCUMENTS_OPENID, oauth_documents_openid),
	DOCUMENT("/api/oauth/jwks.json", oauth_documents_keys),
	{ EXPORT_PATH "{id}", "GET, HEAD", GET | HEAD, SITE_CREDENTIAL, export_file_serve, SITE_EXPORT | SITE_PAGE,
	    { DOCUMENTS_MCP, DOCUMENTS_DATA_AGENT } },
	{ REST_PATH "/health", "GET, HEAD", GET | HEAD, SITE_OPEN, rest_health, SITE_REST, { NULL } },
	{ REST_PATH "/openapi.json", "GET, HEAD", GET | HEAD, SITE_OPEN_WHILE_ON, rest_openapi, SITE_REST, { NULL } },
	{ REST_PATH "/datasets", "GET, HEAD", GET | HEAD, SITE_TOKEN, rest_serve, SITE_REST, { NULL } },
	{ REST_PATH "/datasets/{id}/schema", "GET, HEAD", GET | HEAD, SITE_TOKEN, rest_serve, SITE_REST, { NULL } },
	{ REST_PATH "/search", "POST", POST, SITE_TOKEN, rest_serve, SITE_REST, { NULL } },
	{ REST_PATH "/sql", "POST", POST, SITE_TOKEN, rest_serve, SITE_REST, { NULL } },
	{ REST_PATH REST_TOOLS "{id}", "POST", POST, SITE_TOKEN, rest_tool_serve, SITE_REST, { NULL } },
	{ REST_PATH REST_TOOLS "{id}" REST_VALUES "{id}", "GET, HEAD", GET | HEAD, SITE_TOKEN, rest_values_serve,
	    SITE_REST, { NULL } },
	{ REST_PATH "*", "", 0, SITE_OPEN_WHILE_ON, NULL, SITE_REST, { NULL } },
	PAGE(OAUTH_AUTHORIZE, "GET, POST", GET | POST, oauth_authorize_serve),
	PAGE(OAUTH_LOGIN, "GET, POST", GET | POST, oauth_login_serve),
	PAGE(OAUTH_DEVICE_PAGE, "GET, POST", GET | POST, oauth_device_page_serve),
	PAGE(OAUTH_DEPARTURE, "GET", GET, oauth_provider_depart),
	PAGE(OAUTH_ARRIVAL, "GET", GET, oauth_provider_arrive),
	PAGE("/api/oauth/logout", "POST", POST, oauth_logout_serve),
	PAGE(OAUTH_SIGNED_OUT, "GET", GET, oauth_signed_out_serve),
	PAGE("/api/oauth/style.css", "GET, HEAD", GET | HEAD, oauth_documents_style),
	PAGE("/api/oauth/icon.svg", "GET, HEAD", GET | HEAD, oauth_documents_icon),
	ADMIN_FILE("/", admin_root_serve),
	ADMIN_FILE(ADMIN_PATH, admin_page_serve),
	ADMIN_FILE(ADMIN_PATH "/admin.js", admin_script_serve),
	ADMIN_FILE(ADMIN_PATH "/views.js", admin_script_serve),
	ADMIN_FILE(ADMIN_PATH "/admin.css", admin_style_serve),
	ADMIN_FILE(ADMIN_PATH "/icon.svg", admin_icon_serve),
	ADMIN_ASKED("/enter", admin_enter_serve),
	ADMIN_ASKED("/setup", admin_setup_serve),
	ADMIN_ASKED("/session", admin_session_serve),
	ADMIN_ASKED("/leave", admin_leave_serve),
	ADMIN_ASKED("/status", admin_status_serve),
	ADMIN_ASKED("/doctor", admin_doctor_serve),
	ADMIN_ASKED("/metrics", admin_metrics_serve),
	ADMIN_ASKED("/tools/{id}", admin_tool_serve),
	ENDPOINT("/api/oauth/token", oauth_token_serve),
	ENDPOINT("/api/oauth/device", oauth_device_begin_serve),
	ENDPOINT("/api/oauth/register", oauth_register_serve),
	ENDPOINT("/api/oauth/revoke", oauth_revoke_serve),
};

static bool
path_fits(struct span path, const char *pattern)
{
	size_t at = 0;

	for (; *pattern != '\0' && *pattern != '*'; pattern++) {
		size_t begin = at;

		if (*pattern != '{') {
			if (at >= path.len || path.p[at++] != (uint8_t)*pattern)
				return false;
			continue;
		}
		while (at < path.len && path.p[at] != '/')
			at++;
		if (at == begin)
			return false;
		pattern += strcspn(pattern, "}");
	}
	return *pattern == '*' ? at == path.len || path.p[at] == '/' : at == path.len;
}

static const struct site_place *
place_of(const struct front *f, struct span path)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (path_fits(path, places[i].path) ||
		    (places[i].serve == mcp_http_serve && path.len > 0 && path.p[path.len - 1] == '/' &&
			path_fits(span_of(path.p, path.len - 1), places[i].path)))
			return (places[i].traits & SITE_OAUTH) == 0 || f->oauth->enabled ? &places[i] : NULL;
	return NULL;
}

/* Take the path of public_url out of where a well-known document is for it (RFC 8414 3.1, RFC 9728 3.1). */
static bool
without_public_path(const struct front *f, struct span path, struct buf *out)
{
	static const char *const documents[] = { DOCUMENTS_RESOURCE, DOCUMENTS_SERVER, DOCUMENTS_OPENID };
	const char *public = f->oauth->public_url + f->oauth->path_at;

	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]) && public[0] != '\0'; i++) {
		size_t n = strlen(documents[i]);

		if (!span_begins(path, documents[i]) || !span_begins(span_of(path.p + n, path.len - n), public))
			continue;
		buf_str(out, documents[i]);
		n += strlen(public);
		buf_span(out, span_of(path.p + n, path.len - n));
		return true;
	}
	return false;
}

enum gate
site_enabled(struct passage *p)
{
	struct conn *c = p->conn;
	struct buf path = { .max = 0 };

	c->place = place_of(p->front, p->request->path);
	if (c->place == NULL && without_public_path(p->front, p->request->path, &path))
		c->place = place_of(p->front, buf_view(&path));
	buf_fini(&path);
	if (!site_has(c->place, SITE_REST | SITE_ADMIN | SITE_EXPORT))
		return GATE_PASS;
	c->rest = true;
	request_id_print(++p->front->serial, c->receipt);
	if (p->front->auth.connectivity || c->place->access == SITE_OPEN || site_has(c->place, SITE_EXPORT))
		return GATE_PASS;
	conn_refuse(c, 503,
	    "connectivity is off here; the server's owner turns it on with `carrel connectivity enable`",
	    &(struct http_reply){ .refusal = ERR_SERVICE_UNAVAILABLE });
	return GATE_REFUSED;
}

static size_t
site_body_max(const struct conn *c)
{
	size_t max = c->front->conf.body_max;

	return site_has(c->place, SITE_OAUTH | SITE_ADMIN) && c->place->access == SITE_OPEN && max > SITE_FORM_MAX ?
	    SITE_FORM_MAX :
	    max;
}

enum gate
site_format(struct passage *p)
{
	const struct http_request *q = p->request;

	if (q->framing != HTTP_LENGTH || q->length <= site_body_max(p->conn))
		return GATE_PASS;
	conn_read_refuse(p->conn, 413);
	return GATE_REFUSED;
}

enum gate
site_media(struct passage *p)
{
	const struct http_request *q = p->request;
	struct span type = q->field[HTTP_CONTENT_TYPE], coding = q->field[HTTP_CONTENT_ENCODING];
	struct http_reply uncoded = { .status = 415, .fields = "Accept-Encoding: identity\r\n" };

	if (coding.len > 0 && !span_is_str(coding, "identity")) {
		conn_refuse(p->conn, 415, "the body is compressed (Content-Encoding); send it as it is", &uncoded);
		return GATE_REFUSED;
	}
	if ((q->method != HTTP_POST && q->method != HTTP_PATCH) || site_has(p->conn->place, SITE_ANY_MEDIA) ||
	    (type.p != NULL && http_media_type_is(type, "application/json")))
		return GATE_PASS;
	conn_refuse(p->conn, 415, "the Content-Type must be application/json", NULL);
	return GATE_REFUSED;
}

enum gate
site_origin(struct passage *p)
{
	struct conn *c = p->conn;

	if (!check_origin(c, p->request))
		return GATE_REFUSED;
	if (c->place == NULL) {
		conn_refuse(c, 404, SITE_NOTHING, NULL);
		return GATE_REFUSED;
	}
	if (c->place->serve == NULL) {
		conn_refuse(c, 404, "there is nothing at this path; " REST_PATH "/openapi.json says what there is",
		    NULL);
		return GATE_REFUSED;
	}
	return check_method(c, p->request) ? GATE_PASS : GATE_REFUSED;
}

static void
site_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	c->place->serve(c, q, who, body);
}

static void
site_forget(struct conn *c)
{
	if (c->waiting != NULL)
		verify_forget(c->waiting);
	c->waiting = NULL;
}

static void
site_delivered(struct conn *c)
{
	if (c->stream != NULL)
		stream_delivered(c->stream);
}

static void
site_lost(struct conn *c)
{
	site_forget(c);
	audit_conn_forget(c);
	metrics_page_forget(c);
	oauth_request_end(c->oauth);
	http_lost(c);
	export_file_forget(c);
	if (c->hub != NULL)
		sse_lost(c);
}

const struct conn_user site_user = {
	.head = gateway_head, .serve = site_serve, .body_max = site_body_max, .forget = site_forget,
	.slow = http_slow,
	.drained = export_file_drained, .delivered = site_delivered, .refused = audit_refusal, .lost = site_lost,
};
