#include "workers/auth/oauth/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/client_document.h"
#include "workers/auth/oauth/register.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/store.h"
#include "workers/shared/serve.h"

#define PATIENCE_NS	(UINT64_C(15) * CLOCK_SECOND)	/* carrel-fetch takes up to ten seconds, and may be busy with
                                                         * others */
#define REASON_MAX	512
#define BUSY_S		10u	/* seconds until a client without a free slot may ask again: carrel-fetch has
                                 * finished one by then */

struct waiter {
	TAILQ_ENTRY(waiter)	 entry;
	uint64_t		 peer, id;
	metadata_decide		*decide;
	struct buf		 request;	/* AUTHORIZE, packed: it contains a session */
};

struct pending_document {
	TAILQ_ENTRY(pending_document)	 entry;
	uint64_t		 serial, due_ns;
	char			*url, address[65], receipt[65];	/* of the first request for it */
	unsigned		 nwaiters;
	TAILQ_HEAD(, waiter)	 waiters;
};

/* The state of one URL. */
struct known_metadata {
	char			*url;
	uint64_t		 until_ms;	/* when this entry expires */
	char			 failure[REASON_MAX];	/* empty: the document is in the store */
	bool			 passes;		/* the failure is temporary, not the document's fault */
};

struct metadata {
	TAILQ_HEAD(, pending_document)	 pending;
	unsigned		 npending;
	uint64_t		 last_serial;
	struct tally		*all, *addresses;	/* fetches */
	struct known_metadata		 known[METADATA_KNOWN];
	size_t			 next;			/* the slot to reuse next */
	unsigned		 full_s;		/* set when metadata_wait() had no room: seconds until the
                                                         * client may ask again; 0: it had */
	bool			 undecided;		/* the store failed during the current decision */
};

struct metadata *
metadata_new(void)
{
	struct metadata *d = mem_new(1, sizeof(*d));

	TAILQ_INIT(&d->pending);
	d->all = tally_new(60, METADATA_FETCHES);
	d->addresses = tally_new(60, METADATA_FETCHES_HERE);
	return d;
}

static void
pending_free(struct metadata *d, struct pending_document *p)
{
	struct waiter *w;

	while ((w = TAILQ_FIRST(&p->waiters)) != NULL) {
		TAILQ_REMOVE(&p->waiters, w, entry);
		buf_wipe(&w->request);
		free(w);
	}
	TAILQ_REMOVE(&d->pending, p, entry);
	d->npending--;
	free(p->url);
	free(p);
}

void
metadata_free(struct metadata *d)
{
	if (d == NULL)
		return;
	while (!TAILQ_EMPTY(&d->pending))
		pending_free(d, TAILQ_FIRST(&d->pending));
	for (size_t i = 0; i < METADATA_KNOWN; i++)
		free(d->known[i].url);
	tally_free(d->all);
	tally_free(d->addresses);
	free(d);
}

static const struct known_metadata *
find_known(const struct metadata *d, struct span url, uint64_t now_ms)
{
	for (size_t i = 0; i < METADATA_KNOWN; i++)
		if (d->known[i].url != NULL && d->known[i].until_ms > now_ms && span_is_str(url, d->known[i].url))
			return &d->known[i];
	return NULL;
}

static void
note_known(struct metadata *d, const char *url, uint64_t until_ms, struct span failure, bool passes)
{
	struct known_metadata *k = NULL;

	for (size_t i = 0; i < METADATA_KNOWN && k == NULL; i++)
		if (d->known[i].url == NULL || strcmp(d->known[i].url, url) == 0)
			k = &d->known[i];
	if (k == NULL) {
		k = &d->known[d->next];
		d->next = (d->next + 1) % METADATA_KNOWN;
	}
	free(k->url);
	k->url = mem_text(span_str(url));
	k->until_ms = until_ms;
	k->passes = passes;
	snprintf(k->failure, sizeof(k->failure), "%.*s", (int)(failure.len < REASON_MAX ? failure.len : REASON_MAX - 1),
	    failure.len > 0 ? (const char *)failure.p : "");
}

bool
metadata_is_undecided(const struct auth *a)
{
	return a->metadata != NULL && a->metadata->undecided;
}

const char *
metadata_failure(const struct auth *a, struct span id, uint64_t now_ms, unsigned *wait_s)
{
	const struct known_metadata *k = a->metadata == NULL ? NULL : find_known(a->metadata, id, now_ms);

	*wait_s = 0;
	if (a->metadata != NULL && a->metadata->full_s != 0) {
		*wait_s = a->metadata->full_s;
		return "too many documents of clients are fetched at this moment; try again in a minute";
	}
	if (k == NULL || k->failure[0] == '\0')
		return NULL;
	if (k->passes)
		*wait_s = (unsigned)((k->until_ms - now_ms + 999) / 1000);
	return k->failure;
}

