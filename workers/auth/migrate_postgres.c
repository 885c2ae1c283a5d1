#include "workers/auth/migrate_postgres.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/json/json_put.h"
#include "base/system/clock.h"
#include "workers/auth/files/files.h"
#include "workers/auth/store/postgres/store_postgres.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/store/store_copy.h"
#include "workers/auth/store/store_node.h"
#include "workers/auth/store/store_token.h"

#define NODE		"carrel state migrate"
#define LEASE_MS	2000
#define URL_MAX		4096
#define PAUSE_US	5000
#define MOVED		"node.moved"	/* setting of the file: its rows are those that were moved elsewhere */

struct moving {
	struct store	*own, *from, *to;
	uint64_t	 rows, files;
	/* of the files: */
	char		 project_dir[PATH_MAX], most[24];	/* empty: there is no key, and so nothing to be moved */
	uint8_t		 key[FILES_KEY];
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

/* Have the project's files be those of the store, and the store's those. */
static int
share_files(struct moving *m, struct store *shared, struct err *err)
{
	struct files *f = files_new(&(struct files_settings){ .own = m->own, .shared = shared,
	    .project_dir = m->project_dir, .key = m->key, .most = strtoull(m->most, NULL, 10) });
	struct files_state said = { .settled = false };

	while (!said.settled && store_away(shared) == NULL) {
		(void)store_changed_elsewhere(shared); /* it is asked in time */
		if (!files_step(f, clock_ns()))
			usleep(PAUSE_US);
		files_say(f, &said);
	}
	m->files = said.files;
	files_free(f);
	if (said.settled && said.missing == 0 && said.unsent == 0)
		return 0;
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s",
	    said.trouble[0] != '\0'        ? said.trouble :
		store_away(shared) != NULL ? store_away(shared) :
					     "imported files cannot be moved");
}

/* What nodes imported is brought first; and sent when the rows are there, without which it is of no use. */
static int
move_all(struct moving *m, struct err *err)
{
	bool files = m->project_dir[0] != '\0';

	if (files && m->from != m->own && share_files(m, m->from, err) != 0)
		return -1;
	if (move_store(m, err) != 0)
		return -1;
	if (!files || m->to == m->own || share_files(m, m->to, err) == 0)
		return 0;
	fprintf(stderr, "the rows were moved, and not all imported files: %s; the node that starts sends them\n",
	    err->message);
	return 0;
}

static int
migrate(struct moving *m, const char *path, char *from, char *to, struct err *err)
{
	int result = -1;

	m->own = store_open(path, true, err);
	if (m->own != NULL && (m->from = open_side(m->own, from, err)) != NULL &&
	    (m->to = open_side(m->own, to, err)) != NULL)
		result = m->from != m->to ?
		    move_all(m, err) :
		    err_set(err, ERR_INVALID_ARGUMENTS, "say where to, or where from, by a URL");
	if (m->to != m->own)
		store_close(m->to);
	if (m->from != m->own)
		store_close(m->from);
	store_close(m->own);
	return result;
}

static bool
read_line(char *line, size_t size)
{
	if (fgets(line, (int)size, stdin) == NULL)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* The rest of the lines: the project's directory, the room for files, and the key that they are encrypted with. */
static bool
read_files(struct moving *m)
{
	char hex[2 * FILES_KEY + 2];
	size_t n;
	bool good = read_line(m->project_dir, sizeof(m->project_dir)) && read_line(m->most, sizeof(m->most)) &&
	    read_line(hex, sizeof(hex)) && sodium_hex2bin(m->key, FILES_KEY, hex, strlen(hex), NULL, &n, NULL) == 0 &&
	    n == FILES_KEY;

	sodium_memzero(hex, sizeof(hex));
	if (!good)
		m->project_dir[0] = '\0';
	return true;
}

int
migrate_postgres(const char *path)
{
	char from[URL_MAX] = "", to[URL_MAX] = "";
	struct moving m = { .own = NULL };
	struct buf out = { 0 };
	struct err err;
	int result =
	    sodium_init() >= 0 && read_line(from, sizeof(from)) && read_line(to, sizeof(to)) && read_files(&m) ?
	    migrate(&m, path, from, to, &err) :
	    err_set(&err, ERR_INVALID_ARGUMENTS, "standard input has two lines");

	json_put_object(&out, NULL);
	json_put_object(&out, result == 0 ? "moved" : "error");
	if (result == 0) {
		json_put_uint(&out, "rows", m.rows);
		json_put_uint(&out, "files", m.files);
	} else
		json_put_cstr(&out, "message", err.message);
	json_end_object(&out);
	json_end_object(&out);
	puts(buf_cstr(&out));
	buf_fini(&out);
	sodium_memzero(from, sizeof(from));
	sodium_memzero(to, sizeof(to));
	sodium_memzero(m.key, sizeof(m.key));
	return result == 0 ? 0 : 1;
}
