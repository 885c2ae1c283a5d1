/* front_worker.c - see front_worker.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/support/peer.h"
#include "tests/unit/front_worker.h"

#define PER_CHUNK	100

struct fake_shared *fake_shared;

__attribute__((constructor)) static void
share(void)
{
	fake_shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

#define STATEMENT(name)										\
    "{\"name\":\"" name "\",\"title\":\"SQL Execution\",\"description\":\"Runs a statement.\","	\
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{" CONNECTION ","				\
    "\"sql\":{\"type\":\"string\",\"minLength\":1,\"description\":\"what\"},"			\
    "\"maxRows\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,\"description\":\"most\"}," \
    "\"format\":{\"type\":\"string\",\"description\":\"form\"}},"					\
    "\"required\":[\"connectionId\",\"sql\"],\"additionalProperties\":false},"			\
    "\"outputSchema\":{\"type\":\"object\"},\"hints\":5,\"budgetMs\":30000,\"waits\":false},"
#define CONNECTION	"\"connectionId\":{\"type\":\"string\",\"minLength\":1,\"description\":\"which\"}"

const char fake_sql_tools[] =
    "[" STATEMENT("sql_execution") STATEMENT("sl_execution")
    "{\"name\":\"connection_test\",\"title\":\"c\",\"description\":\"for the command line\","
    "\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false},\"hints\":1,\"budgetMs\":30000},"
    "{\"name\":\"introspect\",\"title\":\"i\",\"description\":\"for memory\","
    "\"inputSchema\":{\"type\":\"object\"},\"hints\":1,\"budgetMs\":30000},"
    "{\"name\":\"fingerprint\",\"title\":\"f\",\"description\":\"for search\","
    "\"inputSchema\":{\"type\":\"object\"},\"hints\":1,\"budgetMs\":30000}]";

const char fake_search_tools[] =
    "[{\"name\":\"connection_list\",\"title\":\"Connection List\",\"description\":\"Lists.\","
    "\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false},"
    "\"outputSchema\":{\"type\":\"object\"},\"hints\":5,\"budgetMs\":5000},"
    "{\"name\":\"discover_data\",\"title\":\"Discover Data\",\"description\":\"Finds.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"}," CONNECTION
    "},\"required\":[\"query\"]},\"hints\":5,\"budgetMs\":10000,\"waits\":true},"
    "{\"name\":\"entity_details\",\"title\":\"Entity Details\",\"description\":\"Details.\","
    "\"aliases\":\"entities[].table.schema=db entities[].table.table=name\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"entities\":{\"type\":\"array\",\"items\":"
    "{\"type\":\"object\",\"properties\":{\"table\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\","
    "\"properties\":{\"db\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"}},"
    "\"required\":[\"name\"],\"additionalProperties\":false}]}}}}," CONNECTION "}},\"hints\":5,\"budgetMs\":5000},"
    "{\"name\":\"sl_query\",\"title\":\"Semantic Layer Query\",\"description\":\"Queries.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"measures\":{\"type\":\"array\",\"items\":"
    "{\"type\":\"string\"}}}},\"hints\":5,\"budgetMs\":10000},"
    "{\"name\":\"invented\",\"title\":\"x\",\"description\":\"not in policy\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"memory_ingest\",\"title\":\"x\",\"description\":\"not ours\",\"inputSchema\":{\"type\":\"object\"}}]";

const char fake_memory_tools[] =
    "[{\"name\":\"memory_ingest\",\"title\":\"Memory Ingest\",\"description\":\"Keeps.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"content\":{\"type\":\"string\"}},"
    "\"required\":[\"content\"],\"additionalProperties\":false},\"hints\":0,\"budgetMs\":10000},"
    "{\"name\":\"memory_approve\",\"title\":\"a\",\"description\":\"for the owner\","
    "\"inputSchema\":{\"type\":\"object\"},\"hints\":0,\"budgetMs\":10000}]";

#define QUEUE	16	/* calls that may wait behind the one that is served */

/* --- talking ------------------------------------------------------------------------------ */

struct fake {
	struct channel	ch;
	enum ipc_role	role;
	uint64_t	id;		/* of the call being served */
	bool		exports;	/* that is an export: its first row is names */
	bool		parquet;	/* as a Parquet file */
	unsigned	credit;
	bool		cancelled;
	uint64_t	subs;
	struct waiting {
		struct ipc_frame frame;		/* its body is kept */
		struct buf	 body;
	} queue[QUEUE];
	unsigned	nqueued;
};

