#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/document.h"
#include "base/hash.h"
#include "cli/agents/agents_files.h"
#include "project/paths.h"

#define FILE_MAX	((size_t)64 << 20)
#define MANIFEST	".carrel/agents/install-manifest.json"
#define BACKUP		".carrel/agents/backup"

const char *
agent_path(struct arena *a, const char *pattern, const char *project_dir, struct err *err)
{
	static const struct {
		const char *variable, *otherwise;
	} roots[] = {
		{ "$CODEX_HOME/", "/.codex" },
		{ "$XDG_CONFIG_HOME/", "/.config" },
		{ "$XDG_STATE_HOME/", "/.local/state" },
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
			err_set(err, ERR_INVALID_ARGUMENTS,
			    "HOME is not set, so there is no place for files of yours; use --scope project");
			return NULL;
		}
		return arena_printf(a, "%s%s/%s", home, roots[i].otherwise, pattern + n);
	}
	return arena_printf(a, "%s/%s", project_dir, pattern);
}

static int
agents_files_cannot(struct err *err, const char *what, const char *path)
{
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "cannot %s %s: %s", what, path, strerror(errno));
}

/*
 * A file and its directory, which was opened without following a link.  A link
 * that is created in the path later has no effect.
 */
struct agents_place {
	int	dir;
	char	name[NAME_MAX + 1];
};

static const char *
agents_files_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 0 && dir[n - 1] == '/')
		n--;
	return strncmp(path, dir, n) == 0 && path[n] == '/' && path[n + 1] != '\0' ? path + n + 1 : NULL;
}

