/* stream.c - see stream.h: numbering, storing and resending events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/mem.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/mcp/mcp_http.h"
#include "front/mcp/legacy/hub.h"

/* A result shared by an event and the queue of a connection. */
struct shared {
	unsigned	 refs;
	struct tool_result	*result;
};

struct kept_event {
	TAILQ_ENTRY(kept_event)	 next;
	uint32_t		 seq;
	bool			 sent;
	size_t			 size;		/* counted against STREAM_BYTES_MAX */
	struct blob		*bytes;		/* the message; NULL: use shared */
	struct shared		*shared;	/* the source of the message */
};

TAILQ_HEAD(events, kept_event);

struct stream {
	TAILQ_ENTRY(stream)	 of_hub;
	TAILQ_ENTRY(stream)	 waiting;		/* in the keeper's kept */
	TAILQ_ENTRY(stream)	 holding;		/* in the keeper's holding */
	struct hub		*hub;
	struct conn		*conn;		/* NULL: the connection is lost */
	struct exchanges	 exchanges;	/* unanswered requests while the connection is lost */
	struct events		 events;
	unsigned		 nevents;
	uint64_t		 number;
	uint32_t		 seq;		/* of the last event */
	bool			 standing;
	bool			 finished;	/* all messages have come */
	bool			 is_kept, is_holding;
	uint64_t		 since_ns;	/* when the stream was last added to kept */
};

/* The events stored for one principal. */
struct event_keeper {
	LIST_ENTRY(event_keeper)	all;
	struct streamq		kept;		/* streams without a connection, or finished; in order of since_ns */
	struct streamq		holding;	/* other streams that store events */
	size_t			nkept, bytes;
};

struct streams {
	LIST_HEAD(, event_keeper)	keepers;
	size_t		nkept, bytes;
	uint64_t	next;		/* next stream number; the upper half differs per front */
};

struct streams *
streams_new(void)
{
	struct streams *ss = mem_new(1, sizeof(*ss));

	LIST_INIT(&ss->keepers);
	ss->next = (uint64_t)randombytes_random() << 32;
	return ss;
}

void
streams_free(struct streams *ss)
{
	struct event_keeper *k;

	while ((k = LIST_FIRST(&ss->keepers)) != NULL) {
		LIST_REMOVE(k, all);
		free(k);
	}
	free(ss);
}

static struct event_keeper *
keeper_of(const struct stream *s)
{
	return s->hub->who->keeper;
}

/* Every principal with a stream has a keeper. */
static void
need_keeper(struct streams *ss, struct principal *who)
{
	struct event_keeper *k = who->keeper;

	if (k != NULL)
		return;
	who->keeper = k = mem_new(1, sizeof(*k));
	TAILQ_INIT(&k->kept);
	TAILQ_INIT(&k->holding);
	LIST_INSERT_HEAD(&ss->keepers, k, all);
}

static size_t
bytes_of(const struct principal *who)
{
	return who->keeper != NULL ? who->keeper->bytes : 0;
}

static size_t
kept_of(const struct principal *who)
{
	return who->keeper != NULL ? who->keeper->nkept : 0;
}

void
event_id_print(const struct event_id *id, char out[STREAM_ID_MAX])
{
	snprintf(out, STREAM_ID_MAX, "%c%016" PRIx64 "-%" PRIu32, id->standing ? 'g' : 'p', id->stream, id->seq);
}

bool
event_id_parse(struct span text, struct event_id *id)
{
	uint64_t seq = 0;

	if (text.len < 19 || text.len > 28 || (text.p[0] != 'g' && text.p[0] != 'p') || text.p[17] != '-')
		return false;
	id->standing = text.p[0] == 'g';
	id->stream = 0;
	for (size_t i = 1; i < 17; i++) {
		int digit = ascii_is_upper(text.p[i]) ? -1 : ascii_hex(text.p[i]);

		if (digit < 0)
			return false;
		id->stream = id->stream << 4 | (unsigned)digit;
	}
	for (size_t i = 18; i < text.len; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || (text.p[i] == '0' && seq == 0 && text.len > 19))
			return false;
		seq = seq * 10 + (unsigned)(text.p[i] - '0');
	}
	id->seq = (uint32_t)seq;
	return seq <= UINT32_MAX;
}