static void
say(struct fake *w, unsigned type, uint64_t id, const void *msg)
{
	if (peer_say(&w->ch, type, id, msg) != 0)
		_exit(99);
}

/* The next frame, waiting at most ms; false when there is none.  Ends with the channel. */
static bool
hear(struct fake *w, struct ipc_frame *frame, int ms)
{
	enum channel_status status = peer_hear(&w->ch, frame, ms);

	if (status != CHANNEL_FRAME && status != CHANNEL_MORE)
		_exit(0);
	return status == CHANNEL_FRAME;
}

static void
send_fail(struct fake *w, uint64_t id, enum err_code code, const char *message)
{
	say(w, IPC_MSG_FAIL, id, &(struct ipc_fail){ .code = code, .message = span_str(message),
	    .details = SPAN("\x81\xa4hint\xa4more") });
}

static void
enqueue(struct fake *w, const struct ipc_frame *frame)
{
	struct waiting *q = &w->queue[w->nqueued++];

	if (w->nqueued == QUEUE)
		_exit(96);
	q->frame = *frame;
	q->body = (struct buf){ .max = 0 };
	buf_span(&q->body, frame->body);
	fake_shared->queued++;
}

static void
take_queued(struct fake *w, unsigned i, struct waiting *taken)
{
	*taken = w->queue[i];
	taken->frame.body = buf_view(&taken->body);
	w->nqueued--;
	memmove(&w->queue[i], &w->queue[i + 1], (w->nqueued - i) * sizeof(w->queue[0]));
}

static void
take_cancel(struct fake *w, uint64_t id)
{
	struct waiting q;

	fake_shared->cancels++;
	w->cancelled |= id == w->id;
	for (unsigned i = 0; i < w->nqueued; i++)
		if (w->queue[i].frame.id == id) {
			take_queued(w, i, &q);
			buf_fini(&q.body);
			send_fail(w, id, ERR_QUERY_CANCELLED, "cancelled");
			return;
		}
	fake_shared->late++;
}

/* CANCEL and CREDIT of the running call; others wait, as with a real worker. */
static void
note(struct fake *w, const struct ipc_frame *frame)
{
	struct ipc_credit credit;

	if (frame->type == IPC_MSG_CALL)
		enqueue(w, frame);
	else if (frame->type == IPC_MSG_CANCEL)
		take_cancel(w, frame->id);
	else if (frame->type == IPC_MSG_CREDIT && frame->id == w->id &&
	    channel_unpack(&w->ch, frame, &credit, sizeof(credit)))
		w->credit += (unsigned)credit.chunks;
}

static void
wait_to_end(struct fake *w)
{
	struct ipc_frame frame;
	int let;

	while (!w->cancelled) {
		if ((let = fake_shared->let) > 0 && atomic_compare_exchange_strong(&fake_shared->let, &let, let - 1))
			return;
		if (hear(w, &frame, 2))
			note(w, &frame);
	}
}

static void
send_result(struct fake *w, uint64_t id, struct span head, const char *rows_field, struct span tail)
{
	say(w, IPC_MSG_RESULT, id, &(struct ipc_result){ .head = head, .rows_field = span_str(rows_field),
	    .tail = tail, .content = SPAN("\x90") });
}

/* --- sql_execution --------------------------------------------------------------------------- */

static void
finish_rows(struct fake *w, uint64_t n)
{
	struct buf tail = { .max = 0 };

	mp_put_map(&tail, 2);
	mp_pair_uint(&tail, "rowCount", n);
	mp_pair_bool(&tail, "truncated", false);
	send_result(w, w->id, SPAN("\x81\xa7headers\x92\xa1n\xa1t"), "rows", buf_view(&tail));
	buf_fini(&tail);
}

/* Wait until a chunk may be sent.  False: the call was cancelled. */
static bool
gets_credit(struct fake *w)
{
	struct ipc_frame frame;

	while (w->credit == 0 && !w->cancelled)
		if (hear(w, &frame, 1000))
			note(w, &frame);
	return !w->cancelled;
}

