// libs: carrel_front_rig
/* test_front_calls.c - what becomes of calls when workers die, hang, lie or are busy. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

static struct rig *r;
static int fd;

static void
start(const struct rig_options *o)
{
	fake_shared->crashes = 0;
	r = rig_start(o);
	fd = rig_connect(r);
}

static void
stop(void)
{
	close(fd);
	rig_stop(r);
}

static void
send_call(int s, const char *tool, const char *args)
{
	struct buf body = { .max = 0 }, b = { .max = 0 };

	buf_printf(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" META
	    ",\"name\":\"%s\",\"arguments\":%s}}",
	    tool, args);
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n\r\n",
	    tool, body.len);
	buf_span(&b, buf_view(&body));
	rig_send_n(s, b.p, b.len);
	buf_fini(&b);
	buf_fini(&body);
}

static void
send_sql(int s, const char *connection, const char *sql)
{
	char args[256];

	snprintf(args, sizeof(args), "{\"connectionId\":\"%s\",\"sql\":\"%s\"}", connection, sql);
	send_call(s, "sql_execution", args);
}

static struct reply
sql(const char *text)
{
	send_sql(fd, "warehouse", text);
	return rig_read(fd);
}

static bool
pending(int s)
{
	struct pollfd p = { s, POLLIN, 0 };

	return poll(&p, 1, 0) == 0;
}

/* Wait until a worker has begun the call just sent. */
static void
until_begun(int before)
{
	rig_until(r, &fake_shared->begun, before + 1);
}

