#include "workers/sql/sqlite/sqlite_temp.h"

#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#define BLOCK_BYTES	((sqlite3_int64)256 * 1024)
#define TEMPORARY	(SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_SUBJOURNAL)

/* Must fit into szOsFile bytes, which the library allocates. */
struct temp_file {
	sqlite3_file	 base;
	sqlite3_int64	 size;
	uint8_t		**blocks;
	sqlite3_int64	 nblocks, cap;
};

static sqlite3_vfs *files;	/* the system's own VFS */

static sqlite3_int64
temp_least(sqlite3_int64 a, sqlite3_int64 b)
{
	return a < b ? a : b;
}

static void
free_blocks(struct temp_file *f, sqlite3_int64 from)
{
	while (f->nblocks > from)
		sqlite3_free(f->blocks[--f->nblocks]);
}

/* Makes room for size bytes.  New blocks are zeroed. */
static int
make_room(struct temp_file *f, sqlite3_int64 size)
{
	sqlite3_int64 need = (size + BLOCK_BYTES - 1) / BLOCK_BYTES;

	if (need > f->cap) {
		sqlite3_int64 cap = need + f->cap / 2 + 8;
		uint8_t **blocks = sqlite3_realloc64(f->blocks, (sqlite3_uint64)cap * sizeof(*blocks));

		if (blocks == NULL)
			return SQLITE_IOERR_NOMEM;
		f->blocks = blocks;
		f->cap = cap;
	}
	for (; f->nblocks < need; f->nblocks++) {
		uint8_t *block = sqlite3_malloc64((sqlite3_uint64)BLOCK_BYTES);

		if (block == NULL)
			return SQLITE_IOERR_NOMEM;
		memset(block, 0, (size_t)BLOCK_BYTES);
		f->blocks[f->nblocks] = block;
	}
	return SQLITE_OK;
}

static int
temp_close(sqlite3_file *file)
{
	struct temp_file *f = (struct temp_file *)file;

	free_blocks(f, 0);
	sqlite3_free(f->blocks);
	f->blocks = NULL;
	return SQLITE_OK;
}

static int
temp_read(sqlite3_file *file, void *out, int n, sqlite3_int64 at)
{
	struct temp_file *f = (struct temp_file *)file;
	sqlite3_int64 there = at < f->size ? temp_least(n, f->size - at) : 0, done = 0;

	while (done < there) {
		sqlite3_int64 within = (at + done) % BLOCK_BYTES, part = temp_least(there - done, BLOCK_BYTES - within);

		memcpy((uint8_t *)out + done, f->blocks[(at + done) / BLOCK_BYTES] + within, (size_t)part);
		done += part;
	}
	if (there == n)
		return SQLITE_OK;
	memset((uint8_t *)out + there, 0, (size_t)(n - there));
	return SQLITE_IOERR_SHORT_READ;
}

static int
temp_write(sqlite3_file *file, const void *in, int n, sqlite3_int64 at)
{
	struct temp_file *f = (struct temp_file *)file;
	sqlite3_int64 done = 0;
	int rc = make_room(f, at + n);

	if (rc != SQLITE_OK)
		return rc;
	while (done < n) {
		sqlite3_int64 within = (at + done) % BLOCK_BYTES, part = temp_least(n - done, BLOCK_BYTES - within);

		memcpy(f->blocks[(at + done) / BLOCK_BYTES] + within, (const uint8_t *)in + done, (size_t)part);
		done += part;
	}
	if (at + n > f->size)
		f->size = at + n;
	return SQLITE_OK;
}

/* A truncated part reads as zeroes when the file grows again, as in a real file. */
static int
temp_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct temp_file *f = (struct temp_file *)file;

	if (size >= f->size)
		return SQLITE_OK;
	free_blocks(f, (size + BLOCK_BYTES - 1) / BLOCK_BYTES);
	if (size % BLOCK_BYTES != 0)
		memset(f->blocks[size / BLOCK_BYTES] + size % BLOCK_BYTES, 0,
		    (size_t)(BLOCK_BYTES - size % BLOCK_BYTES));
	f->size = size;
	return SQLITE_OK;
}

static int
temp_sync(sqlite3_file *file, int flags)
{
	(void)file, (void)flags;
	return SQLITE_OK;
}

static int
temp_size(sqlite3_file *file, sqlite3_int64 *size)
{
	*size = ((struct temp_file *)file)->size;
	return SQLITE_OK;
}

/* Locks always succeed: no other process has the file. */
static int
temp_lock(sqlite3_file *file, int lock)
{
	(void)file, (void)lock;
	return SQLITE_OK;
}

static int
temp_is_reserved(sqlite3_file *file, int *reserved)
{
	(void)file;
	*reserved = 0;
	return SQLITE_OK;
}

static int
temp_control(sqlite3_file *file, int op, void *arg)
{
	(void)file, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int
temp_sector_size(sqlite3_file *file)
{
	(void)file;
	return 4096;
}

static int
temp_characteristics(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL;
}

static const sqlite3_io_methods temp_methods = {
	.iVersion = 1,
	.xClose = temp_close,
	.xRead = temp_read,
	.xWrite = temp_write,
	.xTruncate = temp_truncate,
	.xSync = temp_sync,
	.xFileSize = temp_size,
	.xLock = temp_lock,
	.xUnlock = temp_lock,
	.xCheckReservedLock = temp_is_reserved,
	.xFileControl = temp_control,
	.xSectorSize = temp_sector_size,
	.xDeviceCharacteristics = temp_characteristics,
};

static int
open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags)
{
	struct temp_file *f = (struct temp_file *)file;

	(void)vfs;
	if ((flags & TEMPORARY) == 0)
		return files->xOpen(files, name, file, flags, out_flags);
	*f = (struct temp_file){ .base.pMethods = &temp_methods };
	if (out_flags != NULL)
		*out_flags = flags;
	return SQLITE_OK;
}

int
sqlite_temp_install(void)
{
	static sqlite3_vfs vfs;

	if ((files = sqlite3_vfs_find(NULL)) == NULL)
		return SQLITE_ERROR;
	/* The system's own functions use only the fields that are copied. */
	vfs = *files;
	vfs.pNext = NULL;
	vfs.zName = "carrel";
	vfs.xOpen = open_file;
	if (vfs.szOsFile < (int)sizeof(struct temp_file))
		vfs.szOsFile = (int)sizeof(struct temp_file);
	return sqlite3_vfs_register(&vfs, 1);
}
