#include "base/mem.h"
#include "base/text/percent.h"
#include "workers/sql/sqlite/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HEADER		SQLITE_FILE_HEADER
#define SETTLED_S	2	/* a new write cannot give a file a time this old */
#define NFILES		4	/* the database, -wal, -shm, -journal */
#define ZFS_SUPER_MAGIC	0x2FC12FC1UL	/* not one of the kernel's own */
#define WAL_FORMAT	2	/* bytes 18 and 19: read and write version, fileformat2.html section 1.3 */

static void
look_at(const struct sqlite_file *f, size_t i, bool *there, dev_t *dev, ino_t *ino)
{
	const char *const paths[NFILES] = { f->real, f->wal, f->shm, f->journal };
	struct stat st = { .st_dev = 0 };

	*there = stat(paths[i], &st) == 0;
	*dev = *there ? st.st_dev : 0;
	*ino = *there ? st.st_ino : 0;
}

static struct timespec
last_write(const struct sqlite_file *f)
{
	struct stat st = { .st_dev = 0 };

	(void)stat(f->real, &st);
	return st.st_mtim;
}

bool
sqlite_file_is_untouched(const struct sqlite_file *f)
{
	struct timespec written = last_write(f);

	for (size_t i = 0; i < NFILES; i++) {
		bool there;
		dev_t dev;
		ino_t ino;

		look_at(f, i, &there, &dev, &ino);
		if (there != f->reach[i].there || dev != f->reach[i].dev || ino != f->reach[i].ino)
			return false;
	}
	return written.tv_sec == f->written.tv_sec && written.tv_nsec == f->written.tv_nsec;
}

/*
 * A list of those that keep a mapping and the file the same for every writer: file systems of other machines and of
 * programs are not among them.
 */
static bool
is_local(const char *path)
{
	static const unsigned long kinds[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
		TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC, ZFS_SUPER_MAGIC };
	struct statfs fs;

	if (statfs(path, &fs) == -1)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned long)fs.f_type == kinds[i])
			return true;
	return false;
}

void
sqlite_file_init(struct sqlite_file *f, const char *path)
{
	memset(f, 0, sizeof(*f));
	f->path = mem_printf("%s%s", path, "");
	if ((f->real = realpath(path, NULL)) == NULL)
		f->real = mem_printf("%s%s", path, "");
	f->wal = mem_printf("%s%s", f->real, "-wal");
	f->shm = mem_printf("%s%s", f->real, "-shm");
	f->journal = mem_printf("%s%s", f->real, "-journal");
	for (size_t i = 0; i < NFILES; i++)
		look_at(f, i, &f->reach[i].there, &f->reach[i].dev, &f->reach[i].ino);
	f->written = last_write(f);
	f->writable = access(f->real, W_OK) == 0;
	f->mappable = is_local(f->real);
}

void
sqlite_file_fini(struct sqlite_file *f)
{
	free(f->path);
	free(f->real);
	free(f->wal);
	free(f->shm);
	free(f->journal);
	memset(f, 0, sizeof(*f));
}

static bool
file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static int
cannot_read(const struct sqlite_file *f, int error, struct err *err)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the SQLite file %.300s does not exist; correct the connection's path, or put the file there",
		    f->path);
	case EACCES:
	case EPERM:
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the SQLite file %.300s cannot be read by this account; check its permissions "
		    "and those of its directory",
		    f->path);
	default:
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the SQLite file %.300s cannot be read: %s", f->path,
		    strerror(error));
	}
}

/* Reads the first bytes of the file; an empty file is an empty database. */
static int
read_header(const struct sqlite_file *f, uint8_t head[HEADER], ssize_t *got, struct err *err)
{
	int fd = open(f->real, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd == -1)
		return cannot_read(f, errno, err);
	*got = pread(fd, head, HEADER, 0);
	close(fd);
	if (*got == -1)
		return cannot_read(f, errno, err);
	if (*got != 0 && (*got < HEADER || memcmp(head, "SQLite format 3", 16) != 0))
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the file %.300s is not an SQLite 3 database (or it is encrypted); "
		    "correct the connection's path",
		    f->path);
	return 0;
}

int
sqlite_file_look(struct sqlite_file *f, struct err *err)
{
	uint8_t head[HEADER];
	struct stat st;
	ssize_t got = 0;
	bool wal;

	if (stat(f->real, &st) == -1)
		return cannot_read(f, errno, err);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "%.300s is not a file; correct the connection's path to that of an SQLite database", f->path);
	if (read_header(f, head, &got, err) == -1)
		return -1;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = st.st_size;
	f->mtime = st.st_mtim;
	wal = got == HEADER && head[18] == WAL_FORMAT;
	f->immutable = wal && !file_exists(f->wal);
	if (wal && !f->immutable && !file_exists(f->shm))
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the SQLite database %.300s has a -wal file but no -shm file, so it was not closed properly "
		    "and cannot be opened without writing; open it once with its application",
		    f->path);
	return 0;
}

static bool
is_of_path(uint8_t c)
{
	return c != '%' && c != '?' && c != '#';
}

void
sqlite_file_uri(const struct sqlite_file *f, struct buf *out)
{
	buf_str(out, "file:");
	percent_put(out, span_str(f->real), is_of_path);
	buf_str(out, f->immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

bool
sqlite_file_is_same(const struct sqlite_file *f)
{
	struct stat st;

	if (stat(f->path, &st) == -1 || st.st_dev != f->dev || st.st_ino != f->ino)
		return false;
	if (!f->immutable)
		return true;
	return st.st_size == f->size && st.st_mtim.tv_sec == f->mtime.tv_sec &&
	    st.st_mtim.tv_nsec == f->mtime.tv_nsec && !file_exists(f->wal);
}

static bool
stamp(const char *path, struct stat *st, char *out, size_t cap)
{
	if (stat(path, st) == -1)
		return false;
	snprintf(out, cap, "%llx.%lld.%lld.%ld", (unsigned long long)st->st_ino, (long long)st->st_size,
	    (long long)st->st_mtim.tv_sec, (long)st->st_mtim.tv_nsec);
	return true;
}

void
sqlite_file_version(const struct sqlite_file *f, const uint8_t head[SQLITE_FILE_HEADER], char out[SQLITE_FILE_VERSION])
{
	char database[64], wal[64] = "-";
	struct stat st;

	out[0] = '\0';
	if (!stamp(f->real, &st, database, sizeof(database)))
		return;
	/* In WAL mode only the time stamp counts, which is coarser than the writers' intervals. */
	if (stamp(f->wal, &st, wal, sizeof(wal)) && st.st_size > 0 && st.st_mtim.tv_sec + SETTLED_S >= time(NULL))
		return;
	snprintf(out, SQLITE_FILE_VERSION, "%02x%02x%02x%02x.%s.%s", head[24], head[25], head[26], head[27], database,
	    wal);
}
