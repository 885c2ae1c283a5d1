#include "front/oauth/oauth_device.h"

#include "front/oauth/oauth_authorize.h"
#include "front/oauth/oauth_login.h"
#include "front/oauth/oauth_reply.h"
#include "front/oauth/oauth_token.h"
#include "front/who/oauth_issuer.h"
#include "web/pages.h"

#define OFF	SPAN("Devices do not sign in here.")
#define WORD_MAX	64u	/* bytes of what is typed */

static void
on_begun(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_device_begun *a;
	struct buf page = { .max = 0 };
	cJSON *document;

	if (answer == NULL) {
		oauth_reply_unavailable(r, false);
		return;
	}
	a = &answer->device_begun;
	if (a->outcome != IPC_OAUTH_DONE) {
		oauth_token_refused(r, a->outcome, a->message, a->retry_after_s);
		return;
	}
	/* No verification_uri_complete: a link with the code in it is all that a trap needs. */
	buf_span(&page, r->issuer);
	buf_str(&page, OAUTH_DEVICE_PAGE);
	document = document_new();
	document_put_span(document, "device_code", a->device_code);
	document_put_span(document, "user_code", a->user_code);
	document_put_span(document, "verification_uri", buf_view(&page));
	document_put_uint(document, "expires_in", a->expires_s);
	document_put_uint(document, "interval", a->interval_s);
	oauth_reply_json(r, 200, document);
	buf_fini(&page);
}

void
oauth_device_begin_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	static const struct oauth_bound bounds[] = { { "client_id", 4096 }, { "resource", 4096 }, { "scope", 8192 } };
	struct oauth_request *r = oauth_token_form(c, q, body, bounds, sizeof(bounds) / sizeof(bounds[0]));

	(void)who;
	if (r == NULL)
		return;
	if (!c->front->oauth->device)
		oauth_reply_error(r, 404, "invalid_request", OFF, 0);
	else
		oauth_request_ask(r, IPC_MSG_DEVICE_BEGIN, &(struct ipc_device_begin){ .issuer = r->issuer,
		    .address = span_str(r->address), .receipt = span_str(r->receipt),
		    .client_id = form_get(&r->body, "client_id"), .resource = form_get(&r->body, "resource"),
		    .scope = form_get(&r->body, "scope") }, IPC_MSG_DEVICE_BEGUN, on_begun);
}

/* The form for a code; wrong: why the one before was none. */
static void
show_form(struct oauth_request *r, const struct ipc_device_shown *a, int status)
{
	oauth_reply_page(r, &(struct oauth_page){ .status = status, .title = "Let a device in", .page = web_device_html,
	    .retry_after = (unsigned)a->retry_after_s, .nvalues = 2, .values = (struct template_value[]){
		{ .name = "user", .text = a->user },
		{ .name = "wrong", .text = a->message },
	    } });
}

static void
put_age(uint64_t seconds, struct buf *out)
{
	if (seconds < 60)
		buf_str(out, "less than a minute ago");
	else
		buf_printf(out, "%llu minute%s ago", (unsigned long long)(seconds / 60), seconds < 120 ? "" : "s");
}

static void
show_question(struct oauth_request *r, const struct ipc_device_shown *a)
{
	struct buf resource = { .max = 0 }, age = { .max = 0 };
	struct oauth_scopes scopes;

	oauth_authorize_list(r, &scopes, a->offered, a->ticked, a->tools);
	oauth_authorize_put_resource(r, a->resource, &resource);
	put_age(a->since_s, &age);
	oauth_reply_page(r, &(struct oauth_page){ .status = 200, .title = "Let this device in?",
	    .page = web_device_ask_html, .nvalues = 9, .values = (struct template_value[]){
		{ .name = "client", .text = a->client_name.len > 0 ? a->client_name : a->client_id },
		{ .name = "registered", .text = a->client_source == IPC_CLIENT_CONFIGURED ? SPAN("") : SPAN("1") },
		{ .name = "user", .text = a->user },
		{ .name = "from", .text = a->from },
		{ .name = "elsewhere", .text = a->same != 0 ? SPAN("") : SPAN("1") },
		{ .name = "age", .text = buf_view(&age) },
		{ .name = "resource", .text = buf_view(&resource) },
		{ .name = "user_code", .text = form_get(&r->body, "user_code") },
		{ .name = "scopes", .rows = scopes.rows, .nrows = scopes.n },
	    } });
	oauth_authorize_list_fini(&scopes);
	buf_fini(&resource);
	buf_fini(&age);
}