static void
send_rows(struct fake *w, unsigned n, unsigned size)
{
	char *text = malloc(size + 1);
	struct buf b = { .max = 0 };

	memset(text, 'x', size);
	for (unsigned i = 0; i < n && !w->cancelled;) {
		unsigned k = n - i < PER_CHUNK ? n - i : PER_CHUNK;

		if (!gets_credit(w))
			break;
		buf_reset(&b, SIZE_MAX);
		mp_put_array(&b, k + (w->exports && i == 0));
		if (w->exports && i == 0) {
			mp_put_array(&b, 2);
			mp_put_cstr(&b, "n");
			mp_put_cstr(&b, "t");
		}
		for (unsigned j = 0; j < k; j++, i++) {
			mp_put_array(&b, 2);
			mp_put_uint(&b, i);
			mp_put_str(&b, span_of(text, size));
		}
		w->credit--;
		say(w, IPC_MSG_ROWS, w->id, &(struct ipc_rows){ .rows = buf_view(&b) });
	}
	free(text);
	buf_fini(&b);
	if (w->cancelled)
		send_fail(w, w->id, ERR_QUERY_CANCELLED, "cancelled");
	else
		finish_rows(w, n);
}

/* A Parquet file of n pieces of size bytes each, a row complete with each second one. */
static void
send_pieces(struct fake *w, unsigned n, unsigned size)
{
	char *text = malloc(size + 1);
	struct buf b = { .max = 0 };

	memset(text, 'p', size);
	for (unsigned i = 0; i < n && !w->cancelled; i++) {
		if (!gets_credit(w))
			break;
		buf_reset(&b, SIZE_MAX);
		mp_put_array(&b, 1);
		mp_put_array(&b, 2);
		mp_put_uint(&b, i % 2);
		mp_put_bin(&b, span_of(text, size));
		w->credit--;
		say(w, IPC_MSG_ROWS, w->id, &(struct ipc_rows){ .rows = buf_view(&b) });
	}
	free(text);
	buf_fini(&b);
	if (w->cancelled)
		send_fail(w, w->id, ERR_QUERY_CANCELLED, "cancelled");
	else
		finish_rows(w, n / 2);
}

/* Every kind of cell: nil, true, -1, 2^53-1, 2^63, 0.1, text with specials, bytes, decimal, map. */
static void
send_cells(struct fake *w)
{
	struct buf b = { .max = 0 };

	mp_put_array(&b, 1);
	mp_put_array(&b, 10);
	mp_put_nil(&b);
	mp_put_bool(&b, true);
	mp_put_int(&b, -1);
	mp_put_uint(&b, UINT64_C(9007199254740991));
	mp_put_uint(&b, UINT64_C(9223372036854775808));
	mp_put_double(&b, 0.1);
	mp_put_cstr(&b, "q\"\\\n\xc3\xa9");
	mp_put_bin(&b, SPAN("\x00\xff"));
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "12.50");
	mp_put_map(&b, 1);
	mp_pair_bool(&b, "truncated", true);
	say(w, IPC_MSG_ROWS, w->id, &(struct ipc_rows){ .rows = buf_view(&b) });
	buf_fini(&b);
	finish_rows(w, 1);
}

static void
send_progress(struct fake *w)
{
	static const unsigned steps[] = { 0, 300, 100, 1000 };

	for (size_t i = 0; i < 4; i++)
		say(w, IPC_MSG_PROGRESS, w->id, &(struct ipc_progress){ .permille = steps[i],
		    .message = SPAN("step") });
	send_rows(w, 1, 1);
}

