#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <nettle/sha2.h>
#include <sodium.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "front/mcp/audit_requests.h"
#include "front/http/caller.h"
#include "front/who/principal.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/front.h"
#include "front/mcp/exchange.h"
#include "front/calls/metering.h"
#include "front/mcp/session.h"
#include "front/site.h"
#include "ipc/journal.h"

#define TEXT_MAX	512u	/* bytes kept of a target, a connection, a client */
#define STATEMENT_MAX	2000u	/* bytes kept of a statement: 500 characters, which carrel-auth counts */
#define TITLE_CLIENT	40u	/* characters of the client's name in a question's title */
#define TITLE_QUESTION	60u	/* and of the question */
#define SPARE_WAITS	64u
#define FLOODS		256u	/* addresses whose refusals are counted at one time */
#define MINUTE_NS	(60 * CLOCK_SECOND)
#define STALL_NS	CLOCK_SECOND	/* after a failure, calls are not begun; then one tries */

static const struct span none = { NULL, 0 };

/* An entry that is not confirmed, and who waits for that: an exchange, a connection, or none. */
struct audit_wait {
	TAILQ_ENTRY(audit_wait)	 all;
	uint64_t		 id, until_ns;
	bool			 sent;
	struct exchange		*x;
	void			(*told)(struct exchange *x, bool written); /* of an opening; NULL: x's answer waits */
	struct conn		*c;
	struct http_reply	 reply;	/* to c; its texts are in texts */
	struct buf		 entry, texts;
	size_t			 body;	/* where the body begins in texts */
};

TAILQ_HEAD(audit_waits, audit_wait);

/* The refusals of an address in a minute. */
struct flood {
	char		address[ADDRESS_TEXT_MAX];
	char		code[32];	/* of the last one */
	uint64_t	since_ns;
	unsigned	n, unsaid;
};

struct audits {
	struct audit_waits	 waits, spare;
	unsigned		 n, nspare;
	uint64_t		 last_id;
	uint64_t		 stalled_ns;	/* until then calls are not begun; 0: all is well */
	char			 failure[512];	/* why */
	uint64_t		 second;	/* of the refusals counted here */
	unsigned		 refusals;
	struct flood		 floods[FLOODS];
	struct journal		 journal;
	uint8_t			 key[JOURNAL_KEY];
	bool			 has_key;
	struct buf		 record;	/* of the journal, while it is made */
};

struct audits *
audits_new(struct span key)
{
	struct audits *a = mem_new(1, sizeof(*a));

	a->has_key = key.len == sizeof(a->key);
	if (a->has_key)
		memcpy(a->key, key.p, sizeof(a->key));
	TAILQ_INIT(&a->waits);
	TAILQ_INIT(&a->spare);
	return a;
}

unsigned
audits_waiting(const struct audits *a)
{
	return a->n;
}

static void
wait_free(struct audit_wait *w)
{
	buf_fini(&w->entry);
	buf_fini(&w->texts);
	free(w);
}

void
audits_free(struct audits *a)
{
	struct audit_wait *w;

	if (a == NULL)
		return;
	while ((w = TAILQ_FIRST(&a->waits)) != NULL) {
		TAILQ_REMOVE(&a->waits, w, all);
		wait_free(w);
	}
	while ((w = TAILQ_FIRST(&a->spare)) != NULL) {
		TAILQ_REMOVE(&a->spare, w, all);
		wait_free(w);
	}
	journal_unmap(&a->journal);
	buf_fini(&a->record);
	sodium_memzero(a->key, sizeof(a->key));
	free(a);
}

/* Append the beginning of text, at most max bytes, to what is noted of x.  Returns its length. */
static size_t
note_text(struct exchange *x, struct span text, size_t max)
{
	size_t n = text.len <= max ? text.len : utf8_cut(text.p, text.len, max);

	buf_append(&x->audit.texts, text.p, n);
	return n;
}

