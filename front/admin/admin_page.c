#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/json/json_read.h"
#include "base/mp.h"
#include "front/admin/admin_page.h"
#include "front/http/conn_write.h"
#include "front/metrics_page.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_reply.h"
#include "front/oauth/oauth_request.h"
#include "front/rest/rest.h"
#include "front/site.h"
#include "front/status.h"
#include "policy/proof.h"
#include "policy/tools.h"
#include "web/pages.h"

#define ARGUMENTS_MAX	131072u	/* bytes of PROVE's args */
#define LINK_TEXT_MAX	128u
#define NAME_TEXT_MAX	1024u
#define PASSWORD_MAX	4096u
#define ENTRY_MAX	16384u	/* bytes of what is read of ENTER and SETUP */
#define PRINCIPAL_MAX	256u
#define CSRF_FIELD	"carrel-csrf"

#define FILE_FIELDS	"X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"	\
			"Cross-Origin-Resource-Policy: same-origin\r\n"
#define PAGE_FIELDS	"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "	\
			"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "		\
			"frame-ancestors 'none'\r\nCross-Origin-Opener-Policy: same-origin\r\n"			\
			"X-Frame-Options: DENY\r\n" FILE_FIELDS

static void
admin_send(struct conn *c, const char *type, const char *fields, const char *text)
{
	struct http_reply r = { .status = 200, .type = type, .fields = fields, .no_store = true };

	conn_reply(c, &r, span_str(text));
}

void
admin_page_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)q, (void)who, (void)body;
	admin_send(c, "text/html; charset=utf-8", PAGE_FIELDS, web_admin_html);
}

void
admin_root_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct span name, value;
	bool browser = false;
	size_t at = 0;

	(void)who, (void)body;
	/* Programs accept anything; only browsers name HTML. */
	while (http_next_field(q, &at, &name, &value))
		browser = browser || (http_same(name, "accept") && memmem(value.p, value.len, "text/html", 9) != NULL);
	if (browser)
		conn_reply(c, &(struct http_reply){ .status = 302, .fields = "Location: admin\r\n" FILE_FIELDS },
		    SPAN_NONE);
	else
		conn_refuse(c, 404, SITE_NOTHING, NULL);
}

void
admin_script_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	admin_send(c, "text/javascript; charset=utf-8", FILE_FIELDS,
	    span_is_str(q->path, ADMIN_PATH "/views.js") ? web_admin_views_js : web_admin_js);
}

void
admin_style_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)q, (void)who, (void)body;
	admin_send(c, "text/css; charset=utf-8", FILE_FIELDS, web_admin_css);
}

void
admin_icon_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)q, (void)who, (void)body;
	admin_send(c, "image/svg+xml", FILE_FIELDS "Content-Security-Policy: default-src 'none'\r\n", web_icon_svg);
}

/* Whether the request carries the key that only the page has. */
static bool
carries_key(const struct oauth_request *r, const struct http_request *q)
{
	struct span name, value, given = { NULL, 0 };
	char own[OAUTH_CSRF + 1];
	size_t at = 0;
	unsigned n = 0;

	while (http_next_field(q, &at, &name, &value))
		if (http_same(name, CSRF_FIELD)) {
			given = http_trim(value);
			n++;
		}
	return oauth_request_page_key(r, own) && n == 1 && given.len == OAUTH_CSRF &&
	    sodium_memcmp(given.p, own, OAUTH_CSRF) == 0;
}

/* Whether the request comes from the page; else it is refused. */
static bool
is_own(struct oauth_request *r, const struct http_request *q)
{
	if (carries_key(r, q))
		return true;
	if (r->local[0] == '\0' && r->session[0] == '\0')
		oauth_reply_refuse(r, 401, ERR_AUTH_INVALID,
		    "you are not signed in; `carrel admin` prints a link, and users sign in at the login page");
	else
		oauth_reply_refuse(r, 403, ERR_NONE, "this page is not good any more; reload it");
	return false;
}

/* Ask carrel-auth whether the call may be made; tool empty: only who it is. */
static void
ask_proof(struct oauth_request *r, const char *tool, struct span connection, struct span args,
    void (*told)(struct oauth_request *r, const union ipc_any *answer))
{
	oauth_request_ask(r, IPC_MSG_PROVE, &(struct ipc_prove){ .local = span_str(r->local),
	    .session = span_str(r->session), .asserted = buf_view(&r->asserted), .tool = span_str(tool),
	    .connection = connection, .args = args }, IPC_MSG_PROVED, told);
}