/* Open rel below root; missing directories are made if make is their mode.  -1 with errno. */
static int
agents_files_descend(const char *root, const char *rel, mode_t make, struct agents_place *p)
{
	const char *slash = strrchr(rel, '/');
	char dirs[PATH_MAX];
	int top, error;

	if (snprintf(p->name, sizeof(p->name), "%s", slash == NULL ? rel : slash + 1) >= (int)sizeof(p->name) ||
	    snprintf(dirs, sizeof(dirs), "%.*s", slash == NULL ? 0 : (int)(slash - rel), rel) >= (int)sizeof(dirs)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if ((top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	if (slash == NULL) {
		p->dir = top;
		return 0;
	}
	/* Directories below .carrel/ are closed to other users. */
	if (make != 0 && (strncmp(rel, ".carrel/", 8) == 0))
		make = 0700;
	p->dir = make != 0 && paths_make(top, dirs, make) != 0 ? -1 : paths_open(top, dirs, O_RDONLY | O_DIRECTORY, 0);
	error = errno;
	close(top);
	errno = error;
	return p->dir < 0 ? -1 : 0;
}

/* The path with all links resolved; its last parts need not exist yet.  -1 with errno. */
static int
agents_files_follow(const char *path, char real[PATH_MAX])
{
	char prefix[PATH_MAX];
	size_t n = strlen(path), used;

	if (n >= sizeof(prefix)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(prefix, path, n + 1);
	while (realpath(prefix, real) == NULL) {
		char *slash = strrchr(prefix, '/');

		if (errno != ENOENT || slash == NULL || slash == prefix)
			return -1;
		*slash = '\0';
	}
	used = strlen(real);
	if (snprintf(real + used, PATH_MAX - used, "%s", path + strlen(prefix)) >= (int)(PATH_MAX - used)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

/*
 * A file in the user's home directory.  Many users keep such files elsewhere and
 * link to them: the target must belong to the user and lie below the same root.
 */
static int
open_own(const char *root, const char *path, mode_t make, struct agents_place *p, struct err *err)
{
	char real_root[PATH_MAX], real[PATH_MAX];
	const char *rel;
	struct stat st;

	if (make != 0)
		(void)mkdir(root, 0700);
	if (realpath(root, real_root) == NULL)
		return errno == ENOENT && make == 0 ? 0 : agents_files_cannot(err, "open", root);
	if (agents_files_follow(path, real) != 0)
		return agents_files_cannot(err, "open", path);
	if ((rel = agents_files_below(real, real_root)) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s leads by a link to %s, outside of %s; it is left alone: "
		    "replace the link, or add the entry by hand (--print shows it)",
		    path, real, root);
	if (agents_files_descend(real_root, rel, make, p) != 0)
		return errno == ENOENT ? 0 : agents_files_cannot(err, "open", path);
	if (strcmp(agents_files_below(path, root), rel) != 0 && (fstat(p->dir, &st) != 0 || st.st_uid != geteuid())) {
		close(p->dir);
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s leads by a link to %s, which belongs to somebody else; it is left "
		    "alone",
		    path, real);
	}
	return 1;
}

/* The one of the user's root directories that path lies in; NULL: none. */
static const char *
own_root(const char *path)
{
	static const char *const names[] = { "HOME", "CODEX_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *root = getenv(names[i]);

		if (root != NULL && root[0] == '/' && agents_files_below(path, root) != NULL)
			return root;
	}
	return NULL;
}

/* 1, 0 when a directory on the way is not there, -1 with *err. */
static int
open_place(const char *project_dir, const char *path, mode_t make, struct agents_place *p, struct err *err)
{
	const char *rel = agents_files_below(path, project_dir), *root = rel == NULL ? own_root(path) : NULL;

	if (root != NULL)
		return open_own(root, path, make, p, err);
	/* The directory of --dir, by its real path; checked as strictly as the project. */
	if (agents_files_descend(rel != NULL ? project_dir : "/", rel != NULL ? rel : path + 1, make, p) == 0)
		return 1;
	if (errno == ENOENT)
		return 0;
	if (errno == ELOOP || errno == ENOTDIR)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "a directory above %s is a link or no directory; links may lead out of the project "
		    "and are not followed: put a directory in its place",
		    path);
	return agents_files_cannot(err, "open", path);
}

/* A symbolic link in place of the file is refused, whatever its target. */
static int
check_file(const struct agents_place *p, const char *path, struct stat *st, struct err *err)
{
	if (fstatat(p->dir, p->name, st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : agents_files_cannot(err, "read", path);
	if (S_ISLNK(st->st_mode))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s is a link; links may lead out of the project and are not followed: put a "
		    "file in its place",
		    path);
	return 1;
}

static int
read_place(const struct agents_place *p, const char *path, struct stat *st, struct buf *out, struct err *err)
{
	int there = check_file(p, path, st, err), fd;
	char self[32];

	if (there != 1)
		return there;
	if ((fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0)
		return agents_files_cannot(err, "read", path);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	there = paths_read(AT_FDCWD, self, PATHS_ANY, FILE_MAX, out, err) == 0 ? 1 : -1;
	if (there < 0)
		err_set(err, ERR_INVALID_ARGUMENTS, "%s cannot be read, or is no file of a size that is", path);
	close(fd);
	return there;
}

int
agent_read(const char *project_dir, const char *path, struct buf *out, struct err *err)
{
	struct agents_place p;
	struct stat st;
	int there = open_place(project_dir, path, 0, &p, err);

	if (there != 1)
		return there;
	there = read_place(&p, path, &st, out, err);
	close(p.dir);
	return there;
}

/* Replace or make a file of the project itself, directories with mode dirs included. */
static int
write_own(const char *project_dir, const char *path, mode_t mode, mode_t dirs, struct span text, struct err *err)
{
	struct agents_place p;
	struct stat st;
	int r = open_place(project_dir, path, dirs, &p, err);

	if (r != 1)
		return r < 0 ? r : agents_files_cannot(err, "make", path);
	r = check_file(&p, path, &st, err) < 0 ? -1 : paths_replace(p.dir, p.name, mode, text, err);
	close(p.dir);
	return r;
}

static int
back_up(const char *project_dir, const char *path, struct span text, struct err *err)
{
	char name[PATH_MAX], at[25];

	clock_iso8601(clock_unix_ms(), at);
	if (snprintf(name, sizeof(name), "%s/" BACKUP "/%s-%s", project_dir, at, strrchr(path, '/') + 1) >=
	    (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return agents_files_cannot(err, "keep a copy of", path);
	}
	/* The file may hold secrets of other servers. */
	return write_own(project_dir, name, 0600, 0700, text, err);
}

int
agent_write(const char *project_dir, const char *path, const struct buf *was, bool existed, struct span text,
    struct err *err)
{
	struct buf now = { 0 };
	struct agents_place p;
	struct stat st;
	mode_t mode = strstr(path, "/.claude.json") != NULL ? 0600 : 0640;
	int r = open_place(project_dir, path, 0755, &p, err), there;

	if (r != 1)
		return r < 0 ? r : agents_files_cannot(err, "make", path);
	r = -1;
	if ((there = read_place(&p, path, &st, &now, err)) < 0)
		goto out;
	if (there == 1)
		mode = st.st_mode & 07777;
	if ((there == 1) != existed || (existed && !span_is(buf_view(&now), buf_view(was)))) {
		err_set(err, ERR_BUSY, "%s was changed by another program just now; try again", path);
		goto out;
	}
	if (!existed || back_up(project_dir, path, buf_view(&now), err) == 0)
		r = paths_replace(p.dir, p.name, mode, text, err);
out:
	close(p.dir);
	buf_fini(&now);
	return r;
}

/* Remove empty directories, from the one of path up to top; unlinkat(2) refuses directories in use. */
static void
remove_empty(const char *project_dir, const char *path, const char *top)
{
	char dir[PATH_MAX];
	struct agents_place p;
	struct err err;
	int r = 0;

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *slash = strrchr(dir, '/'); slash != NULL && slash > dir && r == 0; slash = strrchr(dir, '/')) {
		*slash = '\0';
		if (agents_files_below(dir, top) == NULL || open_place(project_dir, dir, 0, &p, &err) != 1)
			return;
		r = unlinkat(p.dir, p.name, AT_REMOVEDIR);
		close(p.dir);
	}
}

int
agent_remove(const char *project_dir, const char *path, const char *top, struct err *err)
{
	struct buf text = { 0 };
	struct agents_place p;
	struct stat st;
	int there = open_place(project_dir, path, 0, &p, err), r;

	if (there != 1)
		return there;
	there = read_place(&p, path, &st, &text, err);
	r = there != 1 ? there : back_up(project_dir, path, buf_view(&text), err);
	if (there == 1 && r == 0 && unlinkat(p.dir, p.name, 0) != 0)
		r = agents_files_cannot(err, "remove", path);
	close(p.dir);
	buf_fini(&text);
	if (there == 1 && r == 0)
		remove_empty(project_dir, path, top);
	return r;
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

/* Write a file of our own and make the directories that are missing. */
static int
agent_store(const char *project_dir, const char *path, mode_t mode, struct span text, struct err *err)
{
	return write_own(project_dir, path, mode, 0700, text, err);
}

/* Which projects use the file at path, a directory a line. */
static const char *
users_path(struct arena *a, const char *path, struct err *err)
{
	return agent_path(a,
	    arena_printf(a, "$XDG_STATE_HOME/carrel/agents/%016llx.users", (unsigned long long)hash_of(span_str(path))),
	    "", err);
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

/* The path above our two directories. */
static const char *
state_home(struct arena *a, const char *users)
{
	size_t n = strlen(users);

	for (int i = 0; i < 3; i++)
		n = (size_t)((const char *)memrchr(users, '/', n) - users);
	return arena_cstr(a, span_of(users, n));
}

const char *
agent_entry_id(struct arena *a, const struct agent_record *r)
{
	const char *id = r->path;

	for (size_t i = 0; i < r->nkeys; i++)
		id = arena_printf(a, "%s#%s", id, r->keys[i]);
	return id;
}

const char *
agent_other_user(struct arena *a, const char *path, const char *project_dir)
{
	struct err err = { .code = ERR_NONE };
	const char *users = users_path(a, path, &err), *other = NULL;
	struct buf text = { 0 }, out = { 0 };

	if (users != NULL && agent_read(project_dir, users, &text, &err) == 1)
		other_users(a, buf_view(&text), project_dir, &out, &other);
	buf_fini(&text);
	buf_fini(&out);
	return other;
}

int
agent_share(struct arena *a, const char *path, const char *project_dir, struct err *err)
{
	const char *users = users_path(a, path, err), *other;
	struct buf text = { 0 }, out = { 0 };
	int r = users == NULL || agent_read(project_dir, users, &text, err) < 0 ? -1 : 0;

	if (r == 0) {
		other_users(a, buf_view(&text), project_dir, &out, &other);
		buf_printf(&out, "%s\n", project_dir);
		r = agent_store(project_dir, users, 0600, buf_view(&out), err);
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
	int r = users == NULL || agent_read(project_dir, users, &text, err) < 0 ? -1 : 0;

	*user = NULL;
	if (r == 0) {
		other_users(a, buf_view(&text), project_dir, &out, user);
		if (*user != NULL)
			r = agent_store(project_dir, users, 0600, buf_view(&out), err);
		else if (unlink(users) == 0)
			remove_empty(project_dir, users, state_home(a, users));
	}
	buf_fini(&text);
	buf_fini(&out);
	return r;
}

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
			/* What was created is recorded once, by the first run; only these members change. */
			m->v[i].target = r->target;
			m->v[i].scope = r->scope;
			m->v[i].put = r->put;
			return;
		}
	if (m->n == m->cap) {
		m->cap = m->cap == 0 ? 16 : m->cap * 2;
		if ((v = arena_array(a, m->cap, sizeof(*v))) == NULL)
			abort(); /* out of memory */
		if (m->n > 0)
			memcpy(v, m->v, m->n * sizeof(*v));
		m->v = v;
	}
	m->v[m->n++] = *r;
}

/* A text of the record, otherwise when it has none or an empty one. */
static const char *
record_text(struct arena *a, const cJSON *v, const char *key, const char *otherwise)
{
	const char *text = document_text(v, key, "");

	return *text == '\0' ? otherwise : arena_cstr(a, span_str(text));
}

static bool
take_record(struct arena *a, const cJSON *v, struct agent_record *r)
{
	const char *kind = document_text(v, "kind", ""), *was = document_text(v, "was", NULL);
	const cJSON *key;

	*r = (struct agent_record){
		.target = record_text(a, v, "target", ""), .scope = record_text(a, v, "scope", ""),
		.path = record_text(a, v, "path", ""), .hole = record_text(a, v, "hole", NULL),
		.put = record_text(a, v, "put", NULL), .below = record_text(a, v, "below", NULL),
		.was = was == NULL ? NULL : arena_cstr(a, span_str(was)),
		.is_key = strcmp(kind, "file") != 0, .is_table = strcmp(kind, "toml-table") == 0,
		.made_line = document_bool(v, "madeLine", false), .made_file = document_bool(v, "madeFile", false),
		.made = (unsigned)document_uint(v, "made", 0),
	};
	cJSON_ArrayForEach(key, document_list(v, "jsonPath")) if (document_element_text(key) != NULL &&
	    r->nkeys < AGENT_PATH_MAX) r->keys[r->nkeys++] = arena_cstr(a, span_str(document_element_text(key)));
	return r->path != NULL && r->path[0] == '/' && r->target != NULL && r->scope != NULL &&
	    (r->nkeys > 0 || !r->is_key);
}

int
agent_manifest_read(struct arena *a, const char *project_dir, struct agent_manifest *m, struct err *err)
{
	struct buf text = { 0 };
	struct agent_record r;
	cJSON *document = NULL;
	const cJSON *list = NULL, *each;
	int there = agent_read(project_dir, arena_printf(a, "%s/" MANIFEST, project_dir), &text, err),
	    result = there < 0 ? -1 : 0;

	*m = (struct agent_manifest){ 0 };
	if (there == 1 && (document = document_read(buf_view(&text))) != NULL)
		list = document_list(document, "entries");
	if (there == 1 && list == NULL)
		result = err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s is damaged; restore it or take the entries out by hand", MANIFEST);
	/* A record of a file elsewhere counts only with the mark that was put there: who makes up a record has none. */
	cJSON_ArrayForEach(each, list) if (take_record(a, each, &r) &&
	    (r.put != NULL || agents_files_below(r.path, project_dir) != NULL || own_root(r.path) != NULL))
	    agent_manifest_add(a, m, &r);
	buf_fini(&text);
	document_free(document);
	return result;
}

static void
put_record(const struct agent_record *r, cJSON *list)
{
	const char *const texts[][2] = { { "kind", r->is_table ? "toml-table" : r->is_key ? "json-key" : "file" },
		{ "target", r->target }, { "scope", r->scope }, { "path", r->path }, { "hole", r->hole }, { "put", r->put },
		{ "was", r->was }, { "below", r->below } };
	cJSON *record = document_put_object(list, NULL), *keys;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i][1] != NULL)
			document_put_text(record, texts[i][0], texts[i][1]);
	document_put_bool(record, "madeFile", r->made_file);
	if (!r->is_key)
		return;
	keys = document_put_list(record, "jsonPath");
	for (size_t i = 0; i < r->nkeys; i++)
		document_put_text(keys, NULL, r->keys[i]);
	document_put_uint(record, "made", r->made);
	document_put_bool(record, "madeLine", r->made_line);
}

int
agent_manifest_write(const char *project_dir, const struct agent_manifest *m, struct err *err)
{
	struct buf text = { 0 };
	char path[PATH_MAX], at[25];
	cJSON *document, *list;
	int r;

	snprintf(path, sizeof(path), "%s/" MANIFEST, project_dir);
	if (m->n == 0) {
		struct agents_place p;

		if ((r = open_place(project_dir, path, 0, &p, err)) != 1)
			return r;
		r = unlinkat(p.dir, p.name, 0) == 0 || errno == ENOENT ? 0 : agents_files_cannot(err, "remove", path);
		close(p.dir);
		return r;
	}
	clock_iso8601(clock_unix_ms(), at);
	document = document_new();
	document_put_uint(document, "version", 1);
	document_put_text(document, "projectDir", project_dir);
	document_put_text(document, "installedAt", at);
	list = document_put_list(document, "entries");
	for (size_t i = 0; i < m->n; i++)
		put_record(&m->v[i], list);
	document_write(&text, document, true);
	buf_byte(&text, '\n');
	r = write_own(project_dir, path, 0600, 0700, buf_view(&text), err);
	document_free(document);
	buf_fini(&text);
	return r;
}
