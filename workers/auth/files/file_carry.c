#include "workers/auth/files/file_carry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/io.h"
#include "base/system/log.h"
#include "workers/auth/files/file_list.h"
#include "workers/auth/files/file_place.h"
#include "workers/auth/files/file_seal.h"
#include "workers/auth/files/file_state.h"

#define STEP_NS		(2 * CLOCK_MS)
#define SOON_NS		(100 * CLOCK_MS)	/* another process has the file now */
#define HELD_NS		(3 * CLOCK_SECOND)	/* then it is told of */
#define WATCH_NS	(2 * CLOCK_SECOND)
#define LATER_NS	(30 * CLOCK_SECOND)	/* something has to be done first */

static void
job_clear(struct files *f)
{
	struct file_job *j = &f->job;
	const int fds[] = { j->dir, j->fd, j->out };

	for (size_t i = 0; j->e != NULL && i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	j->e = NULL;
	j->incoming[0] = '\0';
	j->known.len = j->digests.len = 0;
}

/* The file is done, or looked at again. */
static void
job_end(struct files *f)
{
	struct file_entry *e = f->job.e;

	job_clear(f);
	e->work = file_state_work(e);
	file_list_fine(e);
}

static void
job_fail(struct files *f, uint64_t wait_ns, const char *why)
{
	struct file_entry *e = f->job.e;

	job_clear(f);
	file_list_fail(e, wait_ns, "%s", why);
}

/* It changed meanwhile, here or in the store: look at both. */
static void
job_again(struct files *f)
{
	struct file_entry *e = f->job.e;

	job_clear(f);
	e->wait_ns = clock_ns() + SOON_NS;
	f->scan_ns = 0;
	f->list_due = true;
}

/* Another process has the file, for a moment or for longer. */
static void
job_held(struct files *f)
{
	struct file_entry *e = f->job.e;
	uint64_t now = clock_ns();

	if (e->held_ns == 0)
		e->held_ns = now;
	if (now - e->held_ns < HELD_NS)
		job_again(f);
	else
		job_fail(f, WATCH_NS,
		    "an import is running, or one was interrupted and SQLite's log has what is not in the file: the "
		    "next "
		    "`carrel dataset import` or `remove` on this node mends that");
}

/* Only the lost connection is told of elsewhere. */
static void
job_lost(struct files *f, const struct err *err)
{
	job_fail(f, SOON_NS, err->message);
}

static uint64_t
pieces_of(uint64_t size)
{
	return size / FILES_PIECE + (size % FILES_PIECE != 0);
}

static struct span
digest_at(const struct buf *digests, uint64_t index)
{
	return index < digests->len / FILE_DIGEST ? span_of(digests->p + index * FILE_DIGEST, FILE_DIGEST) : SPAN_NONE;
}

static struct span
key_of(const struct file_entry *e)
{
	return span_of(e->key, FILE_DIGEST);
}

/* A piece of the file here into f->piece, and its digest.  False: it has another length. */
static bool
read_piece(struct files *f, uint64_t index, uint64_t size, uint8_t digest[FILE_DIGEST])
{
	struct file_job *j = &f->job;
	uint64_t from = index * FILES_PIECE, left = size - from;
	size_t want = left < FILES_PIECE ? (size_t)left : FILES_PIECE;
	ssize_t n;

	f->piece.len = 0;
	(void)buf_reserve(&f->piece, FILES_PIECE);
	while (f->piece.len < want) {
		n = pread(j->fd, f->piece.p + f->piece.len, want - f->piece.len, (off_t)(from + f->piece.len));
		if (n <= 0)
			return false;
		f->piece.len += (size_t)n;
	}
	file_seal_piece(f, j->e->key, buf_view(&f->piece), digest);
	return true;
}

static bool
is_as_read(const struct file_job *j, const char *base)
{
	struct file_stamp now;

	return file_place_look(j->dir, base, &now) && now.ino == j->at.ino && now.size == j->at.size &&
	    now.mtime_ns == j->at.mtime_ns && now.ctime_ns == j->at.ctime_ns;
}

static const char *
base_of(const struct file_entry *e)
{
	return strrchr(e->name, '/') + 1;
}

static uint64_t
size_of_others(const struct files *f, const struct file_entry *e)
{
	uint64_t size = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i] != e && f->v[i]->there && !f->v[i]->removed)
			size += f->v[i]->size;
	return size;
}

