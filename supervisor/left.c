/* left.c - what workers left on database servers: kept until it is seen to be gone. */
#include <string.h>

#include <sodium.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mp.h"
#include "supervisor/supervisor.h"

static struct left_behind *
find(struct supervisor *sup, const char *connection, uint64_t pid)
{
	for (size_t i = 0; i < SUPERVISOR_LEFT; i++)
		if (sup->left[i].pid == pid && strcmp(sup->left[i].connection, connection) == 0)
			return &sup->left[i];
	return NULL;
}

/* A free place, or that of the oldest. */
static struct left_behind *
place(struct supervisor *sup)
{
	struct left_behind *oldest = &sup->left[0];

	for (size_t i = 0; i < SUPERVISOR_LEFT; i++) {
		if (sup->left[i].connection[0] == '\0')
			return &sup->left[i];
		if (sup->left[i].since_unix_ms < oldest->since_unix_ms)
			oldest = &sup->left[i];
	}
	return oldest;
}

static struct left_behind *
take_place(struct supervisor *sup, const char *connection, uint64_t pid, uint64_t since_unix_ms)
{
	struct left_behind *l = find(sup, connection, pid);

	if (l == NULL)
		l = place(sup);
	*l = (struct left_behind){ .pid = pid, .since_unix_ms = since_unix_ms };
	snprintf(l->connection, sizeof(l->connection), "%s", connection);
	return l;
}

void
left_note(struct child *c, const struct ipc_left_behind *msg)
{
	struct left_behind *l = take_place(c->sup, c->connection, msg->pid, msg->since_unix_ms);

	l->known = true;
	memcpy(l->print, msg->print.p, sizeof(l->print));
}

static void
hold_back(struct child *front, const struct left_behind *l)
{
	struct ipc_hold_back msg = { .connection = span_str(l->connection), .print = span_of(l->print, sizeof(l->print)) };

	post(front, IPC_MSG_HOLD_BACK, &msg, -1);
}

void
left_tell(struct child *front)
{
	for (size_t i = 0; i < SUPERVISOR_LEFT; i++)
		if (front->sup->left[i].connection[0] != '\0' && front->sup->left[i].stuck && front->sup->left[i].known)
			hold_back(front, &front->sup->left[i]);
}

static void
call_stuck(struct supervisor *sup, struct left_behind *l)
{
	struct child *c;

	if (l->stuck)
		return;
	l->stuck = true;
	log_error("connection %s: server process %llu does not end the statement it was told to stop", l->connection,
	    (unsigned long long)l->pid);
	TAILQ_FOREACH(c, &sup->children, entry)
		if (l->known && c->role == IPC_FRONT && child_is_serving(c))
			hold_back(c, l);
}

/* Is pid in the list?  *since, *overdue: of it. */
static bool
is_seen(const struct mp_value *list, uint64_t pid)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value each;

	while (mp_next(&it, &each))
		if (each.class == MP_MAP && mp_get_uint(&each, "pid", 0) == pid)
			return true;
	return false;
}

void
left_seen(struct child *c, const struct ipc_pool_seen *msg)
{
	struct supervisor *sup = c->sup;
	struct mp_value list, each;
	struct mp_iter it;

	if (!mp_value(msg->list, &list) || list.class != MP_ARRAY)
		return;
	for (size_t i = 0; i < SUPERVISOR_LEFT; i++) {
		struct left_behind *l = &sup->left[i];

		if (strcmp(l->connection, c->connection) == 0 && !is_seen(&list, l->pid))
			l->connection[0] = '\0';
	}
	for (it = mp_iter(&list); mp_next(&it, &each);) {
		uint64_t pid = each.class == MP_MAP ? mp_get_uint(&each, "pid", 0) : 0;
		bool overdue = each.class == MP_MAP && mp_get_bool(&each, "overdue", false);
		struct left_behind *l = find(sup, c->connection, pid);

		if (pid == 0 || (l == NULL && !overdue))
			continue;
		if (l == NULL)
			l = take_place(sup, c->connection, pid, mp_get_uint(&each, "sinceMs", 0));
		if (overdue || msg->waited)
			call_stuck(sup, l);
	}
}

void
left_put(struct buf *out, const struct supervisor *sup, const char *connection)
{
	char since[25], hex[17];
	size_t mark, n = 0;

	mp_put_cstr(out, "stuck");
	mark = mp_open_array(out);
	for (size_t i = 0; i < SUPERVISOR_LEFT; i++) {
		const struct left_behind *l = &sup->left[i];

		if (!l->stuck || strcmp(l->connection, connection) != 0)
			continue;
		clock_iso8601(l->since_unix_ms, since);
		sodium_bin2hex(hex, sizeof(hex), l->print, 8);
		mp_put_map(out, 3);
		mp_pair_uint(out, "pid", l->pid);
		mp_pair_cstr(out, "since", since);
		mp_pair_cstr(out, "fingerprint", l->known ? hex : NULL);
		n++;
	}
	mp_close(out, mark, n);
}