/* Note the name that the client gave when it connected, or its session's.  Returns the text's length. */
static size_t
note_earlier(struct exchange *x)
{
	if (x->earlier != NULL)
		return note_text(x, span_str(x->earlier), TEXT_MAX / 2);
	return x->session.known ? note_text(x, session_client(x->front->sessions, x->session.body), TEXT_MAX / 2) : 0;
}

static bool
is_version(struct span word)
{
	size_t at = word.len > 1 && word.p[0] == 'v';

	return word.len > at && ascii_is_digit(word.p[at]);
}

/*
 * A question stands where others have their statement.  Its title needs the client's name alone, without the version:
 * a last word that begins with a digit, or with v and a digit.
 */
static void
note_question(struct exchange *x, const struct mp_value *args)
{
	struct span question = mp_get_str(args, "question", none), client = audit_client(x);
	struct audit_note *note = &x->audit.note;
	size_t word = client.len;

	if (question.len == 0)
		return;
	while (word > 0 && client.p[word - 1] != ' ')
		word--;
	note->name = word > 1 && is_version(span_of(client.p + word, client.len - word)) ? word - 1 : client.len;
	note->asked = true;
	if (!uuid_read(mp_get_str(args, "ontologyId", none), note->ontology))
		note->ontology[0] = '\0';
	audit_statement(x, none, question);
}

/* Note the client's "name version": modern clients send them with each request, others when they connect. */
static size_t
note_client(struct exchange *x, const struct mp_value *params)
{
	struct mp_value meta, client;
	struct span version;
	size_t n;

	if (!(mp_get(params, "clientInfo", &client) && client.class == MP_MAP) &&
	    !(mp_get(params, "_meta", &meta) && mp_get(&meta, "io.modelcontextprotocol/clientInfo", &client)))
		return note_earlier(x);
	n = note_text(x, mp_get_str(&client, "name", none), TEXT_MAX / 4);
	version = mp_get_str(&client, "version", none);
	if (version.len == 0)
		return n;
	return n + note_text(x, SPAN(" "), 1) + note_text(x, version, TEXT_MAX / 8);
}

void
audit_begin(struct exchange *x, enum audit_action action, const struct mp_value *params)
{
	struct audit_note *note = &x->audit.note;
	struct mp_value args = { .class = MP_NIL };
	struct span sql;

	*note = (struct audit_note){
		.action = action, .surface = x->transport->surface, .code = ERR_NONE,
	};
	if (x->who->kind == PRINCIPAL_CLI)
		note->surface = AUDIT_SURFACE_CLI;
	buf_reset(&x->audit.texts, TEXT_MAX);
	if (params == NULL || params->class != MP_MAP) {
		note->client = note_earlier(x);
		return;
	}
	if (action != AUDIT_ACTION_SESSION_CREATED)
		note->target = note_text(x,
		    mp_get_str(params, action == AUDIT_ACTION_RESOURCE_READ ? "uri" : "name", none), TEXT_MAX);
	(void)((action == AUDIT_ACTION_TOOL_CALL || action == AUDIT_ACTION_EXPORT) &&
	    mp_get(params, "arguments", &args));
	note->connection = note_text(x, mp_get_str(&args, "connectionId", none), TEXT_MAX / 4);
	note->client = note_client(x, params);
	/* The statement is noted now: the call may be refused before its arguments are read. */
	sql = mp_get_str(&args, "sql", none);
	if (sql.len > 0)
		audit_statement(x, none, sql);
	else
		note_question(x, &args);
}

struct span
audit_client(const struct exchange *x)
{
	return span_of(x->audit.texts.p + x->audit.note.target + x->audit.note.connection, x->audit.note.client);
}

