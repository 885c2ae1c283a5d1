#include <string.h>

#include "base/text/percent.h"
#include "front/oauth/oauth_authorize.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_login.h"
#include "front/oauth/oauth_reply.h"
#include "policy/client_document.h"
#include "policy/scopes.h"
#include "web/pages.h"

const char *
oauth_scope_sentence(uint32_t scope)
{
	static const struct {
		uint32_t scope;
		const char *sentence;
	} rows[] = {
		{ POLICY_SCOPE_RESEARCH_READ, "Read the wiki, the semantic layer and what is known of the databases." },
		{ POLICY_SCOPE_RESEARCH_QUERY, "Run read-only SQL on the databases that are connected." },
		{ POLICY_SCOPE_MEMORY_WRITE, "Add pages, definitions and notes to the project." },
		{ POLICY_SCOPE_ONTOLOGIES_READ, "Read the ontologies: names and meanings of data sets." },
		{ POLICY_SCOPE_DATA_AGENT_READ, "Read your settings for questions in plain language." },
		{ POLICY_SCOPE_DATA_AGENT_WRITE, "Ask questions in plain language; change your settings." },
		{ POLICY_SCOPE_EXT_DATASETS, "List the data sets that are published for other systems." },
		{ POLICY_SCOPE_EXT_SCHEMA, "Read the schemas published for other systems." },
		{ POLICY_SCOPE_EXT_SEARCH, "Search what is published for other systems." },
		{ POLICY_SCOPE_EXT_SQL, "Run read-only SQL on what is published for other systems." },
		{ POLICY_SCOPE_CONNECTIVITY_ADMIN, "Administer this server: tokens, data sets and their users." },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].scope == scope)
			return rows[i].sentence;
	return NULL;
}

uint32_t
oauth_authorize_ticked(const struct form *body, struct policy_named *tools)
{
	uint32_t scopes = 0;

	*tools = (struct policy_named){ "" };
	for (size_t i = 0; i < body->n; i++)
		if (span_is_str(body->field[i].name, "scope")) {
			scopes |= policy_scope_named(body->field[i].value);
			policy_named_read(tools, body->field[i].value);
		}
	return scopes & POLICY_SCOPES_ALL;
}

enum ipc_decision
oauth_authorize_decision(const struct oauth_request *r)
{
	struct span decision = form_get(&r->body, "decision");

	return span_is_str(decision, "allow") ? IPC_DECISION_ALLOW :
	    span_is_str(decision, "deny")     ? IPC_DECISION_DENY :
						IPC_DECISION_NONE;
}