static struct shared *
share(struct shared *h)
{
	h->refs++;
	return h;
}

static void
unshare(void *arg)
{
	struct shared *h = arg;

	if (h == NULL || --h->refs > 0)
		return;
	result_free(h->result);
	free(h);
}

static bool
fill_shared(void *arg, struct buf *out)
{
	struct shared *h = arg;

	return result_fill(h->result, out);
}

/* Update the list after the stream's connection, or its first or last event, came or went. */
static void
list_holding(struct stream *s)
{
	bool holds = !s->is_kept && s->nevents > 0;

	if (holds && !s->is_holding)
		TAILQ_INSERT_TAIL(&keeper_of(s)->holding, s, holding);
	else if (!holds && s->is_holding)
		TAILQ_REMOVE(&keeper_of(s)->holding, s, holding);
	s->is_holding = holds;
}

static void
drop_event(struct stream *s, struct kept_event *e)
{
	TAILQ_REMOVE(&s->events, e, next);
	s->nevents--;
	s->hub->front->streams->bytes -= e->size;
	keeper_of(s)->bytes -= e->size;
	blob_unref(e->bytes);
	unshare(e->shared);
	free(e);
	list_holding(s);
}

/* The stream lost its connection or is finished: keep it for a client that resumes. */
static void
keep_message(struct stream *s)
{
	struct event_keeper *k = keeper_of(s);

	if (s->is_kept)
		TAILQ_REMOVE(&k->kept, s, waiting);
	else {
		s->is_kept = true;
		s->hub->front->streams->nkept++;
		k->nkept++;
		s->hub->nkept++;
		list_holding(s);
	}
	s->since_ns = clock_ns();
	TAILQ_INSERT_TAIL(&k->kept, s, waiting);
}

static void
unkeep(struct stream *s)
{
	if (!s->is_kept)
		return;
	s->is_kept = false;
	TAILQ_REMOVE(&keeper_of(s)->kept, s, waiting);
	s->hub->front->streams->nkept--;
	keeper_of(s)->nkept--;
	s->hub->nkept--;
	list_holding(s);
}

static void
unlink_conn(struct stream *s)
{
	if (s->conn == NULL)
		return;
	if (s->standing)
		s->hub->nstanding--;
	s->conn->stream = NULL;
	s->conn = NULL;
}

/* Requests that are still unanswered become orphans: they finish without a receiver. */
static void
stream_free(struct stream *s)
{
	struct exchange *x;
	struct kept_event *e;

	while ((x = TAILQ_FIRST(&s->exchanges)) != NULL) {
		TAILQ_REMOVE(&s->exchanges, x, of_client);
		exchange_orphan(x);
	}
	while ((e = TAILQ_FIRST(&s->events)) != NULL)
		drop_event(s, e);
	unlink_conn(s);
	unkeep(s);
	TAILQ_REMOVE(&s->hub->streams, s, of_hub);
	if (TAILQ_EMPTY(&s->hub->streams))
		hub_emptied(s->hub);
	free(s);
}

/* Free the streams kept longest, beyond the bound of a session; never s. */
static void
stream_trim(struct stream *s)
{
	struct stream *one, *oldest;

	while (s->hub->nkept > STREAM_KEPT_MAX) {
		oldest = NULL;
		TAILQ_FOREACH(one, &s->hub->streams, of_hub)
			if (one != s && one->is_kept && (oldest == NULL || one->since_ns < oldest->since_ns))
				oldest = one;
		stream_free(oldest);
	}
}

/* The first stream in q other than s; NULL: none. */
static struct stream *
first_other(const struct streamq *q, const struct stream *s, bool waiting)
{
	struct stream *first = TAILQ_FIRST(q);

	if (first == s)
		first = waiting ? TAILQ_NEXT(s, waiting) : TAILQ_NEXT(s, holding);
	return first;
}

