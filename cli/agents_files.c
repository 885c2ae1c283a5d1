/* agents_files.c - see agents.h: other programs' files, read and replaced with care, and the manifest. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "cli/agents.h"
#include "project/json_pretty.h"
#include "project/paths.h"

#define FILE_MAX	((size_t)64 << 20)
#define MANIFEST	".carrel/agents/install-manifest.json"

const char *
agent_path(struct arena *a, const char *pattern, const char *project_dir, struct err *err)
{
	static const struct { const char *variable, *otherwise; } roots[] = {
		{ "$CODEX_HOME/", "/.codex" }, { "$XDG_CONFIG_HOME/", "/.config" }, { "$XDG_STATE_HOME/", "/.local/state" },
		{ "~/", "" },
	};
	const char *home = getenv("HOME");

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t n = strlen(roots[i].variable);
		char name[32];
		const char *set;

		if (strncmp(pattern, roots[i].variable, n) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)n - 2, roots[i].variable + 1);
		if (*pattern == '$' && (set = getenv(name)) != NULL && set[0] == '/')
			return arena_printf(a, "%s/%s", set, pattern + n);
		if (home == NULL || home[0] != '/') {
			err_set(err, ERR_INVALID_ARGUMENTS, "HOME is not set, so there is no place for files of yours; use --scope project");
			return NULL;
		}
		return arena_printf(a, "%s%s/%s", home, roots[i].otherwise, pattern + n);
	}
	return arena_printf(a, "%s/%s", project_dir, pattern);
}

int
agent_read(const char *path, struct buf *out, struct err *err)
{
	if (paths_read(AT_FDCWD, path, PATHS_ANY, FILE_MAX, out, err) == 0)
		return 1;
	return err->code == ERR_PAGE_NOT_FOUND ? 0 : -1;
}

static int
cannot(struct err *err, const char *what, const char *path)
{
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "cannot %s %s: %s", what, path, strerror(errno));
}

/* Every directory above path. */
static int
make_above(const char *path, mode_t mode, struct err *err)
{
	char dir[PATH_MAX];

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir)) {
		errno = ENAMETOOLONG;
		return cannot(err, "make", path);
	}
	for (char *p = strchr(dir + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(dir, mode) != 0 && errno != EEXIST)
			return cannot(err, "make the directory", dir);
		*p = '/';
	}
	return 0;
}

static int
replace(const char *path, mode_t mode, struct span text, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	int fd, r;

	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return cannot(err, "open", dir);
	r = paths_replace(fd, slash + 1, mode, text, err);
	close(fd);
	return r;
}

static int
back_up(const char *path, struct span text, const char *backup_dir, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX], at[25];

	clock_iso8601(clock_unix_ms(), at);
	if (snprintf(name, sizeof(name), "%s/%s-%s", backup_dir, at, slash + 1) >= (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return cannot(err, "keep a copy of", path);
	}
	/* It may hold other servers' secrets. */
	return make_above(name, 0700, err) != 0 ? -1 : replace(name, 0600, text, err);
}

int
agent_write(const char *path, const struct buf *was, bool existed, struct span text, const char *backup_dir,
    struct err *err)
{
	char real[PATH_MAX];
	struct buf now = { 0 };
	struct stat st;
	mode_t mode = strstr(path, "/.claude.json") != NULL ? 0600 : 0644;
	int r = -1, there;

	/* Through a link the file behind it is replaced, and the link stays. */
	if (realpath(path, real) == NULL)
		snprintf(real, sizeof(real), "%s", path);
	if (stat(real, &st) == 0)
		mode = st.st_mode & 07777;
	if ((there = agent_read(real, &now, err)) < 0)
		goto out;
	if ((there == 1) != existed || (existed && !span_is(buf_view(&now), buf_view(was)))) {
		err_set(err, ERR_BUSY, "%s was changed by another program just now; try again", path);
		goto out;
	}
	if (existed && back_up(path, buf_view(&now), backup_dir, err) != 0)
		goto out;
	if (make_above(real, 0755, err) == 0)
		r = replace(real, mode, text, err);
out:
	buf_fini(&now);
	return r;
}

int
agent_remove(const char *path, const char *below, const char *backup_dir, struct err *err)
{
	struct buf text = { 0 };
	char dir[PATH_MAX];
	int there = agent_read(path, &text, err), r = there < 0 ? -1 : 0;

	if (there == 1)
		r = back_up(path, buf_view(&text), backup_dir, err);
	buf_fini(&text);
	if (r != 0 || there == 0)
		return r;
	if (unlink(path) != 0)
		return cannot(err, "remove", path);
	/* Directories that nobody else uses; rmdir(2) refuses the others. */
	snprintf(dir, sizeof(dir), "%s", path);
	for (char *p = strrchr(dir, '/'); p != NULL && p > dir; p = strrchr(dir, '/')) {
		*p = '\0';
		if (strlen(dir) <= strlen(below) || strncmp(dir, below, strlen(below)) != 0 || rmdir(dir) != 0)
			break;
	}
	return 0;
}

