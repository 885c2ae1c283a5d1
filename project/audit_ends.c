#include "project/audit_ends.h"

void
audit_finding_add(struct audit_findings *f, enum audit_problem_kind kind, uint64_t from, uint64_t to, const char *what)
{
	if (f->n < AUDIT_FINDINGS)
		f->v[f->n++] = (struct audit_finding){ .kind = kind, .from = from, .to = to, .what = what };
}

struct audit_point
audit_ends_top(const struct audit_ends *e)
{
	return e->head_is == AUDIT_SOUND && e->head.seq >= e->known.seq ? e->head : e->known;
}

/* The records themselves. */
static void
check_records(const struct audit_ends *e, struct audit_findings *f)
{
	uint64_t top = audit_ends_top(e).seq;

	if (e->heads == 0 && (e->last > 0 || top > 0))
		audit_finding_add(f, AUDIT_HEAD, e->last, 0, "the head is missing");
	if (e->heads > 1)
		audit_finding_add(f, AUDIT_HEAD, e->last, 0, "there is more than one head");
	if (e->head_is == AUDIT_FORGED)
		audit_finding_add(f, AUDIT_HEAD, e->last, 0, "the head was not written with this audit's key");
	if (e->head_is == AUDIT_SOUND && e->head.seq < top)
		audit_finding_add(f, AUDIT_HEAD, e->head.seq, 0, "an older head replaces the newest one");
	if (e->mark_is == AUDIT_FORGED)
		audit_finding_add(f, AUDIT_HEAD, e->first, 0,
		    "the mark of the audit's beginning was not written with this audit's key");
	if (e->copy_is == AUDIT_FORGED)
		audit_finding_add(f, AUDIT_HEAD, e->last, 0,
		    "the copy of the head was not written with this audit's key");
	if (e->copy_is == AUDIT_ABSENT && e->mark_is != AUDIT_ABSENT)
		audit_finding_add(f, AUDIT_HEAD, e->last, 0,
		    "the copy of the head, the store's file -head, is missing");
}

void
audit_ends_check(const struct audit_ends *e, struct audit_findings *f)
{
	uint64_t top = audit_ends_top(e).seq;

	if (top > e->last)
		audit_finding_add(f, AUDIT_MISSING, e->last + 1, top, "the newest entries are missing");
	else if (top > 0 && top < e->last)
		audit_finding_add(f, AUDIT_INSERTED, top + 1, e->last,
		    "entries stand behind the newest one that was written");
	else if (e->last == 0 && e->heads == 0 && (e->mark_is != AUDIT_ABSENT || e->used))
		audit_finding_add(f, AUDIT_MISSING, e->mark > 0 ? e->mark : 1, 0, "all entries are missing");
	if (e->mark_is == AUDIT_SOUND && e->first > e->mark)
		audit_finding_add(f, AUDIT_MISSING, e->mark, e->first - 1, "the oldest entries are missing");
	check_records(e, f);
}
