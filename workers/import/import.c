/* import.c - see import.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/io.h"
#include "base/json/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/import/csv.h"
#include "workers/import/import.h"
#include "workers/import/infer.h"
#include "workers/import/json_rows.h"
#include "workers/import/target.h"
#include "workers/import/xlsx.h"

#define STEP_ROWS	4096	/* between checks of the progress */
#define LISTED_AT_ONCE	65536	/* bytes of rejects per write */

struct import_work {
	const struct import	*job;
	struct import_source		 source;
	struct import_rows		*rows;
	enum import_format	 format;
	struct infer_columns		 columns;
	struct span		*names;		/* owned; columns.n of them */
	size_t			 nnames;
	uint64_t		 read, taken, rejected;
	struct buf		 rejects;	/* the first IMPORT_REJECTS, as JSON */
	struct buf		 listed;	/* rejects that are not written to their file yet */
	unsigned		 permille;
};

/* --- which format ------------------------------------------------------------------------ */

static const struct {
	const char		*name;
	enum import_format	 format;
} formats[] = {
	{ "csv", IMPORT_CSV }, { "tsv", IMPORT_TSV }, { "json", IMPORT_JSON }, { "jsonl", IMPORT_JSONL },
	{ "xlsx", IMPORT_XLSX }, { "parquet", IMPORT_PARQUET },
};

enum import_format
import_format_named(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(name, formats[i].name) == 0)
			return formats[i].format;
	return IMPORT_GUESS;
}

/* Guess the format from the first bytes. */
static enum import_format
guess_format(int fd)
{
	uint8_t head[4096];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	size_t at = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	if (n >= 4 && memcmp(head, "PK\3\4", 4) == 0)
		return IMPORT_XLSX;
	if (n >= 4 && memcmp(head, "PAR1", 4) == 0)
		return IMPORT_PARQUET;
	while (n > 0 && at < (size_t)n && ascii_is_space(head[at]))
		at++;
	if (n > 0 && at < (size_t)n && (head[at] == '{' || head[at] == '['))
		return IMPORT_JSON;
	return IMPORT_CSV;
}

static int
open_rows(struct import_work *w, struct err *err)
{
	const struct import *job = w->job;

	w->format = job->format == IMPORT_GUESS ? guess_format(job->fd) : job->format;
	if (w->format == IMPORT_PARQUET)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "Debian has no library that reads Parquet; write the file as CSV first, for instance with "
		    "`duckdb -c \"COPY 'FILE.parquet' TO 'FILE.csv'\"` or with pandas, and import that");
	if (w->format == IMPORT_XLSX)
		w->rows = xlsx_open(job->fd, err);
	else if (source_open(&w->source, job->fd, err) == 0)
		w->rows = w->format == IMPORT_JSON || w->format == IMPORT_JSONL ?
		    json_rows_open(&w->source, err) :
		    csv_open(&w->source, w->format == IMPORT_TSV ? '\t' : 0, err);
	return w->rows == NULL ? -1 : 0;
}

/* --- rejects --------------------------------------------------------------------------------- */

static void
put_reject(struct buf *out, const struct import_row *row, const char *reason)
{
	buf_printf(out, "{\"line\":%llu,\"column\":null,\"reason\":", (unsigned long long)row->line);
	json_write_string(out, span_str(reason));
	buf_byte(out, '}');
}

/* Write the pending rejects to their file. */
static int
write_rejects(struct import_work *w, struct err *err)
{
	if (io_write(w->job->rejects_fd, buf_view(&w->listed)) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the list of rejected rows could not be written: %s",
		    strerror(errno));
	w->listed.len = 0;
	return 0;
}

static int
reject(struct import_work *w, const struct import_row *row, const char *reason, struct err *err)
{
	if (w->job->strict)
		return err_set(err, ERR_INVALID_ARGUMENTS, "line %llu: %s; nothing was kept (--strict)",
		    (unsigned long long)row->line, reason);
	if (w->rejected++ < IMPORT_REJECTS) {
		if (w->rejects.len > 0)
			buf_byte(&w->rejects, ',');
		put_reject(&w->rejects, row, reason);
	}
	if (w->job->rejects_fd < 0)
		return 0;
	put_reject(&w->listed, row, reason);
	buf_byte(&w->listed, '\n');
	return w->listed.len < LISTED_AT_ONCE ? 0 : write_rejects(w, err);
}

/* The file is read again from the start: discard the rejects. */
static int
forget_rejects(struct import_work *w, struct err *err)
{
	w->rejected = 0;
	w->rejects.len = w->listed.len = 0;
	if (w->job->rejects_fd >= 0 &&
	    (ftruncate(w->job->rejects_fd, 0) != 0 || lseek(w->job->rejects_fd, 0, SEEK_SET) != 0))
		return err_set(err, ERR_INTERNAL, "the list of rejected rows could not be truncated: %s",
		    strerror(errno));
	return 0;
}

/* --- two passes ---------------------------------------------------------------------------------- */

static void
tell_progress(struct import_work *w, unsigned pass)
{
	uint64_t total = w->rows->total == 0 ? 1 : w->rows->total, done = w->rows->done < total ? w->rows->done : total;
	/* Writing takes about twice as long as reading. */
	unsigned permille = (unsigned)(pass == 1 ? done * 300 / total : 300 + done * 700 / total);

	if (w->job->progress == NULL || permille == w->permille)
		return;
	w->permille = permille;
	w->job->progress(w->job->arg, permille, pass == 1 ? "Reading types" : "Writing rows");
}

