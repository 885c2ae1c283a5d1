#include "workers/sql/duckdb/duckdb_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/span.h"
#include "workers/sql/digest.h"

#define OLDEST_MAJOR	1u
#define OLDEST_MINOR	4u

struct duckdb_library duck;

static const struct {
	const char	*name;
	size_t		 at;
} functions[] = {
#define FUNCTION(result, name, arguments)	{ "duckdb_" #name, offsetof(struct duckdb_library, name) },
#include "workers/sql/duckdb/duckdb_library.def"
#undef FUNCTION
};

/*
 * The library's access(), which engine.cmake lets it find here before libc's.
 * Opening a database, DuckDB 1.5 asks for the limits of control groups, and
 * ends the process if their files are there and cannot be opened.  For this
 * process they are not there.
 */
int
access(const char *path, int mode)
{
	if (span_begins(span_str(path), "/proc/") || span_begins(span_str(path), "/sys/")) {
		errno = ENOENT;
		return -1;
	}
#ifdef SYS_access
	return (int)syscall(SYS_access, path, mode);
#else
	return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
#endif
}

#define PLACE_MAX	(PATH_MAX + sizeof("/" DUCKDB_FILE))

/* Write where the library is in the directory of this program.  False: it is not there. */
static bool
is_beside_program(char path[PLACE_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	char *slash;

	if (n <= 0)
		return false;
	path[n] = '\0';
	if ((slash = strrchr(path, '/')) == NULL)
		return false;
	memcpy(slash + 1, DUCKDB_FILE, sizeof(DUCKDB_FILE));
	return access(path, R_OK) == 0;
}

static int
take_functions(void *library, struct err *err)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *f = dlsym(library, functions[i].name);

		if (f == NULL)
			return err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the DuckDB library has no function %s: use version 1.4 or newer", functions[i].name);
		memcpy((char *)&duck + functions[i].at, &f, sizeof(f));
	}
	return 0;
}

static int
check_version(struct err *err)
{
	const char *version = duck.library_version();
	unsigned major = 0, minor = 0;

	if (sscanf(version, "v%u.%u", &major, &minor) == 2 &&
	    (major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)))
		return 0;
	return err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB library has version %.40s; use 1.4 or newer",
	    version);
}

static bool
is_known(const char *digest)
{
	static const char *const known[] = {
#define BUILD(version, digest, reads)	digest,
#include "workers/sql/duckdb/duckdb_builds.def"
#undef BUILD
		NULL
	};

	return span_is_any(span_str(digest), known);
}

/*
 * A path in a project's file, which may be of a stranger: no code of it runs unless the build is a known one.  What is
 * loaded is the file whose digest was computed, whatever has the path by then.  Who may write into that file can still
 * change it: a copy in memory would cost each worker as much as the library has.  NULL with *err.
 */
static void *
load_configured(const char *file, struct err *err)
{
	char digest[DIGEST_FILE], path[32];
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	void *library = NULL;
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) || !digest_file(fd, digest))
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the DuckDB library %.300s, which engines.duckdb names, cannot be read; `carrel engine add duckdb "
		    "--from FILE` puts it in place (docs/duckdb.md)",
		    file);
	else if (!is_known(digest))
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the DuckDB library %.300s, which engines.duckdb names, is no known build, so it is not loaded; "
		    "unknown ones are loaded from the directory of Carrel's programs (docs/duckdb.md)",
		    file);
	else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if ((library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL) {
			err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB library %.300s cannot be loaded", file);
			err_detail(err, "%s", dlerror());
		}
	}
	if (fd != -1)
		close(fd);
	return library;
}

static void *
load_installed(struct err *err)
{
	char own[PLACE_MAX];
	bool is_there = is_beside_program(own);
	void *library = dlopen(is_there ? own : DUCKDB_FILE, RTLD_NOW | RTLD_LOCAL);

	if (library != NULL)
		return library;
	err_set(err, ERR_DATABASE_UNAVAILABLE, "%s",
	    is_there ? "the DuckDB library in the directory of Carrel's programs cannot be loaded: it must be of this "
		       "kind of machine (docs/duckdb.md)" :
		       "the DuckDB library (" DUCKDB_FILE ", 1.4 or newer) is not installed: `carrel engine add duckdb "
		       "--from FILE` puts it in place (docs/duckdb.md)");
	err_detail(err, "%s", dlerror());
	return NULL;
}

int
duckdb_library_load(const char *file, struct err *err)
{
	void *library;

	if (duck.library_version != NULL)
		return 0;
	library = file != NULL ? load_configured(file, err) : load_installed(err);
	if (library == NULL)
		return -1;
	if (take_functions(library, err) == -1 || check_version(err) == -1) {
		memset(&duck, 0, sizeof(duck));
		return -1;
	}
	return 0;
}
