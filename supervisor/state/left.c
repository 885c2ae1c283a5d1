#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "supervisor/state/left.h"

static struct left_behind *
left_find(struct left *left, const char *connection, uint64_t pid)
{
	for (size_t i = 0; i < LEFT_MAX; i++)
		if (left->places[i].pid == pid && strcmp(left->places[i].connection, connection) == 0)
			return &left->places[i];
	return NULL;
}

/* A free place, or that of the oldest. */
static struct left_behind *
left_place(struct left *left)
{
	struct left_behind *oldest = &left->places[0];

	for (size_t i = 0; i < LEFT_MAX; i++) {
		if (left->places[i].connection[0] == '\0')
			return &left->places[i];
		if (left->places[i].since_unix_ms < oldest->since_unix_ms)
			oldest = &left->places[i];
	}
	return oldest;
}

static struct left_behind *
take_place(struct left *left, const char *connection, uint64_t pid, uint64_t since_unix_ms)
{
	struct left_behind *l = left_find(left, connection, pid);

	if (l == NULL)
		l = left_place(left);
	*l = (struct left_behind){ .pid = pid, .since_unix_ms = since_unix_ms };
	snprintf(l->connection, sizeof(l->connection), "%s", connection);
	return l;
}

void
left_note(struct left *left, const char *connection, uint64_t pid, uint64_t since_unix_ms, struct span print)
{
	struct left_behind *l = take_place(left, connection, pid, since_unix_ms);

	l->known = print.len == sizeof(l->print);
	if (l->known)
		memcpy(l->print, print.p, sizeof(l->print));
}

static bool
is_among(const struct mp_value *list, uint64_t pid)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value each;

	while (mp_next(&it, &each))
		if (each.class == MP_MAP && mp_get_uint(&each, "pid", 0) == pid)
			return true;
	return false;
}

static void
forget_gone(struct left *left, const char *connection, const struct mp_value *list)
{
	for (size_t i = 0; i < LEFT_MAX; i++)
		if (strcmp(left->places[i].connection, connection) == 0 && !is_among(list, left->places[i].pid))
			left->places[i].connection[0] = '\0';
}

void
left_seen(struct left *left, const char *connection, struct span raw, bool waited, left_fn *stuck, void *arg)
{
	struct mp_value list, each;
	struct mp_iter it;

	if (connection[0] == '\0' || !mp_value(raw, &list) || list.class != MP_ARRAY)
		return;
	forget_gone(left, connection, &list);
	for (it = mp_iter(&list); mp_next(&it, &each);) {
		uint64_t pid = each.class == MP_MAP ? mp_get_uint(&each, "pid", 0) : 0;
		bool overdue = each.class == MP_MAP && mp_get_bool(&each, "overdue", false);
		struct left_behind *l = left_find(left, connection, pid);

		if (pid == 0 || (l == NULL && !overdue))
			continue;
		if (l == NULL)
			l = take_place(left, connection, pid, mp_get_uint(&each, "sinceMs", 0));
		if ((!overdue && !waited) || l->stuck)
			continue;
		l->stuck = true;
		stuck(arg, l);
	}
}

void
left_each_known(const struct left *left, left_fn *fn, void *arg)
{
	for (size_t i = 0; i < LEFT_MAX; i++)
		if (left->places[i].connection[0] != '\0' && left->places[i].stuck && left->places[i].known)
			fn(arg, &left->places[i]);
}

void
left_put(struct buf *out, const struct left *left, const char *connection)
{
	char since[25], hex[17];
	size_t mark;

	mark = mp_pair_open_array(out, "stuck");
	for (size_t i = 0; i < LEFT_MAX; i++) {
		const struct left_behind *l = &left->places[i];

		if (!l->stuck || strcmp(l->connection, connection) != 0)
			continue;
		clock_iso8601(l->since_unix_ms, since);
		sodium_bin2hex(hex, sizeof(hex), l->print, 8);
		mp_put_pairs(out, mp_uint("pid", l->pid), mp_cstr("since", since),
		    mp_cstr("fingerprint", l->known ? hex : NULL));
	}
	mp_end(out, mark);
}
