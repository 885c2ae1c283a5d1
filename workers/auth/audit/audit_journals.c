#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/auth/audit/audit_parts.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/audit/audit_entry.h"
#include "workers/auth/audit/audit_memo.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/audit/audit_journals.h"

#define QUIET_NS	CLOCK_SECOND		/* without a new entry; then fronts send entries again */
#define LEFT_NS		(5 * CLOCK_SECOND)	/* between searches for abandoned journals, and looks at the disk */
#define ROOM_LEAST	65536u			/* bytes left on the disk, below which it is full */

static void
mark_name(unsigned number, char out[32])
{
	snprintf(out, 32, "audit.journal.%u", number);
}

/* Store the position as "file id:position". */
static int
mark_write(struct audit *a, unsigned number, struct err *err)
{
	const struct journal *j = &a->journals[number].file;
	char name[32], value[2 * JOURNAL_ID + 32];

	mark_name(number, name);
	sodium_bin2hex(value, sizeof(value), j->page->id, JOURNAL_ID);
	snprintf(value + 2 * JOURNAL_ID, 32, ":%llu", (unsigned long long)j->at);
	return store_set_setting(a->store, name, span_str(value), err);
}

/* 1: *at is the stored position in this very file; 0: the store does not know the file; -1. */
static int
mark_read(struct audit *a, unsigned number, uint64_t *at, struct err *err)
{
	const struct journal *j = &a->journals[number].file;
	struct buf value = BUF_MAX(128);
	char name[32], id[2 * JOURNAL_ID + 1];
	int found;

	mark_name(number, name);
	sodium_bin2hex(id, sizeof(id), j->page->id, JOURNAL_ID);
	if ((found = store_setting(a->store, name, &value, err)) > 0) {
		found = value.len > 2 * JOURNAL_ID && memcmp(value.p, id, 2 * JOURNAL_ID) == 0;
		*at = found ? strtoull(buf_cstr(&value) + 2 * JOURNAL_ID + 1, NULL, 10) : 0;
	}
	buf_fini(&value);
	return found;
}

/* Start at the stored position; a position that does not fit the file is reported in a checkpoint. */
static int
journal_place(struct audit *a, unsigned number, struct err *err)
{
	struct audit_journal *l = &a->journals[number];
	uint64_t written = atomic_load_explicit(&l->file.page->written, memory_order_acquire), at = 0;
	int known = mark_read(a, number, &at, err);

	if (known < 0)
		return -1;
	l->doubtful = known == 0;
	if (known == 0)
		at = atomic_load_explicit(&l->file.page->taken, memory_order_acquire);
	l->file.at = at;
	if (written - at > JOURNAL_RING) {
		if (l->file.page->restarted == 0)
			l->finding = "a journal was not as it had been left";
		journal_skip(&l->file);
		l->displaced = true;
	}
	l->placed = true;
	return 0;
}

/*
 * Within a transaction: go on where the store says that the file was read up to.  When a carrel-auth takes another
 * one's place both read the file for a moment, and what the store has is wiped from it.
 */
static int
journal_follow(struct audit *a, unsigned number, struct err *err)
{
	struct audit_journal *l = &a->journals[number];
	uint64_t at;
	int known = mark_read(a, number, &at, err);

	if (known == 1 && (int64_t)(at - l->file.at) > 0)
		l->file.at = at;
	return known < 0 ? -1 : 0;
}

/* Read a record, which may be any bytes.  One that says what an earlier one said is not parsed again. */
static bool
record_read(const struct audit *a, struct span record, struct audit_entry *e)
{
	struct span receipt, told = audit_entry_told(record, &receipt);

	if (audit_memo_find_entry(a->memo, told, e)) {
		e->receipt = receipt;
		return true;
	}
	if (mp_scan(record) != MP_OK || !audit_entry_read(record, AUDIT_BY_FRONT, e))
		return false;
	if (e->at_unix_ms == 0)
		e->told = told;
	return true;
}