/* Whether the store has a client of this id that needs no fetch now; -1: the store failed. */
static int
is_had(struct auth *a, struct span id, uint64_t now_ms)
{
	struct store_client c = { .source = IPC_CLIENT_UNKNOWN };
	struct err err;
	int found = store_client(a->store, id, &c, &err);
	unsigned source = c.source;

	if (found == 1)
		store_client_fini(&c);
	if (found == 1 && source == IPC_CLIENT_DOCUMENT)
		found = find_known(a->metadata, id, now_ms) != NULL;
	return found;
}

static struct pending_document *
find_pending(struct metadata *d, struct span url)
{
	struct pending_document *p;

	TAILQ_FOREACH(p, &d->pending, entry)
		if (span_is_str(url, p->url))
			return p;
	return NULL;
}

/* Seconds until another fetch may begin; 0: now. */
static unsigned
fetch_wait(const struct metadata *d, struct span address, uint64_t now_ns)
{
	unsigned all = tally_wait(d->all, SPAN("all"), now_ns), here = tally_wait(d->addresses, address, now_ns);

	if (d->npending >= METADATA_PENDING && all < BUSY_S)
		all = BUSY_S;
	return all > here ? all : here;
}

/* NULL: no fetch is possible now. */
static struct pending_document *
begin_fetch(struct auth *a, const struct ipc_authorize *m, uint64_t now_ns)
{
	struct metadata *d = a->metadata;
	struct pending_document *p;

	if ((d->full_s = fetch_wait(d, m->address, now_ns)) != 0)
		return NULL;
	p = mem_new(1, sizeof(*p));

	p->serial = ++d->last_serial;
	p->due_ns = now_ns + PATIENCE_NS;
	p->url = mem_text(m->client_id);
	auth_text(p->address, sizeof(p->address), m->address);
	auth_text(p->receipt, sizeof(p->receipt), m->receipt);
	TAILQ_INIT(&p->waiters);
	TAILQ_INSERT_TAIL(&d->pending, p, entry);
	d->npending++;
	if (serve_fetch(p->serial, m->client_id) != 0) {
		pending_free(d, p);
		d->full_s = BUSY_S;
		return NULL;
	}
	tally_add(d->all, SPAN("all"), now_ns);
	tally_add(d->addresses, m->address, now_ns);
	return p;
}

bool
metadata_wait(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m, metadata_decide *decide)
{
	uint64_t now_ms = clock_unix_ms(), now_ns = clock_ns();
	struct pending_document *p;
	struct waiter *w;
	struct span host;
	unsigned wait;
	int had;

	a->metadata->full_s = 0;
	a->metadata->undecided = false;
	if (!a->conf.oauth || !a->conf.client_metadata || !client_document_url(m->client_id, &host) ||
	    metadata_failure(a, m->client_id, now_ms, &wait) != NULL ||
	    tally_wait(a->oauth->authorized, m->address, now_ns) != 0)
		return false;
	had = is_had(a, m->client_id, now_ms);
	a->metadata->undecided = had < 0;
	if (had != 0)
		return false;
	if ((p = find_pending(a->metadata, m->client_id)) == NULL)
		p = begin_fetch(a, m, now_ns);
	if (p != NULL && p->nwaiters == METADATA_WAITING)
		a->metadata->full_s = BUSY_S;
	if (a->metadata->full_s != 0)
		return false;
	w = mem_new(1, sizeof(*w));
	w->peer = peer;
	w->id = id;
	w->decide = decide;
	(void)ipc_pack(IPC_MSG_AUTHORIZE, m, &w->request);
	TAILQ_INSERT_TAIL(&p->waiters, w, entry);
	p->nwaiters++;
	return true;
}

static int
write_client(struct auth *a, const struct pending_document *p, struct store_client *c, struct err *err)
{
	struct store_client was;
	int found = store_client(a->store, span_str(p->url), &was, err);

	if (found < 0)
		return -1;
	if (found == 1) {
		/* The owner may have added the client meanwhile: the owner's description wins. */
		bool described = was.source == IPC_CLIENT_DOCUMENT;

		store_client_fini(&was);
		return described ? store_client_describe(a->store, c, err) : 0;
	}
	if (register_make_room(a, c->created_ms, err) != 0 || store_client_add(a->store, c, err) != 0)
		return -1;
	return oauth_note(a,
	    &(struct oauth_note){ .action = AUDIT_ACTION_CLIENT_REGISTER,
		.surface = AUDIT_SURFACE_PAGE,
		.outcome = IPC_OAUTH_DONE,
		.target = span_str(p->url),
		.client = span_str(c->name),
		.address = span_str(p->address),
		.receipt = span_str(p->receipt) },
	    err);
}

