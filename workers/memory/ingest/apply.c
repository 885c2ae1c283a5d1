#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/fault.h"
#include "base/system/log.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "workers/memory/ingest/apply.h"
#include "workers/memory/worker.h"

#define TEXT_MAX	((size_t)4 << 20)

static bool
apply_holds(const struct run_side *s, const struct buf *now, bool there)
{
	return s->there == there && (!there || span_is(s->text, buf_view(now)));
}

static int
edited(struct err *err, struct span path)
{
	return err_set(err, ERR_BUSY, "%.*s was changed by somebody else meanwhile; nothing was written over it",
	    SPAN_FMT(path));
}

/* Reads name's content into *now; *there: the file exists.  -1: an error. */
static int
apply_look(int dir, const char *name, struct buf *now, bool *there)
{
	enum files_fault fault = files_read(dir, name, TEXT_MAX, now, NULL);

	*there = fault == FILES_OK;
	return fault == FILES_OK || fault == FILES_MISSING ? 0 : -1;
}

/* Whether the file still has the text that the change starts from. */
static bool
still_holds(int dir, const char *name, const struct run_side *from)
{
	struct buf now = { 0 };
	bool there, same = apply_look(dir, name, &now, &there) == 0 && apply_holds(from, &now, there);

	buf_fini(&now);
	return same;
}

/*
 * Exchanges the new text, under a temporary name, with the file.  The old file is checked after that, when none can
 * open it by its name any more: if it was edited in between, the edit is put back.  It is checked again after the
 * directory is synced, because a writer may have had it open.
 */
static int
exchange(int dir, const char *name, struct span path, const struct run_side *from, struct span to, struct err *err)
{
	struct atomic_stage stage;
	int r = 0;

	if (atomic_stage(dir, name, to, &stage, err) != 0)
		return -1;
	(void)fault_point("memory.before_exchange");
	if (renameat2(dir, stage.temp, dir, name, from->there ? RENAME_EXCHANGE : RENAME_NOREPLACE) != 0)
		r = errno == EEXIST || errno == ENOENT ? edited(err, path) : atomic_fail(err, name, errno);
	else {
		(void)fault_point("memory.after_exchange");
		if (!from->there)
			stage.temp[0] = '\0';
		else if (!still_holds(dir, stage.temp, from))
			r = edited(err, path);
		if (r == 0 && fsync(dir) != 0)
			r = atomic_fail(err, name, errno);
		if (r == 0 && from->there && !still_holds(dir, stage.temp, from))
			r = edited(err, path);
		if (r != 0 && from->there)
			(void)renameat2(dir, stage.temp, dir, name, RENAME_EXCHANGE);
		else if (r != 0)
			(void)unlinkat(dir, name, 0);
	}
	atomic_abandon(&stage);
	return r;
}

/* Renamed first, checked under the new name, and only then removed. */
static int
take_away(int dir, const char *name, struct span path, const struct run_side *from, struct err *err)
{
	char temp[ATOMIC_NAME_MAX + 1];
	int r = 0;

	atomic_name(temp, name);
	if (renameat2(dir, name, dir, temp, RENAME_NOREPLACE) != 0)
		return errno == ENOENT ? edited(err, path) : atomic_fail(err, name, errno);
	(void)fault_point("memory.after_take_away");
	if (!still_holds(dir, temp, from))
		r = edited(err, path);
	else if (fsync(dir) != 0)
		r = atomic_fail(err, name, errno);
	else if (!still_holds(dir, temp, from))
		r = edited(err, path);
	if (r != 0)
		(void)renameat2(dir, temp, dir, name, RENAME_NOREPLACE);
	else if (unlinkat(dir, temp, 0) != 0)
		r = atomic_fail(err, name, errno);
	return r;
}

/* Tells the two texts of a file apart, also after edits elsewhere in it. */
struct mark {
	const char	*id;		/* id of the run: pages contain it */
	struct span	 block;		/* the only piece by which the texts differ; empty: there are several */
};

static bool
apply_contains(struct span text, struct span what)
{
	return what.len > 0 && text.len >= what.len && memmem(text.p, text.len, what.p, what.len) != NULL;
}

/* The piece that longer has and shorter lacks, if it is a single piece. */
static struct span
insertion(struct span shorter, struct span longer)
{
	size_t head = 0, tail = 0;

	while (head < shorter.len && shorter.p[head] == longer.p[head])
		head++;
	while (tail < shorter.len - head && shorter.p[shorter.len - 1 - tail] == longer.p[longer.len - 1 - tail])
		tail++;
	return head + tail == shorter.len ? span_of(longer.p + head, longer.len - shorter.len) : SPAN_NONE;
}

static bool
is_marked(const struct mark *m, struct span text)
{
	return apply_contains(text, span_str(m->id)) || apply_contains(text, m->block);
}

/*
 * An interrupted attempt may have finished a file, and a user may have edited it since: apart from that edit the file
 * has its final text.
 */
static bool
was_moved(const char *id, struct span now, const struct run_side *from, const struct run_side *to)
{
	struct mark m = { id, { NULL, 0 } };

	if (!to->there)
		return false;
	if (from->there)
		m.block =
		    from->text.len < to->text.len ? insertion(from->text, to->text) : insertion(to->text, from->text);
	return is_marked(&m, to->text) != (from->there && is_marked(&m, from->text)) &&
	    is_marked(&m, now) == is_marked(&m, to->text);
}

/*
 * Changes one file from one text to the other.  1: it had the new text already.  again: the id of a run whose first
 * attempt a crash interrupted.
 */