/* carrel-auth's proof that the caller may do this; NULL: it gave none, and the request was refused. */
static const struct ipc_proved *
proved(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL || answer->proved.outcome == IPC_OAUTH_UNAVAILABLE)
		oauth_reply_refuse(r, 503, ERR_SERVICE_UNAVAILABLE, "this cannot be decided at the moment; try again");
	else if (answer->proved.outcome == IPC_OAUTH_DONE)
		return &answer->proved;
	else if (answer->proved.outcome == IPC_OAUTH_ACCESS_DENIED)
		oauth_reply_refuse(r, 403, ERR_SCOPE_DENIED,
		    "this needs the scope connectivity:admin, which administrators have");
	else if (answer->proved.outcome == IPC_OAUTH_INVALID_REQUEST)
		oauth_reply_refuse(r, 404, ERR_NONE, "the administration page has no such operation");
	else
		oauth_reply_refuse(r, 401, ERR_AUTH_INVALID,
		    "the session has ended; `carrel admin` prints a link, and users sign in at the login page");
	return NULL;
}

/* A principal of its own for each administrator: only at this page may they do what the owner may. */
static struct principal *
principal_of_page(struct front *f, const struct ipc_proved *p)
{
	char id[PRINCIPAL_MAX + sizeof(PRINCIPAL_PAGE_PREFIX)];

	snprintf(id, sizeof(id), PRINCIPAL_PAGE_PREFIX "%.*s", SPAN_FMT(p->principal));
	return principal_of(f, PRINCIPAL_PAGE, id, (uint32_t)p->scopes | POLICY_SCOPE_LOCAL);
}

static void
on_session(struct oauth_request *r, const union ipc_any *answer)
{
	struct front *f = r->front;
	cJSON *document;
	char key[OAUTH_CSRF + 1];
	const struct ipc_proved *p;

	if (answer == NULL || answer->proved.outcome == IPC_OAUTH_UNAVAILABLE) {
		(void)proved(r, answer);
		return;
	}
	p = &answer->proved;
	document = document_new();
	/* With http other ports are sent the cookie, too: the cookie alone does not give the key. */
	if (p->outcome == IPC_OAUTH_DONE && (r->keyed || f->access.secure) && oauth_request_page_key(r, key)) {
		document_put_bool(document, "signed_in", true);
		document_put_span(document, "principal", p->principal);
		document_put_text(document, "csrf", key);
		document_put_uint(document, "expires_unix_ms", p->expires_unix_ms);
	} else {
		document_put_bool(document, "signed_in", false);
		document_put_bool(document, "denied", p->outcome == IPC_OAUTH_ACCESS_DENIED);
		document_put_text(document, "login", f->oauth->enabled ? "api/oauth/login?next=%2Fadmin" : NULL);
	}
	oauth_reply_json(r, 200, document);
	sodium_memzero(key, sizeof(key));
}

void
admin_session_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);

	(void)who, (void)body;
	r->keyed = carries_key(r, q);
	ask_proof(r, "", SPAN(""), MP_EMPTY_MAP, on_session);
}

static void
reply_signed_in(struct oauth_request *r, bool is)
{
	cJSON *document = document_new();
	char key[OAUTH_CSRF + 1];

	document_put_bool(document, "signed_in", is);
	if (is && oauth_request_page_key(r, key))
		document_put_text(document, "csrf", key);
	oauth_reply_json(r, 200, document);
	sodium_memzero(key, sizeof(key));
}

/* Whether carrel-auth let somebody in; else the request is refused. */
static bool
is_let_in(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_signed_in *a = answer == NULL ? NULL : &answer->signed_in;
	struct buf message = { .max = 0 };
	enum ipc_oauth outcome = a == NULL ? IPC_OAUTH_UNAVAILABLE : (enum ipc_oauth)a->outcome;

	if (outcome == IPC_OAUTH_DONE)
		return true;
	if (outcome == IPC_OAUTH_UNAVAILABLE || outcome == IPC_OAUTH_BUSY) {
		oauth_reply_refuse(r, 503, ERR_SERVICE_UNAVAILABLE, "sign-in is not possible now; try again");
		return false;
	}
	buf_span(&message, a->message);
	if (outcome == IPC_OAUTH_TOO_MANY)
		oauth_reply_refuse(r, 429, ERR_RATE_LIMITED, buf_cstr(&message));
	else if (outcome == IPC_OAUTH_INVALID_REQUEST)
		oauth_reply_refuse(r, 400, ERR_INVALID_ARGUMENTS, buf_cstr(&message));
	else
		oauth_reply_refuse(r, 401, ERR_AUTH_INVALID, buf_cstr(&message));
	buf_fini(&message);
	return false;
}