/* A death in the middle: the sibling answers, the client sees nothing of it. */
static void
test_second_try(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->crashes = 1;
	a = sql("crash");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* No sibling: the call waits for the respawned worker. */
static void
test_waits_for_respawn(void **state)
{
	struct reply a;
	int w;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	w = rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->crashes = 1;
	send_sql(fd, "warehouse", "crash");
	assert_true(rig_worker_ended(r, w));
	rig_detach(r, w, 1);
	assert_true(pending(fd));
	rig_worker(r, IPC_SQL, "warehouse");
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* Two deaths: worker_lost, and the statement is held back from then on, no other is. */
static void
test_quarantine(void **state)
{
	struct reply a;
	int first, second;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	first = rig_worker(r, IPC_SQL, "warehouse");
	second = rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->crashes = 2;
	a = sql("crash");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"worker_lost\"");
	assert_true(rig_worker_ended(r, first) && rig_worker_ended(r, second));
	rig_detach(r, first, 1);
	rig_detach(r, second, 1);
	rig_worker(r, IPC_SQL, "warehouse");
	a = sql("crash");
	assert_holds(a.body, "\"code\":\"quarantined\"");
	a = sql("one");
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* Deaths that were nobody's fault do not count. */
static void
test_no_quarantine(void **state)
{
	struct reply a;
	int first, second;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	first = rig_worker(r, IPC_SQL, "warehouse");
	second = rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->crashes = 2;
	a = sql("crash");
	assert_holds(a.body, "\"code\":\"worker_lost\"");
	assert_true(rig_worker_ended(r, first) && rig_worker_ended(r, second));
	rig_detach(r, first, 2);
	rig_detach(r, second, 2);
	rig_worker(r, IPC_SQL, "warehouse");
	a = sql("crash");
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* Say of workers that ended, and have not been told of, that they died so; of that many at most. */
static unsigned
tell_ends(unsigned cause, unsigned most)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nworkers && n < most; i++)
		if (r->workers[i].pid > 0 && waitpid(r->workers[i].pid, NULL, WNOHANG) == r->workers[i].pid) {
			r->workers[i].pid = 0;
			rig_detach(r, (int)i, cause);
			n++;
		}
	return n;
}

static void
until_told(unsigned n, unsigned cause)
{
	uint64_t end = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;

	for (unsigned told = 0; told < n; rig_pump(r, 5)) {
		assert_true(clock_ns() < end);
		told += tell_ends(cause, n - told);
	}
}

/* A whole pool that has to be replaced, a file that changed under four workers, costs the call nothing. */
static void
test_planned_ends(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	for (unsigned i = 0; i < 4; i++)
		rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->crashes = 4;
	send_sql(fd, "warehouse", "crash");
	until_told(4, 3);
	assert_true(pending(fd));
	rig_worker(r, IPC_SQL, "warehouse");
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* Planned ends do not make up for the others. */
static void
test_mixed_ends(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	for (unsigned i = 0; i < 4; i++)
		rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->crashes = 4;
	send_sql(fd, "warehouse", "crash");
	until_told(2, 3);
	until_told(2, 1);
	a = rig_read(fd);
	assert_holds(a.body, "\"code\":\"worker_lost\"");
	stop();
}

/* Workers that leave as often as they are asked do not keep a call for ever. */
static void
test_planned_ends_are_bounded(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	fake_shared->crashes = 100;
	rig_worker(r, IPC_SQL, "warehouse");
	send_sql(fd, "warehouse", "crash");
	for (unsigned i = 0; i < 3; i++) {
		until_told(1, 3);
		if (i < 2)
			rig_worker(r, IPC_SQL, "warehouse");
	}
	a = rig_read(fd);
	assert_holds(a.body, "\"code\":\"worker_lost\"");
	stop();
}

/* One connection's call and those of three more behind it, until that many of them were heard while it ran. */
static void
send_ahead(int behind[3], const char *first, int more)
{
	int begun, queued;

	for (unsigned tries = 0; tries < 200; tries++) {
		for (unsigned i = 0; i < 20; i++) /* calls have cost little lately */
			assert_int_equal(sql("one").status, 200);
		begun = fake_shared->begun;
		queued = fake_shared->queued;
		send_sql(fd, "warehouse", first);
		for (unsigned i = 0; i < 3; i++)
			send_sql(behind[i], "warehouse", "one");
		until_begun(begun);
		rig_sync(r);
		if (fake_shared->queued >= queued + more)
			return;
		/* They came too late for it: another time. */
		fake_shared->let = 1;
		(void)rig_read(fd);
		for (unsigned i = 0; i < 3; i++)
			(void)rig_read(behind[i]);
	}
	fail_msg("no call was sent ahead");
}

/* Short calls wait at their worker; when the running one turns out long, another worker has them. */
static void
test_sent_ahead(void **state)
{
	int behind[3], begun, late;
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	for (unsigned i = 0; i < 3; i++)
		behind[i] = rig_connect(r);
	send_ahead(behind, "wait", 1);
	begun = fake_shared->begun;
	late = fake_shared->late;
	rig_worker(r, IPC_SQL, "warehouse");
	for (unsigned i = 0; i < 3; i++) {
		a = rig_read(behind[i]);
		assert_holds(a.body, "\"rowCount\":1");
	}
	assert_true(pending(fd));
	/* One that was taken back too late is begun again: it reads. */
	assert_true(fake_shared->begun - begun <= 3 + fake_shared->late - late);
	fake_shared->let = 1;
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	/* The worker that had them goes on, and so do their connections. */
	for (unsigned i = 0; i < 3; i++) {
		send_sql(behind[i], "warehouse", "one");
		a = rig_read(behind[i]);
		assert_holds(a.body, "\"rowCount\":1");
	}
	for (unsigned i = 0; i < 3; i++)
		close(behind[i]);
	stop();
}

/* A client that leaves takes its call from the queue of a worker, and nobody else's. */
static void
test_leaves_from_ahead(void **state)
{
	int behind[3];

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	for (unsigned i = 0; i < 3; i++)
		behind[i] = rig_connect(r);
	send_ahead(behind, "wait", 1);
	close(behind[0]);
	rig_sync(r);
	fake_shared->let = 1;
	for (unsigned i = 1; i < 3; i++)
		assert_holds(rig_read(behind[i]).body, "\"rowCount\":1");
	assert_holds(rig_read(fd).body, "\"rowCount\":1");
	close(behind[1]);
	close(behind[2]);
	stop();
}

/* A death with others behind the running call counts against no statement: each is run alone after it. */
static void
test_death_with_calls_ahead(void **state)
{
	int behind[3], dead, queued;
	bool seen = false;

	(void)state;
	for (unsigned tries = 0; tries < 200 && !seen; tries++) {
		start(&(struct rig_options){ .token = NULL });
		dead = rig_worker(r, IPC_SQL, "warehouse");
		for (unsigned i = 0; i < 20; i++)
			assert_int_equal(sql("one").status, 200);
		queued = fake_shared->queued;
		fake_shared->crashes = 1;
		send_sql(fd, "warehouse", "crash late");
		for (unsigned i = 0; i < 3; i++) {
			behind[i] = rig_connect(r);
			send_sql(behind[i], "warehouse", "one");
		}
		assert_true(rig_worker_ended(r, dead));
		seen = fake_shared->queued > queued;
		rig_detach(r, dead, 1);
		dead = rig_worker(r, IPC_SQL, "warehouse");
		assert_holds(rig_read(fd).body, "\"rowCount\":1");
		for (unsigned i = 0; i < 3; i++) {
			assert_holds(rig_read(behind[i]).body, "\"rowCount\":1");
			close(behind[i]);
		}
		if (seen) {
			fake_shared->crashes = 1;
			send_sql(fd, "warehouse", "crash late");
			assert_true(rig_worker_ended(r, dead));
			rig_detach(r, dead, 1);
			rig_worker(r, IPC_SQL, "warehouse");
			assert_holds(rig_read(fd).body, "\"rowCount\":1");
		}
		stop();
	}
	assert_true(seen);
}

/* Calls do not run one by one after a worker that meant to end. */
static void
test_planned_end_and_calls_ahead(void **state)
{
	int behind[3], w;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	for (unsigned i = 0; i < 3; i++)
		behind[i] = rig_connect(r);
	w = rig_worker(r, IPC_SQL, "warehouse");
	for (unsigned i = 0; i < 3; i++) {
		fake_shared->crashes = 1;
		send_sql(fd, "warehouse", "crash");
		assert_true(rig_worker_ended(r, w));
		rig_detach(r, w, IPC_DETACH_PLANNED);
		w = rig_worker(r, IPC_SQL, "warehouse");
		assert_holds(rig_read(fd).body, "\"rowCount\":1");
	}
	send_ahead(behind, "wait", 1);
	fake_shared->let = 1;
	assert_holds(rig_read(fd).body, "\"rowCount\":1");
	for (unsigned i = 0; i < 3; i++) {
		assert_holds(rig_read(behind[i]).body, "\"rowCount\":1");
		close(behind[i]);
	}
	stop();
}

/* A tool that writes is never sent twice. */
static void
test_writes_once(void **state)
{
	struct reply a;
	int w, begun;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	w = rig_worker(r, IPC_MEMORY, "");
	rig_worker(r, IPC_MEMORY, "");
	fake_shared->ingested = 0;
	begun = fake_shared->begun;
	send_call(fd, "memory_ingest", "{\"content\":\"wait\"}");
	until_begun(begun);
	for (unsigned i = 0; i < r->nworkers; i++)
		kill(r->workers[i].pid, SIGKILL);
	a = rig_read(fd);
	assert_holds(a.body, "\"code\":\"worker_lost\"");
	assert_holds(a.body, "not known");
	assert_int_equal(fake_shared->ingested, 0);
	assert_true(rig_worker_ended(r, w));
	stop();
}

/* Whoever leaves stops the work, also before a byte of an answer was sent. */
static void
test_disconnect_cancels(void **state)
{
	int other, before, begun;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	before = fake_shared->cancels;
	begun = fake_shared->begun;
	other = rig_connect(r);
	send_sql(other, "warehouse", "wait");
	until_begun(begun);
	close(other);
	rig_until(r, &fake_shared->cancels, before + 1);
	/* the worker is free for the next */
	assert_int_equal(sql("one").status, 200);
	stop();
}

/* What writes is finished all the same: nobody could say how far it had come. */
static void
test_disconnect_spares_writes(void **state)
{
	int other, before, begun;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_MEMORY, "");
	before = fake_shared->ingested;
	begun = fake_shared->begun;
	other = rig_connect(r);
	send_call(other, "memory_ingest", "{\"content\":\"wait\"}");
	until_begun(begun);
	close(other);
	rig_sync(r);
	fake_shared->let = 1;
	rig_until(r, &fake_shared->ingested, before + 1);
	stop();
}

/* The worker is past its deadline: the front answers in its stead, once, and complains. */
static void
test_timeout(void **state)
{
	struct reply a;
	uint64_t began;

	(void)state;
	start(&(struct rig_options){ .sql_timeout_ms = 300 });
	rig_worker(r, IPC_SQL, "warehouse");
	began = clock_ns();
	a = sql("hang");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"query_timeout\"");
	assert_true(clock_ns() - began >= 800 * CLOCK_MS);
	for (int i = 0; i < 100 && r->complaints == 0; i++)
		rig_pump(r, 20);
	assert_int_equal(r->complaints, 1);
	assert_int_equal(r->complaint_reason, 2);
	assert_int_equal(r->complained, r->workers[0].generation);
	/* the supervisor's kill, and a new worker */
	kill(r->workers[0].pid, SIGKILL);
	rig_detach(r, 0, 1);
	rig_worker(r, IPC_SQL, "warehouse");
	a = sql("one");
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* A worker that lies is complained of and dropped; its call is served elsewhere. */
static void
test_broken_peers(void **state)
{
	static const char *const lies[] = { "stray", "garbage" };
	struct reply a;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		start(&(struct rig_options){ .token = NULL });
		rig_worker(r, IPC_SQL, "warehouse");
		a = sql("one");
		assert_int_equal(a.status, 200);
		send_sql(fd, "warehouse", lies[i]);
		for (int k = 0; k < 500 && r->complaints == 0; k++)
			rig_pump(r, 10);
		assert_int_equal(r->complaints, 1);
		assert_int_equal(r->complaint_reason, 1);
		/* the call waits for a worker that can be trusted; it gets one that lies too */
		rig_worker(r, IPC_SQL, "warehouse");
		a = rig_read(fd);
		assert_holds(a.body, "\"code\":\"worker_lost\"");
		stop();
	}
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	a = sql("twice"); /* the first answer counts, the second breaks the peer */
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"structuredContent\":{}");
	for (int k = 0; k < 500 && r->complaints == 0; k++)
		rig_pump(r, 10);
	assert_int_equal(r->complaints, 1);
	stop();
}