static void
run(struct fake *w, const char *sql)
{
	unsigned n = 0, size = 1;
	struct ipc_frame frame;
	char code[32];

	if (strcmp(sql, "one") == 0)
		send_rows(w, 1, 1);
	else if (sscanf(sql, "rows %u %u", &n, &size) >= 1)
		w->parquet ? send_pieces(w, n, size) : send_rows(w, n, size);
	else if (strcmp(sql, "cells") == 0)
		send_cells(w);
	else if (strcmp(sql, "wait") == 0) {
		wait_to_end(w);
		if (w->cancelled)
			send_fail(w, w->id, ERR_QUERY_CANCELLED, "cancelled");
		else
			send_rows(w, 1, 1);
	} else if (strcmp(sql, "hang") == 0)
		for (;;)
			pause();
	else if (sscanf(sql, "fail %31s", code) == 1)
		send_fail(w, w->id, err_from_name(code), "it went wrong on purpose");
	else if (strcmp(sql, "progress") == 0)
		send_progress(w);
	else if (strcmp(sql, "crash") == 0 || strcmp(sql, "crash late") == 0) {
		for (unsigned i = 0; i < 25 && sql[5] != '\0' && w->nqueued == 0; i++)
			if (hear(w, &frame, 2))
				note(w, &frame);
		if (fake_shared->crashes-- > 0)
			_exit(1);
		send_rows(w, 1, 1);
	} else if (strcmp(sql, "stray") == 0)
		send_result(w, w->id + 4096, SPAN("\x80"), "", SPAN("\x80"));
	else if (strcmp(sql, "twice") == 0) {
		send_result(w, w->id, SPAN("\x80"), "", SPAN("\x80"));
		send_result(w, w->id, SPAN("\x80"), "", SPAN("\x80"));
	} else if (strcmp(sql, "overdraw") == 0) {
		for (;;) /* far beyond its credit, whoever is on the other side */
			say(w, IPC_MSG_ROWS, w->id, &(struct ipc_rows){ .rows = SPAN("\x91\x91\x01") });
	} else if (strcmp(sql, "garbage") == 0) {
		if (write(w->ch.fd, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16) < 0)
			_exit(1);
	} else
		send_fail(w, w->id, ERR_INVALID_SQL, "no such command");
}

/* --- search and memory ----------------------------------------------------------------------- */

static void
put_statement(struct buf *args, struct span sql)
{
	mp_put_map(args, 2);
	mp_pair_cstr(args, "connectionId", "warehouse");
	mp_pair_str(args, "sql", sql);
}

/*
 * Run the statement as a sub-call and answer with the number of rows, or how it
 * failed.  "ask TOOL" asks for another tool than the one it may ask for.
 */
static void
discover(struct fake *w, struct span sql, uint64_t deadline)
{
	struct buf args = { .max = 0 }, head = { .max = 0 };
	uint64_t sub = IPC_SUB | ++w->subs, rows = 0;
	struct ipc_frame frame;
	struct mp_value v;
	struct ipc_rows chunk;
	struct ipc_fail failure;

	struct span tool = SPAN("fingerprint");

	/* Asks and never listens: what it is owed piles up with the front. */
	while (span_is_str(sql, "insatiable"))
		say(w, IPC_MSG_SUBCALL, IPC_SUB | ++w->subs, &(struct ipc_subcall){ .parent = w->id,
		    .tool = SPAN("memory_approve"), .deadline_ns = deadline, .args = SPAN("\x80") });
	if (sql.len > 4 && memcmp(sql.p, "ask ", 4) == 0)
		tool = span_of(sql.p + 4, sql.len - 4);
	put_statement(&args, sql);
	say(w, IPC_MSG_SUBCALL, sub, &(struct ipc_subcall){ .parent = w->id, .tool = tool,
	    .connection = SPAN("warehouse"), .deadline_ns = deadline, .args = buf_view(&args) });
	buf_fini(&args);
	for (;;) {
		if (!hear(w, &frame, 20000))
			_exit(98);
		if (frame.id != sub) {
			note(w, &frame);
			continue;
		}
		if (frame.type == IPC_MSG_RESULT)
			break;
		if (frame.type == IPC_MSG_FAIL && channel_unpack(&w->ch, &frame, &failure, sizeof(failure))) {
			send_fail(w, w->id, (enum err_code)failure.code, "the sub-call failed");
			return;
		}
		if (frame.type != IPC_MSG_ROWS || !channel_unpack(&w->ch, &frame, &chunk, sizeof(chunk)))
			continue;
		mp_value(chunk.rows, &v);
		rows += v.n;
		say(w, IPC_MSG_CREDIT, sub, &(struct ipc_credit){ .chunks = 1 });
	}
	mp_put_map(&head, 1);
	mp_pair_uint(&head, "counted", rows);
	send_result(w, w->id, buf_view(&head), "", SPAN("\x80"));
	buf_fini(&head);
}

