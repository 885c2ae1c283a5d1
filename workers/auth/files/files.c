#include "workers/auth/files/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/files/file_carry.h"
#include "workers/auth/files/file_list.h"
#include "workers/auth/files/file_place.h"
#include "workers/auth/files/file_seal.h"
#include "workers/auth/files/file_state.h"

#define SCAN_NS		(5 * CLOCK_SECOND)	/* between looks at the directory without being asked */
#define AGAIN_NS	CLOCK_SECOND		/* after a list that failed */
#define TRIES		16			/* of a removal, while other nodes publish */

struct files *
files_new(const struct files_settings *settings)
{
	struct files *f = mem_new(1, sizeof(*f));

	f->own = settings->own;
	f->shared = settings->shared;
	f->project_dir = mem_text(span_str(settings->project_dir));
	f->most = settings->most;
	memcpy(f->key, settings->key, FILES_KEY);
	return f;
}

void
files_free(struct files *f)
{
	if (f == NULL)
		return;
	file_carry_stop(f);
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i]->name);
		free(f->v[i]->trouble);
		free(f->v[i]);
	}
	free(f->v);
	free(f->project_dir);
	buf_fini(&f->job.known);
	buf_fini(&f->job.digests);
	buf_wipe(&f->piece);
	buf_fini(&f->sealed);
	sodium_memzero(f->key, sizeof(f->key));
	free(f);
}

/* A row, whose head binds its name, its revision and its content. */
static void
take_row(void *arg, const struct store_file *row)
{
	struct files *f = arg;
	struct file_head head = { .name = "" };
	uint8_t key[FILE_DIGEST];
	struct file_entry *e;
	bool good;

	if (row->name.len != FILE_DIGEST)
		return;
	good = file_seal_open_head(f, row->head, &head) && head.revision == row->revision && head.size == row->size &&
	    head.removed == row->removed && file_place_is_name(head.name);
	if (good) {
		file_seal_name(f, head.name, key);
		good = memcmp(key, row->name.p, FILE_DIGEST) == 0;
	}
	e = good ? file_list_named(f, head.name, true) : file_list_entry(f, row->name.p, true);
	if (f->newest < row->revision)
		f->newest = row->revision;
	if (!good && !e->bad)
		log_error("a file in the state store was not made by these nodes, or changed there: %s",
		    e->name == NULL ? "its name is not known" : e->name);
	if (f->job.e == e && (e->revision != row->revision || row->doubted))
		file_carry_stop(f);
	if (e->revision != row->revision || row->doubted)
		e->wait_ns = 0;
	e->there = true;
	e->bad = !good;
	e->removed = row->removed;
	e->doubted = row->doubted;
	e->revision = row->revision;
	e->size = row->size;
	e->at_ms = row->at_ms;
	memcpy(e->digest, head.digest, FILE_DIGEST);
}

/* Whether the store's question said something that was not listed. */
static bool
list_is_due(const struct files *f, uint64_t now_ns)
{
	uint64_t newest = store_file_newest(f->shared);

	if (f->list_ns > now_ns)
		return false;
	return !f->listed || f->list_due || store_file_doubts(f->shared) > 0 ||
	    (newest != f->newest && newest != f->heard);
}

/* Look at the rows that are new; at all of them if the store has less than was seen. */
static bool
list_rows(struct files *f, uint64_t now_ns)
{
	struct err err;

	f->list_due = false;
	f->heard = store_file_newest(f->shared);
	f->list_ns = now_ns + (store_file_doubts(f->shared) > 0 ? AGAIN_NS : 0);
	if (f->heard < f->newest || !f->listed) {
		f->newest = 0;
		for (size_t i = 0; i < f->n; i++)
			f->v[i]->there = false;
	}
	f->listed = store_file_list(f->shared, f->newest, take_row, f, &err) == 0;
	if (!f->listed)
		f->list_ns = now_ns + AGAIN_NS;
	return f->listed;
}

static void
take_place(struct files *f, const char *name, const struct file_stamp *now)
{
	struct file_entry *e = file_list_named(f, name, true);

	e->exists = e->seen = true;
	e->now = *now;
}

static void
scan_places(struct files *f, uint64_t now_ns)
{
	for (size_t i = 0; i < f->n; i++)
		f->v[i]->seen = false;
	f->aside = 0;
	f->aside_name[0] = '\0';
	f->scan_ns = now_ns + SCAN_NS;
	if (!file_place_scan(f, take_place))
		return; /* nothing is taken to be gone */
	for (size_t i = 0; i < f->n; i++)
		f->v[i]->exists = f->v[i]->seen;
	f->scanned = true;
}

static void
judge_files(struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct file_entry *e = f->v[i];

		if (f->job.e == e)
			continue;
		e->work = file_state_work(e);
		if (e->work == FILE_NOTHING)
			file_list_fine(e);
	}
}