void
audit_statement(struct exchange *x, struct span connection, struct span sql)
{
	struct audit_note *note = &x->audit.note;
	struct sha256_ctx digest;
	char client[TEXT_MAX];
	size_t n = note->client;

	if (note->action == AUDIT_ACTIONS)
		return;
	/* The texts are in the order target, connection, client, statement: replace the last three. */
	x->audit.texts.len -= note->statement;
	if (connection.len > 0) {
		memcpy(client, x->audit.texts.p + note->target + note->connection, n);
		x->audit.texts.len = note->target;
		note->connection = note_text(x, connection, TEXT_MAX / 4);
		buf_append(&x->audit.texts, client, n);
	}
	note->statement = note_text(x, sql, STATEMENT_MAX);
	/* As in project/audit_chain.c, with the processor's SHA instructions. */
	sha256_init(&digest);
	sha256_update(&digest, sql.len, sql.p);
	sha256_digest(&digest, sizeof(note->statement_sha256), note->statement_sha256);
}

struct span
audit_question(const struct exchange *x)
{
	const struct audit_note *note = &x->audit.note;

	return note->asked ? span_of(x->audit.texts.p + x->audit.texts.len - note->statement, note->statement) : none;
}

void
audit_code(struct exchange *x, enum err_code code)
{
	x->audit.note.code = code;
}

static void
put_receipt(struct buf *out, uint64_t serial)
{
	char receipt[REQUEST_ID_MAX];

	request_id_print(serial, receipt);
	mp_pair_cstr(out, "receipt", receipt);
}

static void
put_principal(struct buf *out, const struct exchange *x)
{
	char id[32];

	if (x->audit.note.action == AUDIT_ACTION_AUTH)
		mp_pair_cstr(out, "principal", NULL);
	else if (x->who->kind == PRINCIPAL_CLI) {
		snprintf(id, sizeof(id), "local:%u", x->front->access.owner_uid);
		mp_pair_cstr(out, "principal", id);
	} else if (x->who->kind == PRINCIPAL_PAGE)
		mp_pair_cstr(out, "principal", x->who->id + strlen(PRINCIPAL_PAGE_PREFIX));
	else
		mp_pair_cstr(out, "principal", x->who->id);
}

static unsigned
put_rows(struct buf *out, const struct audit_note *note, const struct mcp_answer *a)
{
	struct result_facts facts;

	if (note->exported)
		facts = (struct result_facts){ .rows = note->rows, .truncated = note->cut };
	else if (a == NULL || a->result == NULL || !result_facts(a->result, &facts))
		return 0;
	mp_pair_uint(out, "rows", facts.rows);
	mp_pair_bool(out, "truncated", facts.truncated);
	return 2;
}

/* The title, ontology and session of a question, and what became of it. */
static size_t
put_question(struct buf *out, const struct exchange *x, const struct mcp_answer *a)
{
	static const char *const outcomes[][2] = { { "answered", "answered" }, { "clarification", "asked back" },
		{ "cannot_answer", "declined" } };
	const struct audit_note *note = &x->audit.note;
	struct span question = audit_question(x), client = audit_client(x);
	struct span status = a != NULL && a->result != NULL ? result_status(a->result) : none;
	char session[2 * SESSION_BODY + 1];
	size_t n = 1, mark;

	if (!note->asked)
		return 0;
	mp_put_cstr(out, "title");
	mark = mp_open_str(out);
	buf_printf(out, "MCP: %.*s — %.*s", (int)utf8_prefix(span_of(client.p, note->name), TITLE_CLIENT),
	    (const char *)client.p, (int)utf8_prefix(question, TITLE_QUESTION), (const char *)question.p);
	mp_close_str(out, mark);
	if (note->ontology[0] != '\0') {
		mp_pair_cstr(out, "ontology", note->ontology);
		n++;
	}
	if (x->session.known) {
		sodium_bin2hex(session, sizeof(session), x->session.body, SESSION_BODY);
		mp_pair_cstr(out, "session", session);
		n++;
	}
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		if (span_is_str(status, outcomes[i][0])) {
			mp_pair_cstr(out, "answer", outcomes[i][1]);
			n++;
		}
	return n;
}

void
audit_ran_as(struct exchange *x, struct span text)
{
	struct audit_note *note = &x->audit.note;
	size_t n = utf8_cut(text.p, text.len, sizeof(note->ran_as) - 1);

	memcpy(note->ran_as, text.p, n);
	note->ran_as[n] = '\0';
}

