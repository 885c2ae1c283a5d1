#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/io.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/import/csv.h"
#include "workers/import/import.h"
#include "workers/import/infer.h"
#include "workers/import/json_rows.h"
#include "workers/import/parquet_rows.h"
#include "workers/import/target.h"
#include "workers/import/xlsx.h"

#define STEP_ROWS	4096	/* between checks of the progress */
#define LISTED_AT_ONCE	65536	/* bytes of rejects per write */

struct import_work {
	const struct import	*job;
	struct import_source	 source;
	struct encoding_choice	 encoding;	/* found out in a first attempt */
	struct import_rows	*rows;
	enum import_format	 format;
	struct infer_columns	 columns;
	struct span		*names;		/* owned; columns.n of them */
	size_t			 nnames;
	uint64_t		 read, taken, rejected;
	struct buf		 rejects;	/* the first IMPORT_REJECTS, as JSON */
	struct buf		 listed;	/* rejects that are not written to their file yet */
	unsigned		 permille;
};

static const char *const format_names[] = { "",
#define IMPORT_FORMAT(word, FORMAT)	[IMPORT_##FORMAT] = word,
#include "project/import_words.def"
};

enum import_format
import_format_named(const char *name)
{
	for (enum import_format f = IMPORT_GUESS + 1; f < sizeof(format_names) / sizeof(format_names[0]); f++)
		if (strcmp(name, format_names[f]) == 0)
			return f;
	return IMPORT_GUESS;
}

/* Guess the format from the first bytes: JSON begins with a bracket, behind a byte order mark and zeros of UTF-16. */
static enum import_format
guess_format(struct span head)
{
	size_t at = 0;

	if (span_begins(head, "PK\3\4"))
		return IMPORT_XLSX;
	while (at < head.len && (ascii_is_space(head.p[at]) || memchr("\xef\xbb\xbf\xff\xfe", head.p[at], 6) != NULL))
		at++;
	return at < head.len && (head.p[at] == '{' || head.p[at] == '[') ? IMPORT_JSON : IMPORT_CSV;
}

/* Files that are no table, by their first bytes; those of text only if no format was given. */
static int
refuse_kind(struct span head, bool guess, struct err *err)
{
	static const struct {
		struct span begins;
		bool text;
		const char *says;
	} kinds[] = {
#define IMPORT_KIND(begins, text, says)	{ SPAN(begins), text, says },
#include "workers/import/kinds.def"
	};
	struct span trimmed = span_trim(head);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct span from = kinds[i].text ? trimmed : head;

		if ((guess || !kinds[i].text) && from.len >= kinds[i].begins.len &&
		    span_is_folded(span_of(from.p, kinds[i].begins.len), kinds[i].begins))
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s", kinds[i].says);
	}
	return 0;
}

/* Whether the file is text, in an encoding. */
static bool
has_source(enum import_format format)
{
	return format != IMPORT_XLSX && format != IMPORT_PARQUET;
}

/* An option that means nothing for the format would be ignored. */
static int
check_wishes(const struct import *job, enum import_format format, struct err *err)
{
	bool delimited = format == IMPORT_CSV || format == IMPORT_TSV;
	const char *option = !delimited && job->wishes.delimiter != 0                 ? "--delimiter" :
	    !delimited && job->wishes.decimal != 0                                    ? "--decimal" :
	    format != IMPORT_XLSX && job->wishes.sheet != NULL                        ? "--sheet" :
	    !has_source(format) && job->encoding != NULL                              ? "--encoding" :
	    !delimited && format != IMPORT_XLSX && job->wishes.header != HEADER_GUESS ? "--header" :
	    format == IMPORT_PARQUET && job->ntypes > 0                               ? "--type" :
											NULL;

	return option == NULL ?
	    0 :
	    err_set(err, ERR_INVALID_ARGUMENTS, "%s means nothing for a file of the format %s; leave it out", option,
		format_names[format]);
}

