#include "workers/auth/files/file_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "workers/auth/store/store_token.h"

#define SETTING		"node.file."	/* of the node's own store, before a name; empty: nothing is remembered */
#define SETTING_MAX	256

bool
file_state_is_changed(const struct file_entry *e)
{
	return e->exists &&
	    (!e->recorded || e->now.ino != e->rec.ino || e->now.size != e->rec.size ||
		e->now.mtime_ns != e->rec.mtime_ns || e->now.ctime_ns != e->rec.ctime_ns);
}

static bool
is_of_row(const struct file_entry *e)
{
	return e->recorded && e->rec_revision == e->revision && memcmp(e->rec_digest, e->digest, FILE_DIGEST) == 0;
}

/* The store lost what this node knows: a standby was promoted that had not got it, or a backup restored. */
static bool
is_ahead(const struct file_entry *e)
{
	return e->recorded && e->rec_revision > e->revision;
}

bool
file_state_follows(const struct file_entry *e)
{
	if (!e->there || is_ahead(e))
		return true;
	if (e->bad)
		return file_state_is_changed(e) || (e->recorded && e->rec_revision == e->revision);
	return e->removed ? !e->recorded : is_of_row(e);
}

static enum file_work
work_with_row(const struct file_entry *e)
{
	if (!e->exists)
		return e->bad ? FILE_NOTHING : FILE_BRING;
	if (e->bad)
		return file_state_follows(e) ? FILE_SEND : FILE_NOTHING;
	/* If it was changed its digest may still be the row's. */
	if (file_state_is_changed(e) || is_ahead(e))
		return FILE_SEND;
	if (!is_of_row(e))
		return FILE_BRING;
	return e->doubted ? FILE_SEND : FILE_NOTHING;
}

enum file_work
file_state_work(const struct file_entry *e)
{
	if (e->name == NULL)
		return FILE_NOTHING;
	if (!e->there)
		return e->exists ? FILE_SEND : FILE_NOTHING;
	if (!e->removed || e->bad)
		return work_with_row(e);
	if (!e->exists)
		return FILE_NOTHING;
	if (!e->recorded || is_ahead(e))
		return FILE_SEND;
	return file_state_is_changed(e) ? FILE_ASIDE : FILE_DROP;
}

static void
setting_of(const struct file_entry *e, char key[SETTING_MAX])
{
	snprintf(key, SETTING_MAX, SETTING "%s", e->name);
}

int
file_state_recall(struct files *f, struct file_entry *e, struct err *err)
{
	struct buf kept = BUF_MAX(512);
	char key[SETTING_MAX], hex[2 * FILE_DIGEST + 1];
	struct file_stamp *r = &e->rec;
	size_t n;
	int found;

	setting_of(e, key);
	found = store_setting(f->own, key, &kept, err);
	e->recorded = found == 1 &&
	    sscanf(buf_cstr(&kept), "%" SCNu64 " %64s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		&e->rec_revision, hex, &r->ino, &r->size, &r->mtime_ns, &r->ctime_ns, &e->rec_at_ms) == 7 &&
	    sodium_hex2bin(e->rec_digest, FILE_DIGEST, hex, strlen(hex), NULL, &n, NULL) == 0 && n == FILE_DIGEST;
	buf_fini(&kept);
	return found < 0 ? -1 : 0;
}

/* Remember the record as it is. */
static int
write_record(struct files *f, const struct file_entry *e, struct err *err)
{
	char key[SETTING_MAX], hex[2 * FILE_DIGEST + 1], text[256];
	const struct file_stamp *r = &e->rec;

	setting_of(e, key);
	sodium_bin2hex(hex, sizeof(hex), e->rec_digest, FILE_DIGEST);
	snprintf(text, sizeof(text), "%" PRIu64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
	    e->rec_revision, hex, r->ino, r->size, r->mtime_ns, r->ctime_ns, e->rec_at_ms);
	return store_set_setting(f->own, key, span_str(text), err);
}

int
file_state_move(struct files *f, struct file_entry *e, const struct file_stamp *now, struct err *err)
{
	e->rec = e->now = *now;
	return write_record(f, e, err);
}

int
file_state_keep(struct files *f, struct file_entry *e, uint64_t revision, const uint8_t digest[FILE_DIGEST],
    const struct file_stamp *now, struct err *err)
{
	e->recorded = e->exists = true;
	e->rec_revision = revision;
	e->rec_at_ms = e->at_ms;
	memmove(e->rec_digest, digest, FILE_DIGEST);
	return file_state_move(f, e, now, err);
}

int
file_state_forget(struct files *f, struct file_entry *e, struct err *err)
{
	char key[SETTING_MAX];

	setting_of(e, key);
	if (e->recorded && store_set_setting(f->own, key, SPAN(""), err) != 0)
		return -1;
	e->recorded = false;
	return 0;
}