/* The scopes that the call needed, digests of its statement and of the steps to the answer, as whom it ran. */
static unsigned
put_policy(struct buf *out, const struct exchange *x, const struct mcp_answer *a)
{
	const struct audit_note *note = &x->audit.note;
	size_t mark, members;
	bool scoped = x->target.tool != NULL && tool_needs(x->target.tool) != 0, stated = note->statement > 0;
	struct span artifacts = a != NULL && a->result != NULL ? result_artifacts(a->result) : none;

	bool as = note->ran_as[0] != '\0';

	if (!scoped && !stated && artifacts.len == 0 && !as && !note->exported)
		return 0;
	mp_put_cstr(out, "policy");
	members = mp_open_map(out);
	if (scoped) {
		mp_put_cstr(out, "scope");
		mark = mp_open_str(out);
		policy_scopes_text(tool_needs(x->target.tool), out);
		mp_close_str(out, mark);
	}
	if (stated) {
		mp_put_cstr(out, "statement_sha256");
		mark = mp_open_str(out);
		hex_put(out, note->statement_sha256, sizeof(note->statement_sha256));
		mp_close_str(out, mark);
	}
	if (artifacts.len > 0)
		mp_pair_str(out, "artifacts_sha256", artifacts);
	if (as)
		mp_pair_cstr(out, "ran_as", note->ran_as);
	if (note->exported)
		mp_pair_uint(out, "bytes", note->bytes);
	mp_close(out, members,
	    (size_t)scoped + stated + (artifacts.len > 0) + as + note->exported + put_question(out, x, a));
	return 1;
}

/* The members that carrel-auth knows how to read, in its order. */
static void
put_entry(struct buf *out, const struct exchange *x, const struct mcp_answer *a, enum err_code code)
{
	const struct audit_note *note = &x->audit.note;
	const uint8_t *texts = x->audit.texts.p;
	size_t mark = mp_open_map(out), at = 0, n = 8;
	struct span target = span_of(texts, note->target), connection, client, statement;
	char address[ADDRESS_TEXT_MAX];
	struct span snapshot = a != NULL && a->result != NULL ? result_snapshot(a->result) : none;

	connection = span_of(texts + (at += note->target), note->connection);
	client = span_of(texts + (at += note->connection), note->client);
	statement = span_of(texts + (at += note->client), note->statement);
	put_receipt(out, x->serial);
	put_principal(out, x);
	mp_pair_cstr(out, "surface", audit_surface_name(note->surface));
	mp_pair_cstr(out, "action", audit_action_name(note->action));
	mp_pair_some(out, "target", target);
	mp_pair_cstr(out, "outcome", audit_outcome_name(audit_outcome_by(code)));
	mp_pair_cstr(out, "code", code == ERR_NONE ? NULL : err_name(code));
	mp_pair_uint(out, "duration_ms", (clock_ns() - x->began_ns) / CLOCK_MS);
	n += put_rows(out, note, a);
	if (statement.len > 0) {
		mp_pair_str(out, "statement", statement);
		n++;
	}
	if (connection.len > 0) {
		mp_pair_str(out, "connection", connection);
		n++;
	}
	if (snapshot.len > 0) {
		mp_pair_str(out, "snapshot", snapshot);
		n++;
	}
	n += put_policy(out, x, a);
	if (client.len > 0) {
		mp_pair_str(out, "client", client);
		n++;
	}
	if (x->transport->address != NULL && x->transport->address(x, address)) {
		mp_pair_cstr(out, "address", address);
		n++;
	}
	if (x->trace[0] != '\0') {
		mp_pair_cstr(out, "trace_id", x->trace);
		n++;
	}
	mp_close(out, mark, n);
}