/* Free k's oldest kept stream, or an event.  s itself is never freed, but may lose events.  False: nothing to free. */
static bool
give_up_oldest(struct event_keeper *k, struct stream *s)
{
	struct stream *one = first_other(&k->kept, s, true);

	if (one != NULL) {
		stream_free(one);
		return true;
	}
	if (k == keeper_of(s) && s->nevents > 0)
		one = s;
	else if ((one = first_other(&k->holding, s, false)) == NULL)
		return false;
	drop_event(one, TAILQ_FIRST(&one->events));
	return true;
}

/* Make room for size bytes, at the cost of the principal that would store most.  False: impossible. */
static bool
make_room(struct stream *s, size_t size)
{
	struct streams *ss = s->hub->front->streams;
	struct event_keeper *own = keeper_of(s), *most;
	struct principal *greatest;

	while (ss->bytes + size > STREAM_BYTES_MAX) {
		greatest = principal_greatest(s->hub->front, bytes_of);
		most = greatest == NULL || own->bytes + size >= greatest->keeper->bytes ? own : greatest->keeper;
		if (!give_up_oldest(most, s))
			return false;
	}
	return true;
}

/* The error that replaces an answer too large to store. */
static struct blob *
sorry(struct span answers)
{
	struct buf text = { .max = 0 };
	struct blob *b;

	rpc_put_error(&text, answers, RPC_INTERNAL,
	    "the connection was lost and the answer is too large to be kept; ask again", SPAN_NONE);
	b = blob_new(buf_view(&text));
	buf_fini(&text);
	return b;
}

static void
stream_remember(struct stream *s, struct span answers, struct blob *bytes, struct shared *shared)
{
	size_t size = bytes != NULL ? bytes->len : 0;
	struct kept_event *e;

	if (shared != NULL)
		size = result_bytes(shared->result);
	if (size > STREAM_BYTES_MAX / 2 || !make_room(s, size)) {
		if (answers.len == 0)
			return;
		bytes = sorry(answers);
		shared = NULL;
		size = bytes->len;
	} else if (shared != NULL)
		share(shared);
	else
		blob_ref(bytes);
	e = mem_new(1, sizeof(*e));
	*e = (struct kept_event){ .seq = s->seq, .size = size, .bytes = bytes, .shared = shared,
	    .sent = s->conn != NULL };
	TAILQ_INSERT_TAIL(&s->events, e, next);
	s->hub->front->streams->bytes += size;
	keeper_of(s)->bytes += size;
	if (++s->nevents > STREAM_EVENTS_MAX)
		drop_event(s, TAILQ_FIRST(&s->events));
	list_holding(s);
}

static void
put_on_conn(struct stream *s, uint32_t seq, struct blob *bytes, struct shared *shared)
{
	struct event_id id = { s->standing, s->number, seq };
	char text[STREAM_ID_MAX], fields[STREAM_ID_MAX + 32];
	int n;

	event_id_print(&id, text);
	n = snprintf(fields, sizeof(fields), "id: %s\nevent: message\n", text);
	if (bytes != NULL)
		conn_stream_put(s->conn, span_of(fields, (size_t)n), &(struct mcp_answer){ .blob = bytes });
	else
		conn_stream_put_source(s->conn, span_of(fields, (size_t)n),
		    (struct out_source){ fill_shared, unshare, share(shared) });
}

/* Store a small result as its final bytes, which are smaller than the result.  NULL: not small. */
static struct blob *
render(struct tool_result *result)
{
	struct buf text = { .max = 0 };
	struct blob *bytes = NULL;

	if (result_bytes(result) > STREAM_EVENT_MAX)
		return NULL;
	if (result_fill(result, &text) || text.len > STREAM_EVENT_MAX)
		result_rewind(result);
	else {
		result_free(result);
		bytes = blob_new(buf_view(&text));
	}
	buf_fini(&text);
	return bytes;
}

