/*
 * schema_file.c - a fixture's schema.txt as the artifacts of a scan, so that
 * what is asked about stays readable.  usage: relevance-schema FILE DIRECTORY
 *
 * driver NAME; db NAME; common COLUMN; table [+] NAME | comment, then its
 * columns, one a line: name | type | comment | value, value, and its foreign
 * keys: > column | table | column.  + takes the common columns as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/json/json_write.h"

#define COMMON_MAX	32
#define PARTS		4

struct writer {
	const char	*dir;
	char		 driver[32], db[64];
	size_t		 ncommon;
	char		*common[COMMON_MAX];
	struct buf	 table;		/* in work; empty: none */
	char		 file[200];
	struct buf	 keys;
	size_t		 ncolumns;
};

static char *
trim(char *s)
{
	size_t n;

	while (*s == ' ' || *s == '\t')
		s++;
	for (n = strlen(s); n > 0 && strchr(" \t\r\n", s[n - 1]) != NULL; n--)
		s[n - 1] = '\0';
	return s;
}

/* The parts of a line between bars; missing ones are empty. */
static void
split(char *line, char *parts[PARTS])
{
	for (size_t i = 0; i < PARTS; i++) {
		static char none[] = "";
		char *part = line == NULL ? NULL : strsep(&line, "|");

		parts[i] = trim(part == NULL ? none : part);
	}
}

static void
put(struct buf *out, const char *key, const char *text)
{
	buf_printf(out, "\"%s\":", key);
	if (*text == '\0')
		buf_str(out, "null");
	else
		json_write_string(out, span_str(text));
}

static void
save(const char *dir, const char *name, const struct buf *b)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((f = fopen(path, "we")) == NULL || fwrite(b->p, 1, b->len, f) != b->len || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

static const char *
dimension(const char *type)
{
	return strstr(type, "time") != NULL || strstr(type, "date") != NULL ? "time" :
	    strstr(type, "int") != NULL || strstr(type, "numeric") != NULL  ? "number" :
	    strcmp(type, "boolean") == 0                                    ? "boolean" :
									      "string";
}

static void
add_column(struct writer *w, const char *line)
{
	char *copy = strdup(line), *parts[PARTS];
	bool first = true;

	if (copy == NULL)
		abort();
	split(copy, parts);
	buf_str(&w->table, w->ncolumns++ > 0 ? ",{" : "{");
	put(&w->table, "name", parts[0]);
	buf_byte(&w->table, ',');
	put(&w->table, "nativeType", parts[1]);
	buf_byte(&w->table, ',');
	put(&w->table, "normalizedType", parts[1]);
	buf_printf(&w->table, ",\"dimensionType\":\"%s\",\"nullable\":true,\"primaryKey\":false,", dimension(parts[1]));
	put(&w->table, "comment", parts[2]);
	buf_str(&w->table, ",\"sampleValues\":[");
	for (char *rest = parts[3]; rest != NULL && *rest != '\0';) {
		if (!first)
			buf_byte(&w->table, ',');
		first = false;
		json_write_string(&w->table, span_str(trim(strsep(&rest, ","))));
	}
	buf_str(&w->table, "]}");
	free(copy);
}

static void
add_key(struct writer *w, char *line)
{
	char *parts[PARTS];

	split(line, parts);
	buf_str(&w->keys, w->keys.len > 0 ? ",{" : "{");
	put(&w->keys, "fromColumn", parts[0]);
	buf_str(&w->keys, ",\"toCatalog\":null,");
	put(&w->keys, "toDb", w->db);
	buf_byte(&w->keys, ',');
	put(&w->keys, "toTable", parts[1]);
	buf_byte(&w->keys, ',');
	put(&w->keys, "toColumn", parts[2]);
	buf_str(&w->keys, ",\"constraintName\":null}");
}

static void
end_table(struct writer *w)
{
	if (w->table.len == 0)
		return;
	buf_str(&w->table, "],\"foreignKeys\":[");
	buf_span(&w->table, buf_view(&w->keys));
	buf_str(&w->table, "]}\n");
	w->keys.len = 0;
	save(w->dir, w->file, &w->table);
	w->table.len = 0;
}

static void
begin_table(struct writer *w, char *line)
{
	bool with_common = *line == '+';
	char *parts[PARTS];

	end_table(w);
	split(trim(line + with_common), parts);
	snprintf(w->file, sizeof(w->file), "tables/%s-%s.json", w->db, parts[0]);
	buf_str(&w->table, "{\"catalog\":null,");
	put(&w->table, "db", w->db);
	buf_byte(&w->table, ',');
	put(&w->table, "name", parts[0]);
	buf_str(&w->table, ",\"kind\":\"table\",");
	put(&w->table, "comment", parts[1]);
	buf_str(&w->table, ",\"estimatedRows\":1000,\"columns\":[");
	w->ncolumns = 0;
	for (size_t i = 0; with_common && i < w->ncommon; i++)
		add_column(w, w->common[i]);
}

static void
take(struct writer *w, char *line)
{
	if (*line == '#' || *trim(line) == '\0')
		return;
	if (strncmp(line, "driver ", 7) == 0)
		snprintf(w->driver, sizeof(w->driver), "%s", trim(line + 7));
	else if (strncmp(line, "db ", 3) == 0)
		snprintf(w->db, sizeof(w->db), "%s", trim(line + 3));
	else if (strncmp(line, "common ", 7) == 0 && w->ncommon < COMMON_MAX)
		w->common[w->ncommon++] = strdup(trim(line + 7));
	else if (strncmp(line, "table ", 6) == 0)
		begin_table(w, trim(line + 6));
	else if (*trim(line) == '>')
		add_key(w, trim(line) + 1);
	else
		add_column(w, line);
}

int
main(int argc, char **argv)
{
	struct writer w = { .dir = argc == 3 ? argv[2] : "" };
	struct buf report = { 0 };
	char path[600], *line = NULL;
	size_t room = 0;
	FILE *f;

	if (argc != 3 || (f = fopen(argv[1], "re")) == NULL) {
		fprintf(stderr, "usage: relevance-schema FILE DIRECTORY\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/tables", w.dir);
	(void)mkdir(path, 0755);
	while (getline(&line, &room, f) > 0)
		take(&w, line);
	end_table(&w);
	free(line);
	fclose(f);
	buf_str(&report, "{");
	put(&report, "driver", w.driver);
	buf_str(&report, ",\"createdAt\":\"2026-01-01T00:00:00.000Z\"}\n");
	save(w.dir, "scan-report.json", &report);
	buf_fini(&report);
	buf_fini(&w.keys);
	buf_fini(&w.table);
	for (size_t i = 0; i < w.ncommon; i++)
		free(w.common[i]);
	return 0;
}