/* A question by a ticket, in no call; how it ended. */
static int
ask_by_ticket(struct fake *w, struct span ticket)
{
	struct buf args = { .max = 0 };
	uint64_t sub = IPC_SUB | ++w->subs;
	struct ipc_frame frame;
	struct ipc_fail failure;

	put_statement(&args, SPAN("one"));
	say(w, IPC_MSG_SUBCALL, sub, &(struct ipc_subcall){ .tool = w->role == IPC_MEMORY ? SPAN("sql_execution") : SPAN("fingerprint"),
	    .connection = SPAN("warehouse"), .deadline_ns = clock_ns() + 10 * CLOCK_SECOND, .args = buf_view(&args),
	    .ticket = ticket });
	buf_fini(&args);
	for (;;) {
		if (!hear(w, &frame, 20000))
			_exit(98);
		if (frame.id != sub)
			note(w, &frame);
		else if (frame.type == IPC_MSG_RESULT)
			return ERR_NONE;
		else if (frame.type == IPC_MSG_FAIL && channel_unpack(&w->ch, &frame, &failure, sizeof(failure)))
			return (int)failure.code;
	}
}

static void
ingest(struct fake *w, const struct ipc_call *m, struct span content)
{
	uint8_t kept[IPC_TICKET_MAX] = { 0 };
	struct span ticket = span_of(kept, fake_shared->ticket_len);
	char text[32];
	unsigned at;

	memcpy(kept, fake_shared->ticket, sizeof(kept));
	fake_shared->ticket_len = (unsigned)m->ticket.len;
	memcpy(fake_shared->ticket, m->ticket.p, m->ticket.len);
	snprintf(text, sizeof(text), "%.*s", SPAN_FMT(content));
	if (strcmp(text, "wait") == 0)
		wait_to_end(w);
	if (!w->cancelled)
		fake_shared->ingested++;
	send_result(w, w->id, SPAN("\x81\xa5runId\xa1r"), "", SPAN("\x80"));
	if (strcmp(text, "later") == 0)
		fake_shared->asked = ask_by_ticket(w, m->ticket);
	else if (strcmp(text, "kept") == 0)
		fake_shared->asked = ask_by_ticket(w, ticket);
	else if (strcmp(text, "none") == 0)
		fake_shared->asked = ask_by_ticket(w, SPAN(""));
	else if (sscanf(text, "forged %u", &at) == 1 && at < ticket.len) {
		kept[at] ^= 1;
		fake_shared->asked = ask_by_ticket(w, ticket);
	}
}

static void
go_on(struct fake *w)
{
	struct buf args = { .max = 0 };

	put_statement(&args, SPAN("one"));
	say(w, IPC_MSG_CONTINUE, w->id, &(struct ipc_continue_with){ .tool = SPAN("sl_execution"),
	    .connection = SPAN("warehouse"), .args = buf_view(&args),
	    .head = SPAN("\x82\xa4plan\xa1p\xa7headers\x91\xa1m") });
	buf_fini(&args);
}

static void
echo(struct fake *w, struct span args)
{
	struct buf head = { .max = 0 };

	mp_put_map(&head, 1);
	mp_put_cstr(&head, "args");
	buf_span(&head, args);
	send_result(w, w->id, buf_view(&head), "", SPAN("\x80"));
	buf_fini(&head);
}

/* --- MCP's other methods (ipc/surface_calls.h) ------------------------------------------------------ */

/* Three pages of one resource each. */
static void
list_page(struct fake *w, const struct mp_value *args)
{
	struct span position = mp_get_str(args, "position", SPAN("0"));
	struct buf head = { .max = 0 }, tail = { .max = 0 };
	bool more = position.p[0] < '2';

	mp_put_map(&head, 2);
	mp_put_cstr(&head, "resources");
	mp_put_array(&head, 1);
	mp_put_map(&head, 2);
	mp_pair_str(&head, "uri", position);
	mp_pair_cstr(&head, "name", "n");
	mp_put_cstr(&head, "args");
	buf_span(&head, args->raw);
	mp_put_map(&tail, more);
	if (more) {
		mp_pair_cstr(&tail, "next", position.p[0] == '0' ? "1" : "2");
	}
	send_result(w, w->id, buf_view(&head), "", buf_view(&tail));
	buf_fini(&head);
	buf_fini(&tail);
}

static void
send_changed(struct fake *w, unsigned lists, unsigned everything, unsigned digest, const char *uri)
{
	struct buf uris = { .max = 0 };

	mp_put_array(&uris, uri[0] != '-');
	if (uri[0] != '-')
		mp_put_cstr(&uris, uri);
	say(w, IPC_MSG_CHANGED, 0, &(struct ipc_changed){ .lists = lists, .everything = everything,
	    .digest = digest, .uris = buf_view(&uris) });
	buf_fini(&uris);
}

