#include "workers/auth/store/store_loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "policy/audit_words.h"
#include "project/audit_chain.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_driver.h"
#include "workers/auth/store/store_token.h"

/* Settings of the node's own store. */
#define SEEN		"node.seen"	/* struct store_point */
#define REFUSED		"node.refused"	/* the point that was lost, while a store is refused */
#define ACCEPTED	"node.accepted"	/* the same, once the owner accepted that */
#define NOTE		"node.note"	/* what store_loss_repeat() did */

#define BEFORE_MS	(UINT64_C(24) * 3600 * 1000)	/* before the last commit that is left */

static void
put_point(const struct store_point *p, char out[96])
{
	snprintf(out, 96, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, p->identity, p->epoch, p->number, p->mark);
}

enum store_judgement
store_loss_judge(const struct store_point *seen, const struct store_point *now, uint64_t then)
{
	if (seen->identity != now->identity)
		return STORE_NEWER; /* another store: nothing of it is known */
	if (now->epoch > seen->epoch)
		return STORE_ELSEWHERE_ACCEPTED;
	if (now->epoch < seen->epoch || now->number < seen->number ||
	    (then != 0 && seen->mark != 0 && then != seen->mark))
		return STORE_LOST;
	return now->number == seen->number ? STORE_GOES_ON : STORE_NEWER;
}

/* The text of a setting; empty if it is absent. */
static int
read_setting(struct store *own, const char *key, char *out, size_t cap, struct err *err)
{
	struct buf kept = { 0 };
	int found = store_setting(own, key, &kept, err);

	snprintf(out, cap, "%s", found == 1 ? buf_cstr(&kept) : "");
	buf_fini(&kept);
	return found < 0 ? -1 : 0;
}

int
store_loss_recall(struct store *own, struct store_point *seen, struct err *err)
{
	char text[96], *at = text;

	*seen = (struct store_point){ .identity = 0 };
	if (read_setting(own, SEEN, text, sizeof(text), err) != 0)
		return -1;
	seen->identity = strtoull(at, &at, 10);
	seen->epoch = strtoull(at, &at, 10);
	seen->number = strtoull(at, &at, 10);
	seen->mark = strtoull(at, &at, 10);
	return 0;
}

int
store_loss_remember(struct store *own, const struct store_point *now, struct err *err)
{
	char text[96];

	put_point(now, text);
	return store_set_setting(own, SEEN, span_str(text), err);
}

const char *
store_loss_finder(const char *found, const struct store_point *now)
{
	char *node;

	return strtoull(found, &node, 10) == now->epoch && *node == ' ' ? node + 1 : "";
}

int
store_loss_tell(struct store *s, const struct store_point *now, struct err *err)
{
	char text[24 + sizeof(s->node)];

	snprintf(text, sizeof(text), "%" PRIu64 " %s", now->epoch, s->node);
	return store_set_setting(s, STORE_LOSS_FOUND, span_str(text), err);
}

int
store_loss_refuse(struct store *own, const struct store_point *seen, const struct store_point *now, const char *by,
    struct err *err)
{
	char text[96];

	put_point(seen, text);
	if (store_set_setting(own, REFUSED, span_str(text), err) != 0)
		return -1;
	if (by[0] != '\0')
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "it lost commits that the node %s knows, so that what was revoked may be good there: bring the "
		    "newer server back, or end what may have been revoked with `carrel cluster accept-loss`",
		    by);
	return err_set(err, ERR_SERVICE_UNAVAILABLE,
	    "it lost commits (this node knows change %" PRIu64 " of its epoch %" PRIu64 ", and it has %s%" PRIu64
	    " of %" PRIu64
	    "), so that what was revoked may be good there: bring the newer server back, or end what may "
	    "have been revoked with `carrel cluster accept-loss`",
	    seen->number, seen->epoch, now->number >= seen->number && now->epoch == seen->epoch ? "another " : "",
	    now->number, now->epoch);
}

int
store_loss_accept(struct store *own, struct err *err)
{
	char text[96];

	if (read_setting(own, REFUSED, text, sizeof(text), err) != 0)
		return -1;
	return text[0] != '\0' ? store_set_setting(own, ACCEPTED, span_str(text), err) :
				 err_set(err, ERR_INVALID_ARGUMENTS,
				     "no state store is refused for lost commits: there is nothing to accept");
}

bool
store_loss_is_accepted(struct store *own, const struct store_point *seen)
{
	char accepted[96], text[96];

	put_point(seen, text);
	return read_setting(own, ACCEPTED, accepted, sizeof(accepted), NULL) == 0 && strcmp(accepted, text) == 0;
}

/*
 * What is done again for an entry of the audit with this target.  A user who was changed is disabled: how is not in the
 * entry.  A refresh token that was turned in is good again, so that its grant ends.
 */