const char *
agent_root(struct arena *a, const char *path)
{
	char dir[PATH_MAX];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *p = strrchr(dir, '/'); p != NULL && p > dir; p = strrchr(dir, '/')) {
		*p = '\0';
		if (stat(dir, &st) == 0)
			break;
	}
	return arena_cstr(a, span_str(dir));
}

int
agent_store(const char *path, mode_t mode, struct span text, struct err *err)
{
	return make_above(path, 0700, err) != 0 ? -1 : replace(path, mode, text, err);
}

/* --- shared files ------------------------------------------------------------------------ */

/* Which projects use the file at path, a directory a line. */
static const char *
users_path(struct arena *a, const char *path, struct err *err)
{
	return agent_path(a, arena_printf(a, "$XDG_STATE_HOME/carrel/agents/%016llx.users",
	    (unsigned long long)hash_of(span_str(path))), "", err);
}

/* Every line of text but project_dir's, of projects that still have a manifest; *first is one of them, or NULL. */
static void
other_users(struct arena *a, struct span text, const char *project_dir, struct buf *out, const char **first)
{
	struct span line;

	*first = NULL;
	while (span_line(&text, &line)) {
		const char *dir = arena_cstr(a, line);

		if (line.len == 0 || dir == NULL || strcmp(dir, project_dir) == 0 ||
		    access(arena_printf(a, "%s/" MANIFEST, dir), F_OK) != 0)
			continue;
		buf_printf(out, "%s\n", dir);
		*first = *first == NULL ? dir : *first;
	}
}

int
agent_share(struct arena *a, const char *path, const char *project_dir, struct err *err)
{
	const char *users = users_path(a, path, err), *other;
	struct buf text = { 0 }, out = { 0 };
	int r = users == NULL || agent_read(users, &text, err) < 0 ? -1 : 0;

	if (r == 0) {
		other_users(a, buf_view(&text), project_dir, &out, &other);
		buf_printf(&out, "%s\n", project_dir);
		r = agent_store(users, 0600, buf_view(&out), err);
	}
	buf_fini(&text);
	buf_fini(&out);
	return r;
}

int
agent_unshare(struct arena *a, const char *path, const char *project_dir, const char **user, struct err *err)
{
	const char *users = users_path(a, path, err);
	struct buf text = { 0 }, out = { 0 };
	int r = users == NULL || agent_read(users, &text, err) < 0 ? -1 : 0;

	*user = NULL;
	if (r == 0) {
		other_users(a, buf_view(&text), project_dir, &out, user);
		if (*user != NULL)
			r = agent_store(users, 0600, buf_view(&out), err);
		else
			(void)unlink(users);
	}
	buf_fini(&text);
	buf_fini(&out);
	return r;
}

/* --- the manifest ------------------------------------------------------------------------ */

static bool
same_place(const struct agent_record *a, const struct agent_record *b)
{
	if (strcmp(a->path, b->path) != 0 || a->is_key != b->is_key || a->nkeys != b->nkeys)
		return false;
	for (size_t i = 0; i < a->nkeys; i++)
		if (strcmp(a->keys[i], b->keys[i]) != 0)
			return false;
	return true;
}

const struct agent_record *
agent_manifest_find(const struct agent_manifest *m, const struct agent_record *r)
{
	for (size_t i = 0; i < m->n; i++)
		if (same_place(&m->v[i], r))
			return &m->v[i];
	return NULL;
}

void
agent_manifest_add(struct arena *a, struct agent_manifest *m, const struct agent_record *r)
{
	struct agent_record *v;

	for (size_t i = 0; i < m->n; i++)
		if (same_place(&m->v[i], r)) {
			/* What was made stays what it was made as, the first time. */
			m->v[i].target = r->target;
			m->v[i].scope = r->scope;
			m->v[i].put = r->put;
			return;
		}
	if (m->n == m->cap) {
		m->cap = m->cap == 0 ? 16 : m->cap * 2;
		if ((v = arena_array(a, m->cap, sizeof(*v))) == NULL)
			abort();	/* out of memory */
		if (m->n > 0)
			memcpy(v, m->v, m->n * sizeof(*v));
		m->v = v;
	}
	m->v[m->n++] = *r;
}

static const char *
text_of(struct arena *a, const struct mp_value *map, const char *key)
{
	return arena_cstr(a, mp_get_str(map, key, SPAN("")));
}

