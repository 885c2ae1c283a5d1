#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "workers/agent/data/zones.h"

#define ZONES_MAX      1000u
#define LINE_MAX_BYTES 512
#define FILE_MAX       65536u

struct zone {
	char *name, *rule;
};

struct zones {
	struct zone *list;
	size_t n, cap;
};

static void
zones_add(struct zones *z, struct span name, struct span rule)
{
	z->list = mem_grow(z->list, z->n, &z->cap, sizeof(*z->list));
	z->list[z->n++] = (struct zone){ mem_text(name), mem_text(rule) };
}

/* Read the last line of a zone file: the rule that is in force now. */
static void
zones_take(struct zones *z, const char *directory, struct span name)
{
	char *path = mem_printf("%s/%.*s", directory, SPAN_FMT(name)), *bytes = mem_alloc(FILE_MAX);
	FILE *f = fopen(path, "re");
	size_t n = f == NULL ? 0 : fread(bytes, 1, FILE_MAX, f), start;

	if (f != NULL)
		fclose(f);
	if (n > 2 && memcmp(bytes, "TZif", 4) == 0 && bytes[n - 1] == '\n') {
		for (start = n - 1; start > 0 && bytes[start - 1] != '\n'; start--)
			continue;
		if (start > 0 && n - 1 - start > 0)
			zones_add(z, name, span_of(bytes + start, n - 1 - start));
	}
	free(bytes);
	free(path);
}

/* Lines of zone.tab: country, location and name, separated by tabs. */
struct zones *
zones_read(const char *directory)
{
	struct zones *z = mem_new(1, sizeof(*z));
	char line[LINE_MAX_BYTES], *path = mem_printf("%s/zone.tab", directory);
	FILE *f = fopen(path, "re");

	zones_add(z, SPAN("UTC"), SPAN("UTC0"));
	while (f != NULL && z->n < ZONES_MAX && fgets(line, sizeof(line), f) != NULL) {
		char *name = line[0] == '#' ? NULL : strchr(line, '\t');

		if (name != NULL && (name = strchr(name + 1, '\t')) != NULL)
			zones_take(z, directory, span_of(name + 1, strcspn(name + 1, "\t\n")));
	}
	if (f != NULL)
		fclose(f);
	free(path);
	return z;
}

void
zones_free(struct zones *z)
{
	if (z == NULL)
		return;
	for (size_t i = 0; i < z->n; i++) {
		free(z->list[i].name);
		free(z->list[i].rule);
	}
	free(z->list);
	free(z);
}

bool
zones_offset(const struct zones *z, struct span name, int64_t unix_s, int *out)
{
	time_t at = (time_t)unix_s;
	struct tm there;

	for (size_t i = 0; i < z->n; i++) {
		if (!span_is_folded(name, span_str(z->list[i].name)))
			continue;
		if (setenv("TZ", z->list[i].rule, 1) != 0)
			return false;
		tzset();
		if (localtime_r(&at, &there) == NULL)
			return false;
		*out = (int)there.tm_gmtoff;
		return true;
	}
	return false;
}
