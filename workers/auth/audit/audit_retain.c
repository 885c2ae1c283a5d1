#include <stdlib.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/system/log.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/audit/audit_retain.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store.h"

#define RETAIN_EVERY_NS	(10 * 60 * CLOCK_SECOND)
#define RETAIN_STEP	2000u	/* entries examined in one transaction; the next ones a second later */
#define DAY_MS		UINT64_C(86400000)

static const struct span none = { NULL, 0 };

struct retain_look {
	char		before[25];	/* the time limit, formatted as `at`: entries before it may go */
	uint64_t	first;
	uint64_t	keep_from;	/* the newest checkpoint before the limit; 0: none yet */
	uint64_t	looked;
	uint64_t	*receipts;	/* the receipt of each entry from first on; 0: none */
};

static bool
retain_see(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct retain_look *l = arg;
	struct buf packed = { .max = 0 };
	struct mp_value entry = { .class = MP_NIL };
	struct span at;
	size_t where;

	(void)hash;
	/* An entry that cannot be read is as old as its neighbours. */
	if (json_read(text, &packed, &where) != JSON_OK || !mp_value(buf_view(&packed), &entry))
		entry.class = MP_NIL;
	at = entry.class == MP_MAP ? mp_get_str(&entry, "at", none) : none;
	if (at.len == sizeof(l->before) - 1 && memcmp(at.p, l->before, at.len) >= 0) {
		buf_fini(&packed);
		return false;
	}
	if (entry.class == MP_MAP && span_is_str(mp_get_str(&entry, "action", none), "checkpoint"))
		l->keep_from = seq;
	l->receipts[l->looked++] =
	    entry.class == MP_MAP ? audit_receipt_number(mp_get_str(&entry, "receipt", none)) : 0;
	buf_fini(&packed);
	return true;
}

static int
retain_remove(struct audit *a, const struct retain_look *l, struct err *err)
{
	for (uint64_t i = 0; i < l->keep_from - l->first && i < l->looked; i++)
		if (l->receipts[i] != 0 && store_audit_forget_receipt(a->store, l->receipts[i], l->keep_from, err) != 0)
			return -1;
	return store_audit_remove(a->store, 0, l->keep_from - 1, err) != 0 ? -1 : audit_mark(a, l->keep_from, err);
}

static int
retain_step(struct audit *a, struct retain_look *l, bool *more, struct err *err)
{
	uint64_t last;

	*more = false;
	if (store_begin(a->store, err) != 0)
		return -1;
	a->in_step = false;
	if (store_audit_bounds(a->store, &l->first, &last, err) != 0)
		goto fail;
	if (l->first == 0 || store_audit_rows(a->store, l->first, true, RETAIN_STEP, retain_see, l, err) != 0 ||
	    l->keep_from <= l->first) {
		store_rollback(a->store);
		return 0;
	}
	/* What was removed before is a finding, which the checkpoint below has. */
	a->known = false;
	if (audit_load(a, err) != 0 || retain_remove(a, l, err) != 0 || audit_checkpoint(a, err) != 0 ||
	    audit_seal(a, err) != 0 || store_commit(a->store, err) != 0)
		goto fail;
	a->in_step = false;
	*more = l->looked == RETAIN_STEP;
	log_info("audit: entries up to %llu are older than audit.retention_days and were removed",
	    (unsigned long long)(l->keep_from - 1));
	return 0;
fail:
	store_rollback(a->store);
	audit_forget(a);
	return -1;
}

void
audit_retain(struct audit *a, uint64_t now_ns)
{
	uint64_t now = clock_unix_ms(), kept = a->settings.retention_days * DAY_MS;
	struct retain_look l = { .first = 0 };
	bool more = false;
	struct err e;

	if (now < kept || (a->retained_ns != 0 && now_ns < a->retained_ns))
		return;
	clock_iso8601(now - kept, l.before);
	l.receipts = calloc(RETAIN_STEP, sizeof(*l.receipts));
	if (l.receipts != NULL && retain_step(a, &l, &more, &e) != 0)
		log_warn("audit: what is older than audit.retention_days was not removed: %s", e.message);
	free(l.receipts);
	a->retained_ns = now_ns + (more ? CLOCK_SECOND : RETAIN_EVERY_NS);
}