/* Write all available records.  Their content is only as trustworthy as the writers of the file. */
static int
write_records(struct audit *a, struct audit_journal *l, size_t *n, struct err *err)
{
	for (;;) {
		struct audit_entry e;
		struct span entry;
		uint64_t at_ms;

		switch (journal_get(&l->file, &a->copy, &at_ms, &entry)) {
		case JOURNAL_NOTHING:
			return 0;
		case JOURNAL_BROKEN:
			journal_skip(&l->file);
			/* After a crash of the machine the file may mix pages of different moments. */
			if (l->file.page->restarted != 0)
				log_warn("audit: the newest entries in a journal did not reach the disk");
			else if (audit_tell(a, "a journal was changed", err) != 0)
				return -1;
			return 0;
		case JOURNAL_RECORD:
			break;
		}
		if (!record_read(a, entry, &e)) {
			log_error("audit: a record in a front's journal is not an audit entry");
			continue;
		}
		if (e.at_unix_ms == 0)
			e.at_unix_ms = at_ms;
		if (audit_write(a, &e, l->doubtful, err) != 0)
			return -1;
		if (a->settings.seen != NULL && l->peer != 0)
			a->settings.seen(a->settings.arg, &e);
		++*n;
	}
}

static int
journal_drain(struct audit *a, unsigned number, struct err *err)
{
	struct audit_journal *l = &a->journals[number];
	uint64_t from;
	size_t n = 0;

	if (!l->placed && journal_place(a, number, err) != 0)
		return -1;
	if (!l->displaced && !journal_has_more(&l->file))
		return 0;
	from = l->file.at;
	if (store_begin(a->store, err) != 0)
		return -1;
	a->in_step = false;
	if (journal_follow(a, number, err) != 0 || (l->finding != NULL && audit_tell(a, l->finding, err) != 0) ||
	    write_records(a, l, &n, err) != 0 || mark_write(a, number, err) != 0) {
		l->file.at = from;
		return audit_roll_back(a);
	}
	if (audit_commit(a, err) != 0) {
		l->file.at = from;
		return -1;
	}
	l->finding = NULL;
	l->doubtful = l->displaced = false;
	l->file.page->restarted = 0;
	journal_store_has(&l->file);
	a->written += n;
	a->busy_ns = clock_ns();
	return 0;
}

void
audit_take_from(struct audit *a, bool taking)
{
	if (taking)
		a->busy_ns = clock_ns();
	a->taking = taking;
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES; i++)
		if (a->journals[i].file.page != NULL)
			journal_take_from(&a->journals[i].file, taking && a->journals[i].peer != 0);
}

void
audit_journals_open(struct audit *a, uint64_t peer, unsigned number, int fd)
{
	struct audit_journal *l = number < POLICY_JOURNAL_FILES ? &a->journals[number] : NULL;
	struct err e;

	if (l == NULL || !a->settings.has_journals || l->file.page != NULL) {
		/* The file is mapped already: the front has a new channel, or was restarted. */
		if (l != NULL && l->file.page != NULL)
			l->peer = peer;
		close(fd);
		return;
	}
	*l = (struct audit_journal){ .peer = peer };
	if (!journal_map(&l->file, fd, a->settings.journal_key)) {
		log_warn("audit: no journal: %s", strerror(errno));
		return;
	}
	journal_take_from(&l->file, false);
	if (journal_drain(a, number, &e) != 0)
		log_error("audit: the entries of a journal could not be written to the store yet: %s", e.message);
}

void
audit_journal_gone(struct audit *a, uint64_t peer)
{
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES; i++)
		if (a->journals[i].file.page != NULL && a->journals[i].peer == peer) {
			journal_take_from(&a->journals[i].file, false);
			a->journals[i].peer = 0;
		}
}