/*
 * One that was taken over costs itself alone: neither the front's memory, nor
 * the life of the worker that its rows go to.
 */
static void
test_taken_over_workers(void **state)
{
	static const char *const queries[] = { "{\"query\":\"overdraw\"}", "{\"query\":\"insatiable\"}" };
	struct reply a;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		start(&(struct rig_options){ .token = NULL });
		rig_worker(r, IPC_SQL, "warehouse");
		rig_worker(r, IPC_SEARCH, "");
		send_call(fd, "discover_data", queries[i]);
		/* Past its deadline it may be before that. */
		for (int k = 0; k < 6000 && r->complaint_reason != 1; k++)
			rig_pump(r, 10);
		assert_int_equal(r->complaint_reason, 1);
		/* The front goes on. */
		close(fd);
		fd = rig_connect(r);
		if (i == 0)
			rig_worker(r, IPC_SQL, "warehouse");
		a = sql("one");
		assert_holds(a.body, "\"rowCount\":1");
		stop();
	}
}

/* Known, but without a worker: the reason the supervisor gave. */
static void
test_unavailable(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_state(r, "warehouse", 3, "connection refused by 10.0.0.9");
	a = sql("one");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"database_unavailable\"");
	assert_holds(a.body, "connection refused by 10.0.0.9");
	/* the others go on */
	rig_worker(r, IPC_SQL, "other");
	send_sql(fd, "other", "one");
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* One call at a time per worker; the rest wait their turn, in order. */
static void
test_queue(void **state)
{
	int fds[12];

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SQL, "warehouse");
	for (int i = 0; i < 12; i++) {
		fds[i] = rig_connect(r);
		send_sql(fds[i], "warehouse", i == 0 ? "wait" : "one");
	}
	fake_shared->let = 1;
	for (int i = 0; i < 12; i++) {
		struct reply a = rig_read(fds[i]);

		assert_holds(a.body, "\"rowCount\":1");
		close(fds[i]);
	}
	stop();
}

