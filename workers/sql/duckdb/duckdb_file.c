#include "workers/sql/duckdb/duckdb_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define MAGIC		"DUCK"
#define MAGIC_AT	8	/* behind the checksum of the first header */

static void
look_at(const struct duckdb_file *f, size_t i, bool *there, dev_t *dev, ino_t *ino)
{
	struct stat st = { .st_dev = 0 };

	*there = stat(i == 0 ? f->path : f->wal, &st) == 0;
	*dev = *there ? st.st_dev : 0;
	*ino = *there ? st.st_ino : 0;
}

void
duckdb_file_init(struct duckdb_file *f, const char *path)
{
	memset(f, 0, sizeof(*f));
	f->path = mem_printf("%s", path);
	if ((f->real = realpath(path, NULL)) == NULL)
		f->real = mem_printf("%s", path);
	f->wal = mem_printf("%s.wal", f->real);
	for (size_t i = 0; i < 2; i++)
		look_at(f, i, &f->reach[i].there, &f->reach[i].dev, &f->reach[i].ino);
	f->writable = access(f->real, W_OK) == 0;
}

void
duckdb_file_fini(struct duckdb_file *f)
{
	free(f->path);
	free(f->real);
	free(f->wal);
	memset(f, 0, sizeof(*f));
}

bool
duckdb_file_is_same(const struct duckdb_file *f)
{
	for (size_t i = 0; i < 2; i++) {
		bool there;
		dev_t dev;
		ino_t ino;

		look_at(f, i, &there, &dev, &ino);
		if (there != f->reach[i].there || dev != f->reach[i].dev || ino != f->reach[i].ino)
			return false;
	}
	return true;
}

static int
cannot_read(const struct duckdb_file *f, int error, struct err *err)
{
	if (error == ENOENT || error == ENOTDIR)
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the DuckDB file %.300s does not exist; correct the connection's path, or put the file there",
		    f->path);
	if (error == EACCES || error == EPERM)
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the DuckDB file %.300s cannot be read by this account; check its permissions and those of its "
		    "directory",
		    f->path);
	return err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB file %.300s cannot be read: %s", f->path,
	    strerror(error));
}

int
duckdb_file_look(const struct duckdb_file *f, struct err *err)
{
	char head[MAGIC_AT + sizeof(MAGIC) - 1];
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(f->real, &st) == -1)
		return cannot_read(f, errno, err);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "%.300s is not a file; correct the connection's path to that of a DuckDB database", f->path);
	if ((fd = open(f->real, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) == -1)
		return cannot_read(f, errno, err);
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	if (n == (ssize_t)sizeof(head) && memcmp(head + MAGIC_AT, MAGIC, sizeof(MAGIC) - 1) == 0)
		return 0;
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the file %.300s is not a DuckDB database (or it is encrypted); correct the connection's path", f->path);
}

static void
put_stamp(const char *path, char *out, size_t cap)
{
	struct stat st;

	snprintf(out, cap, "-");
	if (stat(path, &st) == 0)
		snprintf(out, cap, "%llx.%lld.%lld.%ld", (unsigned long long)st.st_ino, (long long)st.st_size,
		    (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
}

void
duckdb_file_version(const struct duckdb_file *f, char out[DUCKDB_FILE_VERSION])
{
	char database[72], wal[72];

	put_stamp(f->real, database, sizeof(database));
	put_stamp(f->wal, wal, sizeof(wal));
	snprintf(out, DUCKDB_FILE_VERSION, "%s.%s", database, wal);
}
