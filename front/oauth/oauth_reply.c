#include <string.h>

#include "base/ascii.h"
#include "base/text/percent.h"
#include "front/mcp/audit_requests.h"
#include "front/http/conn_write.h"
#include "front/wire/documents.h"
#include "front/oauth/oauth_reply.h"
#include "web/pages.h"

#define VALUES_MAX	16u
#define TIMES_OUT	SPAN("This cannot be answered at the moment; try again in a few seconds.")

void
oauth_reply_put_source(struct buf *out, struct span redirect)
{
	static const char host_letters[] = "-._:";
	size_t origin = document_origin(redirect), scheme = 0;

	while (scheme < redirect.len && redirect.p[scheme] != ':')
		scheme++;
	while (origin > 0 && memchr(redirect.p, '?', origin) != NULL)
		origin--;
	if (scheme == redirect.len || scheme == 0)
		return;
	for (size_t i = 0; i < scheme; i++)
		if (!ascii_is_alnum(redirect.p[i]) && !ascii_is_any(redirect.p[i], "+-."))
			return;
	buf_byte(out, ' ');
	if (scheme + 3 < origin && span_begins(redirect, "http")) {
		struct span host = span_of(redirect.p + scheme + 3, origin - scheme - 3);
		bool plain = true;

		for (size_t i = 0; i < host.len; i++)
			plain &= ascii_is_alnum(host.p[i]) || ascii_is_any(host.p[i], host_letters);
		if (plain) {
			buf_span(out, span_of(redirect.p, origin));
			return;
		}
	}
	/* A scheme of an application; or [::1], which a policy cannot name. */
	buf_span(out, span_of(redirect.p, scheme + 1));
}

static void
put_page_fields(const struct oauth_request *r, struct span redirect, struct buf *out)
{
	buf_str(out,
	    "Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; "
	    "base-uri 'none'; form-action 'self'");
	if (redirect.len > 0)
		oauth_reply_put_source(out, redirect);
	buf_str(out,
	    "\r\nReferrer-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n");
	buf_span(out, buf_view(&r->cookies));
}

static void
reply_with(struct oauth_request *r, struct http_reply *reply, struct span body)
{
	struct conn *c = r->conn;
	bool forged = r->forged;

	/* The request ends first: the connection may go on to its next one while this reply is written. */
	reply->no_store = true;
	oauth_request_end(r);
	if (!forged || !audit_refusal(c, reply, SPAN("forged_form"), body))
		conn_reply(c, reply, body);
}

void
oauth_reply_page(struct oauth_request *r, const struct oauth_page *page)
{
	struct buf out = { .max = 0 }, fields = { .max = 0 };
	struct template_value values[VALUES_MAX];
	struct span issuer = r->issuer;
	size_t origin = document_origin(issuer), n = 0;
	char csrf[OAUTH_CSRF + 1];

	oauth_request_csrf(r, csrf);
	values[n++] = (struct template_value){ .name = "title", .text = span_str(page->title) };
	values[n++] = (struct template_value){ .name = "csrf", .text = span_str(csrf) };
	values[n++] = (struct template_value){ .name = "base",
		.text = span_of(issuer.p + origin, issuer.len - origin) };
	for (size_t i = 0; i < page->nvalues && n < VALUES_MAX; i++)
		values[n++] = page->values[i];
	template_put(&out, web_head_html, &(struct template_row){ values, n });
	template_put(&out, page->page, &(struct template_row){ values, n });
	template_put(&out, web_foot_html, &(struct template_row){ values, n });
	put_page_fields(r, page->redirect, &fields);
	reply_with(r,
	    &(struct http_reply){ .status = page->status,
		.type = "text/html; charset=utf-8",
		.fields = buf_cstr(&fields),
		.retry_after = page->retry_after },
	    buf_view(&out));
	buf_wipe(&out);
	buf_wipe(&fields);
}

static void
reply_json(struct oauth_request *r, int status, cJSON *document, unsigned retry_after)
{
	struct buf out = { .max = 0 }, fields = { .max = 0 };

	document_finish(&out, document);
	buf_span(&fields, buf_view(&r->cookies));
	reply_with(r, &(struct http_reply){ .status = status, .type = "application/json",
	    .fields = buf_cstr(&fields), .retry_after = retry_after }, buf_view(&out));
	buf_wipe(&out);
	buf_wipe(&fields);
}

void
oauth_reply_json(struct oauth_request *r, int status, cJSON *document)
{
	reply_json(r, status, document, 0);
}

void
oauth_reply_error(struct oauth_request *r, int status, const char *error, struct span description,
    unsigned retry_after)
{
	cJSON *document = document_new();

	document_put_text(document, "error", error);
	document_put_span(document, "error_description", description);
	reply_json(r, status, document, retry_after);
}

void
oauth_reply_wrong(struct oauth_request *r, int status, const char *error, struct span description,
    unsigned retry_after)
{
	struct buf message = { .max = 0 };
	struct template_value values[] = {
		{ .name = "message" },
		{ .name = "hint", .text = SPAN("Go back to the program that sent you here and start again. Reason:") },
		{ .name = "code", .text = span_str(error) },
	};

	if (!r->html) {
		oauth_reply_error(r, status, error, description, retry_after);
		return;
	}
	buf_span(&message, description);
	values[0].text = buf_view(&message);
	oauth_reply_page(r, &(struct oauth_page){ .status = status, .title = "This does not work",
	    .page = web_error_html, .values = values, .nvalues = 3, .retry_after = retry_after });
	buf_fini(&message);
}

void
oauth_reply_forged(struct oauth_request *r, struct span description)
{
	r->forged = true;
	oauth_reply_wrong(r, 403, "invalid_request", description, 0);
}

void
oauth_reply_unavailable(struct oauth_request *r, bool page)
{
	if (page)
		oauth_reply_wrong(r, 503, "temporarily_unavailable", TIMES_OUT, 1);
	else
		oauth_reply_error(r, 503, "temporarily_unavailable", TIMES_OUT, 1);
}

void
oauth_reply_refuse(struct oauth_request *r, int status, enum err_code code, const char *message)
{
	struct conn *c = r->conn;

	oauth_request_end(r);
	conn_refuse(c, status, message, &(struct http_reply){ .refusal = code, .retry_after = status == 503 });
}

/* Whether s is allowed in a Location field: printable ASCII without blanks. */
static bool
is_location(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f)
			return false;
	return s.len > 0;
}

void
oauth_reply_redirect(struct oauth_request *r, struct span location)
{
	struct buf fields = { .max = 0 };

	if (!is_location(location)) {
		oauth_reply_wrong(r, 400, "invalid_request", SPAN("There is no way to redirect there."), 0);
		return;
	}
	buf_printf(&fields, "Location: %.*s\r\nReferrer-Policy: no-referrer\r\n", SPAN_FMT(location));
	buf_span(&fields, buf_view(&r->cookies));
	reply_with(r, &(struct http_reply){ .status = r->post ? 303 : 302, .fields = buf_cstr(&fields) },
	    SPAN_NONE);
	buf_wipe(&fields);
}

void
oauth_reply_to_own(struct oauth_request *r, const char *path, struct span query_value)
{
	struct buf location = { .max = 0 };

	buf_span(&location, r->issuer);
	buf_str(&location, path);
	percent_put(&location, query_value, percent_is_unreserved);
	if (location.len > HTTP_TARGET_MAX)
		oauth_reply_wrong(r, 400, "invalid_request", SPAN("The parameters are too long."), 0);
	else
		oauth_reply_redirect(r, buf_view(&location));
	buf_fini(&location);
}