/* Adopt a journal without a living front until it is empty. */
static void
adopt_left(struct audit *a, unsigned number)
{
	static const char *const suffixes[] = { POLICY_STATE_JOURNALS };
	struct audit_journal *l = &a->journals[number];
	char *path = mem_printf("%s%s", a->settings.path, suffixes[number]);
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	free(path);
	if (fd < 0)
		return;
	if (fstat(fd, &st) != 0 || st.st_size != JOURNAL_FILE_BYTES || flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return;
	}
	*l = (struct audit_journal){ .peer = 0 };
	if (!journal_map(&l->file, fd, a->settings.journal_key))
		return;
	if (memcmp(l->file.page->magic, JOURNAL_MAGIC, sizeof(l->file.page->magic)) != 0)
		journal_unmap(&l->file);
}

/* Release journals whose front is gone and whose entries are all in the store. */
static void
let_go_of_empty(struct audit *a)
{
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES; i++) {
		struct audit_journal *l = &a->journals[i];

		if (l->file.page != NULL && l->peer == 0 && !journal_has_more(&l->file))
			journal_unmap(&l->file);
	}
}

static int
drain_all(struct audit *a, struct err *err)
{
	int result = 0;

	a->settled_ns = clock_ns();
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES && result == 0; i++)
		if (a->journals[i].file.page != NULL)
			result = journal_drain(a, i, err);
	if (result != 0)
		snprintf(a->failing, sizeof(a->failing), "entries of the audit wait in their journals: %s",
		    err->message);
	else
		snprintf(a->failing, sizeof(a->failing), "%s", a->room != NULL ? a->room : "");
	if (result == 0)
		let_go_of_empty(a);
	else
		audit_take_from(a, false);
	return result;
}

const char *
audit_failing(const struct audit *a)
{
	return a->failing;
}

/* The store writes into pages that it has for a while after its disk is full: it is told before calls are refused. */
static void
look_at_room(struct audit *a)
{
	int fd;
	struct statvfs fs;

	a->room = NULL;
	if (a->settings.path == NULL || (fd = open(a->settings.path, O_PATH | O_CLOEXEC)) < 0)
		return;
	if (fstatvfs(fd, &fs) != 0)
		log_warn("audit: the room on the store's disk is not known: %s", strerror(errno));
	else if ((fs.f_flag & ST_RDONLY) != 0)
		a->room = "the file system of the state store is read-only";
	else if (fs.f_bavail * fs.f_frsize < ROOM_LEAST)
		a->room = "the file system of the state store is full: make room, else calls will be refused";
	close(fd);
}

static void
look_for_left(struct audit *a, uint64_t now_ns)
{
	a->left_ns = now_ns;
	look_at_room(a);
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES && a->settings.has_journals; i++)
		if (a->journals[i].file.page == NULL)
			adopt_left(a, i);
}

int
audit_settle(struct audit *a, struct err *err)
{
	look_for_left(a, clock_ns());
	return drain_all(a, err);
}

void
audit_journals_begin(struct audit *a)
{
	struct err e;

	if (audit_settle(a, &e) != 0)
		log_error("audit: entries left in a journal could not be written to the store yet: %s", e.message);
}

void
audit_journals_idle(struct audit *a, uint64_t now_ns)
{
	struct err e;

	if (now_ns - a->left_ns >= LEFT_NS)
		look_for_left(a, now_ns);
	if (now_ns - a->settled_ns < AUDIT_SETTLE_MS * CLOCK_MS)
		return;
	if (drain_all(a, &e) != 0 && a->ntold++ % 100 == 0)
		log_error("audit: the entries of a journal could not be written to the store yet: %s", e.message);
	if (a->taking && now_ns > a->busy_ns && now_ns - a->busy_ns >= QUIET_NS)
		audit_take_from(a, false);
}

void
audit_journals_free(struct audit *a)
{
	struct err e;

	if (audit_settle(a, &e) != 0)
		log_warn("audit: some entries stay in a journal until the next start: %s", e.message);
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES; i++)
		journal_unmap(&a->journals[i].file);
}