/* Wait until the front says that so many calls are in flight. */
static void
until_in_flight(unsigned n)
{
	int local = rig_local(r);
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;
	struct timeval patience = { 0, 50000 };
	char wanted[32];
	bool seen = false;

	setsockopt(local, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	snprintf(wanted, sizeof(wanted), "\"inFlight\":%u,", n);
	rig_send(local, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"carrel/hello\",\"params\":{\"client\":\"cli\"}}\n");
	while (!seen && clock_ns() < until) {
		rig_send(local, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"carrel/status\"}\n");
		rig_pump(r, 20);
		seen = strstr(rig_line(local), wanted) != NULL;
	}
	close(local);
	assert_true(seen);
}

static void
test_in_flight_limit(void **state)
{
	int fds[4];
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .in_flight = 4 });
	rig_worker(r, IPC_SQL, "warehouse");
	for (int i = 0; i < 4; i++) {
		fds[i] = rig_connect(r);
		send_sql(fds[i], "warehouse", "wait");
	}
	until_in_flight(4);
	a = sql("one");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"rate_limited\"");
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	until_in_flight(0);
	a = sql("one");
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* Same id, same moment, two connections: each gets its own. */
static void
test_ids_do_not_route(void **state)
{
	int a = -1, b = -1;
	struct reply x, y;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SQL, "warehouse");
	a = rig_connect(r);
	b = rig_connect(r);
	send_sql(a, "warehouse", "rows 7");
	send_sql(b, "warehouse", "rows 9");
	x = rig_read(a);
	assert_holds(x.body, "\"rowCount\":7");
	y = rig_read(b);
	assert_holds(y.body, "\"rowCount\":9");
	close(a);
	close(b);
	stop();
}

