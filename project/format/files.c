#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/io.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "project/format/files.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OPEN_ON_THE_WAY	(O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)	/* what only leads there may be unreadable */
#define OPEN_FILE	(O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

const char *
files_fault_text(enum files_fault fault)
{
	switch (fault) {
	case FILES_OK:
		return "is fine";
	case FILES_MISSING:
		return "does not exist";
	case FILES_BAD_PATH:
		return "is not a path inside the directory";
	case FILES_LINK:
		return "is a symbolic link";
	case FILES_NOT_REGULAR:
		return "is not a regular file";
	case FILES_TOO_LARGE:
		return "is too large";
	case FILES_UNREADABLE:
		break;
	}
	return "cannot be read";
}

bool
files_is_id(struct span s)
{
	if (s.len == 0 || s.len > FILES_NAME_MAX)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];

		if (!ascii_is_alnum(c) && (i == 0 || (c != '_' && c != '-')))
			return false;
	}
	return true;
}

static enum files_fault
fault_of(int error)
{
	switch (error) {
	case ENOENT:
		return FILES_MISSING;
	case ELOOP:
		return FILES_LINK;
	case ENOTDIR:
	case ENXIO:
		return FILES_NOT_REGULAR;
	case ENAMETOOLONG:
		return FILES_BAD_PATH;
	default:
		return FILES_UNREADABLE;
	}
}

