/*
 * main.c - carrel-telemetry: hears of calls and metrics, and posts them.
 *
 * Fronts write to their channels without waiting, so what this process does not read in time is lost there, and
 * counted.  Here spans wait in one buffer of at most WAITING_MAX bytes; what comes while it is full is dropped, and
 * counted as well.  Of the metrics only the newest wait.  There is one request at a time.  It is sent again, after
 * pauses that grow, while the receiver is away or busy; the spans of a request that it refuses are dropped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <sodium.h>

#include "base/mp.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "ipc/control.h"
#include "policy/metrics.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"
#include "workers/telemetry/otlp_metrics.h"
#include "workers/telemetry/otlp_post.h"
#include "workers/telemetry/otlp_spans.h"

#define WAITING_MAX	((size_t)4 << 20)	/* bytes of spans that wait */
#define REQUEST_MAX	((size_t)8 << 20)
#define GATHER_NS	CLOCK_SECOND		/* spans wait for others that long */
#define FRONTS_MAX	64u
#define READ_MAX	256u			/* messages of one front at a time */
#define AGAIN_FIRST_MS	1000u
#define AGAIN_LAST_MS	60000u
#define BUSY_MS		10u			/* between looks at a request under way */

struct telemetry {
	struct otlp_post	 post;
	struct otlp_service	 service;
	struct buf		 instance, drivers;
	uint64_t		 started_ns, sample;
	bool			 on;
	int			 epoll, fds[FRONTS_MAX];	/* -1: free */

	struct buf		 spans, body, metrics, heard;
	size_t			 nwaiting, nsending;	/* spans in each */
	uint64_t		 first_ns;		/* when the oldest of the waiting ones came */
	uint64_t		 pause_ms, quiet_until_ns;
	bool			 sends_spans, complained;

	uint64_t		 sent, dropped, failed;
	bool			 changed;		/* since they were reported */
};

static struct telemetry telemetry;

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max, bool *best_effort,
    struct err *err)
{
	const struct ipc_configure_telemetry *m = msg;
	struct telemetry *t = &telemetry;

	(void)places;
	*t = (struct telemetry){ .sample = m->sample, .on = m->url.len > 0, .spans = BUF_MAX(WAITING_MAX),
		.body = BUF_MAX(REQUEST_MAX), .epoll = epoll_create1(EPOLL_CLOEXEC),
		.started_ns = m->started_unix_ms * CLOCK_MS };
	memset(t->fds, -1, sizeof(t->fds));
	buf_span(&t->instance, m->instance);
	buf_span(&t->drivers, m->drivers);
	t->service.instance = buf_view(&t->instance);
	*state = t;
	*memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	if (t->epoll < 0 || sodium_init() < 0)
		return err_set(err, ERR_INTERNAL, "no descriptor for the channels: %s", strerror(errno));
	return otlp_post_open(&t->post, m, err);
}

static void
telemetry_report(struct telemetry *t)
{
	struct buf map = { 0 };

	if (!t->changed)
		return;
	t->changed = false;
	mp_put_pairs(&map, mp_uint("sent", t->sent), mp_uint("dropped", t->dropped), mp_uint("failed", t->failed));
	serve_report(buf_view(&map));
	buf_fini(&map);
}

static void
drop_spans(struct telemetry *t, uint64_t n)
{
	t->dropped += n;
	t->changed = t->changed || n > 0;
}

/* The driver of a connection, borrowed from the configuration. */
static struct span
driver_of(const struct telemetry *t, struct span connection)
{
	struct mp_value map, value;
	struct mp_iter it;
	struct span key;

	if (connection.len > 0 && mp_value(buf_view(&t->drivers), &map))
		for (it = mp_iter(&map); mp_next_pair(&it, &key, &value);)
			if (span_is(key, connection) && value.class == MP_STR)
				return value.s;
	return SPAN("");
}