static struct audit_wait *
wait_new(struct front *f)
{
	struct audits *a = f->audits;
	struct audit_wait *w = TAILQ_FIRST(&a->spare);

	if (w != NULL) {
		TAILQ_REMOVE(&a->spare, w, all);
		a->nspare--;
	} else
		w = mem_new(1, sizeof(*w));
	*w = (struct audit_wait){ .entry = w->entry, .texts = w->texts };
	buf_reset(&w->entry, 4096);
	buf_reset(&w->texts, 4096);
	w->id = ++a->last_id;
	w->until_ns = clock_ns() + AUDIT_MS * CLOCK_MS;
	return w;
}

static void
wait_send(struct front *f, struct audit_wait *w)
{
	struct ipc_audit msg = { .again = w->sent, .entry = buf_view(&w->entry) };

	if (router_say_auth(f->router, IPC_MSG_AUDIT, w->id, &msg))
		w->sent = true;
}

static void
wait_begin(struct front *f, struct audit_wait *w)
{
	TAILQ_INSERT_TAIL(&f->audits->waits, w, all);
	f->audits->n++;
	wait_send(f, w);
}

static void
wait_end(struct front *f, struct audit_wait *w)
{
	struct audits *a = f->audits;

	TAILQ_REMOVE(&a->waits, w, all);
	a->n--;
	if (a->nspare >= SPARE_WAITS) {
		wait_free(w);
		return;
	}
	TAILQ_INSERT_HEAD(&a->spare, w, all);
	a->nspare++;
}

static bool
has_entry(const struct exchange *x)
{
	if (x->audit.note.action == AUDIT_ACTIONS)
		return false;
	if (x->target.tool == NULL || x->target.tool->role != IPC_AUTH ||
	    x->target.tool->policy->toolset != POLICY_TOOLSET_LOCAL)
		return true;
	/*
	 * carrel-auth itself records what its LOCAL tools change.  Calls of the administration page that only read, or
	 * that were refused, have an entry of the front.
	 */
	return x->who->kind == PRINCIPAL_PAGE &&
	    (x->target.tool->policy->effect == POLICY_READS || x->audit.note.code != ERR_NONE);
}

/* Copy the texts that the answer borrows from elsewhere; those in x->out stay valid. */
static void
hold_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct buf *texts = &x->target.args;
	size_t challenge;

	x->recording.answer = *a;
	if (a->blob != NULL)
		blob_ref(a->blob);
	buf_reset(texts, SIZE_MAX);
	buf_append(texts, a->session != NULL ? a->session : "", a->session != NULL ? strlen(a->session) + 1 : 1);
	challenge = texts->len;
	buf_append(texts, a->challenge != NULL ? a->challenge : "",
	    a->challenge != NULL ? strlen(a->challenge) + 1 : 1);
	if (a->session != NULL)
		x->recording.answer.session = (const char *)texts->p;
	if (a->challenge != NULL)
		x->recording.answer.challenge = (const char *)texts->p + challenge;
}

/* Whether nothing can be recorded and the configuration lets answers leave all the same. */
static bool
nobody_records(const struct front *f)
{
	return f->conf.audit_lenient && !router_has_auth(f->router);
}

void
audit_journal(struct front *f, int fd)
{
	struct audits *a = f->audits;

	journal_unmap(&a->journal);
	if (!a->has_key)
		close(fd);
	else if (!journal_map(&a->journal, fd, a->key))
		log_warn("audit: no journal: %s", strerror(errno));
}

/* False: the answer, NULL if none is given yet, must wait until carrel-auth has written the entry. */
static bool
journal_answer(struct exchange *x, const struct mcp_answer *answer)
{
	struct front *f = x->front;
	struct audits *a = f->audits;

	if (!journal_is_taken(&a->journal) || !router_has_auth(f->router))
		return false;
	buf_reset(&a->record, JOURNAL_ENTRY_MAX);
	(void)buf_reserve(&a->record, JOURNAL_HEAD);
	a->record.len = JOURNAL_HEAD;
	put_entry(&a->record, x, answer, x->audit.note.code);
	if (!journal_put(&a->journal, &a->record, clock_unix_ms()))
		return false;
	a->stalled_ns = 0;
	metering_audit(f, 0, true);
	return true;
}

