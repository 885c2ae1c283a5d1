/*
 * listen_streams.c - subscriptions of clients: subscriptions/listen of the modern era, a request that stays
 * unanswered while the subscription lasts, and resources/subscribe of legacy sessions.
 */
#include <stdlib.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "front/front.h"
#include "front/mcp/listen_streams.h"
#include "front/mcp/exchange.h"
#include "front/calls/metering.h"
#include "front/wire/share.h"
#include "front/mcp/subscribe.h"

struct listen {
	struct subscriber	 subscriber;
	LIST_ENTRY(listen)	 of_front;
	struct exchange		*x;
};

static void
listen_free(struct listen *l)
{
	subscriber_end(l->x->front, &l->subscriber);
	exchange_end_wait(l->x);
	l->x->front->listens.n--;
	l->x->who->nlistens--;
	LIST_REMOVE(l, of_front);
	free(l);
}

static void
on_forget(struct exchange *x)
{
	listen_free(x->waiting.of);
}

static bool
listen_send(struct subscriber *s, struct span message)
{
	struct listen *l = s->owner;
	struct exchange *x = l->x;

	if (x->transport->can_notify(x))
		return x->transport->notify(x, message);
	metering_log_refusal(x->front, "cut off a client that does not read what it subscribed to");
	x->transport->cut(x);
	return false;
}

/* Read which lists are wanted from the members of "notifications".  NULL, or the problem. */
static const char *
read_lists(const struct mp_value *notifications, unsigned *wanted)
{
	static const struct {
		const char *name;
		enum ipc_lists change;
	} rows[] = {
		{ "toolsListChanged", IPC_LISTS_TOOLS },
		{ "resourcesListChanged", IPC_LISTS_RESOURCES },
		{ "promptsListChanged", IPC_LISTS_PROMPTS },
	};
	struct mp_value v;

	*wanted = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!mp_get(notifications, rows[i].name, &v))
			continue;
		if (v.class != MP_BOOL)
			return "what is wanted of a list must be true or false";
		if (v.boolean)
			*wanted |= (unsigned)rows[i].change;
	}
	return NULL;
}

static const char *
read_uris(struct exchange *x, const struct mp_value *notifications, struct subscriber *s)
{
	bool offered = (subscribe_offered(x->front, x->scopes) & IPC_LISTS_RESOURCES) != 0;
	struct mp_value uris, uri;
	struct mp_iter it;

	if (!mp_get(notifications, "resourceSubscriptions", &uris))
		return NULL;
	if (uris.class != MP_ARRAY)
		return "resourceSubscriptions must be an array of URIs";
	it = mp_iter(&uris);
	while (mp_next(&it, &uri)) {
		if (uri.class != MP_STR)
			return "resourceSubscriptions must be an array of URIs";
		switch (offered ? subscriber_add_uri(x->front, s, uri.s) : SUBSCRIBE_DONE) {
		case SUBSCRIBE_INVALID:
			return "resourceSubscriptions must be an array of URIs of at most 2048 bytes";
		case SUBSCRIBE_TOO_MANY:
			return "these are more resources than can be subscribed to at once";
		case SUBSCRIBE_DONE:
			break;
		}
	}
	return NULL;
}

/* "notifications" of the acknowledgement: the granted part of the request. */
static void
put_granted(struct buf *out, const struct subscriber *s)
{
	json_put_object(out, "notifications");
	if ((s->lists & IPC_LISTS_TOOLS) != 0)
		json_put_bool(out, "toolsListChanged", true);
	if ((s->lists & IPC_LISTS_PROMPTS) != 0)
		json_put_bool(out, "promptsListChanged", true);
	if ((s->lists & IPC_LISTS_RESOURCES) != 0)
		json_put_bool(out, "resourcesListChanged", true);
	if (s->nuris > 0) {
		json_put_key(out, "resourceSubscriptions");
		subscriber_put_uris(s, out);
	}
	json_end_object(out);
}

static bool
acknowledge(struct exchange *x, const struct subscriber *s)
{
	struct buf *out = &x->out.text;

	buf_reset(out, SIZE_MAX);
	rpc_begin_notification(out, "notifications/subscriptions/acknowledged");
	put_granted(out, s);
	json_put_object(out, "_meta");
	json_put_raw(out, "io.modelcontextprotocol/subscriptionId", buf_view(&s->tag));
	for (unsigned i = 0; i < 3; i++)
		json_end_object(out);
	return x->transport->notify(x, buf_view(out));
}

