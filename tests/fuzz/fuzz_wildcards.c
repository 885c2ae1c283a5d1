// libs: carrel_base
/*
 * fuzz_wildcards.c - any bytes as a pattern in a directory of known files: plain files below the directory where its
 * wildcards begin, none of them hidden, sorted and each once; or a refusal that does not tell the directory.
 */
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/system/wildcards.h"
#include "tests/fuzz/fuzz.h"

static char place[] = "/tmp/carrel-fuzz-wildcards-XXXXXX";

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

static void
remove_files(void)
{
	(void)nftw(place, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void
make_files(void)
{
	/* Legend: a directory ends with a slash; a link has its target behind the arrow. */
	static const char *const entries[] = { "a/", "a/b/", "a/b/c/", ".h/", "a/.h/", "x.csv", "[x].csv", "a/y.csv",
		"a/.z.csv", "a/b/y.csv", "a/b/c/w.csv", ".h/s.csv", "a/.h/s.csv", "a/b/in>../../x.csv",
		"a/out>/etc/passwd",
		"a/b/loop>.." };

	if (mkdtemp(place) == NULL)
		abort();
	atexit(remove_files);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		char *name = mem_printf("%s/%s", place, entries[i]), *arrow = strchr(name, '>');
		size_t n = strlen(name);
		FILE *f;

		if (arrow != NULL) {
			*arrow = '\0';
			if (symlink(arrow + 1, name) != 0)
				abort();
		} else if (name[n - 1] == '/' ? mkdir(name, 0700) != 0 :
						(f = fopen(name, "w")) == NULL || fclose(f) != 0)
			abort();
		free(name);
	}
}

static void
check_found(const struct wildcards *w, const char *pattern)
{
	size_t plain = strcspn(pattern, "*?[");
	char *start = mem_text(span_of(pattern, plain)), root[PATH_MAX];
	struct stat st;

	*(strrchr(start, '/') + 1) = '\0';
	if (w->files.n == 0 || realpath(start, root) == NULL)
		abort();
	for (size_t i = 0; i < w->files.n; i++) {
		const char *file = w->files.v[i];

		if (stat(file, &st) != 0 || !S_ISREG(st.st_mode) || (i > 0 && strcmp(w->files.v[i - 1], file) >= 0))
			abort();
		if (wildcards_any(pattern) &&
		    (strncmp(file, root, strlen(root)) != 0 || strstr(file + strlen(root), "/.") != NULL))
			abort();
	}
	free(start);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wildcards w = { 0 };
	struct wildcards_spent spent = { 0 };
	struct err err = { .code = ERR_NONE };
	static bool made;
	char *pattern;

	if (!made)
		make_files();
	made = true;
	/* What lies outside of the place is not the same everywhere. */
	if (size > 512 || memchr(data, '\0', size) != NULL || memmem(data, size, "..", 2) != NULL)
		return 0;
	pattern = mem_printf("%s/%.*s", place, (int)size, (const char *)data);
	if (wildcards_find(&w, pattern, strlen(place), &spent, &err) == 0)
		check_found(&w, pattern);
	else if (err.code == ERR_NONE || err.message[0] == '\0' || strstr(err.message, place) != NULL || w.files.n > 0)
		abort();
	wildcards_fini(&w);
	free(pattern);
	return 0;
}