static void
on_entered(struct oauth_request *r, const union ipc_any *answer)
{
	if (!is_let_in(r, answer))
		return;
	oauth_request_enter(r, answer->signed_in.session, answer->signed_in.session_s);
	reply_signed_in(r, true);
}

static void
on_set_up(struct oauth_request *r, const union ipc_any *answer)
{
	if (!is_let_in(r, answer))
		return;
	oauth_request_sign_in(r, answer->signed_in.session, answer->signed_in.session_s);
	reply_signed_in(r, true);
}

/* Read the body, an object whose members are texts of at most LINK_TEXT_MAX, NAME_TEXT_MAX and PASSWORD_MAX bytes. */
static bool
read_entry(struct span body, struct buf *room, struct span *link, struct span *name, struct span *password)
{
	struct mp_value document;
	size_t at;

	if (json_read(body, room, &at) != JSON_OK || !mp_value(buf_view(room), &document) || document.class != MP_MAP)
		return false;
	*link = mp_get_str(&document, "link", SPAN(""));
	*name = mp_get_str(&document, "name", SPAN(""));
	*password = mp_get_str(&document, "password", SPAN(""));
	return link->len > 0 && link->len <= LINK_TEXT_MAX && name->len <= NAME_TEXT_MAX &&
	    password->len <= PASSWORD_MAX;
}

void
admin_enter_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	struct buf room = { .max = ENTRY_MAX };
	struct span link, name, password;

	(void)who;
	if (!read_entry(body, &room, &link, &name, &password))
		oauth_reply_refuse(r, 400, ERR_NONE,
		    "the body must be {\"link\": \"…\"}, of what `carrel admin` prints");
	else
		oauth_request_ask(r, IPC_MSG_ENTER, &(struct ipc_enter){ .address = span_str(r->address),
		    .receipt = span_str(r->receipt), .link = link }, IPC_MSG_SIGNED_IN, on_entered);
	buf_wipe(&room);
}

void
admin_setup_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	struct buf room = { .max = ENTRY_MAX };
	struct span link, name, password;

	(void)who;
	if (!read_entry(body, &room, &link, &name, &password))
		oauth_reply_refuse(r, 400, ERR_NONE,
		    "the body must be {\"link\": \"…\", \"name\": \"…\", \"password\": \"…\"}, with the link that "
		    "`carrel mcp start` prints");
	else
		oauth_request_ask(r, IPC_MSG_SETUP, &(struct ipc_setup){ .address = span_str(r->address),
		    .receipt = span_str(r->receipt), .link = link, .name = name, .password = password },
		    IPC_MSG_SIGNED_IN, on_set_up);
	buf_wipe(&room);
}

static void
on_left(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL || answer->signed_out.outcome != IPC_OAUTH_DONE) {
		oauth_reply_refuse(r, 503, ERR_SERVICE_UNAVAILABLE, "sign-out is not possible now; try again");
		return;
	}
	if (r->local[0] != '\0')
		oauth_request_enter(r, SPAN(""), 0);
	else
		oauth_request_sign_out(r);
	reply_signed_in(r, false);
}

void
admin_leave_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);

	(void)who, (void)body;
	if (is_own(r, q))
		oauth_request_ask(r, IPC_MSG_LOGOUT, &(struct ipc_logout){ .address = span_str(r->address),
		    .receipt = span_str(r->receipt),
		    .session = span_str(r->local[0] != '\0' ? r->local : r->session) }, IPC_MSG_SIGNED_OUT, on_left);
}

/* Ask carrel-auth whether the page may be answered, if the request comes from the page itself. */
static void
serve_own(struct conn *c, const struct http_request *q,
    void (*told)(struct oauth_request *r, const union ipc_any *answer))
{
	struct oauth_request *r = oauth_request_begin(c, q);

	if (is_own(r, q))
		ask_proof(r, "", SPAN(""), MP_EMPTY_MAP, told);
}

/* Let ask() make the answer to r, if carrel-auth has given the proof. */
static void
answer_from(struct oauth_request *r, const union ipc_any *answer, void (*ask)(struct front *f, struct exchange *x))
{
	struct conn *c = r->conn;
	const struct ipc_proved *p = proved(r, answer); /* r has ended without one */

	if (p == NULL)
		return;
	oauth_request_end(r);
	ask(c->front, rest_page_exchange(c, principal_of_page(c->front, p)));
}