/* The caller's decision holds; without one chance decides. */
static bool
is_sampled(const struct telemetry *t, const struct ipc_observed *m)
{
	return m->sampled != 2 ? m->sampled == 1 : t->sample >= 1000 || randombytes_uniform(1000) < t->sample;
}

static void
take_call(struct telemetry *t, const struct ipc_observed *m)
{
	const struct span driver = driver_of(t, m->connection);
	const size_t before = t->spans.len;
	struct ipc_observed told = *m;
	unsigned n;

	if (!t->on || !is_sampled(t, m))
		return;
	if (driver.len == 0) /* a caller may name as a connection what it likes */
		told.connection = SPAN("");
	n = otlp_spans_put(&t->spans, &told, driver);
	if (t->spans.full) { /* what was there is whole */
		t->spans.len = before;
		t->spans.full = false;
		drop_spans(t, n);
		return;
	}
	if (t->nwaiting == 0)
		t->first_ns = clock_ns();
	t->nwaiting += n;
}

static void
close_front(struct telemetry *t, unsigned i)
{
	close(t->fds[i]);
	t->fds[i] = -1;
}

static void
read_front(struct telemetry *t, unsigned i)
{
	for (unsigned n = 0; n < READ_MAX && t->fds[i] >= 0; n++) {
		struct ipc_frame frame;
		enum ipc_fault fault;
		union ipc_any m;
		int passed;
		enum channel_status status = control_recv(t->fds[i], &t->heard, &frame, &passed, &fault);

		if (status == CHANNEL_MORE)
			return;
		if (status == CHANNEL_FRAME && passed >= 0)
			close(passed);
		/* A front that breaks the protocol loses its channel: others are served on. */
		if (status != CHANNEL_FRAME ||
		    ipc_unpack_any(frame.type, IPC_FRONT, IPC_TELEMETRY, frame.body, &m) != IPC_OK)
			close_front(t, i);
		else
			take_call(t, &m.observed);
	}
}

static void
take_spans(void *state, int fd)
{
	struct telemetry *t = state;
	struct epoll_event ready = { .events = EPOLLIN };
	unsigned i = 0;

	while (i < FRONTS_MAX && t->fds[i] >= 0)
		i++;
	if (i == FRONTS_MAX || epoll_ctl(t->epoll, EPOLL_CTL_ADD, fd, &ready) != 0) {
		close(fd);
		return;
	}
	t->fds[i] = fd;
}

static void
take_measured(void *state, const struct ipc_measured *msg)
{
	struct telemetry *t = state;

	buf_reset(&t->metrics, SIZE_MAX);
	if (t->on)
		buf_span(&t->metrics, msg->metrics);
}

static void
take_connection(void *state, enum ipc_outside place, uint64_t serial, int fd)
{
	if (place == IPC_OUTSIDE_TELEMETRY)
		otlp_post_dialled(&((struct telemetry *)state)->post, serial, fd);
	else
		close(fd);
}

static void
begin_spans(struct telemetry *t)
{
	buf_reset(&t->body, REQUEST_MAX);
	t->body.max = REQUEST_MAX;
	otlp_spans_request(&t->body, &t->service, buf_view(&t->spans));
	buf_reset(&t->spans, WAITING_MAX);
	t->spans.max = WAITING_MAX;
	t->nsending = t->nwaiting;
	t->nwaiting = 0;
	t->sends_spans = true;
	otlp_post_begin(&t->post, "/v1/traces", buf_view(&t->body));
}

static void
begin_metrics(struct telemetry *t)
{
	struct metrics *m = metrics_new();
	struct buf own = { 0 };

	metrics_take(m, buf_view(&t->metrics), METRIC_BY_FRONT | METRIC_BY_SUPERVISOR, METRIC_ALL);
	mp_put_pairs(&own, mp_uint("sent", t->sent), mp_uint("dropped", t->dropped), mp_uint("failed", t->failed));
	metrics_take_report(m, METRIC_BY_TELEMETRY, buf_view(&own));
	buf_reset(&t->metrics, SIZE_MAX);
	buf_reset(&t->body, REQUEST_MAX);
	t->body.max = REQUEST_MAX;
	otlp_metrics_request(&t->body, &t->service, m, t->started_ns, clock_unix_ms() * CLOCK_MS);
	metrics_free(m);
	buf_fini(&own);
	t->sends_spans = false;
	otlp_post_begin(&t->post, "/v1/metrics", buf_view(&t->body));
}

