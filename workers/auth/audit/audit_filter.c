#include "workers/auth/audit/audit_filter.h"

#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"

static const struct span none = { NULL, 0 };

/* Members that must equal the argument of their name; the principal's are nested. */
static const char *const members[AUDIT_FILTER_MEMBERS] = { "action", "target", "outcome", "code" };

void
audit_filter_read(struct audit_filter *f, const struct mp_value *args)
{
	struct span text = mp_get_str(args, "text", none);

	*f = (struct audit_filter){ .since = mp_get_str(args, "since", none), .until = mp_get_str(args, "until", none),
		.principal = mp_get_str(args, "principal", none) };
	f->filters = f->since.len + f->until.len + f->principal.len + text.len > 0;
	for (size_t i = 0; i < AUDIT_FILTER_MEMBERS; i++) {
		f->wanted[i] = mp_get_str(args, members[i], none);
		f->filters |= f->wanted[i].len > 0;
	}
	json_escape(&f->escaped, text);
}

static bool
filter_wants_entry(const struct audit_filter *f, const struct mp_value *entry)
{
	struct span when = mp_get_str(entry, "at", none);
	struct mp_value principal;
	bool wants = true;

	if (f->since.len > 0)
		wants = when.len == f->since.len && memcmp(when.p, f->since.p, when.len) >= 0;
	if (wants && f->until.len > 0)
		wants = when.len == f->until.len && memcmp(when.p, f->until.p, when.len) < 0;
	if (wants && f->principal.len > 0)
		wants = mp_get(entry, "principal", &principal) && principal.class == MP_MAP &&
		    span_is(mp_get_str(&principal, "id", none), f->principal);
	for (size_t i = 0; wants && i < AUDIT_FILTER_MEMBERS; i++)
		wants = f->wanted[i].len == 0 || span_is(mp_get_str(entry, members[i], none), f->wanted[i]);
	return wants;
}

bool
audit_filter_wants(const struct audit_filter *f, struct span text)
{
	struct buf packed = { .max = 0 };
	struct mp_value entry;
	size_t at;
	bool wants;

	if (!f->filters)
		return true;
	if (f->escaped.len > 0 && memmem(text.p, text.len, f->escaped.p, f->escaped.len) == NULL)
		return false;
	wants = json_read(text, &packed, &at) == JSON_OK && mp_value(buf_view(&packed), &entry) &&
	    entry.class == MP_MAP && filter_wants_entry(f, &entry);
	buf_fini(&packed);
	return wants;
}

void
audit_filter_fini(struct audit_filter *f)
{
	buf_fini(&f->escaped);
}
