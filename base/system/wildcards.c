#include "base/system/wildcards.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

#define DEPTH_MAX	32u	/* directories below one another */
#define NAMES_MAX	1000000u	/* that are looked at for all patterns */
#define PATHS_MAX	16384u	/* files and directories of all patterns */

struct wildcards_walk {
	struct wildcards	*w;
	const char		*pattern;
	size_t			 fixed;		/* its first bytes, in which there are no wildcards */
	struct wildcards_spent	*spent;
	struct err		*err;
};

bool
wildcards_any(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static void
add_path(struct wildcards_walk *k, struct wildcards_list *list, char *path)
{
	k->spent->paths++;
	list->v = mem_grow(list->v, list->n, &list->cap, sizeof(*list->v));
	list->v[list->n++] = path;
}

static void
drop_paths(struct wildcards_list *list)
{
	while (list->n > 0)
		free(list->v[--list->n]);
}

static int
fail(const struct wildcards_walk *k, const char *path, const char *why)
{
	const char *slash = strrchr(path, '/');

	return err_set(k->err, ERR_DATABASE_UNAVAILABLE, "%.300s %s", slash == NULL ? path : slash + 1, why);
}

/* A link may lead to another file below the root, and into no hidden directory there. */
static bool
is_inside(const char *real, const char *dir, size_t root)
{
	return strncmp(real, dir, root) == 0 && real[root] == '/' && strstr(real + root, "/.") == NULL;
}

/* Anything but a plain file is passed over, what has just gone, and a path that no statement can say. */
static int
take_file(struct wildcards_walk *k, const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name), *real = realpath(path, NULL);
	struct stat st;
	bool plain = real != NULL && stat(real, &st) == 0 && S_ISREG(st.st_mode);
	int rc = 0;

	if (plain && !utf8_valid((const uint8_t *)real, strlen(real)))
		k->w->nameless++;
	else if (plain && !is_inside(real, dir, k->w->root))
		rc = fail(k, path, "is a link that leads out of the directory of its pattern; name the file itself");
	else if (plain && k->w->files.n == WILDCARDS_FILES_MAX)
		rc = fail(k, k->pattern, "names more than 4096 files; divide it");
	else if (plain) {
		add_path(k, &k->w->files, real);
		real = NULL;
	}
	free(real);
	free(path);
	return rc;
}

static int walk(struct wildcards_walk *k, const char *dir, const char *rest, unsigned depth);

/* One entry of a directory, against the first name of rest; `behind` is what follows it, NULL for the last. */
static int
take_entry(struct wildcards_walk *k, const char *dir, const struct dirent *e, const char *name, const char *rest,
    const char *behind, unsigned depth)
{
	bool deep = strcmp(name, "**") == 0;
	struct stat st;
	char *path;
	int rc = 0;

	if (e->d_name[0] == '.' || (!deep && fnmatch(name, e->d_name, FNM_PERIOD) != 0))
		return 0;
	if (behind == NULL)
		return take_file(k, dir, e->d_name);
	path = mem_printf("%s/%s", dir, e->d_name);
	/* Links to directories are not followed, for they may lead in circles. */
	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		rc = walk(k, path, deep ? rest : behind, depth + 1);
	free(path);
	return rc;
}

static int
list_directory(struct wildcards_walk *k, const char *dir, const char *name, const char *rest, const char *behind,
    unsigned depth)
{
	DIR *d = opendir(*dir == '\0' ? "/" : dir);
	const struct dirent *e = NULL;
	int rc = 0;

	if (d == NULL)
		return errno == ENOENT || errno == ENOTDIR ? 0 : fail(k, dir, "cannot be listed by this account");
	add_path(k, &k->w->dirs, mem_text(span_str(dir)));
	while (rc == 0 && (errno = 0, e = readdir(d)) != NULL)
		if (++k->spent->names > NAMES_MAX || k->spent->paths > PATHS_MAX || depth > DEPTH_MAX)
			rc = fail(k, k->pattern,
			    "and the patterns before it look through too many files and directories; name fewer");
		else
			rc = take_entry(k, dir, e, name, rest, behind, depth);
	if (rc == 0 && errno != 0)
		rc = fail(k, dir, "cannot be listed to its end");
	closedir(d);
	return rc;
}