/* imports.db last: its pieces may be many, and texts are looked for meanwhile. */
static struct file_entry *
next_work(const struct files *f, uint64_t now_ns)
{
	struct file_entry *imports = NULL;

	for (size_t i = 0; i < f->n; i++) {
		struct file_entry *e = f->v[i];

		if (e->work == FILE_NOTHING || e->wait_ns > now_ns)
			continue;
		if (strcmp(e->name, FILES_IMPORTS) != 0)
			return e;
		imports = e;
	}
	return imports;
}

bool
files_step(struct files *f, uint64_t now_ns)
{
	bool looked = false;
	struct file_entry *e;

	if (store_away(f->shared) != NULL)
		return false;
	if (list_is_due(f, now_ns)) {
		if (!list_rows(f, now_ns))
			return false;
		looked = true;
	}
	if (!f->scanned || f->scan_ns <= now_ns) {
		scan_places(f, now_ns);
		looked = true;
	}
	if (looked)
		judge_files(f);
	if (f->job.e != NULL) {
		file_carry_step(f, now_ns);
		return true;
	}
	if (!f->listed || !f->scanned || (e = next_work(f, now_ns)) == NULL)
		return false;
	file_carry_begin(f, e, now_ns);
	return true;
}

void
files_look(struct files *f)
{
	f->scan_ns = f->list_ns = 0;
	f->scanned = f->listed = false;
	for (size_t i = 0; i < f->n; i++)
		f->v[i]->wait_ns = 0;
}

static void
say_trouble(const struct files *f, struct files_state *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct file_entry *e = f->v[i];

		if (e->trouble != NULL) {
			snprintf(out->trouble, sizeof(out->trouble), ".carrel/%s: %s", e->name, e->trouble);
			return;
		}
		if (e->there && e->bad && e->work == FILE_NOTHING)
			snprintf(out->trouble, sizeof(out->trouble),
			    "%s%s: what the state store has of it was changed there, and is not used: import it again",
			    e->name == NULL ? "a file of another node" : ".carrel/", e->name == NULL ? "" : e->name);
	}
	if (out->trouble[0] == '\0' && f->aside > 0)
		snprintf(out->trouble, sizeof(out->trouble),
		    "%" PRIu64
		    " of the files here were changed on another node as well, whose version is used: the other "
		    "one is kept, as %s; take over what is missing, and remove it",
		    f->aside, f->aside_name);
}

void
files_say(const struct files *f, struct files_state *out)
{
	*out = (struct files_state){ .aside = f->aside, .settled = f->listed && f->scanned };
	for (size_t i = 0; i < f->n; i++) {
		const struct file_entry *e = f->v[i];
		bool missing = e->work == FILE_BRING || (e->there && !e->removed && e->bad && !e->exists);

		out->files += e->there && !e->removed;
		out->missing += missing;
		out->missing_bytes += missing ? e->size : 0;
		out->full |= e->full;
		out->unsent += e->work == FILE_SEND || e->work == FILE_ASIDE;
		out->settled = out->settled && (e->work == FILE_NOTHING || e->wait_ns > clock_ns() + CLOCK_SECOND);
	}
	say_trouble(f, out);
}

static bool
is_of(const struct file_entry *e, const char *name)
{
	size_t n = strlen(name);

	return e->name != NULL &&
	    (n > 0 && name[n - 1] == '/' ? strncmp(e->name, name, n) == 0 : strcmp(e->name, name) == 0);
}

bool
files_lack(const struct files *f, const char *name, uint64_t since_ms)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct file_entry *e = f->v[i];
		bool brings = e->work == FILE_BRING || (e->there && !e->removed && e->bad && e->work == FILE_NOTHING);

		if (is_of(e, name) && brings && (!e->exists || !e->recorded || e->rec_at_ms <= since_ms))
			return true;
	}
	return false;
}

static int
remove_one(struct files *f, struct file_entry *e, struct err *err)
{
	for (int tries = 0; tries < TRIES; tries++) {
		int said = e->removed ? 0 : file_carry_removal(f, e, err);

		if (said <= 0)
			return said;
		if (store_file_list(f->shared, f->newest, take_row, f, err) != 0)
			return -1;
	}
	return err_set(err, ERR_BUSY, "other nodes change the shared files all the time: try again in a moment");
}

static struct file_entry *
next_of(const struct files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (is_of(f->v[i], name) && f->v[i]->there && !f->v[i]->removed)
			return f->v[i];
	return NULL;
}

int64_t
files_remove(struct files *f, const char *name, struct err *err)
{
	struct file_entry *e;
	int64_t n = 0;

	if (store_away(f->shared) != NULL)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store is away, so that nothing can be removed on the other nodes, and nothing was "
		    "here: try "
		    "again when it is back");
	if (store_file_list(f->shared, f->newest, take_row, f, err) != 0)
		return -1;
	while ((e = next_of(f, name)) != NULL) {
		if (remove_one(f, e, err) != 0)
			return -1;
		n++;
	}
	judge_files(f);
	return n;
}
