#include "workers/sql/asker.h"

#include "workers/shared/call.h"

static struct identity_as *
new_as(struct call *c, struct err *err)
{
	struct identity_as *as = arena_alloc(call_arena(c), sizeof(*as));

	if (as == NULL)
		err_set(err, ERR_BUSY, "the call has no room for its identity");
	return as;
}

static int
note_identity(struct call *c, struct identity_as *as, const struct identity_as **out)
{
	char text[IDENTITY_TEXT];

	identity_text(as, text);
	call_ran_as(c, text);
	*out = as;
	return 0;
}

int
asker_of(struct call *c, const struct identity_as **out, struct err *err)
{
	const struct sql_worker *w = call_state(c);
	struct identity_as *as;

	*out = NULL;
	if (w->cfg.identity == NULL)
		return 0;
	if (identity_is_for_all(call_claims(c)))
		return err_set(err, ERR_SCOPE_DENIED,
		    "Connection \"%s\" applies row security by caller, and what memory stores is shown to all callers: "
		    "it cannot be read with one caller's rights.",
		    w->cfg.connection);
	if ((as = new_as(c, err)) == NULL ||
	    identity_resolve(w->cfg.identity, call_principal(c), call_claims(c), call_arena(c), as, err) != 0)
		return -1;
	return note_identity(c, as, out);
}

int
asker_neutral(struct call *c, const struct identity_as **out, struct err *err)
{
	const struct sql_worker *w = call_state(c);
	struct identity_as *as;

	*out = NULL;
	if (w->cfg.identity == NULL)
		return 0;
	if ((as = new_as(c, err)) == NULL || identity_resolve_neutral(w->cfg.identity, call_arena(c), as, err) != 0)
		return -1;
	return note_identity(c, as, out);
}
