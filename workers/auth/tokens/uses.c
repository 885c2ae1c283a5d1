#include <stdio.h>
#include <string.h>

#include "base/system/log.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/tokens/tokens.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/uses.h"

static struct token_use *
use_of(struct auth *a, struct span id)
{
	for (size_t i = 0; i < a->nuses; i++)
		if (span_is_str(id, a->uses[i].id))
			return &a->uses[i];
	return NULL;
}

/* A slot for uses: without room the oldest one, whose uses are written first if possible. */
static struct token_use *
use_place(struct auth *a, uint64_t now_ms)
{
	size_t oldest = 0;

	if (a->nuses < AUTH_USES)
		return &a->uses[a->nuses++];
	for (size_t i = 1; i < a->nuses; i++)
		if (a->uses[i].last_ms < a->uses[oldest].last_ms)
			oldest = i;
	if (a->uses[oldest].last_ms != 0)
		uses_write(a, now_ms);
	return &a->uses[oldest];
}

/* The slot of id's uses. */
static struct token_use *
use_make(struct auth *a, struct span id, uint64_t now_ms)
{
	struct token_use *use = use_of(a, id);

	if (use != NULL)
		return use;
	use = use_place(a, now_ms);
	*use = (struct token_use){ .requests = 0 };
	snprintf(use->id, sizeof(use->id), "%.*s", SPAN_FMT(id));
	return use;
}

static int
write_uses(struct auth *a, struct err *err)
{
	if (store_begin_uses(a->store, err) != 0)
		return -1;
	for (size_t i = 0; i < a->nuses; i++) {
		const struct token_use *use = &a->uses[i];

		if (use->last_ms != 0 && store_token_used(a->store, use->id, use->requests, use->last_ms, err) != 0) {
			store_rollback(a->store);
			return -1;
		}
	}
	return store_commit(a->store, err);
}

void
uses_write(struct auth *a, uint64_t now_ms)
{
	bool any = false;
	struct err err;

	a->written_ms = now_ms;
	for (size_t i = 0; i < a->nuses; i++)
		any = any || a->uses[i].last_ms != 0;
	if (!any)
		return;
	if (write_uses(a, &err) != 0) {
		/* The uses are kept for the next time. */
		log_warn("the uses of tokens were not written: %s", err.message);
		return;
	}
	for (size_t i = 0; i < a->nuses; i++)
		a->uses[i].requests = a->uses[i].last_ms = 0;
}

void
uses_verified(struct auth *a, struct span id, uint64_t expires_ms, uint64_t now_ms)
{
	struct token_use *use = use_make(a, id, now_ms);

	use->good_at = a->changes;
	use->good_until_ms = expires_ms;
	use->last_ms = now_ms;
}

bool
uses_count(struct auth *a, struct span principal, uint64_t now_ms)
{
	struct span id = span_of(principal.p + strlen("token:"), principal.len - strlen("token:"));
	struct token_use *use;
	struct store_token t;

	if (!a->enabled || id.len != STORE_TOKEN_ID)
		return false;
	use = use_of(a, id);
	if (use == NULL || use->good_at != a->changes || (use->good_until_ms != 0 && use->good_until_ms <= now_ms)) {
		/* If the store fails, the front's verdict holds, which was based on it. */
		int found = store_token(a->store, id, &t, NULL);

		if (found == 0 || (found == 1 && token_state(&t, now_ms) != TOKEN_ACTIVE))
			return false;
		use = use_make(a, id, now_ms);
		if (found == 1) {
			use->good_at = a->changes;
			use->good_until_ms = t.expires_ms;
		}
	}
	use->requests++;
	use->last_ms = now_ms;
	return true;
}