/* limits.result_bytes holds in the front too, whatever a worker sends. */
static void
test_result_too_large(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .result_bytes = 1024, .result_memory = 3 << 20 });
	rig_worker(r, IPC_SQL, "warehouse");
	a = sql("rows 5000 1000");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"result_too_large\"");
	a = sql("one");
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

/* Results that nobody reads hold memory, but only so much of it in all. */
static void
test_slow_readers(void **state)
{
	int fds[64];
	int n = 0;
	struct reply a = { .status = 0 };
	bool busy = false;

	(void)state;
	start(&(struct rig_options){ .result_bytes = 8 << 20, .result_memory = 12 << 20 });
	rig_worker(r, IPC_SQL, "warehouse");
	/* The kernel takes a part of each result, and a reader may be refused itself: more come until it is full. */
	for (int i = 0; i < 1000 && !busy; i++) {
		for (; n < 64 && n < 8 * (i + 1); n++) {
			int small = 4096;

			fds[n] = rig_connect(r);
			setsockopt(fds[n], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
			send_sql(fds[n], "warehouse", "rows 5000 1000");
		}
		a = sql("rows 5000 1000");
		assert_int_equal(a.status, 200);
		busy = strstr(a.body, "\"code\":\"busy\"") != NULL;
	}
	assert_true(busy);
	while (n > 0)
		close(fds[--n]);
	for (int i = 0; i < 500; i++) {
		a = sql("rows 5000 1000");
		if (strstr(a.body, "\"rowCount\":5000") != NULL)
			break;
		rig_pump(r, 10);
	}
	assert_holds(a.body, "\"rowCount\":5000");
	stop();
}

/* A client that reads a large result slowly still gets all of it. */
static void
test_dripping_reader(void **state)
{
	int slow, small = 32768;
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	slow = rig_connect(r);
	setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	send_sql(slow, "warehouse", "rows 3000 700");
	rig_sync(r);
	a = rig_read(slow);
	assert_true(a.chunked);
	assert_holds(a.body, "[2999,\\\"xxx");
	assert_holds(a.body, "[2999,\"xxx");
	assert_true(a.len > 2 * 3000 * 700);
	close(slow);
	stop();
}

/* On purpose: what is being served is finished, new calls go to the other. */
static void
test_retire(void **state)
{
	struct reply a;
	int old, begun = fake_shared->begun;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	old = rig_worker(r, IPC_SQL, "warehouse");
	send_sql(fd, "warehouse", "wait");
	until_begun(begun);
	rig_detach(r, old, 3);
	rig_worker(r, IPC_SQL, "warehouse");
	fake_shared->let = 1;
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	assert_true(rig_worker_ended(r, old)); /* the front closed its end once all was answered */
	a = sql("one");
	assert_holds(a.body, "\"rowCount\":1");
	stop();
}

static void
test_drain(void **state)
{
	int begun = fake_shared->begun;
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	send_sql(fd, "warehouse", "wait");
	until_begun(begun);
	rig_say(r, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = 5000 });
	rig_sync(r);
	fake_shared->let = 1;
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	assert_non_null(strstr(a.head, "Connection: close"));
	assert_int_equal(rig_end(r, 0), EXIT_STOPPED);
	stop();
}