static int
open_rows(struct import_work *w, struct err *err)
{
	const struct import *job = w->job;
	const struct encoding_choice *encoding = w->encoding.name != NULL ? &w->encoding : job->encoding;
	struct rows_wishes wishes = job->wishes;
	uint8_t bytes[4096];
	ssize_t n = pread(job->fd, bytes, sizeof(bytes), 0);
	struct span head = span_of(bytes, n < 0 ? 0 : (size_t)n);

	w->rows = NULL;
	w->format = job->format == IMPORT_GUESS ? guess_format(head) : job->format;
	if (refuse_kind(head, job->format == IMPORT_GUESS, err) != 0 || check_wishes(job, w->format, err) != 0)
		return -1;
	if (w->format == IMPORT_PARQUET)
		w->rows = parquet_rows_open(job->fd, job->size, &w->columns, &w->read, err);
	else if (w->format == IMPORT_XLSX)
		w->rows = xlsx_open(job->fd, &wishes, err);
	else if (source_open(&w->source, job->fd, encoding, err) == 0) {
		if (w->format == IMPORT_TSV && wishes.delimiter == 0)
			wishes.delimiter = '\t';
		w->rows = w->format == IMPORT_JSON || w->format == IMPORT_JSONL ? json_rows_open(&w->source, err) :
										  csv_open(&w->source, &wishes, err);
	}
	if (w->rows == NULL)
		return -1;
	if (job->format == IMPORT_GUESS && w->format == IMPORT_CSV && csv_is_tabbed(w->rows))
		w->format = IMPORT_TSV;
	w->columns.decimal = wishes.decimal;
	infer_columns(&w->columns, w->rows->columns);
	return 0;
}

/* column: empty if it is the whole row. */
static void
put_reject(struct buf *out, uint64_t line, struct span column, const char *reason)
{
	json_put_object(out, NULL);
	json_put_uint(out, "line", line);
	json_put_str(out, "column", column.len > 0 ? column : SPAN_NONE);
	json_put_cstr(out, "reason", reason);
	json_end_object(out);
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
reject(struct import_work *w, uint64_t line, struct span column, const char *reason, struct err *err)
{
	if (w->job->strict)
		return err_set(err, ERR_INVALID_ARGUMENTS, "line %llu: %s; nothing was kept (--strict)",
		    (unsigned long long)line, reason);
	if (w->rejected++ < IMPORT_REJECTS)
		put_reject(&w->rejects, line, column, reason);
	if (w->job->rejects_fd < 0)
		return 0;
	put_reject(&w->listed, line, column, reason);
	buf_byte(&w->listed, '\n');
	return w->listed.len < LISTED_AT_ONCE ? 0 : write_rejects(w, err);
}

/* A value that is not of the type that was given. */
static int
reject_misfit(struct import_work *w, const struct import_row *row, size_t column, struct err *err)
{
	struct buf reason = { 0 };
	int result;

	notes_quote(&reason, row->fields[column].text);
	buf_printf(&reason, " does not fit %s", infer_type_name(&w->columns.v[column]));
	result = reject(w, row->line, w->names[column], buf_cstr(&reason), err);
	buf_fini(&reason);
	return result;
}

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

/* The encoding turned out to be another one: begin again with it. */
static int
open_again(struct import_work *w, struct err *err)
{
	w->encoding = w->source.encoding;
	rows_close(w->rows);
	infer_free(&w->columns);
	w->read = 0;
	return open_rows(w, err);
}

/* Count the records, and note what their texts can be read as. */
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
			break;
		case ROWS_AGAIN:
			if (open_again(w, err) != 0)
				return -1;
			break;
		case ROWS_END:
			return 0;
		case ROWS_FAILED:
			return -1;
		}
}

