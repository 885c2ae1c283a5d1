#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/io.h"
#include "base/mem.h"
#include "demo/create.h"
#include "demo/duckdb.h"

#define DEPTH_MAX	8	/* of the source tree, which is part of the project */
#define FILE_MAX	((size_t)16 << 20)	/* of one of its files */

static int
copy_bytes(int from, int to)
{
	struct buf text = { 0 };
	int r = io_read(from, 0, FILE_MAX, &text) == 0 && io_write(to, buf_view(&text)) == 0 ? 0 : -1;

	buf_fini(&text);
	return r;
}

static int
copy_file(int from_dir, int to_dir, const char *name, struct err *err)
{
	int from = openat(from_dir, name, O_RDONLY | O_CLOEXEC), to = -1, r = -1;

	if (from < 0) {
		err_set(err, ERR_INTERNAL, "the demo's %s cannot be read: %s", name, strerror(errno));
		goto out;
	}
	if ((to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640)) < 0) {
		err_set(err, ERR_INVALID_ARGUMENTS, "%s cannot be created: %s", name, strerror(errno));
		goto out;
	}
	if (copy_bytes(from, to) != 0 || close(to) != 0)
		err_set(err, ERR_INTERNAL, "%s cannot be written: %s", name, strerror(errno));
	else
		r = 0;
	to = -1;
out:
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return r;
}

static int
open_dir(int at, const char *name, struct err *err)
{
	int fd;

	if (mkdirat(at, name, 0755) != 0 && errno != EEXIST)
		return err_set(err, ERR_INTERNAL, "the directory %s cannot be created: %s", name, strerror(errno));
	if ((fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_set(err, ERR_INTERNAL, "the directory %s cannot be opened: %s", name, strerror(errno));
	return fd;
}

/* Takes ownership of from.  Names that begin with a dot are not part of the demo. */
static int
copy_tree(int from, int to, unsigned depth, struct err *err)
{
	DIR *dir = fdopendir(from);
	struct dirent *e;
	struct stat st;
	int r = 0, below_from, below_to;

	if (dir == NULL) {
		close(from);
		return err_set(err, ERR_INTERNAL, "the demo's files cannot be listed: %s", strerror(errno));
	}
	while (r == 0 && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		if (fstatat(from, e->d_name, &st, 0) != 0 || !S_ISDIR(st.st_mode)) {
			r = copy_file(from, to, e->d_name, err);
			continue;
		}
		if (depth == 0) {
			r = err_set(err, ERR_INTERNAL, "the demo's files are nested too deep");
			break;
		}
		if ((below_to = open_dir(to, e->d_name, err)) < 0) {
			r = -1;
			break;
		}
		if ((below_from = openat(from, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
			r = err_set(err, ERR_INTERNAL, "the demo's %s cannot be read: %s", e->d_name, strerror(errno));
		else
			r = copy_tree(below_from, below_to, depth - 1, err);
		close(below_to);
	}
	closedir(dir);
	return r;
}

/* The configuration names the driver and the file of SQLite in two lines, one after the other. */
static int
configure_duckdb(int dir, struct err *err)
{
	static const char lite[] = "driver: sqlite\n    path: warehouse.db\n";
	struct buf text = { 0 }, out = { 0 };
	int fd = openat(dir, "carrel.yaml", O_RDWR | O_NOFOLLOW | O_CLOEXEC), r = -1;
	const char *at;

	if (fd >= 0 && io_read(fd, 0, FILE_MAX, &text) == 0 && (at = strstr(buf_cstr(&text), lite)) != NULL) {
		buf_printf(&out, "%.*sdriver: duckdb\n    path: warehouse.duckdb\n%s", (int)(at - buf_cstr(&text)),
		    buf_cstr(&text), at + strlen(lite));
		r = lseek(fd, 0, SEEK_SET) == 0 ? io_write(fd, buf_view(&out)) : -1;
	}
	if (fd >= 0 && close(fd) != 0)
		r = -1;
	buf_fini(&text);
	buf_fini(&out);
	return r == 0 ? 0 : err_set(err, ERR_INTERNAL, "the demo's carrel.yaml cannot be written");
}

/* Moves the rows of the warehouse at path into one of DuckDB. */
static int
move_to_duckdb(const char *dir, const char *path, const char *library, struct err *err)
{
	char *to = mem_printf("%s/warehouse.duckdb", dir);
	int r = demo_duckdb(library, path, to, err);

	if (r == 0)
		(void)unlink(path);
	free(to);
	return r;
}

int
demo_create(const char *dir, const char *source_dir, const char *duckdb, struct err *err)
{
	static const char *const places[] = { "wiki", "semantic-layer", "raw-sources" };
	int from = -1, to = -1, sub, r = -1;
	char *path = NULL;
	size_t i;

	if ((to = open_dir(AT_FDCWD, dir, err)) < 0)
		goto out;
	if ((from = open(source_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		err_set(err, ERR_INTERNAL, "the demo's files are not where they were installed: %s", strerror(errno));
		err_detail(err, "%s", source_dir);
		goto out;
	}
	if (faccessat(to, "carrel.yaml", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the directory already holds a carrel.yaml");
		goto out;
	}
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if ((sub = open_dir(to, places[i], err)) < 0)
			goto out;
		close(sub);
	}
	path = mem_printf("%s/warehouse.db", dir);
	/* The configuration is copied by now: if this fails, the project has no warehouse to serve. */
	if (demo_warehouse(path, err) != 0 || (duckdb != NULL && move_to_duckdb(dir, path, duckdb, err) != 0))
		goto out;
	r = copy_tree(from, to, DEPTH_MAX, err);
	from = -1;
	if (r == 0 && duckdb != NULL)
		r = configure_duckdb(to, err);
out:
	free(path);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return r;
}
