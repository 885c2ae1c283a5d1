/* status.c - see status.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "front/conn.h"
#include "front/local_client.h"
#include "front/status.h"

struct status_wait {
	TAILQ_ENTRY(status_wait)	 next;
	struct exchange		*x;
	uint64_t		 serial, due;
};

struct statuses {
	TAILQ_HEAD(status_waits, status_wait) waits;
	uint64_t		serial;
};

struct statuses *
statuses_new(void)
{
	struct statuses *s = mem_new(1, sizeof(*s));

	TAILQ_INIT(&s->waits);
	return s;
}

static void
forget_report(struct statuses *s, struct status_wait *a)
{
	TAILQ_REMOVE(&s->waits, a, next);
	free(a);
}

void
statuses_free(struct statuses *s)
{
	struct status_wait *a;

	if (s == NULL)
		return;
	while ((a = TAILQ_FIRST(&s->waits)) != NULL)
		forget_report(s, a);
	free(s);
}

static void
put_front(struct front *f, struct buf *out)
{
	const struct figures *g = &f->figures;

	buf_printf(out,
	    "\"front\":{\"connections\":%u,\"localClients\":%u,\"sessions\":%zu,\"inFlight\":%u,"
	    "\"resultBytes\":%" PRIu64 ",\"requests\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"calls\":%" PRIu64
	    ",\"failed\":%" PRIu64 ",\"cancelled\":%" PRIu64 ",\"upSeconds\":%" PRIu64 ",\"degraded\":%s,",
	    conns_count(f->conns), locals_count(f->locals), sessions_known(f->sessions), router_in_flight(f->router),
	    f->results.used, g->requests, g->refused, g->calls, g->failed, g->cancelled,
	    (clock_unix_ms() - g->began_unix_ms) / 1000, f->degraded ? "true" : "false");
	router_put_status(f->router, out);
	buf_byte(out, '}');
}

static void
status_answer(struct front *f, struct status_wait *a, struct span status)
{
	struct exchange *x = a->x;
	struct buf out = { .max = 0 };
	struct mp_value map, v;
	struct mp_iter it;
	struct span key;

	forget_report(f->statuses, a);
	exchange_end_wait(x);
	if (status.len > 0 && mp_value(status, &map)) {
		it = mp_iter(&map);
		while (mp_next_pair(&it, &key, &v)) {
			if (span_is_str(key, "front"))
				continue;
			json_write_string(&out, key);
			buf_byte(&out, ':');
			json_write(&out, &v);
			buf_byte(&out, ',');
		}
	}
	put_front(f, &out);
	mcp_answer(x, buf_view(&out));
	buf_fini(&out);
}

static void
on_forget(struct exchange *x)
{
	forget_report(x->front->statuses, x->waiting.of);
}

void
status_ask(struct front *f, struct exchange *x)
{
	struct status_wait *a = mem_new(1, sizeof(*a));

	a->x = x;
	a->serial = ++f->statuses->serial;
	a->due = clock_ns() + STATUS_WAIT_MS * CLOCK_MS;
	exchange_wait(x, on_forget, a);
	TAILQ_INSERT_TAIL(&f->statuses->waits, a, next);
	if (!control_ask_status(f, a->serial))
		status_answer(f, a, (struct span){ NULL, 0 });
}

void
status_take(struct front *f, uint64_t serial, struct span status)
{
	struct status_wait *a;

	TAILQ_FOREACH(a, &f->statuses->waits, next)
		if (a->serial == serial) {
			status_answer(f, a, status);
			return;
		}
}

void
status_tick(struct front *f, uint64_t now)
{
	struct status_wait *a;

	while ((a = TAILQ_FIRST(&f->statuses->waits)) != NULL && a->due <= now)
		status_answer(f, a, (struct span){ NULL, 0 });
}