static int
move(int dir, const char *name, struct span path, const struct run_side *from, const struct run_side *to,
    const char *again, struct err *err)
{
	struct buf now = { 0 };
	bool there;
	int r;

	if (apply_look(dir, name, &now, &there) != 0)
		r = edited(err, path);
	else if (apply_holds(to, &now, there))
		r = 1;
	else if (!apply_holds(from, &now, there))
		r = again != NULL && there && was_moved(again, buf_view(&now), from, to) ? 1 : edited(err, path);
	else if (to->there)
		r = exchange(dir, name, path, from, to->text, err);
	else
		r = take_away(dir, name, path, from, err);
	buf_fini(&now);
	return r;
}

/* The directory of the change, opened, and the file's name in it.  -1 with *err. */
static int
open_place(const struct memory *m, const struct run_change *c, char name[FILES_NAME_MAX + 1], struct err *err)
{
	const uint8_t *first = memchr(c->path.p, '/', c->path.len), *last = memrchr(c->path.p, '/', c->path.len);
	char place[64], below[FILES_PATH_MAX];
	int root, dir;

	if (first == NULL || first == last)
		return err_set(err, ERR_INTERNAL, "a run's path is not one");
	snprintf(place, sizeof(place), "%.*s", (int)(first - c->path.p), (const char *)c->path.p);
	snprintf(below, sizeof(below), "%.*s", (int)(last - first - 1), (const char *)first + 1);
	snprintf(name, FILES_NAME_MAX + 1, "%.*s", (int)(c->path.len - (size_t)(last + 1 - c->path.p)),
	    (const char *)last + 1);
	if ((root = memory_open_place(m, place, err)) < 0)
		return -1;
	dir = atomic_open_dir(root, below, err);
	close(root);
	return dir;
}

static int
move_change(const struct memory *m, const struct run *run, const struct run_change *c, bool back, struct err *err)
{
	char name[FILES_NAME_MAX + 1];
	struct run_side before, after;
	int dir = open_place(m, c, name, err), r;

	if (dir < 0)
		return -1;
	run_sides(c, back, &before, &after);
	r = move(dir, name, c->path, &before, &after, run->attempts > 0 ? run->id : NULL, err);
	close(dir);
	return r;
}

/* A file that cannot be put back is named in the error, so that a user can look at it. */
static void
tell_kept(const struct run *r, const struct run_change *c, struct err *err)
{
	size_t n = strlen(err->message);

	log_warn("run %s could not be taken back in %.*s", r->id, SPAN_FMT(c->path));
	snprintf(err->message + n, sizeof(err->message) - n,
	    "; %.*s was written before, was edited since, and is not changed", SPAN_FMT(c->path));
}

static int
apply(const struct memory *m, const struct run *r, bool back, struct err *err)
{
	const struct run_changes *list = run_moves(r);
	struct err why;

	for (size_t i = 0; i < list->n; i++) {
		const struct run_change *c = &list->v[back ? list->n - 1 - i : i];

		if (!run_writes(c) || move_change(m, r, c, back, err) >= 0) {
			(void)fault_point("memory.between_files");
			continue;
		}
		/* Undoes the changes of this attempt and of an interrupted one. */
		while (i-- > 0) {
			c = &list->v[back ? list->n - 1 - i : i];
			if (run_writes(c) && move_change(m, r, c, !back, &why) < 0)
				tell_kept(r, c, err);
		}
		return -1;
	}
	return 0;
}

int
apply_step(const struct memory *m, const struct run *r, struct err *err)
{
	return apply(m, r, r->step == RUN_STEP_REVERT, err);
}

int
apply_undo(const struct memory *m, const struct run *r, struct err *err)
{
	return apply(m, r, r->step != RUN_STEP_REVERT, err);
}

/* Whether the file has one of the run's texts, or the beginning of one. */
static bool
is_ours(struct span text, const struct run_side *s)
{
	return s->there && text.len <= s->text.len && (text.len == 0 || memcmp(text.p, s->text.p, text.len) == 0);
}

/*
 * Handles a leftover temporary file: it has the change's text, before or after, or a text that a user wrote during the
 * exchange.  The latter is put back, and the run finds it when it is resumed.
 */
static void
put_back(int dir, const char *temp, const char *name, const struct run_change *c)
{
	const struct run_side was = { c->action != RUN_CREATED, c->before },
			      is = { c->action != RUN_REMOVED, c->after };
	struct buf text = { 0 }, now = { 0 };
	bool there, is_there;

	if (apply_look(dir, temp, &text, &there) == 0 && there && !is_ours(buf_view(&text), &was) &&
	    !is_ours(buf_view(&text), &is) && apply_look(dir, name, &now, &is_there) == 0 &&
	    (!is_there || apply_holds(&was, &now, true) || apply_holds(&is, &now, true)) &&
	    renameat2(dir, temp, dir, name, is_there ? RENAME_EXCHANGE : RENAME_NOREPLACE) == 0) {
		log_warn("%.*s: an edit made during an interrupted run was restored", SPAN_FMT(c->path));
		(void)fsync(dir);
	}
	buf_fini(&text);
	buf_fini(&now);
}

void
apply_recover(const struct memory *m, const struct run *r)
{
	const struct run_changes *list = run_moves(r);
	char name[FILES_NAME_MAX + 1];

	for (size_t i = 0; i < list->n; i++) {
		struct dirent *e;
		int dir;
		DIR *d;

		if (!run_writes(&list->v[i]) || (dir = open_place(m, &list->v[i], name, NULL)) < 0)
			continue;
		if ((d = fdopendir(dir)) == NULL) {
			close(dir);
			continue;
		}
		while ((e = readdir(d)) != NULL)
			if (atomic_is_for(e->d_name, name))
				put_back(dirfd(d), e->d_name, name, &list->v[i]);
		closedir(d);
	}
}
