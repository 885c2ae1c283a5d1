#include <errno.h>
#include <fcntl.h>
#include <git2/sys/odb_backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/system/fault.h"
#include "base/system/io.h"
#include "base/mem.h"
#include "workers/memory/git/repo_keep.h"
#include "workers/memory/git/repo_objects.h"

#define SYNC_ALL	(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER)
#define PRIORITY	10	/* above libgit2's own backends, which are only read */

struct git_store {
	git_odb_backend	 backend;	/* must be first: libgit2 casts it back */
	struct repo_place *place;
};

/* The object in the format of its file: "blob 12", a zero byte, the content; deflated. */
static int
deflate_object(const void *data, size_t len, git_object_t type, struct buf *out)
{
	z_stream z = { .zalloc = NULL };
	char head[64];
	int n = snprintf(head, sizeof(head), "%s %zu", git_object_type2string(type), len) + 1, r;
	uint8_t *to;
	size_t cap;

	/* Fast compression, as git's for loose objects; gc compresses them better. */
	if (len > UINT32_MAX / 2 || deflateInit(&z, Z_BEST_SPEED) != Z_OK)
		return -1;
	cap = deflateBound(&z, (uLong)len + (uLong)n) + 64;
	if ((to = buf_reserve(out, cap)) == NULL) {
		deflateEnd(&z);
		return -1;
	}
	z.next_out = to;
	z.avail_out = (uInt)cap;
	z.next_in = (Bytef *)head;
	z.avail_in = (uInt)n;
	r = deflate(&z, Z_NO_FLUSH);
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)len;
	if (r == Z_OK)
		r = deflate(&z, Z_FINISH);
	out->len += cap - z.avail_out;
	deflateEnd(&z);
	return r == Z_STREAM_END ? 0 : -1;
}

static int
put_file(struct repo_place *p, const char *hex, struct span content)
{
	struct err err;
	int fd, r;

	(void)unlinkat(p->work, REPO_NEW_OBJECT, 0);
	if ((fd = openat(p->work, REPO_NEW_OBJECT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444)) < 0) {
		git_error_set_str(GIT_ERROR_OS, strerror(errno));
		return -1;
	}
	r = io_write(fd, content);
	/* Syncs the data now; the name is synced together with the branch's new tip. */
	if (r == 0 && sync_file_range(fd, 0, 0, SYNC_ALL) != 0)
		r = fsync(fd);
	if (r != 0)
		git_error_set_str(GIT_ERROR_OS, strerror(errno));
	close(fd);
	(void)fault_point("git.object");
	if (r == 0 && (r = repo_keep_put_object(p, hex, &err)) != 0)
		git_error_set_str(GIT_ERROR_OS, err.message);
	return r;
}

static int
write_object(git_odb_backend *backend, const git_oid *id, const void *data, size_t len, git_object_t type)
{
	const struct git_store *s = (const struct git_store *)backend;
	struct buf content = { 0 };
	char hex[GIT_OID_HEXSZ + 1];
	int r = deflate_object(data, len, type, &content);

	git_oid_tostr(hex, sizeof(hex), id);
	if (r == 0)
		r = put_file(s->place, hex, buf_view(&content));
	buf_fini(&content);
	return r;
}

static void
free_store(git_odb_backend *backend)
{
	free(backend);
}

git_odb *
repo_objects_open(struct repo_place *p)
{
	struct git_store *s = mem_new(1, sizeof(*s));
	git_odb *odb = NULL;
	char path[4200];

	snprintf(path, sizeof(path), "%s/objects", p->common_dir);
	if (git_odb_init_backend(&s->backend, GIT_ODB_BACKEND_VERSION) != 0 || git_odb_open(&odb, path) != 0) {
		free(s);
		return NULL;
	}
	s->backend.write = write_object;
	s->backend.free = free_store;
	s->place = p;
	if (git_odb_add_backend(odb, &s->backend, PRIORITY) != 0) {
		free(s);
		git_odb_free(odb);
		return NULL;
	}
	return odb;
}