static int
write_row(struct import_work *w, struct target *t, const struct import_row *row, struct err *err)
{
	size_t column;

	if (!infer_fits(&w->columns, row, &column))
		return reject_misfit(w, row, column, err);
	if (w->taken++ % STEP_ROWS == 0)
		tell_progress(w, 2);
	return target_add(t, row, err);
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
			if (write_row(w, t, &row, err) != 0)
				return -1;
			break;
		case ROWS_BAD:
			if (reject(w, row.line, SPAN_NONE, reason, err) != 0)
				return -1;
			break;
		case ROWS_END:
			if (w->taken + w->rejected == w->read)
				return write_rejects(w, err);
			/* fall through */
		case ROWS_AGAIN:
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "the file changed while it was read; import it again");
		case ROWS_FAILED:
			return -1;
		}
}

static bool
name_is_taken(const struct import_work *w, struct span name)
{
	for (size_t i = 0; i < w->nnames; i++)
		if (span_is_folded(w->names[i], name))
			return true;
	return false;
}

/* The name without surrounding white space, control characters and bytes that are no text, cut to ROWS_NAME_MAX. */
static char *
clean_name(struct span given, size_t column)
{
	struct span t = span_trim(given);
	char *name;
	size_t n = 0;

	if (t.len == 0)
		return mem_printf("column_%zu", column + 1);
	name = mem_alloc(t.len + 1);
	for (size_t i = 0, good = 0; i < t.len; i++) {
		if (i == good && (good += utf8_bad(t.p + i, t.len - i)) == i)
			good++;
		else if (t.p[i] >= 0x20 && t.p[i] != 0x7f) {
			name[n++] = (char)t.p[i];
			continue;
		}
		if (n > 0 && name[n - 1] != ' ')
			name[n++] = ' ';
	}
	n = utf8_cut((const uint8_t *)name, n, ROWS_NAME_MAX);
	name[n] = '\0';
	return name;
}

static void
name_columns(struct import_work *w)
{
	const struct span *given = w->rows->class->names(w->rows);

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

/* What was found out about the file. */
static void
put_file(const struct import_work *w, struct buf *out)
{
	json_put_object(out, "file");
	json_put_cstr(out, "format", format_names[w->format]);
	w->rows->class->describe(w->rows, out);
	json_end_object(out);
}

static void
put_report(struct import_work *w, struct buf *out)
{
	struct import_notes *notes = &w->rows->notes;

	json_put_object(out, "rows");
	json_put_uint(out, "read", w->read);
	json_put_uint(out, "taken", w->taken);
	json_put_uint(out, "rejected", w->rejected);
	json_end_object(out);
	json_put_list(out, "columns");
	for (size_t i = 0; i < w->columns.n; i++) {
		json_put_object(out, NULL);
		json_put_str(out, "name", w->names[i]);
		json_put_cstr(out, "type", infer_type_name(&w->columns.v[i]));
		json_end_object(out);
	}
	json_end_list(out);
	json_put_list(out, "rejects");
	json_put_members(out, buf_view(&w->rejects));
	json_end_list(out);
	put_file(w, out);
	if (has_source(w->format))
		source_doubt(&w->source, notes);
	infer_explain(&w->columns, w->names, notes);
	json_put_uint(out, "skipped", notes->skipped);
	json_put_list(out, "notes");
	json_put_members(out, buf_view(&notes->json));
	json_end_list(out);
}

static int
fail_empty(struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "the file holds no row that can be taken");
}

static int
import_into(struct import_work *w, struct err *err)
{
	const struct import *job = w->job;
	struct buf report = { .max = 0 };
	struct target *t;
	int result;

	if (open_rows(w, err) != 0 || (w->format != IMPORT_PARQUET && find_types(w, err) != 0))
		return -1;
	if (w->columns.n == 0)
		return fail_empty(err);
	name_columns(w);
	if (infer_end(&w->columns, w->names, job->types, job->ntypes, err) != 0)
		return -1;
	t = target_begin(job->database, job->table, job->replace, &w->columns, w->names, err);
	if (t == NULL)
		return -1;
	result = write_rows(w, t, err);
	if (result == 0 && w->taken == 0 && w->read > 0)
		result = fail_empty(err);
	if (result == 0)
		result = target_keep(t, err);
	if (result == 0) {
		put_report(w, &report);
		job->kept(job->arg, buf_view(&report));
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