/* The URI is a command. */
static void
read_resource(struct fake *w, struct span uri)
{
	unsigned lists, everything, digest;
	char text[256], word[64];

	snprintf(text, sizeof(text), "%.*s", SPAN_FMT(uri));
	if (sscanf(text, "fake:fail/%63s", word) == 1)
		send_fail(w, w->id, err_from_name(word), "it is not there on purpose");
	else if (strcmp(text, "fake:nothing") == 0)
		send_result(w, w->id, SPAN("\x80"), "", SPAN("\x80"));
	else if (strcmp(text, "fake:changed-map") == 0)
		say(w, IPC_MSG_CHANGED, 0,
		    &(struct ipc_changed){ .uris = SPAN("\x81\xa1"
							"a\xa1"
							"b") });
	else {
		if (sscanf(text, "fake:changed/%u/%u/%u/%63s", &lists, &everything, &digest, word) == 4)
			send_changed(w, lists, everything, digest, word);
		send_result(w, w->id,
		    SPAN("\x81\xa8"
			 "contents\x91\x81\xa4text\xa1x"),
		    "", SPAN("\x80"));
	}
}

/* --- what is wanted of the client ------------------------------------------------------------- */

/* count questions of one kind, q0, q1, … */
static void
ask(struct fake *w, const char *kind, unsigned count, const char *state)
{
	static const struct {
		const char *kind, *method, *mode;
	} kinds[] = {
		{ "elicit", "elicitation/create", "form" },
		{ "url", "elicitation/create", "url" },
		{ "sample", "sampling/createMessage", "-" },
		{ "roots", "roots/list", "-" },
		{ "odd", "tools/call", "-" },
	};
	struct buf requests = { .max = 0 };
	size_t k = 0;
	char key[16];

	while (strcmp(kinds[k].kind, kind) != 0)
		k++;
	mp_put_map(&requests, count);
	for (unsigned i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "q%u", i);
		mp_put_cstr(&requests, key);
		mp_put_map(&requests, 2);
		mp_pair_cstr(&requests, "method", kinds[k].method);
		mp_put_cstr(&requests, "params");
		mp_put_map(&requests, 1);
		mp_pair_cstr(&requests, "mode", kinds[k].mode);
	}
	say(w, IPC_MSG_ASK, w->id, &(struct ipc_ask){ .requests = buf_view(&requests), .state = span_str(state) });
	buf_fini(&requests);
}

static void
ask_or_tell(struct fake *w, const struct ipc_call *m, const char *kind, unsigned count, bool again)
{
	struct buf head = { .max = 0 };
	struct mp_value answers, one;
	unsigned answered = 0;
	char key[16];

	if (!mp_value(m->answers, &answers))
		_exit(97);
	for (unsigned i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "q%u", i);
		answered += mp_get(&answers, key, &one);
	}
	if (answered < count || again) {
		ask(w, kind, count, "kept");
		return;
	}
	mp_put_map(&head, 2);
	mp_put_cstr(&head, "answers");
	buf_span(&head, m->answers);
	mp_pair_str(&head, "state", m->state);
	send_result(w, w->id, buf_view(&head), "", SPAN("\x80"));
	buf_fini(&head);
}

static void
send_content(struct fake *w, struct span head)
{
	say(w, IPC_MSG_RESULT, w->id, &(struct ipc_result){ .head = head, .rows_field = SPAN(""),
	    .tail = SPAN("\x80"), .content = SPAN("\x91\x82\xa4type\xa4text\xa4text\xa5hello") });
}

/* False: it is not that kind of command. */
static bool
take_long(struct fake *w, const struct ipc_call *m, const char *text)
{
	char word[16], code[32];
	unsigned rows, size;

	if (sscanf(text, "%15s", word) != 1 || (strcmp(word, "long") != 0 && strcmp(word, "only") != 0))
		return false;
	say(w, IPC_MSG_LONG, w->id, &(struct ipc_lasting){ .required = word[0] == 'o' });
	if (strcmp(text, "long ask") == 0)
		ask_or_tell(w, m, "elicit", 2, false);
	else if (strcmp(text, "long crash") == 0 && fake_shared->crashes-- > 0)
		_exit(1);
	else if (sscanf(text, "long fail %31s", code) == 1)
		send_fail(w, w->id, err_from_name(code), "it fails on purpose");
	else if (sscanf(text, "long rows %u %u", &rows, &size) == 2)
		send_rows(w, rows, size);
	else {
		if (strcmp(text, "long wait") == 0)
			wait_to_end(w);
		send_content(w, SPAN("\x81\xa1n\x07"));
	}
	return true;
}