static struct blob *
flatten(const struct mcp_answer *a)
{
	struct buf text = { .max = 0 };
	struct blob *bytes;

	buf_span(&text, a->before);
	if (a->blob != NULL)
		buf_append(&text, a->blob->bytes, a->blob->len);
	buf_span(&text, a->after);
	bytes = blob_new(buf_view(&text));
	buf_fini(&text);
	return bytes;
}

void
stream_put(struct stream *s, struct span answers, const struct mcp_answer *a)
{
	struct blob *bytes = a->result != NULL ? render(a->result) : flatten(a);
	struct shared *shared = NULL;

	if (bytes == NULL) {
		shared = mem_new(1, sizeof(*shared));
		*shared = (struct shared){ .refs = 1, .result = a->result };
	}
	s->seq++;
	stream_remember(s, answers, bytes, shared);
	if (s->conn != NULL)
		put_on_conn(s, s->seq, bytes, shared);
	blob_unref(bytes);
	unshare(shared);
}

/* Send an id and a retry delay, so that a client can resume before the first event. */
static void
prime(struct stream *s)
{
	struct event_id id = { s->standing, s->number, s->seq };
	char text[STREAM_ID_MAX], event[STREAM_ID_MAX + 64];
	int n;

	if (s->hub->revision < MCP_2025_11_25)
		return; /* earlier clients would parse the empty data as a message */
	event_id_print(&id, text);
	n = snprintf(event, sizeof(event), "id: %s\nretry: %u\ndata: \n\n", text, STREAM_RETRY_MS);
	conn_stream_raw(s->conn, span_of(event, (size_t)n));
}

struct stream *
stream_open(struct hub *h, struct conn *c, bool standing)
{
	struct stream *s = mem_new(1, sizeof(*s));

	need_keeper(h->front->streams, h->who);
	s->hub = h;
	s->standing = standing;
	s->number = h->front->streams->next++;
	TAILQ_INIT(&s->exchanges);
	TAILQ_INIT(&s->events);
	TAILQ_INSERT_TAIL(&h->streams, s, of_hub);
	s->conn = c;
	c->stream = s;
	if (standing)
		h->nstanding++;
	prime(s);
	return s;
}

void
stream_finish(struct stream *s)
{
	s->finished = true;
	keep_message(s);
	stream_trim(s);
}

static void
broken_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct stream *s = x->client;

	TAILQ_REMOVE(&s->exchanges, x, of_client);
	stream_put(s, buf_view(&x->id), a);
	if (TAILQ_EMPTY(&s->exchanges))
		stream_finish(s);
}

static bool
broken_notify(struct exchange *x, struct span message)
{
	stream_put(x->client, SPAN_NONE, &(struct mcp_answer){ .before = message });
	return true;
}

static bool
broken_can_notify(const struct exchange *x)
{
	const struct stream *s = x->client;

	return s->nevents < STREAM_EVENTS_MAX;
}

static void
broken_withdraw(struct exchange *x)
{
	struct stream *s = x->client;

	TAILQ_REMOVE(&s->exchanges, x, of_client);
	if (TAILQ_EMPTY(&s->exchanges))
		stream_finish(s);
}

static struct subscriber *
broken_subscriber(struct exchange *x)
{
	struct stream *s = x->client;

	return hub_subscriber(s->hub);
}

/* The transport of requests whose stream has no connection. */
static const struct transport broken_transport = {
	.sessions = true, .surface = AUDIT_SURFACE_MCP, .answer = broken_answer, .notify = broken_notify,
	.can_notify = broken_can_notify, .withdraw = broken_withdraw, .subscriber = broken_subscriber,
};

void
stream_break(struct stream *s)
{
	struct conn *c = s->conn;
	struct exchange *x;

	while ((x = TAILQ_FIRST(&c->exchanges)) != NULL) {
		TAILQ_REMOVE(&c->exchanges, x, of_client);
		TAILQ_INSERT_TAIL(&s->exchanges, x, of_client);
		x->transport = &broken_transport;
		x->client = s;
	}
	unlink_conn(s);
	keep_message(s);
	stream_trim(s);
}