static int
find_types(struct import_work *w, struct err *err)
{
	struct import_row row;
	const char *reason;

	for (;;)
		switch (rows_next(w->rows, &row, &reason, err)) {
		case ROWS_ROW:
			infer_row(&w->columns, &row);
			if (w->read++ % STEP_ROWS == 0)
				tell_progress(w, 1);
			break;
		case ROWS_BAD:
			w->read++;
			if (reject(w, &row, reason, err) != 0)
				return -1;
			break;
		case ROWS_AGAIN:
			infer_free(&w->columns);
			w->read = 0;
			if (forget_rejects(w, err) != 0 || rows_rewind(w->rows, err) != 0)
				return -1;
			break;
		case ROWS_END:
			infer_end(&w->columns);
			return write_rejects(w, err);
		case ROWS_FAILED:
			return -1;
		}
}

static int
write_rows(struct import_work *w, struct target *t, struct err *err)
{
	struct import_row row;
	const char *reason;

	if (rows_rewind(w->rows, err) != 0)
		return -1;
	for (;;)
		switch (rows_next(w->rows, &row, &reason, err)) {
		case ROWS_ROW:
			if (target_add(t, &row, err) != 0)
				return -1;
			if (w->taken++ % STEP_ROWS == 0)
				tell_progress(w, 2);
			break;
		case ROWS_BAD: /* rejected in the first pass */
			break;
		case ROWS_END:
			return w->taken + w->rejected == w->read ?
			    0 :
			    err_set(err, ERR_INVALID_ARGUMENTS, "the file changed while it was read; import it again");
		case ROWS_AGAIN:
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "the file changed while it was read; import it again");
		case ROWS_FAILED:
			return -1;
		}
}

/* --- names ------------------------------------------------------------------------------------------ */

static bool
name_is_taken(const struct import_work *w, struct span name)
{
	for (size_t i = 0; i < w->nnames; i++)
		if (span_is_folded(w->names[i], name))
			return true;
	return false;
}

/* The name without surrounding white space and control characters, cut to the maximal length. */
static char *
clean_name(struct span given, size_t column)
{
	struct span t = span_trim(given);
	char *name;
	size_t n = 0;

	if (t.len == 0)
		return mem_printf("column_%zu", column + 1);
	name = mem_alloc(t.len + 1);
	for (size_t i = 0; i < t.len; i++)
		if (t.p[i] >= 0x20 && t.p[i] != 0x7f)
			name[n++] = (char)t.p[i];
		else if (n > 0 && name[n - 1] != ' ')
			name[n++] = ' ';
	n = utf8_cut((const uint8_t *)name, n, ROWS_NAME_MAX);
	name[n] = '\0';
	return name;
}

static void
name_columns(struct import_work *w)
{
	const struct span *given = w->format == IMPORT_XLSX       ? xlsx_names(w->rows) :
	    w->format == IMPORT_JSON || w->format == IMPORT_JSONL ? json_rows_names(w->rows) :
								    csv_names(w->rows);

	w->names = mem_new(w->columns.n, sizeof(*w->names));
	while (w->nnames < w->columns.n) {
		char *name = clean_name(given[w->nnames], w->nnames), *other = name;

		for (unsigned i = 2; name_is_taken(w, span_str(other)); i++) {
			if (other != name)
				free(other);
			other = mem_printf("%s_%u", name, i);
		}
		if (other != name)
			free(name);
		w->names[w->nnames++] = span_str(other);
	}
}

/* --- all ---------------------------------------------------------------------------------------------- */

static void
put_report(const struct import_work *w, struct buf *out)
{
	buf_printf(out, "\"rows\":{\"read\":%llu,\"taken\":%llu,\"rejected\":%llu},\"columns\":[",
	    (unsigned long long)w->read, (unsigned long long)w->taken, (unsigned long long)w->rejected);
	for (size_t i = 0; i < w->columns.n; i++) {
		buf_str(out, i == 0 ? "{\"name\":" : ",{\"name\":");
		json_write_string(out, w->names[i]);
		buf_printf(out, ",\"type\":\"%s\"}", column_type_name(w->columns.v[i].type));
	}
	buf_str(out, "],\"rejects\":[");
	buf_span(out, buf_view(&w->rejects));
	buf_byte(out, ']');
}

static int
import_into(struct import_work *w, struct err *err)
{
	struct buf report = { .max = 0 };
	struct target *t;
	int result;

	if (open_rows(w, err) != 0 || find_types(w, err) != 0)
		return -1;
	if (w->columns.n == 0 || w->read == w->rejected)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file holds no row that can be taken");
	name_columns(w);
	t = target_begin(w->job->database, w->job->table, w->job->replace, &w->columns, w->names, err);
	if (t == NULL)
		return -1;
	result = write_rows(w, t, err) == 0 ? target_keep(t, err) : -1;
	if (result == 0) {
		put_report(w, &report);
		w->job->kept(w->job->arg, buf_view(&report));
		buf_fini(&report);
	}
	target_close(t);
	return result;
}

int
import_run(const struct import *job, struct err *err)
{
	struct import_work w = { .job = job, .permille = 1001 };
	int result;

	err->code = ERR_NONE;
	result = import_into(&w, err);
	rows_close(w.rows);
	infer_free(&w.columns);
	rows_free_names(w.names, w.nnames);
	buf_fini(&w.rejects);
	buf_fini(&w.listed);
	return result;
}