bool
audit_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct front *f = x->front;
	struct audit_wait *w;

	audit_opening_forget(x); /* the entry of its end takes its place */
	if (!has_entry(x))
		return false;
	if (nobody_records(f)) {
		metering_log_refusal(f, "audit: calls are answered that are not on record");
		return false;
	}
	if (journal_answer(x, a))
		return false;
	w = wait_new(f);
	put_entry(&w->entry, x, a, x->audit.note.code);
	w->x = x;
	hold_answer(x, a);
	x->stage = EXCHANGE_RECORDING;
	x->audit.note.wait = w;
	wait_begin(f, w);
	return true;
}

bool
audit_opening(struct exchange *x, void (*told)(struct exchange *x, bool written))
{
	struct front *f = x->front;
	struct audit_wait *w;
	bool written;

	if (nobody_records(f))
		return true;
	x->audit.note.action = AUDIT_ACTION_EXPORT_OPEN;
	written = journal_answer(x, NULL);
	if (!written) {
		w = wait_new(f);
		put_entry(&w->entry, x, NULL, ERR_NONE);
		w->x = x;
		w->told = told;
		x->audit.note.opening = w;
		wait_begin(f, w);
	}
	x->audit.note.action = AUDIT_ACTION_EXPORT;
	return written;
}

void
audit_opening_forget(struct exchange *x)
{
	if (x->audit.note.opening != NULL)
		x->audit.note.opening->x = NULL;
	x->audit.note.opening = NULL;
}

void
audit_cancelled(struct exchange *x)
{
	struct front *f = x->front;
	struct audit_wait *w;

	if (x->stage == EXCHANGE_RECORDING) {
		x->audit.note.wait->x = NULL;
		result_free(x->recording.answer.result);
		blob_unref(x->recording.answer.blob);
		x->stage = EXCHANGE_SERVING;
		return;
	}
	if (!has_entry(x) || nobody_records(f))
		return;
	w = wait_new(f);
	put_entry(&w->entry, x, NULL, ERR_QUERY_CANCELLED);
	wait_begin(f, w);
}

static void
answer_exchange(struct exchange *x)
{
	struct mcp_answer a = x->recording.answer;

	x->stage = EXCHANGE_SERVING;
	exchange_answer(x, &a);
	blob_unref(a.blob);
}

/* Answer with an error instead of the result: a call that is not on record must not give anything away. */
static void
withhold_answer(struct exchange *x)
{
	enum audit_action action = x->audit.note.action;
	struct err e;

	result_free(x->recording.answer.result);
	blob_unref(x->recording.answer.blob);
	x->stage = EXCHANGE_SERVING;
	x->audit.note.action = AUDIT_ACTIONS;
	err_set(&e, ERR_SERVICE_UNAVAILABLE,
	    "The call could not be put on record, so its answer is withheld; try again later, and tell the server's "
	    "owner.");
	if (action == AUDIT_ACTION_TOOL_CALL || action == AUDIT_ACTION_EXPORT)
		mcp_tool_error(x, &e, none);
	else
		mcp_error_named(x, 503, RPC_INTERNAL, e.message, ERR_SERVICE_UNAVAILABLE);
}

bool
audit_stalls(const struct front *f)
{
	return !f->conf.audit_lenient && f->audits->stalled_ns != 0 && clock_ns() < f->audits->stalled_ns;
}

const char *
audit_failure(const struct front *f)
{
	const struct audits *a = f->audits;

	return a->stalled_ns != 0 && clock_ns() < a->stalled_ns + AUDIT_FAILED_S * CLOCK_SECOND ? a->failure : NULL;
}

