// libs: carrel_auth
/*
 * fuzz_handovers.c - what a store shows a node as a handover is any bytes: read only if a node sealed them, for this id
 * and this direction; and whatever a node may have sealed is read without harm, and the same when it is written again.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "workers/auth/handover_form.h"
#include "workers/auth/sealed.h"

static const uint8_t root[AUTH_KEY] = "a key of the root key, as a test";

static bool
reads(struct span id, struct span sealed)
{
	struct handover_answered answered;
	struct handover_asked asked;
	struct buf plain = { 0 };
	bool read = handover_form_read_asked(root, id, sealed, &plain, &asked);

	buf_reset(&plain, SIZE_MAX);
	read |= handover_form_read_answered(root, id, sealed, &plain, &answered);
	buf_fini(&plain);
	return read;
}

/* Another row's, another direction's, and bytes that are changed in one place. */
static void
check_bound(struct span id, struct buf *sealed, size_t at)
{
	struct handover_answered answered;
	struct buf plain = { 0 };

	require(!reads(SPAN("another"), buf_view(sealed)));
	require(!handover_form_read_answered(root, id, buf_view(sealed), &plain, &answered));
	sealed->p[at % sealed->len] ^= 1;
	require(!reads(id, buf_view(sealed)));
	buf_fini(&plain);
}

static void
check_asked(struct span id, const struct handover_asked *h)
{
	struct buf sealed = { 0 }, plain = { 0 };
	struct handover_asked again;

	handover_form_put_asked(root, id, h, &sealed);
	require(handover_form_read_asked(root, id, buf_view(&sealed), &plain, &again));
	require(again.at_unix_ms == h->at_unix_ms && span_is(again.node, h->node) &&
	    span_is(again.principal, h->principal) && span_is(again.tool, h->tool) &&
	    span_is(again.connection, h->connection) && span_is(again.ticket, h->ticket) &&
	    span_is(again.args, h->args));
	check_bound(id, &sealed, (size_t)h->at_unix_ms);
	buf_fini(&plain);
	buf_fini(&sealed);
}

static void
check_answered(struct span id, const struct handover_answered *h)
{
	struct buf sealed = { 0 }, plain = { 0 };
	struct handover_answered again;

	handover_form_put_answered(root, id, h, &sealed);
	require(handover_form_read_answered(root, id, buf_view(&sealed), &plain, &again));
	require(span_is(again.node, h->node) && span_is(again.result, h->result));
	require(h->result.len > 0 || (span_is(again.code, h->code) && span_is(again.message, h->message)));
	buf_fini(&plain);
	buf_fini(&sealed);
}

/* As a node that has the key could have sealed it: the map as it is, for the id that it says. */
static void
check_sealed(struct span map)
{
	static const char *const purposes[] = { "handovers: what is asked", "handovers: what became of it" };
	struct buf sealed = { 0 }, plain = { 0 };
	struct handover_answered answered;
	struct handover_asked asked;
	struct span id = SPAN("");
	struct mp_value v;

	if (mp_scan(map) == MP_OK && mp_value(map, &v) && v.class == MP_MAP)
		id = mp_get_str(&v, "id", SPAN(""));
	sealed_put_with(root, purposes[0], map, &sealed);
	if (handover_form_read_asked(root, id, buf_view(&sealed), &plain, &asked))
		check_asked(id, &asked);
	buf_reset(&sealed, SIZE_MAX);
	buf_reset(&plain, SIZE_MAX);
	sealed_put_with(root, purposes[1], map, &sealed);
	if (handover_form_read_answered(root, id, buf_view(&sealed), &plain, &answered))
		check_answered(id, &answered);
	buf_fini(&plain);
	buf_fini(&sealed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = span_of(data, size);

	require(!reads(SPAN("id"), bytes) && !reads(SPAN(""), bytes));
	check_sealed(bytes);
	return 0;
}
