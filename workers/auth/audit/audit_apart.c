#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/log.h"
#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_token.h"

#define MARK		"audit.begun"
#define SEQ_DIGITS	20
#define COPY_BYTES	(SEQ_DIGITS + 2 * (1 + AUDIT_HASH_TEXT) + 1)
#define COPY_TRIES	3	/* another process may be writing at the same moment */

static bool
mac_is(struct span text, const uint8_t own[AUDIT_HASH])
{
	uint8_t said[AUDIT_HASH];

	return audit_unhex(text, said, AUDIT_HASH) && sodium_memcmp(own, said, AUDIT_HASH) == 0;
}

/* A head as stored: its point, if its MAC is right. */
static bool
head_read(const struct audit *a, uint64_t seq, struct span hash, struct span mac, struct audit_point *out)
{
	uint8_t own[AUDIT_HASH];

	*out = (struct audit_point){ .seq = seq };
	if (!audit_unhex(hash, out->hash, AUDIT_HASH))
		return false;
	audit_mac(a->settings.mac_key, seq, out->hash, own);
	return mac_is(mac, own);
}

static int
copy_open(const struct audit *a, int flags)
{
	char *path = mem_printf("%s%s", a->settings.path, POLICY_STATE_HEAD);
	int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC);

	free(path);
	return fd;
}

static enum audit_witness
copy_read(const struct audit *a, struct audit_point *out)
{
	char text[COPY_BYTES + 1];
	int fd = a->settings.path == NULL ? -1 : copy_open(a, O_RDONLY);
	ssize_t n = 0;
	bool sound = false;

	for (unsigned i = 0; fd >= 0 && !sound && i < COPY_TRIES; i++) {
		n = pread(fd, text, sizeof(text), 0);
		sound = n == COPY_BYTES && text[SEQ_DIGITS] == ' ' &&
		    head_read(a, strtoull(text, NULL, 10), span_of(text + SEQ_DIGITS + 1, AUDIT_HASH_TEXT),
			span_of(text + SEQ_DIGITS + 2 + AUDIT_HASH_TEXT, AUDIT_HASH_TEXT), out);
	}
	if (fd >= 0)
		close(fd);
	if (!sound)
		*out = (struct audit_point){ .seq = 0 };
	return sound ? AUDIT_SOUND : n == 0 ? AUDIT_ABSENT : AUDIT_FORGED;
}

/* False: said why.  A store without a path, as a test's, has no place for a copy and misses none. */
static bool
copy_write(struct audit *a, const struct audit_point *at)
{
	struct buf text = { .max = 0 };
	uint8_t mac[AUDIT_HASH];
	struct stat before;
	bool done;
	int fd;

	if (a->settings.path == NULL)
		return true;
	fd = copy_open(a, O_WRONLY);
	audit_mac(a->settings.mac_key, at->seq, at->hash, mac);
	buf_printf(&text, "%0*llu ", SEQ_DIGITS, (unsigned long long)at->seq);
	audit_hex(&text, at->hash, AUDIT_HASH);
	buf_byte(&text, ' ');
	audit_hex(&text, mac, AUDIT_HASH);
	buf_byte(&text, '\n');
	done = fd >= 0 && fstat(fd, &before) == 0 && pwrite(fd, text.p, text.len, 0) == (ssize_t)text.len;
	if (!done)
		log_error("audit: the copy of the head, %s%s, could not be written: %s", a->settings.path,
		    POLICY_STATE_HEAD, strerror(errno));
	/* The first one must not be lost to a crash while the mark that it belongs to is kept. */
	else if (before.st_size == 0)
		(void)fsync(fd);
	if (fd >= 0)
		close(fd);
	buf_fini(&text);
	return done;
}

void
audit_sync(struct audit *a)
{
	struct audit_point at, copied;
	struct store_head head;
	struct err e;

	a->unsynced = false;
	if (store_audit_head(a->store, &head, &e) != 0 || store_sync(a->store, &e) != 0) {
		log_error("audit: the store could not be synced to the disk: %s", e.message);
		return;
	}
	if (head.rows != 1 || !head_read(a, head.seq, span_str(head.hash), span_str(head.mac), &at))
		return;
	a->synced = at.seq;
	if (copy_read(a, &copied) != AUDIT_SOUND || copied.seq < at.seq)
		(void)copy_write(a, &at);
}

static int
mark_read(struct audit *a, struct audit_ends *out, struct err *err)
{
	struct buf value = BUF_MAX(128);
	uint8_t own[AUDIT_HASH];
	const char *text, *mac;
	int found = store_setting(a->store, MARK, &value, err);

	if (found > 0) {
		text = buf_cstr(&value);
		mac = strchr(text, ':');
		out->mark = strtoull(text, NULL, 10);
		audit_mark_mac(a->settings.mac_key, out->mark, own);
		out->mark_is = mac != NULL && mac_is(span_str(mac + 1), own) ? AUDIT_SOUND : AUDIT_FORGED;
	}
	buf_fini(&value);
	return found < 0 ? -1 : 0;
}

int
audit_mark(struct audit *a, uint64_t first, struct err *err)
{
	struct buf value = { .max = 0 };
	uint8_t mac[AUDIT_HASH];
	int result;

	a->first_seq = first;
	audit_mark_mac(a->settings.mac_key, first, mac);
	buf_printf(&value, "%llu:", (unsigned long long)first);
	audit_hex(&value, mac, AUDIT_HASH);
	result = store_set_setting(a->store, MARK, buf_view(&value), err);
	buf_fini(&value);
	return result;
}

int
audit_ends_read(struct audit *a, struct store_head *head, struct audit_ends *out, struct err *err)
{
	*out = (struct audit_ends){ .used = a->was_used };
	if (store_audit_head(a->store, head, err) != 0 ||
	    store_audit_bounds(a->store, &out->first, &out->last, err) != 0 || mark_read(a, out, err) != 0)
		return -1;
	out->heads = head->rows;
	if (head->rows > 0)
		out->head_is = head_read(a, head->seq, span_str(head->hash), span_str(head->mac), &out->head) ?
		    AUDIT_SOUND :
		    AUDIT_FORGED;
	/* After the mark: a process that makes both writes the copy first. */
	out->copy_is = copy_read(a, &out->known);
	if (a->copied.seq > out->known.seq)
		out->known = a->copied;
	if (a->known && a->seq > out->known.seq) {
		out->known.seq = a->seq;
		memcpy(out->known.hash, a->hash, AUDIT_HASH);
	}
	return 0;
}

int
audit_ends_write(struct audit *a, const struct audit_ends *ends, struct err *err)
{
	static const struct audit_point none;

	if (ends->heads > 1 && store_audit_clear_heads(a->store, err) != 0)
		return -1;
	if (ends->mark_is == AUDIT_SOUND)
		return 0;
	/* Without a copy the next start would miss it. */
	if (ends->copy_is != AUDIT_SOUND && !copy_write(a, &none))
		return 0;
	return audit_mark(a, ends->first > 0 ? ends->first : a->seq + 1, err);
}
