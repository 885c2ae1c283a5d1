/* document_import.c - see document_import.h: chooses the reader for a file, and writes the file of passages. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/document.h"
#include "base/system/io.h"
#include "base/json/json_put.h"
#include "project/passages.h"
#include "workers/import/document_docx.h"
#include "workers/import/document_rows.h"
#include "workers/import/document_text.h"
#include "workers/import/pdf_read.h"

#define WRITTEN_AT_ONCE	((size_t)256 << 10)

/* Extra room in the first line, for numbers and a time that are only known at the end. */
#define HEAD_SPARE	32

struct writing {
	const struct document_import	*job;
	struct document_report	*report;
	struct err		*err;
	int			 fd;
	struct buf		 out;
	struct buf		 row;	/* the JSON member that names the row; empty: not a column */
};

enum document_format
document_format_named(const char *name)
{
	return strcmp(name, "markdown") == 0 ? DOCUMENT_MARKDOWN :
	    strcmp(name, "rows") == 0        ? DOCUMENT_ROWS :
					       DOCUMENT_GUESS;
}

static int
write_fail(struct writing *w)
{
	return err_set(w->err, ERR_INVALID_ARGUMENTS, "its passages cannot be written: %s", strerror(errno));
}

static int
write_out(struct writing *w)
{
	if (io_write(w->fd, buf_view(&w->out)) != 0)
		return write_fail(w);
	w->out.len = 0;
	return 0;
}

static int
take_passage(void *arg, struct span text, uint32_t page)
{
	struct writing *w = arg;

	if (w->report->chunks == w->job->chunks_max)
		return err_set(w->err, ERR_INVALID_ARGUMENTS,
		    "with it there would be more than 1,000,000 passages of documents; "
		    "`carrel dataset document ID --drop FILE` takes one out");
	json_put_object(&w->out, NULL);
	json_put_uint(&w->out, "chunk_index", w->report->chunks++);
	json_put_members(&w->out, buf_view(&w->row));
	json_put_known(&w->out, "page", page > 0, page);
	json_put_str(&w->out, "text", text);
	json_end_object(&w->out);
	buf_byte(&w->out, '\n');
	return w->out.len < WRITTEN_AT_ONCE ? 0 : write_out(w);
}

static void
take_row(void *arg, struct span member)
{
	struct writing *w = arg;

	w->row.len = 0;
	buf_span(&w->row, member);
}

static void
put_head(const struct writing *w, struct buf *out)
{
	cJSON *head = document_new();
	char at[25];

	clock_iso8601(clock_unix_ms(), at);
	at[19] = 'Z'; /* no milliseconds */
	at[20] = '\0';
	document_put_uint(head, "carrel_document", 1);
	document_put_text(head, "source_file", w->job->source_file);
	if (w->job->format == DOCUMENT_ROWS)
		document_put_text(head, "column", w->job->source_file + strlen(PASSAGES_COLUMN));
	if (w->report->pages > 0)
		document_put_uint(head, "pages", w->report->pages);
	else
		document_put_text(head, "pages", NULL);
	document_put_uint(head, "chunks", w->report->chunks);
	document_put_text(head, "added_at", at);
	document_finish(out, head);
}

/* Pad the object with blanks to n bytes, and end the line. */
static void
pad_head(struct buf *head, size_t n)
{
	while (head->len < n)
		buf_byte(head, ' ');
	buf_byte(head, '\n');
}

/* Beginnings of known binary formats, and advice for them. */
static const struct {
	const char	*begin;
	size_t		 len;
	const char	*what;
} others[] = {
	{ "\xd0\xcf\x11\xe0", 4, "it is an old Office document; save it as text" },
	{ "{\\rtf", 5, "it is rich text (RTF); save it as text" },
};

/* A file with the ending of another format is damaged: do not read its bytes as text. */
static int
check_name(const char *name, struct err *err)
{
	static const char *const formats[] = { "pdf", "docx" };
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending != NULL && i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcasecmp(ending + 1, formats[i]) == 0)
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "it is called .%s and is no such file; is it whole? Text goes in as .txt or .md",
			    formats[i]);
	return 0;
}

static int
read_file(const struct document_import *d, struct chunker *c, uint32_t *pages, struct err *err)
{
	uint8_t head[8] = { 0 };

	if (d->pdf != NULL)
		return pdf_read(d->pdf, c, pages, err);
	if (pread(d->fd, head, sizeof(head), 0) < 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "it cannot be read: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memcmp(head, others[i].begin, others[i].len) == 0)
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s", others[i].what);
	if (memcmp(head, "PK\3\4", 4) == 0)
		return document_read_docx(d->fd, c, err);
	if (check_name(d->source_file, err) != 0)
		return -1;
	return document_read_text(d->fd, d->format == DOCUMENT_MARKDOWN, c, err);
}

/* Read the whole input into passages. */
static int
read_all(struct writing *w)
{
	struct chunker *c;
	int result;

	if (w->job->format == DOCUMENT_ROWS)
		return document_read_rows(w->job->fd, take_row, take_passage, w, w->err);
	c = chunker_new(take_passage, w);
	result = read_file(w->job, c, &w->report->pages, w->err);
	if (result == 0)
		result = chunker_end(c);
	chunker_free(c);
	if (result == 0 && w->report->chunks == 0)
		result = err_set(w->err, ERR_INVALID_ARGUMENTS,
		    w->job->pdf != NULL ?
			"there is no text in it, only pictures of pages; have the text recognised (`ocrmypdf`) first" :
			"there is no text in it");
	return result;
}

static int
write_passages(struct writing *w)
{
	struct buf head = { .max = 0 };
	size_t room;
	int result;

	put_head(w, &head);
	room = head.len + HEAD_SPARE;
	pad_head(&head, room);
	buf_span(&w->out, buf_view(&head));
	result = read_all(w);
	if (result == 0)
		result = write_out(w);
	head.len = 0;
	put_head(w, &head);
	pad_head(&head, room);
	if (result == 0 &&
	    (pwrite(w->fd, head.p, head.len, 0) != (ssize_t)head.len || fsync(w->fd) != 0 ||
		rename(w->job->temporary, w->job->path) != 0))
		result = write_fail(w);
	buf_fini(&head);
	return result;
}

int
document_write_file(const struct document_import *d, struct document_report *report, struct err *err)
{
	struct writing w = { .job = d, .report = report, .err = err };
	int result;

	*report = (struct document_report){ 0 };
	w.fd = open(d->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (w.fd < 0)
		return write_fail(&w);
	if ((result = write_passages(&w)) != 0)
		unlink(d->temporary);
	close(w.fd);
	buf_fini(&w.row);
	buf_fini(&w.out);
	return result;
}