/* Store the document as a client.  -1 with *err: the document is not acceptable. */
static int
keep_document(struct auth *a, const struct pending_document *p, const struct ipc_fetched *m, struct err *err)
{
	struct store_client c = { .source = IPC_CLIENT_DOCUMENT, .created_ms = store_now_ms(a->store) };
	struct mp_value list = { .class = MP_NIL };
	int result = -1;

	auth_text(c.id, sizeof(c.id), span_str(p->url));
	(void)mp_value(m->redirects, &list);
	if (!register_name_fine(m->client_name))
		err_set(err, ERR_INVALID_ARGUMENTS, "its client_name has characters that cannot be seen");
	else if (register_redirects(a, &list, &c.redirects, err) == 0) {
		auth_text(c.name, sizeof(c.name), m->client_name);
		if ((result = store_begin(a->store, err)) == 0)
			result = oauth_commit(a, write_client(a, p, &c, err), err);
	}
	store_client_fini(&c);
	return result;
}

/* Decide all authorizations that wait for p, by the outcome of this fetch. */
static void
pending_end(struct auth *a, struct pending_document *p, bool undecided)
{
	union ipc_any m;
	struct waiter *w;

	a->metadata->full_s = 0;
	a->metadata->undecided = undecided;
	TAILQ_FOREACH(w, &p->waiters, entry)
		if (ipc_unpack_any(IPC_MSG_AUTHORIZE, IPC_FRONT, IPC_AUTH, buf_view(&w->request), &m) == IPC_OK)
			w->decide(a, w->peer, w->id, &m.authorize);
	a->metadata->undecided = false;
	pending_free(a->metadata, p);
}

/* passes: the document was not read, and may be valid. */
static void
pending_fail(struct auth *a, struct pending_document *p, struct span reason, bool passes)
{
	char text[REASON_MAX];

	snprintf(text, sizeof(text), "the document that this client is described by cannot be %s: %.*s",
	    passes ? "fetched at this moment" : "used", (int)(reason.len < 400 ? reason.len : 400),
	    reason.len > 0 ? (const char *)reason.p : "");
	log_info("%s: %s", p->url, text);
	note_known(a->metadata, p->url, clock_unix_ms() + METADATA_FAILED_MS, span_str(text), passes);
	pending_end(a, p, false);
}

/* The store failed: forget the result, so that the document is fetched again. */
static void
pending_unkept(struct auth *a, struct pending_document *p, const struct err *why)
{
	log_error("%s: the document of this client was not kept: %s", p->url, why->message);
	pending_end(a, p, true);
}

/* NULL: the fetch was given up after its deadline. */
static struct pending_document *
pending_of(struct auth *a, uint64_t serial)
{
	struct pending_document *p;

	TAILQ_FOREACH(p, &a->metadata->pending, entry)
		if (p->serial == serial)
			return p;
	return NULL;
}

void
metadata_take(struct auth *a, const struct ipc_fetched *m)
{
	struct pending_document *p = pending_of(a, m->serial);
	struct err err;

	if (p == NULL)
		return;
	if (m->outcome != IPC_FETCH_DONE) {
		pending_fail(a, p, m->reason, m->outcome == IPC_FETCH_LOST);
		return;
	}
	if (keep_document(a, p, m, &err) != 0) {
		if (err.code == ERR_SERVICE_UNAVAILABLE) {
			pending_unkept(a, p, &err);
			return;
		}
		pending_fail(a, p, span_str(err.message), err.code == ERR_BUSY);
		return;
	}
	note_known(a->metadata, p->url, clock_unix_ms() + m->keep_s * 1000, SPAN(""), false);
	pending_end(a, p, false);
}

void
metadata_tend(struct auth *a, uint64_t now_ns)
{
	struct pending_document *p, *next;

	for (p = TAILQ_FIRST(&a->metadata->pending); p != NULL; p = next) {
		next = TAILQ_NEXT(p, entry);
		if (p->due_ns <= now_ns)
			pending_fail(a, p, SPAN("it did not come in time"), true);
	}
}