static void
turn_to_client(struct fake *w, const struct ipc_call *m, struct span key)
{
	char text[64], kind[16], word[16] = "";
	unsigned count;

	snprintf(text, sizeof(text), "%.*s", SPAN_FMT(key));
	if (sscanf(text, "ask %15s %u %15s", kind, &count, word) >= 2) {
		ask_or_tell(w, m, kind, count, strcmp(word, "again") == 0);
		return;
	}
	if (take_long(w, m, text))
		return;
	for (unsigned level = 0; strcmp(text, "log") == 0 && level < IPC_LEVELS; level++)
		say(w, IPC_MSG_NOTICE, w->id, &(struct ipc_notice){ .level = level, .logger = SPAN("fake"),
		    .data = SPAN("\xa4line") });
	send_content(w, strcmp(text, "both") == 0 ? SPAN("\x81\xa1n\x07") : SPAN("\x80"));
}

static void
serve(struct fake *w, const struct ipc_frame *frame)
{
	struct span none = { NULL, 0 };
	struct ipc_call m;
	struct mp_value args;
	char sql[256];

	if (!channel_unpack(&w->ch, frame, &m, sizeof(m)) || !mp_value(m.args, &args))
		_exit(97);
	fake_shared->begun++;
	w->id = frame->id;
	w->credit = IPC_CREDIT_FIRST;
	w->exports = m.export_rows > 0;
	w->parquet = m.export_parquet != 0;
	w->cancelled = false;
	if (span_is_str(m.tool, "sql_execution") || span_is_str(m.tool, "sl_execution") ||
	    span_is_str(m.tool, "fingerprint")) {
		snprintf(sql, sizeof(sql), "%.*s", SPAN_FMT(mp_get_str(&args, "sql", none)));
		run(w, sql);
	} else if (span_is_str(m.tool, "discover_data") && span_is_str(mp_get_str(&args, "query", none), "kept")) {
		fake_shared->asked = ask_by_ticket(w, span_of(fake_shared->ticket, fake_shared->ticket_len));
		send_result(w, w->id, SPAN("\x80"), "", SPAN("\x80"));
	} else if (span_is_str(m.tool, "discover_data"))
		discover(w, mp_get_str(&args, "query", none), m.deadline_ns);
	else if (span_is_str(m.tool, "sl_query"))
		go_on(w);
	else if (span_is_str(m.tool, "memory_ingest"))
		ingest(w, &m, mp_get_str(&args, "content", none));
	else if (span_is_str(m.tool, "wiki_read"))
		turn_to_client(w, &m, mp_get_str(&args, "key", none));
	else if (span_is_str(m.tool, "resources_list"))
		list_page(w, &args);
	else if (span_is_str(m.tool, "resource_read"))
		read_resource(w, mp_get_str(&args, "uri", none));
	else if (span_is_str(m.tool, "carrel_sql") || span_is_str(m.tool, "carrel_search") ||
	    span_is_str(m.tool, "ask_question")) {
		snprintf(sql, sizeof(sql), "%.*s",
		    SPAN_FMT(mp_get_str(&args, "sql",
			mp_get_str(&args, "query", mp_get_str(&args, "question", none)))));
		run(w, sql);
	} else if (span_begins(mp_get_str(&args, "dataset_id", none), "fail ")) {
		snprintf(sql, sizeof(sql), "%.*s", SPAN_FMT(mp_get_str(&args, "dataset_id", none)));
		run(w, sql);
	} else /* connection_test and the rest */
		echo(w, m.args);
}

void
fake_worker(int fd, enum ipc_role role)
{
	struct fake w = { .role = role };
	struct ipc_frame frame;
	struct waiting q;

	/* Nothing of the test's, so that every end of a channel is seen. */
	close_range(3, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
	channel_init(&w.ch, fd, role, IPC_FRONT, 1);
	for (;;)
		if (w.nqueued > 0) {
			take_queued(&w, 0, &q);
			serve(&w, &q.frame);
			buf_fini(&q.body);
		} else if (hear(&w, &frame, -1)) {
			if (frame.type == IPC_MSG_CALL)
				serve(&w, &frame);
			else
				note(&w, &frame);
		}
}
