#include "front/oauth/oauth_login.h"
#include "front/oauth/oauth_provider.h"
#include "front/oauth/oauth_reply.h"
#include "front/who/oauth_issuer.h"

/* A request of a server with an identity provider; else it is answered.  Returns NULL then. */
static struct oauth_request *
begin_at_provider(struct conn *c, const struct http_request *q)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *wrong = oauth_request_forms(r, q, SPAN(""), NULL);

	if (c->front->oauth->provider[0] == '\0')
		oauth_reply_wrong(r, 404, "invalid_request", SPAN("Users of this server sign in here alone."), 0);
	else if (wrong != NULL)
		oauth_reply_wrong(r, 400, "invalid_request", span_str(wrong), 0);
	else
		return r;
	return NULL;
}

static void
on_departed(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_departed *a;

	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	a = &answer->departed;
	if (a->outcome == IPC_OAUTH_DONE)
		oauth_reply_redirect(r, a->url);
	else
		oauth_login_refused(r, &(struct ipc_signed_in){ .outcome = a->outcome, .message = a->message,
		    .retry_after_s = a->retry_after_s });
}

void
oauth_provider_depart(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = begin_at_provider(c, q);

	(void)who, (void)body;
	if (r == NULL)
		return;
	oauth_request_depart(r, oauth_login_next(r));
	oauth_request_ask(r, IPC_MSG_DEPART, &(struct ipc_depart){ .issuer = r->issuer,
	    .address = span_str(r->address), .receipt = span_str(r->receipt), .visitor = span_str(r->visitor) },
	    IPC_MSG_DEPARTED, on_departed);
}

static void
on_arrived(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_signed_in *a;

	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	a = &answer->signed_in;
	if (a->outcome != IPC_OAUTH_DONE) {
		oauth_login_refused(r, a);
		return;
	}
	oauth_request_sign_in(r, a->session, a->session_s);
	oauth_login_go_on(r); /* even to say so: the code leaves the address of the page */
}

/* Parameters longer than any of the provider's are nothing that carrel-auth could use. */
static struct span
parameter(const struct oauth_request *r, const char *name, size_t max)
{
	struct span v = form_get(&r->query, name);

	return v.len <= max ? v : SPAN("");
}

void
oauth_provider_arrive(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = begin_at_provider(c, q);

	(void)who, (void)body;
	if (r == NULL)
		return;
	oauth_request_arrive(r, q);
	oauth_request_ask(r, IPC_MSG_ARRIVE, &(struct ipc_arrive){ .issuer = r->issuer,
	    .address = span_str(r->address), .receipt = span_str(r->receipt), .visitor = span_str(r->visitor),
	    .session = span_str(r->session), .state = parameter(r, "state", 128), .code = parameter(r, "code", 4096),
	    .iss = parameter(r, "iss", 1024), .error = parameter(r, "error", 128) },
	    IPC_MSG_SIGNED_IN, on_arrived);
}