static const struct repeat {
	enum audit_action	action;
	enum store_statement	which;
	bool			with_time;	/* ?2 */
} repeats[] = {
	{ AUDIT_ACTION_TOKEN_REVOKE, STORE_TOKEN_REVOKE, true },
	{ AUDIT_ACTION_OAUTH_REVOKE, STORE_GRANT_END, true },
	{ AUDIT_ACTION_OAUTH_REFRESH, STORE_GRANT_END, true },
	{ AUDIT_ACTION_OAUTH_REFRESH_REUSE, STORE_GRANT_END, true },
	{ AUDIT_ACTION_OAUTH_CODE_REPLAY, STORE_GRANT_END, true },
	{ AUDIT_ACTION_CLIENT_REMOVE, STORE_GRANTS_END_OF_CLIENT, true },
	{ AUDIT_ACTION_CLIENT_REMOVE, STORE_CLIENT_REMOVE, false },
	{ AUDIT_ACTION_USER_SET, STORE_GRANTS_END_OF_USER, true },
	{ AUDIT_ACTION_USER_SET, STORE_USER_DISABLE, true },
	{ AUDIT_ACTION_USER_REMOVE, STORE_GRANTS_END_OF_USER, true },
	{ AUDIT_ACTION_USER_REMOVE, STORE_USER_REMOVE, false },
	{ AUDIT_ACTION_DATASET_UNPUBLISH, STORE_DATASET_UNPUBLISH, false },
	{ AUDIT_ACTION_CONNECTIVITY_DISABLE, STORE_CONNECTIVITY_OFF, false },
};

struct repeating {
	struct store	*s;
	char		 since[25];	/* the time of an entry that is not looked at any more */
	uint64_t	 now_ms, done;
	struct err	*err;
	bool		 failed;
};

static bool
repeat_one(struct repeating *r, const struct repeat *what, struct span target)
{
	const struct store_value values[] = { STORE_S(target), STORE_N(r->now_ms) };
	uint64_t changed = 0;

	r->failed = store_change(store_given(r->s, what->which, values, what->with_time ? 2 : 1, r->err), &changed,
			r->err) != 0;
	r->done += changed;
	return !r->failed;
}

static bool
repeat_entry(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct repeating *r = arg;
	struct span at = audit_chain_member(text, "at"), target = audit_chain_member(text, "target");
	enum audit_action action = audit_action_of(audit_chain_member(text, "action"));

	(void)seq, (void)hash;
	if (at.len == 24 && memcmp(at.p, r->since, 24) < 0)
		return false;
	for (size_t i = 0; i < sizeof(repeats) / sizeof(repeats[0]); i++)
		if (repeats[i].action == action && span_is(audit_chain_member(text, "outcome"), SPAN("ok")) &&
		    !repeat_one(r, &repeats[i], target))
			return false;
	return true;
}

/* Codes that were redeemed and sessions that were left are good again: all of them end. */
static int
end_all(struct store *s, struct err *err)
{
	static const enum store_statement all[] = { STORE_CODES_END_ALL, STORE_DEVICES_END_ALL, STORE_LOGINS_END_ALL };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (store_change(store_statement(s, all[i], err), NULL, err) != 0)
			return -1;
	return 0;
}

static int
repeat_within(struct store *s, struct store *own, uint64_t over, char note[160], struct err *err)
{
	struct repeating r = { .s = s, .now_ms = store_now_ms(s), .err = err };
	uint64_t last_ms, epoch;
	struct store_query *q;

	if (over != 0 &&
	    (store_change(STORE_GIVEN(s, STORE_LOSS_ACCEPT, err, STORE_N(over)), NULL, err) != 0 ||
		end_all(s, err) != 0))
		return -1;
	q = store_statement(s, STORE_LOSS, err);
	if (store_look(q, err) != 1)
		return -1;
	epoch = store_column_uint(q, 0);
	last_ms = store_column_uint(q, 1);
	store_found(q);
	clock_iso8601(last_ms > BEFORE_MS ? last_ms - BEFORE_MS : 0, r.since);
	if (store_audit_rows(own, INT64_MAX, false, SIZE_MAX, repeat_entry, &r, err) != 0 || r.failed)
		return -1;
	snprintf(note, 160, "epoch %" PRIu64 ": %" PRIu64 " rows that the audit says were ended since %s", epoch,
	    r.done, r.since);
	return 0;
}

int
store_loss_repeat(struct store *s, struct store *own, uint64_t over, struct err *err)
{
	char note[160];

	if (store_begin(s, err) != 0)
		return -1;
	if (repeat_within(s, own, over, note, err) != 0 || store_set_setting(own, NOTE, span_str(note), err) != 0 ||
	    store_set_setting(own, REFUSED, SPAN(""), err) != 0 ||
	    store_set_setting(own, ACCEPTED, SPAN(""), err) != 0) {
		store_rollback(s);
		return -1;
	}
	log_warn("the loss of commits of the state store was accepted; %s", note);
	return store_commit(s, err);
}

int
store_loss_noted(struct store *own, struct buf *out, struct err *err)
{
	int found = store_setting(own, NOTE, out, err);

	return found == 1 ? out->len > 0 : found;
}

int
store_loss_forget_note(struct store *own, struct err *err)
{
	return store_set_setting(own, NOTE, SPAN(""), err);
}
