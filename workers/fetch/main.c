/* main.c - carrel-fetch: makes one request for carrel-auth, then exits. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/net.h"
#include "policy/client_document.h"
#include "workers/fetch/document_check.h"
#include "workers/fetch/identity.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"
#include "ipc/control.h"

#define IDLE_MS		1000u
#define NO_REDIRECTS	SPAN("\x90")	/* an empty array */

struct fetcher {
	struct buf	 order;		/* CONFIGURE_FETCH, packed */
	struct ipc_configure_fetch step;	/* the same; borrows from order */
	struct fetch	 fetch;
	bool		 wanted, done;	/* not wanted: a start for checks only */
	struct err	 err;		/* why the fetch failed; code ERR_NONE: it has not */
};

#ifdef CARREL_FAULT_POINTS
static bool
may_be_loopback(const uint8_t address[NET_ADDRESS])
{
	return net_is_loopback(address) || client_document_address(address);
}

/*
 * "PORT FILE": every name is 127.0.0.1 with that port, and FILE has the certificates; "strict": loopback stays
 * forbidden.
 */
static void
choose_test_terms(struct fetch_terms *t)
{
	static char file[256];
	const char *text = getenv("CARREL_TEST_FETCH");
	char strict[8] = "";

	if (text == NULL || sscanf(text, "%u %255s %7s", &t->port, file, strict) < 2)
		return;
	t->authorities = file;
	t->instead = "127.0.0.1";
	if (strict[0] == '\0') {
		t->may = may_be_loopback;
		t->not_own = false;
	}
}
#else
#define choose_test_terms(t)	((void)(t))
#endif

static void
choose_terms(struct fetch_terms *t)
{
	*t = (struct fetch_terms){ .may = client_document_address, .not_own = true, .authorities = NET_AUTHORITIES };
	choose_test_terms(t);
}

static void
prepare_document(const struct ipc_configure_fetch *order, const struct fetch_terms *common, struct fetch *f,
    struct err *err)
{
	struct fetch_terms terms = *common;
	struct web_url at = { .tls = true, .port = CLIENT_DOCUMENT_PORT };

	if (!client_document_url(order->url, &at.host)) {
		err_set(err, ERR_INVALID_ARGUMENTS, "that is no URL of a document");
		return;
	}
	if (terms.port == 0)
		terms.port = CLIENT_DOCUMENT_PORT;
	fetch_init(f, order->url, &at, &terms);
}

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max, bool *best_effort,
    struct err *err)
{
	const struct ipc_configure_fetch *m = msg;
	struct fetcher *p = mem_new(1, sizeof(*p));
	struct fetch_terms terms;
	union ipc_any any;

	(void)places;
	if (ipc_pack(IPC_MSG_CONFIGURE_FETCH, m, &p->order) != 0 ||
	    ipc_unpack_any(IPC_MSG_CONFIGURE_FETCH, IPC_SUPERVISOR, IPC_FETCH, buf_view(&p->order), &any) != IPC_OK)
		return err_set(err, ERR_INTERNAL, "the order cannot be kept");
	p->step = any.configure_fetch;
	choose_terms(&terms);
	p->fetch.fd = -1;
	p->wanted = m->url.len > 0;
	if (m->step != IPC_STEP_NONE)
		(void)identity_prepare(&p->step, &terms, &p->fetch, &p->err);
	else if (p->wanted)
		prepare_document(&p->step, &terms, &p->fetch, &p->err);
	*state = p;
	*memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	return 0;
}

/* A failure to connect is reported after READY, as the result of the fetch, not as a failed start. */
static int
connect_first(void *state, struct err *err)
{
	struct fetcher *p = state;

	(void)err;
	if (p->wanted && p->err.code == ERR_NONE && fetch_prepare(&p->fetch, &p->err) == 0)
		(void)fetch_connect(&p->fetch, &p->err);
	return 0;
}

static void
tell_document(const struct fetcher *p, const struct fetched *got)
{
	struct ipc_fetched msg = { .outcome = IPC_FETCH_DONE, .keep_s = got->keep_s };
	struct buf storage = { 0 };
	struct err err;

	if (fetch_read_document(buf_view(&got->body), span_str(p->fetch.url), &storage, &msg.client_name,
		&msg.redirects, &err) != 0)
		msg = (struct ipc_fetched){ .outcome = IPC_FETCH_UNFIT, .reason = span_str(err.message),
			.redirects = NO_REDIRECTS };
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_FETCHED, &msg, -1);
	buf_fini(&storage);
}

static void
fetch_and_tell(void *state)
{
	struct fetcher *p = state;
	struct fetched got = { .keep_s = 0 };

	if (!p->wanted || p->done)
		return;
	p->done = true;
	if (p->err.code == ERR_NONE && fetch_run(&p->fetch, &got, &p->err) == 0 && p->step.step != IPC_STEP_NONE)
		identity_tell(&p->step, &got, clock_unix_ms() / 1000);
	else if (p->err.code == ERR_NONE)
		tell_document(p, &got);
	else if (p->step.step != IPC_STEP_NONE)
		identity_fail(span_str(p->err.message), p->err.code == ERR_PAGE_NOT_FOUND);
	else
		(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_FETCHED,
		    &(struct ipc_fetched){
			.outcome = IPC_FETCH_UNFIT, .reason = span_str(p->err.message), .redirects = NO_REDIRECTS },
		    -1);
	buf_wipe(&got.body);
	serve_stop_after_call(EXIT_STOPPED, "it is done");
}

static unsigned
idle_ms(void *state)
{
	const struct fetcher *p = state;

	return p->wanted && !p->done ? 0 : IDLE_MS;
}

static void
close_fetch(void *state)
{
	struct fetcher *p = state;

	fetch_fini(&p->fetch);
	buf_wipe(&p->order);
	free(p);
}

static const struct role fetch_role = {
	.role = IPC_FETCH,
	.configure = IPC_MSG_CONFIGURE_FETCH,
	.configure_size = sizeof(struct ipc_configure_fetch),
	.configure_with = configure_with,
	.connect = connect_first,
	.idle = fetch_and_tell,
	.idle_ms = idle_ms,
	.close = close_fetch,
};

int
main(void)
{
	return child_main(&fetch_role);
}