/* The request failed: say so once until one succeeds again. */
static void
note_failure(struct telemetry *t)
{
	t->failed++;
	t->changed = true;
	if (!t->complained)
		log_warn("telemetry could not be sent: %s; calls are not affected, and data that cannot be queued is "
			 "dropped and counted",
		    t->post.why);
	t->complained = true;
}

static void
note_outcome(struct telemetry *t, enum post_outcome outcome)
{
	if (outcome == POST_DONE) {
		if (t->complained)
			log_info("telemetry is sent again");
		t->complained = false;
		t->pause_ms = 0;
		t->sent += t->sends_spans ? t->nsending : 0;
		t->changed = true;
		t->nsending = 0;
		return;
	}
	note_failure(t);
	t->pause_ms = t->pause_ms == 0      ? AGAIN_FIRST_MS :
	    t->pause_ms < AGAIN_LAST_MS / 2 ? 2 * t->pause_ms :
					      AGAIN_LAST_MS;
	if (t->post.retry_ms > t->pause_ms)
		t->pause_ms = t->post.retry_ms;
	t->quiet_until_ns = clock_ns() + t->pause_ms * CLOCK_MS;
	if (outcome == POST_REFUSED || !t->sends_spans) {
		drop_spans(t, t->sends_spans ? t->nsending : 0);
		t->nsending = 0;
	}
}

static void
telemetry_send(struct telemetry *t)
{
	const enum post_outcome outcome = otlp_post_go_on(&t->post);
	const uint64_t now = clock_ns();

	if (outcome == POST_WORKING)
		return;
	if (outcome != POST_IDLE)
		note_outcome(t, outcome);
	if (now < t->quiet_until_ns)
		return;
	if (t->nsending > 0) /* once more */
		otlp_post_begin(&t->post, "/v1/traces", buf_view(&t->body));
	else if (t->nwaiting > 0 && now - t->first_ns >= GATHER_NS)
		begin_spans(t);
	else if (t->metrics.len > 0)
		begin_metrics(t);
}

static void
telemetry_idle(void *state)
{
	struct telemetry *t = state;

	for (unsigned i = 0; i < FRONTS_MAX; i++)
		if (t->fds[i] >= 0)
			read_front(t, i);
	if (t->on)
		telemetry_send(t);
	telemetry_report(t);
}

static unsigned
telemetry_idle_ms(void *state)
{
	return ((struct telemetry *)state)->post.working ? BUSY_MS : 200;
}

static int
telemetry_watch(void *state)
{
	return ((struct telemetry *)state)->epoll;
}

static void
telemetry_close(void *state)
{
	struct telemetry *t = state == NULL ? &telemetry : state;

	otlp_post_close(&t->post);
	for (unsigned i = 0; i < FRONTS_MAX; i++)
		if (t->fds[i] >= 0)
			close_front(t, i);
	close(t->epoll);
	buf_fini(&t->instance);
	buf_fini(&t->drivers);
	buf_fini(&t->spans);
	buf_fini(&t->body);
	buf_fini(&t->metrics);
	buf_fini(&t->heard);
}

static const struct role telemetry_role = {
	.role = IPC_TELEMETRY,
	.configure = IPC_MSG_CONFIGURE_TELEMETRY,
	.configure_size = sizeof(struct ipc_configure_telemetry),
	.configure_with = configure_with,
	.idle = telemetry_idle,
	.idle_ms = telemetry_idle_ms,
	.watch = telemetry_watch,
	.dialled = take_connection,
	.spans = take_spans,
	.measured = take_measured,
	.close = telemetry_close,
};

int
main(void)
{
	return child_main(&telemetry_role);
}