/* O_DIRECTORY with O_NOFOLLOW says ENOTDIR for a link: look again to name the reason. */
static enum files_fault
dir_fault(int dir, const char *name, int error)
{
	struct stat st;

	if (error == ENOTDIR && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		return FILES_LINK;
	return fault_of(error);
}

/* The next component of *path into name; 0 at the end, -1 when it is not a plain one. */
static int
files_component(const char **path, char name[FILES_NAME_MAX + 1])
{
	const char *end;
	size_t n;

	if (**path == '\0')
		return 0;
	end = strchrnul(*path, '/');
	n = (size_t)(end - *path);
	if (n == 0 || n > FILES_NAME_MAX || (n == 1 && **path == '.') ||
	    (n == 2 && (*path)[0] == '.' && (*path)[1] == '.'))
		return -1;
	memcpy(name, *path, n);
	name[n] = '\0';
	*path = *end == '/' ? end + 1 : end;
	if (*end == '/' && **path == '\0')
		return -1;
	return 1;
}

/*
 * Open the directory that holds the last component of path, which goes to
 * name.  *at is dir itself or a descriptor to be closed by files_leave().
 */
static enum files_fault
files_walk(int dir, const char *path, int *at, char name[FILES_NAME_MAX + 1])
{
	int here = dir, next;

	if (strlen(path) > FILES_PATH_MAX || files_component(&path, name) != 1)
		return FILES_BAD_PATH;
	while (*path != '\0') {
		enum files_fault fault = FILES_OK;

		next = openat(here, name, OPEN_ON_THE_WAY);
		if (next < 0)
			fault = dir_fault(here, name, errno);
		if (here != dir)
			close(here);
		if (fault != FILES_OK)
			return fault;
		here = next;
		if (files_component(&path, name) != 1) {
			close(here);
			return FILES_BAD_PATH;
		}
	}
	*at = here;
	return FILES_OK;
}

static void
files_leave(int dir, int at)
{
	if (at != dir)
		close(at);
}

enum files_fault
files_open_dir(int dir, const char *path, int *fd)
{
	char name[FILES_NAME_MAX + 1];
	enum files_fault fault;
	int at;

	if (strcmp(path, ".") == 0) {
		*fd = openat(dir, ".", OPEN_DIR);
		return *fd < 0 ? fault_of(errno) : FILES_OK;
	}
	if ((fault = files_walk(dir, path, &at, name)) != FILES_OK)
		return fault;
	*fd = openat(at, name, OPEN_DIR);
	if (*fd < 0)
		fault = dir_fault(at, name, errno);
	files_leave(dir, at);
	return fault;
}

static void
stamp_of(const struct stat *st, struct files_stamp *stamp)
{
	*stamp = (struct files_stamp){
		.device = (uint64_t)st->st_dev, .inode = (uint64_t)st->st_ino, .size = st->st_size,
		.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec
	};
}

/* As files_open(), and returns the file's status. */
static enum files_fault
open_file(int dir, const char *path, int *fd, struct stat *st)
{
	char name[FILES_NAME_MAX + 1];
	enum files_fault fault;
	int at;

	if ((fault = files_walk(dir, path, &at, name)) != FILES_OK)
		return fault;
	*fd = openat(at, name, OPEN_FILE);
	fault = *fd < 0 ? fault_of(errno) : FILES_OK;
	files_leave(dir, at);
	if (fault != FILES_OK)
		return fault;
	if (fstat(*fd, st) != 0)
		fault = FILES_UNREADABLE;
	else if (!S_ISREG(st->st_mode))
		fault = FILES_NOT_REGULAR;
	if (fault != FILES_OK)
		close(*fd);
	return fault;
}

enum files_fault
files_open(int dir, const char *path, int *fd, struct files_stamp *stamp)
{
	struct stat st;
	enum files_fault fault = open_file(dir, path, fd, &st);

	if (fault == FILES_OK && stamp != NULL)
		stamp_of(&st, stamp);
	return fault;
}

enum files_fault
files_read(int dir, const char *path, size_t max, struct buf *out, struct files_stamp *stamp)
{
	enum files_fault fault;
	size_t start = out->len;
	struct stat st;
	int fd;

	if ((fault = open_file(dir, path, &fd, &st)) != FILES_OK)
		return fault;
	if (st.st_size < 0 || (uint64_t)st.st_size > max)
		fault = FILES_TOO_LARGE;
	else {
		if (stamp != NULL)
			stamp_of(&st, stamp);
		/* The file may grow or shrink meanwhile. */
		if (io_read(fd, (size_t)st.st_size, max, out) != 0)
			fault = errno == EFBIG ? FILES_TOO_LARGE : FILES_UNREADABLE;
	}
	close(fd);
	if (fault != FILES_OK) {
		out->len = start;
		out->full = false;
	}
	return fault;
}

enum files_fault
files_stat(int dir, const char *path, struct files_stamp *stamp, bool *is_dir)
{
	char name[FILES_NAME_MAX + 1];
	enum files_fault fault;
	struct stat st;
	int at;

	if ((fault = files_walk(dir, path, &at, name)) != FILES_OK)
		return fault;
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		fault = fault_of(errno);
	else if (S_ISLNK(st.st_mode))
		fault = FILES_LINK;
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		fault = FILES_NOT_REGULAR;
	files_leave(dir, at);
	if (fault != FILES_OK)
		return fault;
	stamp_of(&st, stamp);
	if (is_dir != NULL)
		*is_dir = S_ISDIR(st.st_mode);
	return FILES_OK;
}

struct files_stamp
files_stamp_of(int fd)
{
	struct files_stamp stamp = { 0 };
	struct stat st;

	if (fstat(fd, &st) == 0)
		stamp_of(&st, &stamp);
	return stamp;
}

struct lister {
	struct arena		*arena;
	struct files_entry	*v;
	size_t			 n, cap;
};

static enum files_fault
note_entry(struct lister *l, int dir, const struct dirent64 *d)
{
	struct files_entry e = { 0 };
	unsigned char type = d->d_type;
	struct stat st;

	if (d->d_name[0] == '.' || !utf8_valid((const uint8_t *)d->d_name, strlen(d->d_name)))
		return FILES_OK;
	if (type == DT_UNKNOWN && fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		type = S_ISDIR(st.st_mode) ? DT_DIR :
		    S_ISREG(st.st_mode)    ? DT_REG :
		    S_ISLNK(st.st_mode)    ? DT_LNK :
					     DT_UNKNOWN;
	if (type != DT_DIR && type != DT_REG && type != DT_LNK)
		return FILES_OK;
	e.is_dir = type == DT_DIR;
	e.is_link = type == DT_LNK;
	if ((e.name = arena_cstr(l->arena, span_str(d->d_name))) == NULL)
		return FILES_TOO_LARGE;
	l->v = mem_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = e;
	return FILES_OK;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct files_entry *)a)->name, ((const struct files_entry *)b)->name);
}

enum files_fault
files_list(int dir, struct arena *a, struct files_list *list)
{
	struct lister l = { .arena = a };
	enum files_fault fault = FILES_OK;
	_Alignas(struct dirent64) char page[32768];
	ssize_t n = 0;
	int fd = openat(dir, ".", OPEN_DIR); /* an offset of its own */

	*list = (struct files_list){ 0 };
	if (fd < 0)
		return fault_of(errno);
	while (fault == FILES_OK && (n = getdents64(fd, page, sizeof(page))) > 0)
		for (ssize_t at = 0; fault == FILES_OK && at < n;) {
			const struct dirent64 *d = (const struct dirent64 *)(const void *)(page + at);

			fault = note_entry(&l, fd, d);
			at += d->d_reclen;
		}
	if (fault == FILES_OK && n < 0)
		fault = FILES_UNREADABLE;
	close(fd);
	if (fault == FILES_OK && l.n > 0) {
		qsort(l.v, l.n, sizeof(*l.v), by_name);
		list->entries = arena_array(a, l.n, sizeof(*l.v));
		if (list->entries == NULL)
			fault = FILES_TOO_LARGE;
		else {
			memcpy(list->entries, l.v, l.n * sizeof(*l.v));
			list->n = l.n;
		}
	}
	free(l.v);
	return fault;
}