/* The result that ends a stream. */
static void
listen_finish(struct listen *l)
{
	struct exchange *x = l->x;

	listen_free(l);
	mcp_answer_subscription(x);
}

void
handle_listen(struct exchange *x, const struct mp_value *params)
{
	struct listen *l;
	struct mp_value notifications;
	const char *problem;

	if (!mp_get(params, "notifications", &notifications) || notifications.class != MP_MAP) {
		mcp_error(x, 200, RPC_INVALID_PARAMS, "\"notifications\" must be an object", SPAN_NONE);
		return;
	}
	if (!share_allows(x->who->nlistens, x->front->listens.n, 1, SUBSCRIBE_LISTEN_MAX)) {
		mcp_error(x, 200, RPC_INTERNAL, "as many subscriptions are open as this server allows", SPAN_NONE);
		return;
	}
	l = mem_new(1, sizeof(*l));
	l->x = x;
	l->subscriber.send = listen_send;
	l->subscriber.who = x->who;
	l->subscriber.owner = l;
	buf_span(&l->subscriber.tag, buf_view(&x->id));
	exchange_wait(x, on_forget, l);
	LIST_INSERT_HEAD(&x->front->listens.list, l, of_front);
	x->front->listens.n++;
	x->who->nlistens++;
	subscriber_begin(x->front, &l->subscriber);
	if ((problem = read_lists(&notifications, &l->subscriber.lists)) != NULL ||
	    (problem = read_uris(x, &notifications, &l->subscriber)) != NULL) {
		listen_free(l);
		mcp_error(x, 200, RPC_INVALID_PARAMS, problem, SPAN_NONE);
		return;
	}
	l->subscriber.lists &= subscribe_offered(x->front, x->scopes);
	if (acknowledge(x, &l->subscriber) && l->subscriber.lists == 0 && l->subscriber.nuris == 0)
		listen_finish(l); /* nothing was granted: no notification could ever come */
}

void
listen_shutdown(struct front *f)
{
	struct listen *l;

	while ((l = LIST_FIRST(&f->listens.list)) != NULL)
		listen_finish(l);
}

/* Read the URI and find the client's subscriber.  False: the request was answered with an error. */
static bool
read_wish(struct exchange *x, const struct mp_value *params, struct subscriber **s, struct span *uri)
{
	*uri = mp_get_str(params, "uri", SPAN_NONE);
	*s = x->transport->subscriber == NULL ? NULL : x->transport->subscriber(x);
	if ((subscribe_offered(x->front, x->scopes) & IPC_LISTS_RESOURCES) == 0) {
		mcp_forbidden(x, tools_surface(x->front->tools, "resources_list")->policy->scopes);
		return false;
	}
	if (uri->p == NULL)
		mcp_error(x, 200, RPC_INVALID_PARAMS, "\"uri\" must be a string", SPAN_NONE);
	else if (*s == NULL)
		mcp_error(x, 200, RPC_INVALID_REQUEST, "subscribing needs a session", SPAN_NONE);
	return uri->p != NULL && *s != NULL;
}

void
handle_subscribe(struct exchange *x, const struct mp_value *params)
{
	struct subscriber *s;
	struct span uri;

	if (!read_wish(x, params, &s, &uri))
		return;
	switch (subscriber_add_uri(x->front, s, uri)) {
	case SUBSCRIBE_DONE:
		mcp_answer(x, SPAN_NONE);
		break;
	case SUBSCRIBE_INVALID:
		mcp_error(x, 200, RPC_INVALID_PARAMS, "\"uri\" must be a URI of at most 2048 bytes", SPAN_NONE);
		break;
	case SUBSCRIBE_TOO_MANY:
		mcp_error(x, 200, RPC_INTERNAL, "these are more resources than can be subscribed to at once",
		    SPAN_NONE);
		break;
	}
}

void
handle_unsubscribe(struct exchange *x, const struct mp_value *params)
{
	struct subscriber *s;
	struct span uri;

	if (!read_wish(x, params, &s, &uri))
		return;
	subscriber_remove_uri(x->front, s, uri);
	mcp_answer(x, SPAN_NONE);
}
