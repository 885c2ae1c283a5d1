/* subscribe.c - see subscribe.h: which subscriber is told which change, and when. */
#include <stdlib.h>
#include <string.h>

#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "base/mem.h"
#include "front/front.h"
#include "front/wire/share.h"
#include "front/mcp/subscribe.h"

#define TOLD_A_TURN	64u	/* subscribers notified per turn; the others wait so that requests are served between */

struct subscription {
	char	*uri;
	size_t	 len;
	bool	 pending;
};

TAILQ_HEAD(subscriberq, subscriber);

struct subscribers {
	struct subscriberq	all, due;
	unsigned		nuris;
};

static const struct {
	enum ipc_lists	 change;
	const char	*method;
} lists[] = {
	{ IPC_LISTS_TOOLS, "notifications/tools/list_changed" },
	{ IPC_LISTS_RESOURCES, "notifications/resources/list_changed" },
	{ IPC_LISTS_PROMPTS, "notifications/prompts/list_changed" },
};

struct subscribers *
subscribers_new(void)
{
	struct subscribers *ss = mem_new(1, sizeof(*ss));

	TAILQ_INIT(&ss->all);
	TAILQ_INIT(&ss->due);
	return ss;
}

void
subscribers_free(struct subscribers *ss)
{
	free(ss);
}

void
subscriber_begin(struct front *f, struct subscriber *s)
{
	TAILQ_INSERT_TAIL(&f->subscribers->all, s, all);
}

void
subscriber_end(struct front *f, struct subscriber *s)
{
	struct subscribers *ss = f->subscribers;

	TAILQ_REMOVE(&ss->all, s, all);
	if (s->queued)
		TAILQ_REMOVE(&ss->due, s, due);
	for (unsigned i = 0; i < s->nuris; i++)
		free(s->uris[i].uri);
	ss->nuris -= s->nuris;
	s->who->nuris -= s->nuris;
	free(s->uris);
	buf_fini(&s->tag);
}

static int
compare(struct span a, const struct subscription *b)
{
	int way = memcmp(a.p, b->uri, a.len < b->len ? a.len : b->len);

	return way != 0 ? way : (a.len > b->len) - (a.len < b->len);
}

/* The index of uri in the sorted array, or where it would be inserted. */
static unsigned
place_of(const struct subscriber *s, struct span uri, bool *found)
{
	unsigned low = 0, high = s->nuris;

	*found = false;
	while (low < high && !*found) {
		unsigned middle = low + (high - low) / 2;
		int way = compare(uri, &s->uris[middle]);

		if (way < 0)
			high = middle;
		else if (way > 0)
			low = middle + 1;
		else {
			low = middle;
			*found = true;
		}
	}
	return low;
}

/* RFC 3986: a scheme, a colon, and no control characters or spaces. */
static bool
is_uri(struct span uri)
{
	size_t scheme = 0;

	while (scheme < uri.len && uri.p[scheme] != ':')
		scheme++;
	if (scheme == 0 || scheme == uri.len || uri.len > SUBSCRIBE_URI_MAX)
		return false;
	for (size_t i = 0; i < uri.len; i++)
		if (uri.p[i] <= ' ' || uri.p[i] == 0x7f)
			return false;
	return true;
}

enum subscribe_verdict
subscriber_add_uri(struct front *f, struct subscriber *s, struct span uri)
{
	struct subscription *e;
	unsigned at;
	bool found;

	if (!is_uri(uri))
		return SUBSCRIBE_INVALID;
	at = place_of(s, uri, &found);
	if (found)
		return SUBSCRIBE_DONE;
	if (s->nuris >= SUBSCRIBE_URIS_MAX || !share_allows(s->who->nuris, f->subscribers->nuris, 1, SUBSCRIBE_ALL_MAX))
		return SUBSCRIBE_TOO_MANY;
	if ((s->nuris & (s->nuris + 1)) == 0) /* the capacity grows at 0, 1, 3, 7, … */
		s->uris = mem_resize(s->uris, 2 * (size_t)s->nuris + 1, sizeof(*s->uris));
	e = &s->uris[at];
	memmove(e + 1, e, (s->nuris - at) * sizeof(*e));
	*e = (struct subscription){ .uri = mem_text(uri), .len = uri.len };
	s->nuris++;
	s->who->nuris++;
	f->subscribers->nuris++;
	return SUBSCRIBE_DONE;
}

void
subscriber_remove_uri(struct front *f, struct subscriber *s, struct span uri)
{
	bool found;
	unsigned at = place_of(s, uri, &found);

	if (!found)
		return;
	if (s->uris[at].pending)
		s->npending--;
	free(s->uris[at].uri);
	s->nuris--;
	s->who->nuris--;
	f->subscribers->nuris--;
	memmove(s->uris + at, s->uris + at + 1, (s->nuris - at) * sizeof(*s->uris));
}