static void
test_orphan(void **state)
{
	(void)state;
	start(&(struct rig_options){ .token = NULL });
	shutdown(r->control, SHUT_RDWR);
	assert_int_equal(rig_end(r, 0), EXIT_ORPHANED);
	stop();
}

static void
test_ping(void **state)
{
	(void)state;
	start(&(struct rig_options){ .token = NULL });
	r->pongs = 0;
	rig_sync(r);
	assert_int_equal(r->pongs, 1);
	stop();
}

/* The asker dies: what it asked for is cancelled, and its call is tried again. */
static void
test_asker_dies(void **state)
{
	struct reply a;
	int asker, before, begun = fake_shared->begun;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	asker = rig_worker(r, IPC_SEARCH, "");
	before = fake_shared->cancels;
	send_call(fd, "discover_data", "{\"query\":\"wait\"}");
	until_begun(begun + 1); /* the sub-call too */
	kill(r->workers[asker].pid, SIGKILL);
	assert_true(rig_worker_ended(r, asker));
	rig_until(r, &fake_shared->cancels, before + 1);
	fake_shared->let = 1;
	rig_worker(r, IPC_SEARCH, "");
	a = rig_read(fd);
	assert_holds(a.body, "\"counted\":1");
	stop();
}

/* The front stops while a worker's question to another is under way: both calls are freed, each once. */
static void
test_stops_beside_a_sub_call(void **state)
{
	int begun = fake_shared->begun;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	send_call(fd, "discover_data", "{\"query\":\"wait\"}");
	until_begun(begun + 1);
	/* Of a second one the statement waits for the only worker. */
	send_call(fd, "discover_data", "{\"query\":\"wait\"}");
	assert_int_equal(rig_end(r, 1), 0);
	stop();
}

/* How the question of a run ended that came with this content. */
static int
asked_by_run(const char *content)
{
	char args[64];
	struct reply a;

	fake_shared->asked = -1;
	snprintf(args, sizeof(args), "{\"content\":\"%s\"}", content);
	send_call(fd, "memory_ingest", args);
	a = rig_read(fd);
	assert_holds(a.body, "runId");
	for (unsigned i = 0; fake_shared->asked == -1; i++) {
		assert_true(i < 2000);
		rig_pump(r, 5);
	}
	return fake_shared->asked;
}