static void
on_status(struct oauth_request *r, const union ipc_any *answer)
{
	answer_from(r, answer, status_ask);
}

void
admin_status_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	serve_own(c, q, on_status);
}

static void
on_doctor(struct oauth_request *r, const union ipc_any *answer)
{
	answer_from(r, answer, status_ask_doctor);
}

void
admin_doctor_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	serve_own(c, q, on_doctor);
}

static void
on_metrics(struct oauth_request *r, const union ipc_any *answer)
{
	struct conn *c = r->conn;

	if (proved(r, answer) == NULL)
		return;
	oauth_request_end(r);
	metrics_page_answer(c, false);
}

void
admin_metrics_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	serve_own(c, q, on_metrics);
}

/* Append the parameters of tools/call: name and arguments of r->call, and the proof. */
static void
put_call(struct buf *out, struct span call, struct span proof)
{
	char hex[2 * PROOF_SIZE + 1] = "";
	struct mp_value map, name, args;

	if (proof.len == PROOF_SIZE)
		sodium_bin2hex(hex, sizeof(hex), proof.p, proof.len);
	if (!mp_value(call, &map) || !mp_get(&map, "name", &name) || !mp_get(&map, "arguments", &args))
		return;
	mp_put_map(out, hex[0] != '\0' ? 3 : 2);
	mp_pair_str(out, "name", name.s);
	mp_pair_raw(out, "arguments", args.raw);
	if (hex[0] == '\0')
		return;
	mp_put_cstr(out, "_meta");
	mp_put_pairs(out, mp_cstr(PROOF_META, hex));
	sodium_memzero(hex, sizeof(hex));
}

static void
on_call(struct oauth_request *r, const union ipc_any *answer)
{
	struct conn *c = r->conn;
	const struct ipc_proved *p = proved(r, answer); /* r has ended without one */
	struct buf call = { .max = 0 };
	struct principal *who;
	struct mp_value params;

	if (p == NULL)
		return;
	who = principal_of_page(c->front, p);
	put_call(&call, buf_view(&r->call), p->proof);
	oauth_request_end(r);
	if (mp_value(buf_view(&call), &params))
		rest_page_call(c, who, &params);
	buf_wipe(&call);
}

/* The tool that the path names; NULL: the page has none of that name. */
static const struct policy_tool *
tool_in(struct span path)
{
	size_t n = sizeof(ADMIN_API "/tools/") - 1;
	const struct policy_tool *tool = path.len <= n ? NULL : policy_tool(span_of(path.p + n, path.len - n));

	return tool != NULL && policy_tool_of_page(tool) ? tool : NULL;
}

/* Read the arguments into r->call, which keeps them until carrel-auth has answered; args borrows from it. */
static const char *
read_call(struct oauth_request *r, const struct policy_tool *tool, struct span body, struct mp_value *args)
{
	struct buf parsed = { .max = ARGUMENTS_MAX };
	enum json_fault fault = JSON_OK;
	const char *wrong = NULL;
	struct mp_value map;
	size_t at;

	if (body.len > 0)
		fault = json_read(body, &parsed, &at);
	else
		buf_span(&parsed, MP_EMPTY_MAP);
	if (fault != JSON_OK)
		wrong = json_fault_text(fault);
	else if (parsed.full || !mp_value(buf_view(&parsed), args) || args->class != MP_MAP)
		wrong = "the body must be an object of arguments, of at most 128 KiB";
	else {
		mp_put_pairs(&r->call, mp_cstr("name", tool->name), mp_raw("arguments", args->raw));
		if (!mp_value(buf_view(&r->call), &map) || !mp_get(&map, "arguments", args))
			wrong = "the arguments cannot be read";
	}
	buf_wipe(&parsed);
	return wrong;
}

void
admin_tool_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	const struct policy_tool *tool = tool_in(q->path);
	struct oauth_request *r = oauth_request_begin(c, q);
	struct mp_value args;
	const char *wrong;

	(void)who;
	if (!is_own(r, q))
		return;
	if (tool == NULL) {
		oauth_reply_refuse(r, 404, ERR_NONE, "the administration page has no such operation");
		return;
	}
	if ((wrong = read_call(r, tool, body, &args)) != NULL) {
		oauth_reply_refuse(r, 400, ERR_NONE, wrong);
		return;
	}
	ask_proof(r, tool->name, policy_tool_connection(tool, &args), args.raw, on_call);
}