/* The files below dir, a real path, that rest names: "2025/" and then "*.csv". */
static int
walk(struct wildcards_walk *k, const char *dir, const char *rest, unsigned depth)
{
	const char *slash = strchr(rest, '/'), *behind = slash == NULL ? NULL : slash + 1;
	char *name = mem_text(span_of(rest, slash == NULL ? strlen(rest) : (size_t)(slash - rest)));
	int rc = 0;

	if (behind != NULL && strcmp(name, "**") == 0) /* also no directory at all */
		rc = walk(k, dir, behind, depth);
	if (rc == 0)
		rc = list_directory(k, dir, name, rest, behind, depth);
	free(name);
	return rc;
}

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort_once(struct wildcards_list *list)
{
	size_t n = 0;

	if (list->n > 1)
		qsort(list->v, list->n, sizeof(*list->v), compare_paths);
	for (size_t i = 0; i < list->n; i++)
		if (n > 0 && strcmp(list->v[n - 1], list->v[i]) == 0)
			free(list->v[i]);
		else
			list->v[n++] = list->v[i];
	list->n = n;
}

/* A path without wildcards; links are followed, for the owner named it. */
static int
find_plain(struct wildcards_walk *k)
{
	char *real = realpath(k->pattern, NULL);
	struct stat st;

	add_path(k, &k->w->dirs, mem_text(span_str(k->pattern)));
	if (real == NULL && (errno == ENOENT || errno == ENOTDIR))
		return fail(k, k->pattern, "does not exist");
	if (real == NULL)
		return fail(k, k->pattern, "cannot be read by this account");
	if (!utf8_valid((const uint8_t *)real, strlen(real))) {
		free(real);
		return fail(k, k->pattern, "has a name, or is in a directory with one, that is not in UTF-8");
	}
	add_path(k, &k->w->files, real);
	return stat(real, &st) == 0 && S_ISREG(st.st_mode) ? 0 : fail(k, k->pattern, "is no file");
}

static int
find_many(struct wildcards_walk *k)
{
	const char *slash = k->pattern, *end = k->pattern + k->fixed + strcspn(k->pattern + k->fixed, "*?[");
	char *start, *root;
	int rc = 0;

	for (const char *p = k->pattern; p < end; p++)
		if (*p == '/')
			slash = p;
	start = slash == k->pattern ? mem_text(SPAN("/")) : mem_text(span_of(k->pattern, (size_t)(slash - k->pattern)));
	add_path(k, &k->w->dirs, mem_text(span_str(start)));
	if ((root = realpath(start, NULL)) != NULL) {
		if (strcmp(root, "/") == 0)
			root[0] = '\0'; /* paths are appended with their slash */
		k->w->root = strlen(root);
		rc = walk(k, root, slash + 1, 0);
	}
	free(root);
	free(start);
	if (rc == 0 && k->w->files.n == 0 && k->w->nameless > 0)
		return fail(k, k->pattern, "fits only files whose paths are not in UTF-8");
	if (rc == 0 && k->w->files.n == 0)
		return fail(k, k->pattern, "fits no file");
	return rc;
}

int
wildcards_find(struct wildcards *w, const char *pattern, size_t fixed, struct wildcards_spent *spent, struct err *err)
{
	struct wildcards_walk k = { .w = w, .pattern = pattern, .fixed = fixed, .spent = spent, .err = err };
	int rc;

	w->root = w->nameless = 0;
	drop_paths(&w->files);
	drop_paths(&w->dirs);
	rc = wildcards_any(pattern + fixed) ? find_many(&k) : find_plain(&k);
	sort_once(&w->files);
	sort_once(&w->dirs);
	for (size_t i = 0; rc == 0 && i < w->files.n; i++)
		if (access(w->files.v[i], R_OK) != 0)
			rc = fail(&k, w->files.v[i], "cannot be read by this account");
	if (rc == -1)
		drop_paths(&w->files);
	return rc;
}

void
wildcards_fini(struct wildcards *w)
{
	drop_paths(&w->files);
	drop_paths(&w->dirs);
	free(w->files.v);
	free(w->dirs.v);
	memset(w, 0, sizeof(*w));
}