static void
fail_full(struct files *f, struct file_entry *e)
{
	uint64_t all = size_of_others(f, e) + f->job.at.size;

	job_clear(f);
	file_list_fail(e, LATER_NS,
	    "with it the shared files would take %llu MB, and state_files_mb allows %llu: set it higher on each node, "
	    "or remove datasets",
	    (unsigned long long)((all + (1 << 20) - 1) >> 20), (unsigned long long)(f->most >> 20));
	e->full = true;
}

static void
send_begin(struct files *f)
{
	struct file_job *j = &f->job;
	struct file_entry *e = j->e;
	const char *base;
	struct err err;
	int hold;

	j->sends = true;
	if ((j->dir = file_place_directory(f, e->name, false, &base)) < 0) {
		job_again(f);
		return;
	}
	if (!file_place_hold(j->dir, e->name, false, &hold)) {
		job_held(f);
		return;
	}
	e->held_ns = 0;
	j->fd = openat(j->dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (hold >= 0)
		close(hold);
	if (j->fd < 0 || !file_place_look(j->dir, base, &j->at)) {
		job_again(f);
		return;
	}
	j->pieces = pieces_of(j->at.size);
	j->looks = !file_state_follows(e);
	j->all = e->doubted || e->bad;
	if (!j->looks && (j->at.size > f->most || size_of_others(f, e) > f->most - j->at.size))
		fail_full(f, e);
	else if (e->there && !e->removed && !e->bad &&
	    store_file_digests(f->shared, key_of(e), e->revision, &j->known, &err) < 0)
		job_lost(f, &err);
}

/* The file here is the one that the store has, or is published; or it may not be. */
static void
send_end(struct files *f)
{
	struct file_job *j = &f->job;
	struct file_entry *e = j->e;
	struct file_head head = { .revision = f->newest + 1, .size = j->at.size };
	struct store_file row;
	struct err err;
	int said;

	file_seal_whole(f, buf_view(&j->digests), j->at.size, head.digest);
	if (e->there && !e->removed && !e->bad && !e->doubted && memcmp(head.digest, e->digest, FILE_DIGEST) == 0) {
		if (file_state_keep(f, e, e->revision, e->digest, &j->at, &err) != 0)
			job_lost(f, &err);
		else
			job_end(f);
		return;
	}
	if (j->looks && e->recorded && memcmp(head.digest, e->rec_digest, FILE_DIGEST) == 0) {
		/* Another file of the content that is remembered: a copy was put in its place. */
		if (file_state_move(f, e, &j->at, &err) != 0)
			job_lost(f, &err);
		else
			job_end(f);
		return;
	}
	if (j->looks) {
		job_clear(f);
		e->work = FILE_ASIDE;
		return;
	}
	snprintf(head.name, sizeof(head.name), "%s", e->name);
	f->sealed.len = 0;
	file_seal_put_head(f, &head, &f->sealed);
	row = (struct store_file){ .name = key_of(e), .head = buf_view(&f->sealed), .digests = buf_view(&j->digests),
		.revision = head.revision, .size = head.size };
	said = store_file_publish(f->shared, &row, e->there ? e->revision : 0, f->most, &err);
	if (said < 0)
		job_lost(f, &err);
	else if (said == STORE_FILE_FULL)
		fail_full(f, e);
	else if (said != STORE_FILE_PUBLISHED)
		job_again(f);
	else {
		e->there = true;
		e->removed = e->bad = e->doubted = false;
		e->revision = f->newest = head.revision;
		e->size = head.size;
		e->at_ms = store_now_ms(f->shared);
		memcpy(e->digest, head.digest, FILE_DIGEST);
		if (file_state_keep(f, e, e->revision, e->digest, &j->at, &err) != 0)
			job_lost(f, &err); /* it is found again to be that revision */
		else
			job_end(f);
	}
}

static void
send_step(struct files *f)
{
	struct file_job *j = &f->job;
	struct file_entry *e = j->e;
	uint8_t digest[FILE_DIGEST];
	uint64_t until = clock_ns() + STEP_NS;
	struct err err;
	int hold, sent = 0;
	bool good;

	if (!file_place_hold(j->dir, e->name, false, &hold)) {
		job_held(f);
		return;
	}
	for (good = true; good && sent == 0 && j->index < j->pieces && clock_ns() < until; j->index++) {
		if (!(good = read_piece(f, j->index, j->at.size, digest)))
			break;
		buf_append(&j->digests, digest, FILE_DIGEST);
		if (j->looks || (!j->all && span_is(digest_at(&j->known, j->index), span_of(digest, FILE_DIGEST))))
			continue;
		f->sealed.len = 0;
		file_seal_put(f, buf_view(&f->piece), &f->sealed);
		sent = store_file_keep_piece(f->shared, key_of(e), span_of(digest, FILE_DIGEST), buf_view(&f->sealed),
			   &err) == 0 ?
		    1 :
		    -1;
	}
	good = good && is_as_read(j, base_of(e));
	if (hold >= 0)
		close(hold);
	if (!good)
		job_again(f);
	else if (sent < 0)
		job_lost(f, &err);
	else if (j->index == j->pieces)
		send_end(f);
}

/* What the store has is not what was published: a node that has the file is to send it again. */
static void
fail_doubted(struct files *f)
{
	struct file_entry *e = f->job.e;
	struct err err;

	log_error("what the state store has of .carrel/%s was changed there, and is not used", e->name);
	if (store_file_doubt(f->shared, key_of(e), e->revision, &err) != 0)
		job_lost(f, &err);
	else
		job_fail(f, 5 * CLOCK_SECOND,
		    "what the state store has of it was changed there, and none of it is used: a node that has the "
		    "file "
		    "sends it again; if none has, import it again");
}

static void
bring_begin(struct files *f)
{
	struct file_job *j = &f->job;
	struct file_entry *e = j->e;
	uint8_t digest[FILE_DIGEST];
	const char *base;
	struct err err;
	int found;

	j->pieces = pieces_of(e->size);
	if ((found = store_file_digests(f->shared, key_of(e), e->revision, &j->known, &err)) < 0) {
		job_lost(f, &err);
		return;
	}
	if (found == 0) {
		job_again(f); /* there is a newer one */
		return;
	}
	file_seal_whole(f, buf_view(&j->known), e->size, digest);
	if (memcmp(digest, e->digest, FILE_DIGEST) != 0 || j->known.len != j->pieces * FILE_DIGEST) {
		fail_doubted(f);
		return;
	}
	if ((j->dir = file_place_directory(f, e->name, true, &base)) >= 0 && !file_place_has_room(j->dir, e->size)) {
		job_fail(f, LATER_NS, "there is no room for it on this node's disk: make some");
		return;
	}
	if (j->dir >= 0) {
		j->fd = openat(j->dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		j->out = file_place_begin(j->dir, j->incoming, sizeof(j->incoming));
	}
	if (j->dir < 0 || j->out < 0)
		job_fail(f, LATER_NS, strerror(errno));
}

/* A piece from the file that is here, if it is the same there; else from the store.  1; 0: it is not there; -1. */
static int
get_piece(struct files *f, struct err *err)
{
	struct file_job *j = &f->job;
	struct file_entry *e = j->e;
	struct span wanted = digest_at(&j->known, j->index);
	uint64_t left = e->size - j->index * FILES_PIECE;
	uint8_t digest[FILE_DIGEST];
	int found;

	if (j->fd >= 0 && read_piece(f, j->index, e->size, digest) && span_is(wanted, span_of(digest, FILE_DIGEST)))
		return 1;
	f->sealed.len = f->piece.len = 0;
	if ((found = store_file_piece(f->shared, key_of(e), wanted, &f->sealed, err)) < 0)
		return -1;
	if (found == 0 || !file_seal_open(f, buf_view(&f->sealed), &f->piece) ||
	    f->piece.len != (left < FILES_PIECE ? left : FILES_PIECE))
		return 0;
	file_seal_piece(f, e->key, buf_view(&f->piece), digest);
	return span_is(wanted, span_of(digest, FILE_DIGEST));
}

/* A piece is not there: the revision was replaced a moment ago, or somebody changed it. */
static void
bring_miss(struct files *f)
{
	struct buf still = { 0 };
	struct err err;
	int found = store_file_digests(f->shared, key_of(f->job.e), f->job.e->revision, &still, &err);

	buf_fini(&still);
	if (found < 0)
		job_lost(f, &err);
	else if (found == 0)
		job_again(f);
	else
		fail_doubted(f);
}

/* Nothing is replaced but what is remembered to be a revision of the store. */
static void
bring_end(struct files *f)
{
	struct file_job *j = &f->job;
	struct file_entry *e = j->e;
	struct file_stamp now;
	struct err err;
	int hold;
	bool put;

	if (!file_place_hold(j->dir, e->name, true, &hold)) {
		file_place_forget(j->dir, j->incoming);
		job_held(f);
		return;
	}
	e->exists = file_place_look(j->dir, base_of(e), &e->now);
	put = !file_state_is_changed(e) && file_place_end(j->dir, j->out, j->incoming, base_of(e)) &&
	    file_place_look(j->dir, base_of(e), &now);
	if (hold >= 0)
		close(hold);
	if (!put) {
		file_place_forget(j->dir, j->incoming);
		job_again(f);
		return;
	}
	if (file_state_keep(f, e, e->revision, e->digest, &now, &err) != 0)
		job_lost(f, &err);
	else {
		log_info("revision %llu of .carrel/%s came from the state store", (unsigned long long)e->revision,
		    e->name);
		job_end(f);
	}
}

static void
bring_step(struct files *f)
{
	struct file_job *j = &f->job;
	uint64_t until = clock_ns() + STEP_NS;
	struct err err;
	int got = 1;

	while (got == 1 && j->index < j->pieces && clock_ns() < until)
		if ((got = get_piece(f, &err)) == 1 && io_write(j->out, buf_view(&f->piece)) != 0) {
			file_place_forget(j->dir, j->incoming);
			job_fail(f, LATER_NS, strerror(errno));
			return;
		} else
			j->index += got == 1;
	if (got < 0)
		job_lost(f, &err);
	else if (got == 0)
		bring_miss(f);
	else if (j->index == j->pieces)
		bring_end(f);
}

static void
drop_file(struct files *f, struct file_entry *e)
{
	struct err err;

	if (!file_place_remove(f, e->name)) {
		file_list_fail(e, LATER_NS, "it was removed, and is here still: %s", strerror(errno));
		return;
	}
	e->exists = false;
	if (file_state_forget(f, e, &err) != 0)
		file_list_fail(e, SOON_NS, "%s", err.message);
	else
		e->work = file_state_work(e);
}

static void
put_aside(struct files *f, struct file_entry *e)
{
	char now[160] = "";
	const char *base;
	struct err err;
	int hold, dir = file_place_directory(f, e->name, false, &base);
	bool done = false;

	if (dir >= 0 && file_place_hold(dir, e->name, true, &hold)) {
		done = file_place_aside(dir, base, now, sizeof(now));
		if (hold >= 0)
			close(hold);
	}
	if (dir >= 0)
		close(dir);
	f->scan_ns = 0;
	if (!done) {
		file_list_fail(e, WATCH_NS,
		    "it was changed here and on another node, and cannot be moved out of the way: remove files of that "
		    "name with " FILES_ASIDE);
		return;
	}
	e->exists = false;
	log_warn(
	    ".carrel/%s was changed on two nodes: the one that was first in the state store is used, and the other "
	    "one is kept here as %s",
	    e->name, now);
	if (file_state_forget(f, e, &err) != 0)
		file_list_fail(e, SOON_NS, "%s", err.message);
	else
		e->work = file_state_work(e);
}

void
file_carry_begin(struct files *f, struct file_entry *e, uint64_t now_ns)
{
	(void)now_ns;
	switch (e->work) {
	case FILE_SEND:
	case FILE_BRING:
		f->job = (struct file_job){ .e = e, .dir = -1, .fd = -1, .out = -1, .known = f->job.known,
			.digests = f->job.digests };
		if (e->work == FILE_SEND)
			send_begin(f);
		else
			bring_begin(f);
		break;
	case FILE_DROP:
		drop_file(f, e);
		break;
	case FILE_ASIDE:
		put_aside(f, e);
		break;
	case FILE_NOTHING:
		break;
	}
}

void
file_carry_step(struct files *f, uint64_t now_ns)
{
	(void)now_ns;
	if (f->job.sends)
		send_step(f);
	else
		bring_step(f);
}

void
file_carry_stop(struct files *f)
{
	if (f->job.e != NULL && f->job.out >= 0)
		file_place_forget(f->job.dir, f->job.incoming);
	job_clear(f);
}

int
file_carry_removal(struct files *f, struct file_entry *e, struct err *err)
{
	struct file_head head = { .revision = f->newest + 1, .removed = true };
	struct store_file row;
	int said;

	if (f->job.e == e)
		file_carry_stop(f);
	file_seal_whole(f, SPAN(""), 0, head.digest);
	snprintf(head.name, sizeof(head.name), "%s", e->name);
	f->sealed.len = 0;
	file_seal_put_head(f, &head, &f->sealed);
	row = (struct store_file){ .name = key_of(e), .head = buf_view(&f->sealed), .digests = SPAN(""),
		.revision = head.revision, .removed = true };
	if ((said = store_file_publish(f->shared, &row, e->revision, f->most, err)) != STORE_FILE_PUBLISHED)
		return said < 0 ? -1 : 1;
	e->removed = true;
	e->bad = e->doubted = false;
	e->revision = f->newest = head.revision;
	e->size = 0;
	memcpy(e->digest, head.digest, FILE_DIGEST);
	drop_file(f, e);
	return 0;
}
