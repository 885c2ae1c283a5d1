/* import_files.h - what the tests of imports share: a file of bytes becomes a table, which is looked at. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "workers/import/import.h"

static char dir[] = "/tmp/carrel-import-XXXXXX";
static char database[64];

/* All rows of a query: cells between '|', rows between '\n', NULL as "~". */
static char *
query(const char *sql)
{
	static char out[65536];
	sqlite3 *db;
	sqlite3_stmt *s;
	size_t n = 0;

	out[0] = '\0';
	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(s); i++) {
			const unsigned char *text = sqlite3_column_text(s, i);

			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s",
			    text == NULL ? ""
					   "~" :
					   (const char *)text,
			    i + 1 == sqlite3_column_count(s) ? "\n" : "|");
		}
	sqlite3_finalize(s);
	sqlite3_close(db);
	return out;
}

static char report[8192];

static void
keep_report(void *arg, struct span text)
{
	(void)arg;
	snprintf(report, sizeof(report), "%.*s", SPAN_FMT(text));
}

/* The file's bytes as table t, as job says; its fd, database and the rest are filled in. */
static inline int
import_job(struct import job, const void *bytes, size_t n, struct err *err)
{
	FILE *f = tmpfile();
	int result;

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	rewind(f);
	job.fd = fileno(f);
	job.database = database;
	job.table = "t";
	job.replace = true;
	job.rejects_fd = -1;
	job.kept = keep_report;
	result = import_run(&job, err);
	fclose(f);
	return result;
}

struct good {
	const char		*what, *text, *columns, *rows, *report;
	size_t			 len;	/* 0: of text */
	enum import_format	 format;
	struct rows_wishes	 wishes;
	const char		*encoding, *type;
};

static inline void
check_good(const struct good *g)
{
	struct import job = { .format = g->format, .wishes = g->wishes, .types = &g->type, .ntypes = g->type != NULL };
	struct encoding_choice encoding;
	struct err err = { .message = "" };
	char *said;

	if (g->encoding != NULL) {
		assert_int_equal(encoding_named(g->encoding, &encoding, &err), 0);
		job.encoding = &encoding;
	}
	if (import_job(job, g->text, g->len != 0 ? g->len : strlen(g->text), &err) != 0)
		fail_msg("%s: %s", g->what, err.message);
	said = query("SELECT group_concat(name || ' ' || type, '|') FROM pragma_table_info('t')");
	said[strcspn(said, "\n")] = '\0';
	if (strcmp(said, g->columns) != 0)
		fail_msg("%s: columns %s, not %s; %s", g->what, said, g->columns, report);
	said = query("SELECT * FROM t ORDER BY rowid");
	if (strcmp(said, g->rows) != 0)
		fail_msg("%s: rows\n%snot\n%s%s", g->what, said, g->rows, report);
	if (g->report != NULL && strstr(report, g->report) == NULL)
		fail_msg("%s: report %s", g->what, report);
}

struct bad {
	const char		*what, *text, *says;
	size_t			 len;
	enum import_format	 format;
	bool			 strict;
	struct rows_wishes	 wishes;
	const char		*type;
};

/* The refusal says so, and the table t is as it was. */
static inline void
check_bad(const struct bad *b)
{
	struct import job = {
		.format = b->format, .strict = b->strict, .wishes = b->wishes, .types = &b->type,
		.ntypes = b->type != NULL
	};
	char before[4096];
	struct err err;

	snprintf(before, sizeof(before), "%s", query("SELECT * FROM t"));
	if (import_job(job, b->text, b->len != 0 ? b->len : strlen(b->text), &err) == 0)
		fail_msg("%s was taken: %s", b->what, report);
	if (strstr(err.message, b->says) == NULL)
		fail_msg("%s: %s", b->what, err.message);
	assert_string_equal(query("SELECT * FROM t"), before);
}

static int
make_directory(void **state)
{
	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(database, sizeof(database), "%s/i.db", dir);
	return 0;
}

static int
remove_directory(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}
