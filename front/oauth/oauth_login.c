#include <string.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/text/percent.h"
#include "front/admin/admin_page.h"
#include "front/calls/export_link.h"
#include "front/oauth/oauth_authorize.h"
#include "front/oauth/oauth_device.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_login.h"
#include "front/oauth/oauth_reply.h"
#include "web/pages.h"

#define NAME_MAX_BYTES	1024u	/* of LOGIN */
#define PASSWORD_MAX	4096u
#define FORM_IS_OLD	SPAN("This form is not good any more; open the page again.")

static int
status_of(enum ipc_oauth outcome)
{
	switch (outcome) {
	case IPC_OAUTH_TOO_MANY:
		return 429;
	case IPC_OAUTH_BUSY:
	case IPC_OAUTH_UNAVAILABLE:
		return 503;
	case IPC_OAUTH_ACCESS_DENIED:
		return 401;
	default:
		return 400;
	}
}

void
oauth_login_refused(struct oauth_request *r, const struct ipc_signed_in *a)
{
	int status = status_of((enum ipc_oauth)a->outcome);

	oauth_reply_wrong(r, status == 401 ? 403 : status, oauth_error((enum ipc_oauth)a->outcome), a->message,
	    (unsigned)a->retry_after_s);
}

void
oauth_login_asserted(struct oauth_request *r, void (*told)(struct oauth_request *r, const union ipc_any *answer))
{
	oauth_request_ask(r, IPC_MSG_LOGIN, &(struct ipc_login){ .address = span_str(r->address), .owner = r->owner,
	    .receipt = span_str(r->receipt), .session = span_str(r->session), .asserted = buf_view(&r->asserted) },
	    IPC_MSG_SIGNED_IN, told);
}

/* Keep the reason why the login failed, for the page. */
static void
note_wrong(struct oauth_request *r, const struct ipc_signed_in *a)
{
	r->status = status_of((enum ipc_oauth)a->outcome);
	r->retry_after = (unsigned)a->retry_after_s;
	buf_span(&r->wrong, a->message);
}

/* Whether the path is one of an export: a word of base64url, a dot and a format.  Nothing else is a target there. */
static bool
is_export(struct span path)
{
	size_t at = strlen(EXPORT_PATH);

	if (!span_begins(path, EXPORT_PATH))
		return false;
	while (at < path.len && (ascii_is_alnum(path.p[at]) || path.p[at] == '-' || path.p[at] == '_'))
		at++;
	return at < path.len && path.p[at] == '.' &&
	    export_format_named(span_of(path.p + at + 1, path.len - at - 1)) != EXPORT_FORMATS;
}

/*
 * The parameters of an authorization are read here because the login page names the client, and because its content
 * security policy must allow the client's redirect as a target of the form.
 */
struct span
oauth_login_next(struct oauth_request *r)
{
	static const char path[] = OAUTH_AUTHORIZE "?";
	struct span next = r->arrived ? buf_view(&r->came_for) : form_get(r->post ? &r->body : &r->query, "next");
	size_t n = sizeof(path) - 1;

	if (span_is_str(next, ADMIN_PATH) || span_is_str(next, OAUTH_DEVICE_PAGE) || is_export(next))
		return next;
	if (next.len <= n || memcmp(next.p, path, n) != 0)
		return SPAN("");
	if (r->next.n > 0)
		return next; /* they were read already */
	form_fini(&r->next);
	return form_read(span_of(next.p + n, next.len - n), NULL, &r->next) == FORM_OK ? next : SPAN("");
}

static void
show_login(struct oauth_request *r, struct span client, struct span redirect)
{
	const struct oauth *o = r->front->oauth;
	struct buf next = { .max = 0 };

	percent_put(&next, oauth_login_next(r), percent_is_unreserved);
	oauth_reply_page(r, &(struct oauth_page){ .status = r->status != 0 ? r->status : 200, .title = "Sign in",
	    .page = web_login_html, .redirect = redirect, .retry_after = r->retry_after, .nvalues = 7,
	    .values = (struct template_value[]){
		{ .name = "client", .text = client },
		{ .name = "organization", .text = span_str(o->provider) },
		{ .name = "only", .text = o->provider_only ? SPAN("1") : SPAN("") },
		{ .name = "next_encoded", .text = buf_view(&next) },
		{ .name = "wrong", .text = buf_view(&r->wrong) },
		{ .name = "next", .text = oauth_login_next(r) },
		{ .name = "name", .text = form_get(&r->body, "username") },
	    } });
	buf_fini(&next);
}

static bool
is_for_admin(struct oauth_request *r)
{
	return span_is_str(oauth_login_next(r), ADMIN_PATH);
}

/* Whether the login is for a page of this server, not for an authorization. */
static bool
is_for_page(struct oauth_request *r)
{
	return is_for_admin(r) || span_is_str(oauth_login_next(r), OAUTH_DEVICE_PAGE) || is_export(oauth_login_next(r));
}

void
oauth_login_go_on(struct oauth_request *r)
{
	struct span next = oauth_login_next(r);
	struct buf location = { .max = 0 };
	char key[OAUTH_CSRF + 1];

	buf_span(&location, r->issuer);
	if (next.len > 0)
		buf_span(&location, next);
	else
		buf_str(&location, OAUTH_LOGIN);
	if (is_for_admin(r) && !r->front->access.secure && oauth_request_page_key(r, key))
		buf_printf(&location, "#key=%s", key); /* browsers keep the fragment to themselves */
	oauth_reply_redirect(r, buf_view(&location));
	sodium_memzero(key, sizeof(key));
	buf_wipe(&location);
}

static void
show_signed_in(struct oauth_request *r, struct span user)
{
	oauth_reply_page(r, &(struct oauth_page){ .status = 200, .title = "Signed in", .page = web_signed_in_html,
	    .nvalues = 1, .values = &(struct template_value){ .name = "user", .text = user } });
}

