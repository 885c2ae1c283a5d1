/* apply.c - see apply.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/log.h"
#include "project/atomic.h"
#include "project/files.h"
#include "workers/memory/apply.h"

#define TEXT_MAX	((size_t)4 << 20)

static bool
holds(const struct run_side *s, const struct buf *now, bool there)
{
	return s->there == there && (!there || span_is(s->text, buf_view(now)));
}

static int
edited(struct err *err, struct span path)
{
	return err_set(err, ERR_BUSY, "%.*s was changed by somebody else meanwhile; nothing was written over it",
	    SPAN_FMT(path));
}

/* name's content into *now; false: there is no such file.  -1: neither. */
static int
look(int dir, const char *name, struct buf *now, bool *there)
{
	enum files_fault fault = files_read(dir, name, TEXT_MAX, now, NULL);

	*there = fault == FILES_OK;
	return fault == FILES_OK || fault == FILES_MISSING ? 0 : -1;
}

/* Whether the file still holds what it is to be changed from. */
static bool
still_holds(int dir, const char *name, const struct run_side *from)
{
	struct buf now = { 0 };
	bool there, same = look(dir, name, &now, &there) == 0 && holds(from, &now, there);

	buf_fini(&now);
	return same;
}

/*
 * The new text under a temporary name changes places with the file, so that
 * what stood there is looked at after nobody can open it by that name any
 * more: an edit that came in between is put back.  It is looked at again once
 * the directory is synced, for a writer that had it open already.
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

/* Bring one file from one state to the other.  1: it was there already. */
static int
move(int dir, const char *name, struct span path, const struct run_side *from, const struct run_side *to, struct err *err)
{
	struct buf now = { 0 };
	bool there;
	int r;

	if (look(dir, name, &now, &there) != 0)
		r = edited(err, path);
	else if (holds(to, &now, there))
		r = 1;
	else if (!holds(from, &now, there))
		r = edited(err, path);
	else if (to->there)
		r = exchange(dir, name, path, from, to->text, err);
	else if (unlinkat(dir, name, 0) != 0 || fsync(dir) != 0)
		r = atomic_fail(err, name, errno);
	else
		r = 0;
	buf_fini(&now);
	return r;
}

static int
move_change(const struct memory *m, const struct run_change *c, bool back, struct err *err)
{
	struct run_side before, after;
	const uint8_t *first = memchr(c->path.p, '/', c->path.len), *last = memrchr(c->path.p, '/', c->path.len);
	char place[64], below[FILES_PATH_MAX], name[FILES_NAME_MAX + 1];
	int root, dir, r;

	run_sides(c, back, &before, &after);
	if (first == NULL || first == last)
		return err_set(err, ERR_INTERNAL, "a run's path is not one");
	snprintf(place, sizeof(place), "%.*s", (int)(first - c->path.p), (const char *)c->path.p);
	snprintf(below, sizeof(below), "%.*s", (int)(last - first - 1), (const char *)first + 1);
	snprintf(name, sizeof(name), "%.*s", (int)(c->path.len - (size_t)(last + 1 - c->path.p)), (const char *)last + 1);
	if ((root = memory_open_place(m, place, err)) < 0)
		return -1;
	dir = atomic_open_dir(root, below, err);
	close(root);
	if (dir < 0)
		return -1;
	r = move(dir, name, c->path, &before, &after, err);
	close(dir);
	return r;
}

static int
apply(const struct memory *m, const struct run *r, bool back, struct err *err)
{
	const struct run_changes *list = run_moves(r);
	struct err why;

	for (size_t i = 0; i < list->n; i++) {
		const struct run_change *c = &list->v[back ? list->n - 1 - i : i];

		if (c->action == RUN_SKIPPED || move_change(m, c, back, err) >= 0) {
			(void)fault_point("memory.between_files");
			continue;
		}
		/* Put back what this and an interrupted attempt did. */
		while (i-- > 0) {
			c = &list->v[back ? list->n - 1 - i : i];
			if (c->action != RUN_SKIPPED && move_change(m, c, !back, &why) < 0)
				log_warn("run %s could not be taken back: %s", r->id, why.message);
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