/* Whether each parameter fits its field of AUTHORIZE: a longer one cannot be anything that carrel-auth knows. */
static bool
fits(const struct form *p)
{
	static const struct {
		const char *name;
		size_t max;
	} rows[] = {
		{ "client_id", 4096 },
		{ "redirect_uri", 4096 },
		{ "response_type", 256 },
		{ "code_challenge", 256 },
		{ "code_challenge_method", 256 },
		{ "resource", 4096 },
		{ "scope", 8192 },
		{ "prompt", 256 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (form_get(p, rows[i].name).len > rows[i].max)
			return false;
	return true;
}

void
oauth_authorize_ask(struct oauth_request *r, const struct form *p, bool look,
    void (*told)(struct oauth_request *r, const union ipc_any *answer))
{
	enum ipc_decision decision = look ? IPC_DECISION_NONE : oauth_authorize_decision(r);
	struct policy_named tools = { "" };
	uint32_t ticked = decision == IPC_DECISION_ALLOW ? oauth_authorize_ticked(&r->body, &tools) : 0;

	if (!fits(p)) {
		oauth_reply_wrong(r, 400, "invalid_request", SPAN("A parameter is too long."), 0);
		return;
	}
	oauth_request_ask(r, IPC_MSG_AUTHORIZE, &(struct ipc_authorize){
	    .issuer = r->issuer, .address = span_str(r->address), .receipt = span_str(r->receipt),
	    .session = span_str(r->session), .asserted = buf_view(&r->asserted), .look = look,
	    .client_id = form_get(p, "client_id"), .redirect_uri = form_get(p, "redirect_uri"),
	    .response_type = form_get(p, "response_type"), .challenge = form_get(p, "code_challenge"),
	    .challenge_method = form_get(p, "code_challenge_method"), .resource = form_get(p, "resource"),
	    .scope = form_get(p, "scope"), .prompt = form_get(p, "prompt"), .decision = decision,
	    .ticked = ticked, .ticked_tools = span_str(tools.text) },
	    IPC_MSG_AUTHORIZED, told);
}

static void
put_parameter(struct buf *out, const char *name, struct span value)
{
	uint8_t last = out->len == 0 ? 0 : out->p[out->len - 1];

	if (last != '?' && last != '&')
		buf_byte(out, memchr(out->p, '?', out->len) != NULL ? '&' : '?');
	buf_printf(out, "%s=", name);
	percent_put(out, value, percent_is_unreserved);
}

/* Redirect to the client with code, state, iss and error, each once, after the query that the URL has. */
static void
redirect_back(struct oauth_request *r, const struct ipc_authorized *a)
{
	struct span state = form_get(&r->query, "state");
	const char *error = oauth_error((enum ipc_oauth)a->outcome);
	struct buf location = { .max = 0 };

	buf_span(&location, form_get(&r->query, "redirect_uri"));
	if (error == NULL)
		put_parameter(&location, "code", a->code);
	else {
		put_parameter(&location, "error", span_str(error));
		put_parameter(&location, "error_description", a->message);
	}
	if (state.len > 0)
		put_parameter(&location, "state", state);
	put_parameter(&location, "iss", r->issuer);
	oauth_reply_redirect(r, buf_view(&location));
	buf_wipe(&location);
}

void
oauth_authorize_shown(struct oauth_request *r, const struct ipc_authorized *a)
{
	const char *error = oauth_error((enum ipc_oauth)a->outcome);
	int status = a->outcome == IPC_OAUTH_TOO_MANY                           ? 429 :
	    a->outcome == IPC_OAUTH_UNAVAILABLE || a->outcome == IPC_OAUTH_BUSY ? 503 :
	    a->outcome == IPC_OAUTH_ACCESS_DENIED                               ? 403 :
										  400;

	oauth_reply_wrong(r, status, error, a->message, (unsigned)a->retry_after_s);
}

struct span
oauth_authorize_client(const struct ipc_authorized *a, const struct form *parameters)
{
	return a->client_name.len > 0 ? a->client_name : form_get(parameters, "client_id");
}

/* Who will get the code: a host, or the scheme of an application. */
static struct span
destination_of(struct span redirect, bool *local)
{
	size_t origin = document_origin(redirect), scheme = 0;
	struct span host;

	while (scheme < redirect.len && redirect.p[scheme] != ':')
		scheme++;
	host = scheme + 3 <= origin ? span_of(redirect.p + scheme + 3, origin - scheme - 3) : span_of(redirect.p, 0);
	*local = span_begins(redirect, "http://");
	if (!span_begins(redirect, "http"))
		return span_of(redirect.p, scheme + (scheme < redirect.len));
	return host;
}

void
oauth_authorize_put_resource(const struct oauth_request *r, struct span resource, struct buf *out)
{
	if (resource.len > 0) {
		buf_span(out, resource);
		return;
	}
	buf_span(out, r->issuer);
	buf_str(out, DOCUMENTS_MCP " and ");
	buf_span(out, r->issuer);
	buf_str(out, DOCUMENTS_DATA_AGENT);
}

/* Complete the row whose name and sentence are there. */
static void
list_tick(struct oauth_scopes *list, bool ticked)
{
	struct template_value *values = list->values[list->n];

	values[0] = (struct template_value){ .name = "scope", .text = buf_view(&list->names[list->n]) };
	values[1] = (struct template_value){ .name = "sentence", .text = buf_view(&list->sentences[list->n]) };
	values[2] = (struct template_value){ .name = "ticked", .text = ticked ? SPAN("1") : SPAN("") };
	list->rows[list->n++] = (struct template_row){ values, 3 };
}

void
oauth_authorize_list(const struct oauth_request *r, struct oauth_scopes *list, uint64_t offered, uint64_t ticked,
    struct span tools)
{
	struct policy_named named = { "" };
	const char *at = named.text;
	struct span name;

	*list = (struct oauth_scopes){ .n = 0 };
	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t scope = UINT32_C(1) << bit;
		const char *sentence = oauth_scope_sentence(scope);

		if ((offered & scope) == 0 || sentence == NULL)
			continue;
		policy_scopes_text(scope, &list->names[list->n]);
		buf_str(&list->sentences[list->n], sentence);
		list_tick(list, (ticked & scope) != 0);
	}
	if (tools.len < sizeof(named.text))
		memcpy(named.text, tools.p, tools.len);
	while (policy_named_next(&at, &name) && list->n < OAUTH_SCOPES_MAX) {
		const struct tool_entry *tool = tools_team_named(r->front->tools, name);

		buf_printf(&list->names[list->n], POLICY_TOOL_SCOPE "%.*s", SPAN_FMT(name));
		buf_printf(&list->sentences[list->n], "Call one tool of this server: \"%.*s\".",
		    SPAN_FMT(tool != NULL ? tool->title : name));
		list_tick(list, true);
	}
}

void
oauth_authorize_list_fini(struct oauth_scopes *list)
{
	for (size_t i = 0; i < list->n; i++) {
		buf_fini(&list->names[i]);
		buf_fini(&list->sentences[i]);
	}
}

static void
show_consent(struct oauth_request *r, const struct ipc_authorized *a)
{
	struct span redirect = form_get(&r->query, "redirect_uri"), issuer = r->issuer;
	struct buf resource = { .max = 0 }, action = { .max = 0 };
	struct oauth_scopes scopes;
	size_t origin = document_origin(issuer);
	struct span id = form_get(&r->query, "client_id"), host = SPAN("");
	bool described = a->client_source == IPC_CLIENT_DOCUMENT && client_document_url(id, &host);
	bool local, known = a->client_source == IPC_CLIENT_CONFIGURED || a->client_source == IPC_CLIENT_DOCUMENT;
	struct span destination = destination_of(redirect, &local);

	oauth_authorize_list(r, &scopes, a->offered, a->ticked, a->tools);
	oauth_authorize_put_resource(r, a->resource, &resource);
	/* The form's URL carries the request's parameters: they are checked again when it is sent. */
	buf_span(&action, span_of(issuer.p + origin, issuer.len - origin));
	buf_span(&action, buf_view(&r->target));
	oauth_reply_page(r, &(struct oauth_page){ .status = 200, .title = "Let this program in?",
	    .page = web_consent_html, .redirect = redirect, .nvalues = 10,
	    .values = (struct template_value[]){
		{ .name = "client", .text = oauth_authorize_client(a, &r->query) },
		{ .name = "unverified", .text = known ? SPAN("") : SPAN("1") },
		{ .name = "described_by", .text = host },
		{ .name = "described_at", .text = described ? id : SPAN("") },
		{ .name = "user", .text = a->user },
		{ .name = "local", .text = local ? SPAN("1") : SPAN("") },
		{ .name = "destination", .text = destination },
		{ .name = "resource", .text = buf_view(&resource) },
		{ .name = "action", .text = buf_view(&action) },
		{ .name = "scopes", .rows = scopes.rows, .nrows = scopes.n },
	    } });
	oauth_authorize_list_fini(&scopes);
	buf_fini(&resource);
	buf_fini(&action);
}

/* The user would have to see a page, but the client asked for none (prompt=none, or no HTML). */
static void
reply_needs_page(struct oauth_request *r, const char *error, const char *url_member)
{
	bool login = strcmp(error, "login_required") == 0;
	cJSON *document = document_new();
	struct buf url = { .max = 0 };

	buf_span(&url, r->issuer);
	if (login) {
		buf_str(&url, OAUTH_LOGIN "?next=");
		percent_put(&url, buf_view(&r->target), percent_is_unreserved);
	} else
		buf_span(&url, buf_view(&r->target));
	document_put_text(document, "error", error);
	document_put_span(document, url_member, buf_view(&url));
	document_put_text(document, "message", "Open this URL in a browser: the user has to sign in and to agree.");
	oauth_reply_json(r, 401, document);
	buf_fini(&url);
}

static void on_authorized(struct oauth_request *r, const union ipc_any *answer);

static void
on_asserted(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	if (answer->signed_in.outcome != IPC_OAUTH_DONE) {
		oauth_login_refused(r, &answer->signed_in);
		return;
	}
	oauth_request_sign_in(r, answer->signed_in.session, answer->signed_in.session_s);
	oauth_authorize_ask(r, &r->query, false, on_authorized);
}

/* No user is signed in: sign in the user that the proxy names, or show the login page. */
static void
begin_login(struct oauth_request *r)
{
	if (r->asserted.len > 0 && !r->asserted_tried) {
		r->asserted_tried = true;
		oauth_login_asserted(r, on_asserted);
		return;
	}
	if (r->front->access.proxy_header[0] != '\0')
		oauth_reply_wrong(r, 401, "login_required", OAUTH_LOGIN_UNNAMED, 0);
	else if (!r->html)
		reply_needs_page(r, "login_required", "login_url");
	else
		oauth_reply_to_own(r, OAUTH_LOGIN "?next=", buf_view(&r->target));
}

static void
on_authorized(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_authorized *a;

	if (answer == NULL) {
		oauth_reply_unavailable(r, true);
		return;
	}
	a = &answer->authorized;
	if (a->outcome == IPC_OAUTH_LOGIN)
		begin_login(r);
	else if (a->outcome == IPC_OAUTH_CONSENT && r->html)
		show_consent(r, a);
	else if (a->outcome == IPC_OAUTH_CONSENT)
		reply_needs_page(r, "consent_required", "consent_url");
	else if (a->shown != 0 || a->outcome >= IPC_OAUTH_TOO_MANY)
		oauth_authorize_shown(r, a);
	else
		redirect_back(r, a);
}

void
oauth_authorize_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *wrong = oauth_request_forms(r, q, body, "scope");

	(void)who;
	if (wrong != NULL)
		oauth_reply_wrong(r, 400, "invalid_request", span_str(wrong), 0);
	else if (r->post && !oauth_request_is_own(r, true))
		oauth_reply_forged(r,
		    SPAN("This form is not good any more: it was shown before you signed in, or to somebody else."));
	else if (r->post && oauth_authorize_decision(r) == IPC_DECISION_NONE)
		oauth_reply_wrong(r, 400, "invalid_request", SPAN("The form says neither allow nor deny."), 0);
	else
		oauth_authorize_ask(r, &r->query, false, on_authorized);
}