/* The entry of w is written, or, with a reason, it is not. */
static void
wait_over(struct front *f, struct audit_wait *w, bool written, struct span reason)
{
	struct exchange *x = w->x;
	struct conn *c = w->c;
	void (*told)(struct exchange * x, bool written) = w->told;

	metering_audit(f, clock_ns() + AUDIT_MS * CLOCK_MS - w->until_ns, written);
	f->audits->stalled_ns = written ? 0 : clock_ns() + STALL_NS;
	if (!written) {
		snprintf(f->audits->failure, sizeof(f->audits->failure), "%.*s", SPAN_FMT(reason));
		metering_log_refusal(f, "audit: an entry is not written: %s", f->audits->failure);
	}
	if (c != NULL) {
		c->recording = NULL;
		/* A refusal gives nothing away: it is sent whether or not it is on record. */
		conn_reply(c, &w->reply, span_of(w->texts.p + w->body, w->texts.len - w->body));
	}
	wait_end(f, w);
	if (x == NULL)
		return;
	if (told != NULL) {
		x->audit.note.opening = NULL;
		told(x, written || f->conf.audit_lenient);
		return;
	}
	x->audit.note.wait = NULL;
	if (written || f->conf.audit_lenient)
		answer_exchange(x);
	else
		withhold_answer(x);
}

bool
audit_confirm(struct front *f, uint64_t id, const struct ipc_audited *m)
{
	struct audit_wait *w;

	/* The oldest is answered first. */
	TAILQ_FOREACH(w, &f->audits->waits, all)
		if (w->id == id)
			break;
	/* The entry may have been given up after its deadline: an earlier id is no fault. */
	if (w == NULL)
		return id <= f->audits->last_id;
	if (!w->sent)
		return false;
	wait_over(f, w, m->written != 0, m->reason);
	return true;
}

void
audit_channel(struct front *f, bool up)
{
	struct audit_wait *w;

	if (!up)
		return;
	TAILQ_FOREACH(w, &f->audits->waits, all)
		wait_send(f, w);
}

struct refusal {
	char			 receipt[REQUEST_ID_MAX];
	enum audit_surface	 surface;
	const char		*address, *target;	/* target NULL: none */
	struct span		 code;
};

static void
put_refusal(struct buf *out, const struct refusal *r, unsigned n)
{
	size_t map =
	    mp_open_pairs(out, mp_cstr("receipt", r->receipt), mp_cstr("surface", audit_surface_name(r->surface)),
		mp_cstr("action", audit_action_name(AUDIT_ACTION_AUTH)), mp_cstr("target", r->target),
		mp_cstr("outcome", audit_outcome_name(AUDIT_OUTCOME_REFUSED)), mp_str("code", r->code));

	if (n > 1) {
		mp_put_cstr(out, "policy");
		mp_put_pairs(out, mp_uint("refusals", n));
	}
	mp_pair_cstr(out, "address", r->address);
	mp_end(out, map);
}

/* Write one entry for all refusals of the address's minute that have none. */
static void
flood_say(struct front *f, struct flood *flood)
{
	struct refusal r = { .surface = AUDIT_SURFACE_MCP, .address = flood->address, .code = span_str(flood->code) };
	struct audit_wait *w;

	if (flood->unsaid > 0 && !nobody_records(f) && f->audits->n < AUDIT_WAITS) {
		w = wait_new(f);
		request_id_print(++f->serial, r.receipt);
		put_refusal(&w->entry, &r, flood->unsaid);
		wait_begin(f, w);
	}
	*flood = (struct flood){ .n = 0 };
}

/* Whether this refusal has an entry of its own. */
static bool
flood_admits(struct front *f, const char *address, struct span code)
{
	struct audits *a = f->audits;
	struct flood *flood = &a->floods[hash_of(span_str(address)) % FLOODS];
	uint64_t now = clock_ns();

	if (strcmp(flood->address, address) != 0 || now - flood->since_ns >= MINUTE_NS) {
		flood_say(f, flood);
		snprintf(flood->address, sizeof(flood->address), "%s", address);
		flood->since_ns = now;
	}
	if (a->second != now / CLOCK_SECOND) {
		a->second = now / CLOCK_SECOND;
		a->refusals = 0;
	}
	if (flood->n < AUDIT_REFUSALS && a->refusals < AUDIT_REFUSALS_A_SECOND) {
		flood->n++;
		a->refusals++;
		return true;
	}
	flood->unsaid++;
	snprintf(flood->code, sizeof(flood->code), "%.*s", SPAN_FMT(code));
	return false;
}

