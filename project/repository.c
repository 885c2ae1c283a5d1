#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "project/paths.h"
#include "project/repository.h"

#define POINTER_MAX	4096	/* of a file that names a directory */
#define PACKED_MAX	((size_t)4 << 20)	/* of packed-refs; beyond, a branch is not looked for in it */

/* Read a file of one line that names a path after the word `before`; false: the file has another form. */
static bool
read_pointer(const char *path, const char *before, char out[PATH_MAX])
{
	struct buf text = { 0 };
	struct span line;
	bool ok = false;

	if (paths_read(AT_FDCWD, path, PATHS_ANY, POINTER_MAX, &text, NULL) == 0) {
		line = span_trim(buf_view(&text));
		if (line.len > strlen(before) && line.len < PATH_MAX && memcmp(line.p, before, strlen(before)) == 0 &&
		    memchr(line.p, '\n', line.len) == NULL && memchr(line.p, '\0', line.len) == NULL) {
			line = span_trim(span_of(line.p + strlen(before), line.len - strlen(before)));
			snprintf(out, PATH_MAX, "%.*s", SPAN_FMT(line));
			ok = line.len > 0;
		}
	}
	buf_fini(&text);
	return ok;
}

/* Resolve name, relative to dir unless it is absolute. */
static bool
repository_resolve(const char *dir, const char *name, char out[PATH_MAX])
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s", name[0] == '/' ? "" : dir, name[0] == '/' ? "" : "/", name);
	return realpath(path, out) != NULL;
}

static bool
is_ours(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/*
 * Follows .git that is a file and names a directory.  For a linked tree, that directory names its .git in turn; for a
 * submodule it is below the outer repository's modules and names its tree in its configuration, which carrel-git
 * reads.
 */
static bool
follow_file(const char *dot_git, struct repository *r)
{
	char name[PATH_MAX], path[2 * PATH_MAX], back[PATH_MAX], real[PATH_MAX];

	if (!read_pointer(dot_git, "gitdir:", name) || !repository_resolve(r->worktree, name, r->git_dir))
		return false;
	snprintf(path, sizeof(path), "%s/gitdir", r->git_dir);
	if (!read_pointer(path, "", back))
		return strstr(r->git_dir, "/.git/modules/") != NULL;
	return repository_resolve(r->git_dir, back, real) && strcmp(real, dot_git) == 0;
}

static int
examine(const char *dot_git, bool is_file, struct repository *r, struct err *err)
{
	char name[PATH_MAX], path[2 * PATH_MAX];

	if (is_file ? !follow_file(dot_git, r) : realpath(dot_git, r->git_dir) == NULL)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s does not lead to a repository of this working tree",
		    dot_git);
	snprintf(r->common_dir, sizeof(r->common_dir), "%s", r->git_dir);
	snprintf(path, sizeof(path), "%s/commondir", r->git_dir);
	if (read_pointer(path, "", name) && !repository_resolve(r->git_dir, name, r->common_dir))
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s names a directory that is not there", path);
	if (!is_ours(r->git_dir) || !is_ours(r->common_dir))
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "the repository %s belongs to another user", r->git_dir);
	return 1;
}

int
repository_find(const char *project_dir, struct repository *r, struct err *err)
{
	char dot_git[PATH_MAX + 8], head[PATH_MAX + 16];
	size_t len = strlen(project_dir);
	struct stat start, st;

	memset(r, 0, sizeof(*r));
	if (len == 0 || len >= PATH_MAX || project_dir[0] != '/' || stat(project_dir, &start) != 0)
		return 0;
	for (snprintf(r->worktree, sizeof(r->worktree), "%s", project_dir);;) {
		bool top = strcmp(r->worktree, "/") == 0;
		char *slash;

		if (stat(r->worktree, &st) != 0 || st.st_dev != start.st_dev)
			return 0;
		snprintf(dot_git, sizeof(dot_git), "%s/.git", top ? "" : r->worktree);
		snprintf(head, sizeof(head), "%s/HEAD", dot_git);
		/* A directory without HEAD is not a repository, as in git. */
		if (lstat(dot_git, &st) == 0 && (S_ISREG(st.st_mode) || lstat(head, &st) == 0)) {
			len = top ? 1 : strlen(r->worktree) + 1;
			snprintf(r->prefix, sizeof(r->prefix), "%s",
			    strlen(project_dir) < len ? "" : project_dir + len);
			return examine(dot_git, S_ISREG(st.st_mode) && lstat(head, &st) != 0, r, err);
		}
		if (top)
			return 0;
		slash = strrchr(r->worktree, '/');
		slash[slash == r->worktree ? 1 : 0] = '\0';
	}
}

/* The digits of a commit at the begin of s; false: it begins with none. */
static bool
read_commit(struct span s, char commit[REPOSITORY_COMMIT + 1])
{
	size_t n = 0;

	while (n < s.len && n < REPOSITORY_COMMIT &&
	    ((s.p[n] >= '0' && s.p[n] <= '9') || (s.p[n] >= 'a' && s.p[n] <= 'f')))
		n++;
	if ((n != 40 && n != REPOSITORY_COMMIT) || (n < s.len && s.p[n] != ' ' && s.p[n] != '\n'))
		return false;
	memcpy(commit, s.p, n);
	commit[n] = '\0';
	return true;
}

/* In packed-refs: lines of a commit and the name of a branch or tag. */
static bool
find_packed(const char *common_dir, const char *name, char commit[REPOSITORY_COMMIT + 1])
{
	char path[PATH_MAX + 16];
	struct buf text = { 0 };
	size_t len = strlen(name);
	struct span left;
	bool found = false;

	snprintf(path, sizeof(path), "%s/packed-refs", common_dir);
	if (paths_read(AT_FDCWD, path, PATHS_ANY, PACKED_MAX, &text, NULL) == 0)
		for (left = buf_view(&text); left.len > 0 && !found;) {
			const uint8_t *end = memchr(left.p, '\n', left.len);
			size_t n = end != NULL ? (size_t)(end - left.p) : left.len;

			found = n > len + 1 && left.p[n - len - 1] == ' ' && memcmp(left.p + n - len, name, len) == 0 &&
			    read_commit(span_of(left.p, n), commit) && strlen(commit) == n - len - 1;
			left = span_of(left.p + n + (end != NULL), left.len - n - (end != NULL));
		}
	buf_fini(&text);
	return found;
}

bool
repository_commit(const struct repository *r, char commit[REPOSITORY_COMMIT + 1])
{
	char path[2 * PATH_MAX], name[PATH_MAX];
	struct buf text = { 0 };
	bool found;

	snprintf(path, sizeof(path), "%s/HEAD", r->git_dir);
	if (read_pointer(path, "ref:", name)) {
		if (strncmp(name, "refs/heads/", 11) != 0 || strstr(name, "..") != NULL)
			return false;
		snprintf(path, sizeof(path), "%s/%s", r->common_dir, name);
		found = paths_read(AT_FDCWD, path, PATHS_ANY, POINTER_MAX, &text, NULL) == 0 ?
		    read_commit(buf_view(&text), commit) :
		    find_packed(r->common_dir, name, commit);
	} else
		found = paths_read(AT_FDCWD, path, PATHS_ANY, POINTER_MAX, &text, NULL) == 0 &&
		    read_commit(buf_view(&text), commit);
	buf_fini(&text);
	return found;
}