static void
on_named(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL)
		oauth_reply_unavailable(r, true);
	else if (answer->signed_in.outcome != IPC_OAUTH_DONE)
		oauth_login_refused(r, &answer->signed_in);
	else {
		oauth_request_sign_in(r, answer->signed_in.session, answer->signed_in.session_s);
		if (oauth_login_next(r).len > 0)
			oauth_login_go_on(r);
		else /* a redirect to this page could loop: the browser may keep no cookies */
			show_signed_in(r, answer->signed_in.user);
	}
}

/* No user is signed in: show the form, or sign in the user that the proxy names. */
static void
begin_sign_in(struct oauth_request *r, struct span client, struct span redirect)
{
	if (r->front->access.proxy_header[0] == '\0')
		show_login(r, client, redirect);
	else if (r->asserted.len == 0)
		oauth_reply_wrong(r, 401, "login_required", OAUTH_LOGIN_UNNAMED, 0);
	else
		oauth_login_asserted(r, on_named);
}

static void
on_looked(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_authorized *a;

	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	a = &answer->authorized;
	if (a->shown != 0 || a->outcome >= IPC_OAUTH_TOO_MANY)
		oauth_authorize_shown(r, a);
	else if (a->outcome != IPC_OAUTH_LOGIN && r->status == 0) /* a user is signed in, or need not be */
		oauth_login_go_on(r);
	else
		begin_sign_in(r, oauth_authorize_client(a, &r->next), form_get(&r->next, "redirect_uri"));
}

static void
on_page_user(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL || answer->page_user.outcome == IPC_OAUTH_UNAVAILABLE) {
		oauth_reply_unavailable(r, true);
		return;
	}
	/* With http the session's cookie alone leads to no administration: the password is asked for again. */
	if (answer->page_user.outcome != IPC_OAUTH_DONE || (is_for_admin(r) && !r->front->access.secure))
		begin_sign_in(r, SPAN(""), SPAN(""));
	else if (oauth_login_next(r).len > 0)
		oauth_login_go_on(r);
	else
		show_signed_in(r, answer->page_user.user);
}

static void
begin_page(struct oauth_request *r)
{
	if (oauth_login_next(r).len > 0 && !is_for_page(r))
		oauth_authorize_ask(r, &r->next, true, on_looked);
	else if (r->status != 0)
		show_login(r, SPAN(""), SPAN(""));
	else
		oauth_request_ask(r, IPC_MSG_PAGE_SESSION, &(struct ipc_page_session){
		    .session = span_str(r->session), .asserted = buf_view(&r->asserted) }, IPC_MSG_PAGE_USER,
		    on_page_user);
}

static void
on_signed_in(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_signed_in *a;

	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	a = &answer->signed_in;
	if (a->outcome != IPC_OAUTH_DONE && !r->html) {
		oauth_reply_error(r, status_of((enum ipc_oauth)a->outcome), oauth_error((enum ipc_oauth)a->outcome),
		    a->message, (unsigned)a->retry_after_s);
		return;
	}
	if (a->outcome != IPC_OAUTH_DONE) {
		note_wrong(r, a);
		begin_page(r);
		return;
	}
	oauth_request_sign_in(r, a->session, a->session_s);
	oauth_login_go_on(r);
}

static void
begin_login(struct oauth_request *r)
{
	struct span name = form_get(&r->body, "username"), password = form_get(&r->body, "password");

	if (r->front->access.proxy_header[0] != '\0')
		oauth_reply_wrong(r, 403, "access_denied", SPAN("Users sign in at the proxy in front of this server."),
		    0);
	else if (!oauth_request_is_own(r, false))
		oauth_reply_forged(r, FORM_IS_OLD);
	else if (name.len > NAME_MAX_BYTES || password.len > PASSWORD_MAX)
		oauth_reply_wrong(r, 400, "invalid_request", SPAN("The name or the password is too long."), 0);
	else
		oauth_request_ask(r, IPC_MSG_LOGIN, &(struct ipc_login){ .address = span_str(r->address),
		    .owner = r->owner, .receipt = span_str(r->receipt), .session = span_str(r->session), .name = name,
		    .password = password }, IPC_MSG_SIGNED_IN, on_signed_in);
}

void
oauth_login_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *wrong = oauth_request_forms(r, q, body, NULL);

	(void)who;
	if (wrong != NULL)
		oauth_reply_wrong(r, 400, "invalid_request", span_str(wrong), 0);
	else if (r->post)
		begin_login(r);
	else
		begin_page(r);
}

static void
on_signed_out(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL || answer->signed_out.outcome != IPC_OAUTH_DONE) {
		oauth_reply_unavailable(r, true);
		return;
	}
	oauth_request_sign_out(r);
	oauth_reply_to_own(r, OAUTH_SIGNED_OUT, SPAN(""));
}

void
oauth_logout_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *wrong = oauth_request_forms(r, q, body, NULL);

	(void)who;
	if (wrong != NULL)
		oauth_reply_wrong(r, 400, "invalid_request", span_str(wrong), 0);
	else if (!oauth_request_is_own(r, true))
		oauth_reply_forged(r, FORM_IS_OLD);
	else
		oauth_request_ask(r, IPC_MSG_LOGOUT, &(struct ipc_logout){ .address = span_str(r->address),
		    .receipt = span_str(r->receipt), .session = span_str(r->session) }, IPC_MSG_SIGNED_OUT,
		    on_signed_out);
}

void
oauth_signed_out_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);

	(void)who, (void)body;
	oauth_reply_page(r, &(struct oauth_page){ .status = 200, .title = "Signed out",
	    .page = web_signed_out_html });
}