static void
show_decided(struct oauth_request *r, const struct ipc_device_shown *a)
{
	oauth_reply_page(r, &(struct oauth_page){ .status = 200, .title = a->ticked != 0 ? "Let in" : "Not let in",
	    .page = web_device_done_html, .nvalues = 2, .values = (struct template_value[]){
		{ .name = "client", .text = a->client_name.len > 0 ? a->client_name : a->client_id },
		{ .name = "allowed", .text = a->ticked != 0 ? SPAN("1") : SPAN("") },
	    } });
}

static void ask_about_code(struct oauth_request *r);

static void
on_asserted(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL)
		oauth_reply_unavailable(r, true);
	else if (answer->signed_in.outcome != IPC_OAUTH_DONE)
		oauth_login_refused(r, &answer->signed_in);
	else {
		oauth_request_sign_in(r, answer->signed_in.session, answer->signed_in.session_s);
		ask_about_code(r);
	}
}

/* No user is signed in: sign in the user that the proxy names, or lead to the login page, which leads back. */
static void
begin_login(struct oauth_request *r)
{
	bool proxy = r->front->access.proxy_header[0] != '\0';

	if (r->asserted.len > 0 && !r->asserted_tried) {
		r->asserted_tried = true;
		oauth_login_asserted(r, on_asserted);
	} else if (proxy || !r->html)
		oauth_reply_wrong(r, 401, "login_required",
		    proxy ? OAUTH_LOGIN_UNNAMED : SPAN("Open this page in a browser and sign in."), 0);
	else
		oauth_reply_to_own(r, OAUTH_LOGIN "?next=", SPAN(OAUTH_DEVICE_PAGE));
}

static void
on_shown(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_device_shown *a;

	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	a = &answer->device_shown;
	if (a->outcome == IPC_OAUTH_LOGIN)
		begin_login(r);
	else if (a->outcome == IPC_OAUTH_CONSENT)
		show_question(r, a);
	else if (a->outcome == IPC_OAUTH_DONE && oauth_authorize_decision(r) != IPC_DECISION_NONE &&
	    a->client_id.len > 0)
		show_decided(r, a);
	else if (a->outcome == IPC_OAUTH_DONE)
		show_form(r, a, 200);
	else if (a->outcome == IPC_OAUTH_INVALID_GRANT)
		show_form(r, a, 400);
	else
		oauth_reply_wrong(r,
		    a->outcome == IPC_OAUTH_TOO_MANY          ? 429 :
			a->outcome == IPC_OAUTH_ACCESS_DENIED ? 403 :
								503,
		    oauth_error((enum ipc_oauth)a->outcome), a->message, (unsigned)a->retry_after_s);
}

/* The code comes of a form alone: what a link says is not looked at. */
static void
ask_about_code(struct oauth_request *r)
{
	struct span word = r->post ? form_get(&r->body, "user_code") : SPAN("");
	enum ipc_decision decision = r->post ? oauth_authorize_decision(r) : IPC_DECISION_NONE;
	struct policy_named tools = { "" };
	uint32_t ticked = decision == IPC_DECISION_ALLOW ? oauth_authorize_ticked(&r->body, &tools) : 0;

	oauth_request_ask(r, IPC_MSG_DEVICE_LOOK, &(struct ipc_device_look){ .issuer = r->issuer,
	    .address = span_str(r->address), .receipt = span_str(r->receipt), .session = span_str(r->session),
	    .asserted = buf_view(&r->asserted), .user_code = word, .decision = decision,
	    .ticked = ticked, .ticked_tools = span_str(tools.text) }, IPC_MSG_DEVICE_SHOWN, on_shown);
}

void
oauth_device_page_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *wrong = oauth_request_forms(r, q, body, "scope");

	(void)who;
	if (!c->front->oauth->device)
		oauth_reply_wrong(r, 404, "invalid_request", OFF, 0);
	else if (wrong != NULL)
		oauth_reply_wrong(r, 400, "invalid_request", span_str(wrong), 0);
	else if (r->post && !oauth_request_is_own(r, true))
		oauth_reply_forged(r,
		    SPAN("This form is not good any more: it was shown before you signed in, or to somebody else."));
	else if (r->post && form_get(&r->body, "user_code").len > WORD_MAX)
		oauth_reply_wrong(r, 400, "invalid_request", SPAN("The code is too long."), 0);
	else
		ask_about_code(r);
}