static const char *
keep_text(struct buf *texts, const char *text, size_t *at)
{
	*at = texts->len;
	if (text != NULL)
		buf_append(texts, text, strlen(text) + 1);
	return text;
}

bool
audit_refusal(struct conn *c, const struct http_reply *reply, struct span code, struct span body)
{
	struct front *f = c->front;
	char address[ADDRESS_TEXT_MAX];
	struct refusal r = { .surface = AUDIT_SURFACE_MCP, .address = address, .code = code };
	struct audit_wait *w;
	size_t challenge, allow, fields;

	if ((reply->status != 401 && reply->status != 403 && reply->status != 429) || c->recording != NULL ||
	    nobody_records(f) || f->audits->n >= AUDIT_WAITS)
		return false;
	caller_put_address(c, address);
	if (!flood_admits(f, address, code))
		return false;
	if (c->place != NULL) {
		r.target = c->place->path;
		r.surface = site_has(c->place, SITE_REST) ? AUDIT_SURFACE_REST :
		    site_has(c->place, SITE_ADMIN)        ? AUDIT_SURFACE_PAGE :
							    AUDIT_SURFACE_MCP;
	}
	/* The receipt that the client was given already, so that it can ask for the entry. */
	if (c->receipt[0] != '\0')
		memcpy(r.receipt, c->receipt, sizeof(r.receipt));
	else
		request_id_print(++f->serial, r.receipt);
	w = wait_new(f);
	w->c = c;
	w->reply = *reply;
	put_refusal(&w->entry, &r, 1);
	keep_text(&w->texts, reply->challenge, &challenge);
	keep_text(&w->texts, reply->allow, &allow);
	keep_text(&w->texts, reply->fields, &fields);
	w->body = w->texts.len;
	buf_span(&w->texts, body);
	if (reply->challenge != NULL)
		w->reply.challenge = (const char *)w->texts.p + challenge;
	if (reply->allow != NULL)
		w->reply.allow = (const char *)w->texts.p + allow;
	if (reply->fields != NULL)
		w->reply.fields = (const char *)w->texts.p + fields;
	c->recording = w;
	/* Bytes that the client sends meanwhile are treated as while a call runs. */
	c->state = CONN_SERVING;
	conn_timer(c, TIMER_NONE);
	wait_begin(f, w);
	return true;
}

void
audit_conn_forget(struct conn *c)
{
	if (c->recording == NULL)
		return;
	c->recording->c = NULL;
	c->recording = NULL;
}

void
audit_session_ended(struct front *f, struct span principal)
{
	struct audit_wait *w;

	if (nobody_records(f) || f->audits->n >= AUDIT_WAITS)
		return;
	w = wait_new(f);
	mp_put_map(&w->entry, 5);
	put_receipt(&w->entry, ++f->serial);
	mp_pair_some(&w->entry, "principal", principal);
	mp_pair_cstr(&w->entry, "surface", "mcp");
	mp_pair_cstr(&w->entry, "action", audit_action_name(AUDIT_ACTION_SESSION_TERMINATED));
	mp_pair_cstr(&w->entry, "outcome", audit_outcome_name(AUDIT_OUTCOME_OK));
	wait_begin(f, w);
}

void
audit_tick(struct front *f, uint64_t now)
{
	struct audits *a = f->audits;
	struct audit_wait *w;

	/* Oldest first.  An entry without a waiting client is still sent until its time is over. */
	while ((w = TAILQ_FIRST(&a->waits)) != NULL && w->until_ns <= now)
		wait_over(f, w, false, SPAN("carrel-auth did not answer in time"));
	for (size_t i = 0; i < FLOODS; i++)
		if (a->floods[i].unsaid > 0 && now - a->floods[i].since_ns >= MINUTE_NS)
			flood_say(f, &a->floods[i]);
}