/* A run asks by its ticket when its call has long ended, whichever front and worker there are by then; nobody else does. */
static void
test_a_run_asks_by_its_ticket(void **state)
{
	struct reply a;
	unsigned len;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_MEMORY, "");
	assert_int_equal(asked_by_run("later"), ERR_NONE);
	/* Outside of a call nothing is asked without, but what memory asks of carrel-auth in its own name. */
	assert_int_equal(asked_by_run("none"), ERR_SCOPE_DENIED);
	stop();

	/* Another front, other workers; the key is the project's. */
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_MEMORY, "");
	rig_worker(r, IPC_SEARCH, "");
	assert_int_equal(asked_by_run("kept"), ERR_NONE);
	len = fake_shared->ticket_len;
	assert_true(len > 0);
	for (unsigned at = 0; at < len; at += 7) {
		char content[32];

		snprintf(content, sizeof(content), "forged %u", at);
		assert_int_equal(asked_by_run(content), ERR_SCOPE_DENIED);
	}

	/* The search worker may ask within calls of its own only. */
	fake_shared->asked = -1;
	send_call(fd, "discover_data", "{\"query\":\"kept\"}");
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_int_equal(fake_shared->asked, ERR_SCOPE_DENIED);
	stop();
}

/* A statement that is wrong or refused names the notes on its connection's SQL; other failures do not. */
static void
test_refused_sql_points_to_the_dialect(void **state)
{
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	a = sql("nonsense");
	assert_holds(a.body, "invalid_sql");
	assert_holds(a.body, "\"dialect\":\"carrel://dialect/warehouse\"");
	send_sql(fd, "nowhere", "nonsense");
	a = rig_read(fd);
	assert_holds(a.body, "connection_not_found");
	assert_null(strstr(a.body, "dialect"));
	stop();
}

/* No connection has so long a name, nor do messages have room for it. */
static void
test_long_connection(void **state)
{
	char name[IPC_CONNECTION_MAX + 33], args[256];
	struct reply a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	send_sql(fd, name, "SELECT 1");
	a = rig_read(fd);
	assert_holds(a.body, "connection_not_found");
	assert_holds(a.body, name);
	snprintf(args, sizeof(args), "{\"connectionId\":\"%s\"}", name);
	send_call(fd, "connection_list", args);
	assert_int_equal(rig_read(fd).status, 200);
	assert_int_equal(sql("SELECT 1").status, 200);
	stop();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_second_try),
		cmocka_unit_test(test_a_run_asks_by_its_ticket),
		cmocka_unit_test(test_refused_sql_points_to_the_dialect),
		cmocka_unit_test(test_long_connection),
		cmocka_unit_test(test_waits_for_respawn),
		cmocka_unit_test(test_quarantine),
		cmocka_unit_test(test_no_quarantine),
		cmocka_unit_test(test_planned_ends),
		cmocka_unit_test(test_mixed_ends),
		cmocka_unit_test(test_planned_ends_are_bounded),
		cmocka_unit_test(test_sent_ahead),
		cmocka_unit_test(test_leaves_from_ahead),
		cmocka_unit_test(test_death_with_calls_ahead),
		cmocka_unit_test(test_planned_end_and_calls_ahead),
		cmocka_unit_test(test_writes_once),
		cmocka_unit_test(test_disconnect_cancels),
		cmocka_unit_test(test_disconnect_spares_writes),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_broken_peers),
		cmocka_unit_test(test_taken_over_workers),
		cmocka_unit_test(test_unavailable),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_in_flight_limit),
		cmocka_unit_test(test_ids_do_not_route),
		cmocka_unit_test(test_result_too_large),
		cmocka_unit_test(test_slow_readers),
		cmocka_unit_test(test_dripping_reader),
		cmocka_unit_test(test_retire),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_orphan),
		cmocka_unit_test(test_ping),
		cmocka_unit_test(test_asker_dies),
		cmocka_unit_test(test_stops_beside_a_sub_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