static bool
take_record(struct arena *a, const struct mp_value *v, struct agent_record *r)
{
	struct mp_value list, key;

	*r = (struct agent_record){
		.target = text_of(a, v, "target"), .scope = text_of(a, v, "scope"), .path = text_of(a, v, "path"),
		.is_key = !span_is_str(mp_get_str(v, "kind", SPAN("")), "file"),
		.is_table = span_is_str(mp_get_str(v, "kind", SPAN("")), "toml-table"),
		.made_line = mp_get_bool(v, "madeLine", false),
		.made = (unsigned)mp_get_uint(v, "made", 0), .made_file = mp_get_bool(v, "madeFile", false),
	};
	if (mp_get_str(v, "hole", SPAN("")).len > 0)
		r->hole = text_of(a, v, "hole");
	if (mp_get_str(v, "put", SPAN("")).len > 0)
		r->put = text_of(a, v, "put");
	if (mp_get_str(v, "below", SPAN("")).len > 0)
		r->below = text_of(a, v, "below");
	if (mp_get(v, "was", &list) && list.class == MP_STR)
		r->was = text_of(a, v, "was");
	if (mp_get(v, "jsonPath", &list) && list.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &key) && r->nkeys < AGENT_PATH_MAX; )
			if (key.class == MP_STR)
				r->keys[r->nkeys++] = arena_cstr(a, key.s);
	return r->path != NULL && r->path[0] == '/' && r->target != NULL && r->scope != NULL && (r->nkeys > 0 || !r->is_key);
}

int
agent_manifest_read(struct arena *a, const char *project_dir, struct agent_manifest *m, struct err *err)
{
	struct buf text = { 0 }, mp = { 0 };
	struct agent_record r;
	struct mp_value v, list, each;
	size_t at;
	int there = agent_read(arena_printf(a, "%s/" MANIFEST, project_dir), &text, err), result = there < 0 ? -1 : 0;

	*m = (struct agent_manifest){ 0 };
	if (there == 1 && (json_read(buf_view(&text), &mp, &at) != JSON_OK || !mp_value(buf_view(&mp), &v) ||
	    !mp_get(&v, "entries", &list) || list.class != MP_ARRAY))
		result = err_set(err, ERR_INVALID_ARGUMENTS, "%s is damaged; restore it or take the entries out by hand", MANIFEST);
	else if (there == 1)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &each); )
			if (take_record(a, &each, &r))
				agent_manifest_add(a, m, &r);
	buf_fini(&text);
	buf_fini(&mp);
	return result;
}

static void
put_record(const struct agent_record *r, struct buf *out)
{
	const char *const texts[][2] = { { "kind", r->is_table ? "toml-table" : r->is_key ? "json-key" : "file" },
		{ "target", r->target }, { "scope", r->scope }, { "path", r->path }, { "hole", r->hole }, { "put", r->put },
		{ "was", r->was }, { "below", r->below } };
	size_t mark = mp_open_map(out), n = 1;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i][1] != NULL) {
			mp_pair_cstr(out, texts[i][0], texts[i][1]);
			n++;
		}
	mp_pair_bool(out, "madeFile", r->made_file);
	if (r->is_key) {
		mp_put_cstr(out, "jsonPath");
		mp_put_array(out, r->nkeys);
		for (size_t i = 0; i < r->nkeys; i++)
			mp_put_cstr(out, r->keys[i]);
		mp_pair_uint(out, "made", r->made);
		mp_pair_bool(out, "madeLine", r->made_line);
		n += 3;
	}
	mp_close(out, mark, n);
}

int
agent_manifest_write(const char *project_dir, const struct agent_manifest *m, struct err *err)
{
	struct buf mp = { 0 }, text = { 0 };
	char path[PATH_MAX], at[25];
	struct mp_value v;
	int r;

	snprintf(path, sizeof(path), "%s/" MANIFEST, project_dir);
	if (m->n == 0) {
		r = unlink(path) == 0 || errno == ENOENT ? 0 : cannot(err, "remove", path);
		return r;
	}
	clock_iso8601(clock_unix_ms(), at);
	mp_put_map(&mp, 4);
	mp_pair_uint(&mp, "version", 1);
	mp_pair_cstr(&mp, "projectDir", project_dir);
	mp_pair_cstr(&mp, "installedAt", at);
	mp_put_cstr(&mp, "entries");
	mp_put_array(&mp, m->n);
	for (size_t i = 0; i < m->n; i++)
		put_record(&m->v[i], &mp);
	mp_value(buf_view(&mp), &v);
	json_pretty(&text, &v);
	r = make_above(path, 0700, err) != 0 ? -1 : replace(path, 0600, buf_view(&text), err);
	buf_fini(&mp);
	buf_fini(&text);
	return r;
}