void
subscriber_put_uris(const struct subscriber *s, struct buf *out)
{
	buf_byte(out, '[');
	for (unsigned i = 0; i < s->nuris; i++) {
		if (i > 0)
			buf_byte(out, ',');
		json_write_string(out, span_of(s->uris[i].uri, s->uris[i].len));
	}
	buf_byte(out, ']');
}

unsigned
subscribe_offered(const struct front *f, uint32_t scopes)
{
	static const struct {
		const char *row;
		enum ipc_lists change;
		uint32_t readers; /* one of these scopes suffices */
	} rows[] = {
		{ "resources_list", IPC_LISTS_RESOURCES, POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_ONTOLOGIES_READ },
		{ "prompts_list", IPC_LISTS_PROMPTS, POLICY_SCOPE_RESEARCH_READ },
	};
	unsigned offered = IPC_LISTS_TOOLS;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (tools_surface(f->tools, rows[i].row) != NULL && (scopes & rows[i].readers) != 0)
			offered |= (unsigned)rows[i].change;
	}
	return offered;
}

static void
queue(struct subscribers *ss, struct subscriber *s)
{
	if (s->queued)
		return;
	s->queued = true;
	TAILQ_INSERT_TAIL(&ss->due, s, due);
}

void
subscribe_changed(struct front *f, unsigned changed)
{
	struct subscriber *s;

	TAILQ_FOREACH(s, &f->subscribers->all, all)
		if ((s->lists & changed) != 0) {
			s->pending |= s->lists & changed;
			queue(f->subscribers, s);
		}
}

static void
subscribe_mark(struct front *f, struct subscriber *s, unsigned at)
{
	if (s->uris[at].pending)
		return;
	s->uris[at].pending = true;
	s->npending++;
	queue(f->subscribers, s);
}

void
subscribe_updated(struct front *f, struct span *uris, size_t n)
{
	struct subscriber *s;

	if (n > 1)
		qsort(uris, n, sizeof(*uris), span_order);
	TAILQ_FOREACH(s, &f->subscribers->all, all)
		for (unsigned i = 0; n > 0 && i < s->nuris; i++) {
			struct span uri = span_of(s->uris[i].uri, s->uris[i].len);

			if (bsearch(&uri, uris, n, sizeof(*uris), span_order) != NULL)
				subscribe_mark(f, s, i);
		}
}

void
subscribe_updated_all(struct front *f)
{
	struct subscriber *s;

	TAILQ_FOREACH(s, &f->subscribers->all, all) {
		for (unsigned i = 0; i < s->nuris; i++)
			s->uris[i].pending = true;
		s->npending = s->nuris;
		if (s->nuris > 0)
			queue(f->subscribers, s);
	}
}

static bool
notify_subscriber(struct subscriber *s, const char *method, struct span uri)
{
	struct buf text = { .max = 0 }, *out = &text;
	bool there;

	json_put_object(out, NULL);
	json_put_cstr(out, "jsonrpc", "2.0");
	json_put_cstr(out, "method", method);
	if (uri.len > 0 || s->tag.len > 0)
		json_put_object(out, "params");
	if (uri.len > 0)
		json_put_str(out, "uri", uri);
	if (s->tag.len > 0) {
		json_put_object(out, "_meta");
		json_put_raw(out, "io.modelcontextprotocol/subscriptionId", buf_view(&s->tag));
		json_end_object(out);
	}
	if (uri.len > 0 || s->tag.len > 0)
		json_end_object(out);
	json_end_object(out);
	there = s->send(s, buf_view(out));
	buf_fini(out);
	return there;
}

/* A message that cannot be sent may free s. */
static void
tell_all(struct subscriber *s)
{
	unsigned pending = s->pending;

	s->pending = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if ((pending & lists[i].change) != 0 && !notify_subscriber(s, lists[i].method, SPAN_NONE))
			return;
	for (unsigned i = 0; s->npending > 0 && i < s->nuris; i++) {
		if (!s->uris[i].pending)
			continue;
		s->uris[i].pending = false;
		s->npending--;
		if (!notify_subscriber(s, "notifications/resources/updated", span_of(s->uris[i].uri, s->uris[i].len)))
			return;
	}
}

bool
subscribe_turn(struct front *f)
{
	struct subscribers *ss = f->subscribers;
	struct subscriber *s;

	for (unsigned i = 0; i < TOLD_A_TURN && (s = TAILQ_FIRST(&ss->due)) != NULL; i++) {
		TAILQ_REMOVE(&ss->due, s, due);
		s->queued = false;
		tell_all(s);
	}
	return !TAILQ_EMPTY(&ss->due);
}
