#include <stdio.h>
#include <string.h>

#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/audit/audit_vouch.h"

#define FOREIGN	"audit.foreign"

static int
foreign_read(struct audit *a, char out[1024], struct err *err)
{
	struct buf value = BUF_MAX(1023);
	int found = store_setting(a->store, FOREIGN, &value, err);

	snprintf(out, 1024, "%s", buf_cstr(&value));
	buf_fini(&value);
	return found < 0 ? -1 : 0;
}

int
audit_foreign_add(struct audit *a, const struct audit_finding *f, struct err *err)
{
	char all[1024], *kept = all;
	struct buf value = { .max = 0 };
	int result;

	if (foreign_read(a, all, err) != 0)
		return -1;
	/* Of this many findings, `carrel audit verify` names those that do not fit. */
	while (strlen(kept) > sizeof(all) - 64 && strchr(kept, ' ') != NULL)
		kept = strchr(kept, ' ') + 1;
	buf_printf(&value, "%s%llu-%llu ", kept, (unsigned long long)f->from, (unsigned long long)f->to);
	result = store_set_setting(a->store, FOREIGN, buf_view(&value), err);
	buf_fini(&value);
	return result;
}

static bool
foreign_has(const char *all, uint64_t seq)
{
	unsigned long long from, to;

	for (const char *p = all; sscanf(p, "%llu-%llu ", &from, &to) == 2; p = strchr(p, ' ') + 1)
		if (seq >= from && seq <= to)
			return true;
	return false;
}

int
audit_vouch_begin(struct audit *a, struct audit_vouching *v, struct err *err)
{
	struct store_head head;
	struct audit_ends ends;

	if (audit_ends_read(a, &head, &ends, err) != 0)
		return -1;
	v->top = audit_ends_top(&ends);
	return foreign_read(a, v->foreign, err);
}

/* The row has its own hash, which its text ends with the prev of. */
static bool
row_is_sound(struct span text, struct span hash, uint8_t own[AUDIT_HASH])
{
	uint8_t prev[AUDIT_HASH], said[AUDIT_HASH];

	if (text.len < AUDIT_HASH_TEXT + 2 || !audit_unhex(hash, said, AUDIT_HASH) ||
	    !audit_unhex(span_of(text.p + text.len - AUDIT_HASH_TEXT - 2, AUDIT_HASH_TEXT), prev, AUDIT_HASH))
		return false;
	audit_hash(prev, text, own);
	return memcmp(own, said, AUDIT_HASH) == 0;
}

int
audit_vouch(struct audit *a, const struct audit_vouching *v, uint64_t seq, struct span text, struct span hash,
    bool *vouched, struct err *err)
{
	char next[AUDIT_HASH_TEXT + 1];
	uint8_t own[AUDIT_HASH];
	int found;

	*vouched =
	    row_is_sound(text, hash, own) && (v->top.seq == 0 || seq <= v->top.seq) && !foreign_has(v->foreign, seq);
	if (!*vouched)
		return 0;
	if (seq == v->top.seq) {
		*vouched = memcmp(own, v->top.hash, AUDIT_HASH) == 0;
		return 0;
	}
	if ((found = store_audit_prev(a->store, seq + 1, next, err)) < 0)
		return -1;
	/* Where the next one is missing, nothing speaks against this one, unless it is the last. */
	*vouched = found == 0 ? v->top.seq > 0 : span_is_str(hash, next) || foreign_has(v->foreign, seq + 1);
	return 0;
}
