#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/io.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "project/format/files.h"
#include "workers/memory/git/repo_index.h"
#include "workers/memory/git/repo_commit.h"
#include "workers/memory/git/repo_keep.h"

#define INDEX_MAX	((size_t)256 << 20)

struct repo_index {
	struct repo_place	*place;
	git_repository		*repo;
	git_odb			*odb;
	git_index		*index;
	mode_t			 mode;		/* of the replaced file; 0: there was none */
};

/* Copies the index to a file of ours, for libgit2 to open. */
static int
copy_index(struct repo_index *e, struct err *err)
{
	const struct repo_place *p = e->place;
	struct buf text = { 0 };
	struct stat st;
	enum files_fault fault = files_read(p->git, "index", INDEX_MAX, &text, NULL);
	int fd = -1, r = -1;

	if (fault == FILES_MISSING)
		return 0;
	if (fault != FILES_OK || fstatat(p->git, "index", &st, AT_SYMLINK_NOFOLLOW) != 0)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "the repository's index cannot be read");
	else {
		e->mode = st.st_mode & 0666;
		fd = openat(p->work, REPO_NEW_INDEX, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, e->mode);
		if (fd < 0 || io_write(fd, buf_view(&text)) != 0)
			err_set(err, ERR_SERVICE_UNAVAILABLE, ".git cannot be written: %s", strerror(errno));
		else
			r = 0;
	}
	if (fd >= 0)
		close(fd);
	buf_fini(&text);
	return r;
}

struct repo_index *
repo_index_open(struct repo_place *p, git_repository *repo, git_odb *odb, struct err *err)
{
	struct repo_index *e = mem_new(1, sizeof(*e));
	char path[sizeof(p->work_path) + 16];

	e->place = p;
	e->repo = repo;
	e->odb = odb;
	snprintf(path, sizeof(path), "%s/" REPO_NEW_INDEX, p->work_path);
	if (copy_index(e, err) == 0) {
		if (git_index_open(&e->index, path) == 0)
			return e;
		err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the repository's index is in a form that carrel does not write "
		    "(split, sparse or without a checksum)");
	}
	repo_index_close(e);
	return NULL;
}

void
repo_index_close(struct repo_index *e)
{
	if (e == NULL)
		return;
	git_index_free(e->index);
	(void)unlinkat(e->place->work, REPO_NEW_INDEX, 0);
	free(e);
}

/*
 * The stamps that git compares first are set to zero, so that git compares
 * the content: we cannot see the file, and an edit that keeps its length must
 * not look unchanged.
 */
static void
put_entry(struct repo_index *e, const struct repo_path *p, const git_index_entry *now, const git_oid *id)
{
	git_index_entry entry = { .mode = now != NULL ? now->mode : p->mode, .path = p->path, .id = *id };

	/* Flags such as skip-worktree are the user's. */
	if (now != NULL) {
		entry.flags = now->flags;
		entry.flags_extended = now->flags_extended;
	}
	if (git_index_add(e->index, &entry) != 0)
		log_warn("the git index could not be updated for %s", p->path);
}

static bool
read_text(git_odb *odb, const git_oid *id, struct buf *out)
{
	git_odb_object *o;

	if (git_odb_read(&o, odb, id) != 0)
		return false;
	buf_append(out, git_odb_object_data(o), git_odb_object_size(o));
	git_odb_object_free(o);
	return true;
}

/* An entry that the user has staged keeps its difference to HEAD. */
static void
merge_entry(struct repo_index *e, const struct repo_path *p, const git_index_entry *now)
{
	struct buf old = { 0 }, new = { 0 }, staged = { 0 }, merged = { 0 };
	git_oid id;

	if (p->was && p->is && read_text(e->odb, &p->old, &old) && read_text(e->odb, &p->new, &new) &&
	    read_text(e->odb, &now->id, &staged) &&
	    repo_merge_texts(buf_view(&old), buf_view(&staged), buf_view(&new), &merged) &&
	    git_odb_write(&id, e->odb, merged.p, merged.len, GIT_OBJECT_BLOB) == 0)
		put_entry(e, p, now, &id);
	buf_fini(&old);
	buf_fini(&new);
	buf_fini(&staged);
	buf_fini(&merged);
}

static void
follow_path(struct repo_index *e, const struct repo_path *p)
{
	const git_index_entry *now = git_index_get_bypath(e->index, p->path, 0);

	if (now == NULL) {
		/* An entry that HEAD had and the index has not was removed by the user. */
		if (!p->was && p->is)
			put_entry(e, p, NULL, &p->new);
	} else if (p->is && git_oid_equal(&now->id, &p->new))
		return;
	else if (p->was && git_oid_equal(&now->id, &p->old)) {
		if (p->is)
			put_entry(e, p, now, &p->new);
		else
			(void)git_index_remove(e->index, p->path, 0);
	} else
		merge_entry(e, p, now);
}

void
repo_index_follow(struct repo_index *e, const struct repo_path *paths, size_t n)
{
	struct err err;

	for (size_t i = 0; i < n; i++)
		follow_path(e, &paths[i]);
	if (git_index_write(e->index) != 0) {
		log_warn("the git index could not be updated after the commit");
		return;
	}
	if (repo_keep_put_index(e->place, &err) != 0)
		log_warn("the git index could not be updated after the commit: %s", err.message);
}
