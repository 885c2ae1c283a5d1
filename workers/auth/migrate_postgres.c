#include "workers/auth/migrate_postgres.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/json/json_put.h"
#include "workers/auth/store/postgres/store_postgres.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/store/store_copy.h"
#include "workers/auth/store/store_node.h"
#include "workers/auth/store/store_token.h"

#define NODE		"carrel state migrate"
#define LEASE_MS	2000
#define URL_MAX		4096
#define MOVED		"node.moved"	/* setting of the file: its rows are those that were moved elsewhere */

struct moving {
	struct store	*own, *from, *to;
	uint64_t	 rows;
};

struct others {
	char	name[STORE_NODE + 1];	/* of a node that uses the store; empty: none */
};

static void
find_other(void *arg, const struct store_node *n)
{
	if (n->lease_ms > 0 && !n->own)
		snprintf(((struct others *)arg)->name, sizeof(((struct others *)arg)->name), "%s", n->name);
}

/* The store of a URL, which no node uses; the file for an empty one. */
static struct store *
open_side(struct store *own, char *url, struct err *err)
{
	struct others others = { "" };
	struct store *s;

	if (url[0] == '\0')
		return own;
	if ((s = store_postgres_open(url, NODE, LEASE_MS, err)) == NULL)
		return NULL;
	if (store_over(s, own, err) == 0 && store_nodes(s, find_other, &others, err) == 0 && others.name[0] == '\0')
		return s;
	if (others.name[0] != '\0')
		err_set(err, ERR_INVALID_ARGUMENTS, "the node %s uses the state store: stop carrel there first",
		    others.name);
	store_close(s);
	return NULL;
}

/* Rows of the file that were moved away are replaced by what comes back. */
static int
make_room(struct moving *m, struct err *err)
{
	struct buf moved = BUF_MAX(16);
	int found = m->to == m->own ? store_setting(m->own, MOVED, &moved, err) : 0;
	bool clear = found == 1 && moved.len > 0;

	buf_fini(&moved);
	return found < 0 ? -1 : clear ? store_copy_clear(m->own, err) : 0;
}

/* Within transactions of both. */
static int
move_rows(struct moving *m, struct err *err)
{
	if (make_room(m, err) != 0 || store_copy(m->from, m->to, &m->rows, err) != 0)
		return -1;
	return store_set_setting(m->own, MOVED, m->to == m->own ? SPAN("") : SPAN("yes"), err);
}

static int
move_store(struct moving *m, struct err *err)
{
	bool look = m->from != m->own;
	int result;

	if (store_begin(m->to, err) != 0)
		return -1;
	if ((result = look ? store_begin_look(m->from, err) : 0) == 0) {
		result = move_rows(m, err);
		if (look)
			store_rollback(m->from);
	}
	if (result == 0)
		return store_commit(m->to, err);
	store_rollback(m->to);
	return -1;
}

static int
migrate(const char *path, char *from, char *to, uint64_t *rows, struct err *err)
{
	struct moving m = { .own = store_open(path, true, err) };
	int result = -1;

	if (m.own != NULL && (m.from = open_side(m.own, from, err)) != NULL &&
	    (m.to = open_side(m.own, to, err)) != NULL)
		result = m.from != m.to ? move_store(&m, err) :
					  err_set(err, ERR_INVALID_ARGUMENTS, "say where to, or where from, by a URL");
	*rows = m.rows;
	if (m.to != m.own)
		store_close(m.to);
	if (m.from != m.own)
		store_close(m.from);
	store_close(m.own);
	return result;
}

static bool
read_url(char url[URL_MAX])
{
	if (fgets(url, URL_MAX, stdin) == NULL)
		return false;
	url[strcspn(url, "\n")] = '\0';
	return true;
}

int
migrate_postgres(const char *path)
{
	char from[URL_MAX] = "", to[URL_MAX] = "";
	struct buf out = { 0 };
	uint64_t rows = 0;
	struct err err;
	int result = sodium_init() >= 0 && read_url(from) && read_url(to) ?
	    migrate(path, from, to, &rows, &err) :
	    err_set(&err, ERR_INVALID_ARGUMENTS, "standard input has two lines");

	json_put_object(&out, NULL);
	json_put_object(&out, result == 0 ? "moved" : "error");
	if (result == 0)
		json_put_uint(&out, "rows", rows);
	else
		json_put_cstr(&out, "message", err.message);
	json_end_object(&out);
	json_end_object(&out);
	puts(buf_cstr(&out));
	buf_fini(&out);
	sodium_memzero(from, sizeof(from));
	sodium_memzero(to, sizeof(to));
	return result == 0 ? 0 : 1;
}