void
stream_delivered(struct stream *s)
{
	struct kept_event *e, *next;

	unlink_conn(s);
	for (e = TAILQ_FIRST(&s->events); e != NULL; e = next) {
		next = TAILQ_NEXT(e, next);
		if (e->size > STREAM_EVENT_MAX)
			drop_event(s, e);
	}
}

static struct stream *
find_stream(struct hub *h, const struct event_id *id)
{
	struct stream *s;

	TAILQ_FOREACH(s, &h->streams, of_hub)
		if (s->number == id->stream && s->standing == id->standing)
			return s;
	return NULL;
}

static void
replay(struct stream *s, uint32_t after)
{
	struct kept_event *e;

	for (e = TAILQ_FIRST(&s->events); e != NULL; e = TAILQ_NEXT(e, next)) {
		if (e->seq <= after)
			continue;
		e->sent = true;
		if (e->shared != NULL)
			result_rewind(e->shared->result);
		put_on_conn(s, e->seq, e->bytes, e->shared);
	}
}

bool
stream_resume(struct hub *h, struct conn *c, const struct event_id *id)
{
	struct stream *s = find_stream(h, id);
	struct exchange *x;

	if (s == NULL)
		return false;
	if (s->conn != NULL)
		conn_drop(s->conn); /* resuming shows that the old connection is lost */
	conn_stream_begin(c);
	s->conn = c;
	c->stream = s;
	if (s->standing)
		h->nstanding++;
	replay(s, id->seq);
	if (s->finished) {
		keep_message(s);
		conn_stream_end(c);
		return true;
	}
	unkeep(s);
	while ((x = TAILQ_FIRST(&s->exchanges)) != NULL) {
		TAILQ_REMOVE(&s->exchanges, x, of_client);
		http_take(c, x);
	}
	return true;
}

void
stream_missed(struct stream *s)
{
	struct kept_event *last = TAILQ_LAST(&s->events, events);

	if (last != NULL)
		last->sent = false;
}

/* Move events instead of copying them: making room for copies could free the stream they come from. */
void
stream_adopt(struct stream *to, struct stream *from)
{
	struct kept_event *e, *next;

	for (e = TAILQ_FIRST(&from->events); e != NULL; e = next) {
		next = TAILQ_NEXT(e, next);
		if (e->sent)
			continue;
		TAILQ_REMOVE(&from->events, e, next);
		from->nevents--;
		e->seq = ++to->seq;
		e->sent = to->conn != NULL;
		TAILQ_INSERT_TAIL(&to->events, e, next);
		if (to->conn != NULL)
			put_on_conn(to, e->seq, e->bytes, e->shared);
		if (++to->nevents > STREAM_EVENTS_MAX)
			drop_event(to, TAILQ_FIRST(&to->events));
	}
	list_holding(from);
	list_holding(to);
}

void
stream_close(struct stream *s)
{
	struct conn *c = s->conn;
	bool ends = c != NULL && s->standing;

	stream_free(s);
	if (ends) {
		conn_stream_end(c);
		conn_flush(c);
	}
}

void
streams_tick(struct front *f, uint64_t now)
{
	struct streams *ss = f->streams;
	struct event_keeper *k;
	struct stream *s;

	while (ss->nkept > STREAM_ALL_MAX)
		stream_free(TAILQ_FIRST(&principal_greatest(f, kept_of)->keeper->kept));
	LIST_FOREACH(k, &ss->keepers, all)
		while ((s = TAILQ_FIRST(&k->kept)) != NULL && now - s->since_ns >= STREAM_KEEP_S * CLOCK_SECOND)
			stream_free(s);
}

bool
stream_is_standing(const struct stream *s)
{
	return s->standing;
}

struct stream *
stream_next(const struct stream *s)
{
	return TAILQ_NEXT(s, of_hub);
}

struct conn *
stream_conn(const struct stream *s)
{
	return s->conn;
}
