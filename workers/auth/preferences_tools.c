#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "project/config/preferences.h"
#include "workers/auth/change.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/store/store_user.h"
#include "workers/auth/preferences_tools.h"
#include "workers/auth/store/store.h"
#include "workers/shared/call.h"

#define TEXT_MAX	(64u << 10)

/* The principal's own preferences, as msgpack in out; empty when there are none. */
static int
read_own(struct auth *a, struct span principal, struct buf *out, struct err *err)
{
	struct buf text = BUF_MAX(TEXT_MAX);
	int found = store_preferences(a->store, principal, &text, err);
	size_t at;

	/* Text that is not valid JSON was not written by us, and counts as none. */
	if (found == 1 && json_read(buf_view(&text), out, &at) != JSON_OK)
		buf_reset(out, SIZE_MAX);
	buf_fini(&text);
	return found < 0 ? -1 : 0;
}

/* Record a change by a command or, without a call, by the user over REST. */
static int
record_change(struct auth *a, const struct call *c, const char *user, struct err *err)
{
	if (c != NULL)
		return change_record(a, c, AUDIT_ACTION_USER_SET, user, err);
	return oauth_note(a,
	    &(struct oauth_note){ .action = AUDIT_ACTION_USER_SET,
		.surface = AUDIT_SURFACE_REST,
		.outcome = IPC_OAUTH_DONE,
		.user = user,
		.target = span_str(user) },
	    err);
}

static int
write_own(struct auth *a, const struct call *c, struct span principal, const struct mp_value *own, struct err *err)
{
	struct buf text = BUF_MAX(TEXT_MAX);
	char who[300];
	int result;

	json_write(&text, own);
	snprintf(who, sizeof(who), "%.*s", SPAN_FMT(principal));
	if (text.full)
		result = err_set(err, ERR_INVALID_ARGUMENTS, "these preferences are too large to be kept");
	else if ((result = store_begin(a->store, err)) == 0) {
		result = store_preferences_set(a->store, principal, own->n == 0 ? SPAN("") : buf_view(&text), err);
		if (result == 0 && span_begins(principal, "user:"))
			result = record_change(a, c, who + strlen("user:"), err);
		result = change_end(a, result, err);
	}
	buf_fini(&text);
	return result;
}

static struct mp_value
value_of(struct span map)
{
	struct mp_value v;

	if (map.len == 0 || !mp_value(map, &v) || v.class != MP_MAP)
		v = (struct mp_value){ .class = MP_NIL };
	return v;
}

/* Apply change to own, and store the result. */
static int
change_own(struct auth *a, const struct call *c, struct span principal, struct buf *own, const struct mp_value *change,
    struct err *err)
{
	struct mp_value was = value_of(buf_view(own)), is;
	struct buf next = { 0 };
	int result = preferences_change(&was, change, &next, err);

	is = value_of(buf_view(&next));
	if (result == 0)
		result = write_own(a, c, principal, &is, err);
	buf_reset(own, SIZE_MAX);
	buf_span(own, buf_view(&next));
	buf_fini(&next);
	return result;
}

int
preferences_serve(struct auth *a, const struct call *c, struct span principal, struct span change, struct buf *out,
    struct err *err)
{
	struct mp_value project = value_of(buf_view(&a->conf.preferences)), mine, to = value_of(change);
	struct buf own = { 0 };
	int result = read_own(a, principal, &own, err);

	if (result == 0 && to.class == MP_MAP && to.n > 0)
		result = change_own(a, c, principal, &own, &to, err);
	if (result == 0) {
		mine = value_of(buf_view(&own));
		preferences_merge(&project, &mine, out);
	}
	buf_fini(&own);
	return result;
}

static int
answer(struct call *c, struct span principal, struct span change, struct err *err)
{
	struct buf out = { 0 };
	int result;

	mp_put_map(&out, 1);
	mp_put_cstr(&out, "preferences");
	if ((result = preferences_serve(call_state(c), c, principal, change, &out, err)) == 0)
		call_result(c, buf_view(&out));
	buf_fini(&out);
	return result;
}

/* The calling principal; the owner's command line uses the owner's preferences. */
static void
principal_own(const struct call *c, char out[80])
{
	struct span who = call_principal(c);
	bool cli = span_begins(who, "cli:");
	size_t from = cli ? 4 : 0, n = who.len < 70 ? who.len : 70;

	snprintf(out, 80, "%s%.*s", cli ? "local:" : "", (int)(n - from), (const char *)who.p + from);
}

int
preferences_run(struct call *c, const struct mp_value *args, struct err *err)
{
	char principal[80];

	(void)args;
	principal_own(c, principal);
	return answer(c, span_str(principal), SPAN(""), err);
}

/* The principal that a command names: a user, or without a name the owner. */
static int
principal_meant(struct call *c, const struct mp_value *args, char out[80], struct err *err)
{
	struct auth *a = call_state(c);
	struct span name = mp_get_str(args, "user", SPAN(""));
	struct store_user u;
	int found;

	if (name.len == 0) {
		principal_own(c, out);
		return 0;
	}
	if ((found = store_user(a->store, name, &u, err)) < 0)
		return -1;
	if (found == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "there is no such user; `carrel user list` shows them");
	snprintf(out, 80, "user:%s", u.name);
	return 0;
}

int
preferences_get_run(struct call *c, const struct mp_value *args, struct err *err)
{
	char principal[80];

	if (principal_meant(c, args, principal, err) != 0)
		return -1;
	return answer(c, span_str(principal), SPAN(""), err);
}

/* Apply KEY=VALUE arguments; all or none. */
static int
take_texts(struct auth *a, const struct mp_value *args, struct buf *own, struct err *err)
{
	struct mp_value list, item, was, change;
	struct mp_iter it;

	(void)a;
	if (!mp_get(args, "set", &list) || list.class != MP_ARRAY)
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &item);) {
		const uint8_t *equals = item.class == MP_STR ? memchr(item.s.p, '=', item.s.len) : NULL;
		struct buf one = { 0 }, next = { 0 };
		int result;

		if (equals == NULL)
			return err_set(err, ERR_INVALID_ARGUMENTS, "write KEY=VALUE, as in weekStart=sunday");
		mp_put_map(&one, 1);
		result = preferences_put_text(span_of(item.s.p, (size_t)(equals - item.s.p)),
		    span_of(equals + 1, item.s.len - (size_t)(equals - item.s.p) - 1), &one, err);
		was = value_of(buf_view(own));
		change = value_of(result == 0 ? buf_view(&one) : SPAN(""));
		if (result == 0)
			result = preferences_change(&was, &change, &next, err);
		buf_fini(&one);
		if (result == 0) {
			buf_reset(own, SIZE_MAX);
			buf_span(own, buf_view(&next));
		}
		buf_fini(&next);
		if (result != 0)
			return -1;
	}
	return 0;
}

int
preferences_set_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf own = { 0 };
	struct mp_value is;
	char principal[80];
	int result = -1;

	if (principal_meant(c, args, principal, err) != 0)
		return -1;
	if (read_own(a, span_str(principal), &own, err) == 0 && take_texts(a, args, &own, err) == 0) {
		is = value_of(buf_view(&own));
		result = is.class != MP_MAP ? 0 : write_own(a, c, span_str(principal), &is, err);
	}
	buf_fini(&own);
	return result != 0 ? -1 : answer(c, span_str(principal), SPAN(""), err);
}
