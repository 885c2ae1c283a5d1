#include "workers/auth/claims.h"

#include "base/mp.h"
#include "base/system/log.h"
#include "base/text/identity_text.h"
#include "workers/auth/store/store_claim.h"

static int
refuse_claim(struct span name, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "\"%.*s\" is no claim: a name has letters, digits, _ . : / - and at most %u of them, a value is a text of "
	    "1 to "
	    "%u bytes; all claims of a principal have at most %u",
	    (int)(name.len < 64 ? name.len : 64), (const char *)name.p, IDENTITY_NAME_MAX, IDENTITY_VALUE_MAX,
	    IPC_CLAIMS_MAX);
}

int
claims_read(const struct mp_value *args, struct buf *room, struct span *claims, struct err *err)
{
	struct mp_value map, value;
	struct span name = SPAN("");
	struct mp_iter it;
	size_t n = 0, mark;

	*claims = SPAN("");
	if (!mp_get(args, "claims", &map) || map.class != MP_MAP)
		return 0;
	room->max = IPC_CLAIMS_MAX;
	mark = mp_open_map(room);
	for (it = mp_iter(&map); mp_next_pair(&it, &name, &value); n++) {
		if (!identity_text_is_name(name) || value.class != MP_STR || !identity_text_is_value(value.s))
			return refuse_claim(name, err);
		mp_put_str(room, name);
		mp_put_str(room, value.s);
	}
	mp_close(room, mark, n);
	if (room->full || n > IDENTITY_CLAIMS_MAX)
		return refuse_claim(name, err);
	if (n > 0)
		*claims = buf_view(room);
	return 1;
}

void
claims_tell(struct auth *a, const char *principal, struct ipc_verified *out)
{
	struct err err;

	buf_reset(&a->told_claims, IPC_CLAIMS_MAX);
	if (out->verdict != IPC_VERDICT_GOOD)
		return;
	if (store_claims(a->store, principal, &a->told_claims, &err) < 0) {
		log_error("the claims of %s cannot be looked up: %s", principal, err.message);
		*out = (struct ipc_verified){ .verdict = IPC_VERDICT_UNKNOWN };
		return;
	}
	out->claims = buf_view(&a->told_claims);
}
