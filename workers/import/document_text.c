#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "workers/import/document_text.h"
#include "workers/import/source_text.h"

#define LINE_AT_ONCE	((size_t)64 << 10)	/* a longer line is read in pieces */
#define LONG_LINE	160	/* bytes: with lines this long a line is a paragraph */
#define HEADING_LINE	80
#define CONTROLS_MAX	8	/* control characters allowed in any text */
#define CONTROLS_SHARE	16	/* beyond, one in this many bytes is allowed */

struct document_reader {
	struct import_source	 source;
	struct chunker	*chunker;
	bool		 markdown;
	bool		 fenced;	/* inside a ``` block */
	bool		 within;	/* the beginning of the line was passed on already */
	unsigned	 lines;		/* in the paragraph so far */
	bool		 may_head;	/* its only line looks like a heading */
	uint64_t	 bytes, controls;
};

static int
fail_no_text(struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "it is no text: save it as text in UTF-8");
}

static void
end_paragraph(struct document_reader *r, bool heading)
{
	chunker_paragraph(r->chunker, heading);
	r->lines = 0;
	r->may_head = false;
}

static size_t
run_of(struct span line, char c)
{
	size_t n = 0;

	while (n < line.len && line.p[n] == (uint8_t)c)
		n++;
	return n;
}

/* Lines that begin a paragraph without an empty line before: list items, table rows, quotations. */
static bool
begins_item(struct span line)
{
	size_t digits = 0;

	if (line.len < 2)
		return false;
	if (ascii_is_any(line.p[0], "-*+>") && line.p[1] == ' ')
		return true;
	if (line.p[0] == '|' || span_begins(line, "\xe2\x80\xa2"))
		return true;
	while (digits < line.len && digits < 4 && ascii_is_digit(line.p[digits]))
		digits++;
	return digits > 0 && line.len > digits + 1 && ascii_is_any(line.p[digits], ".)") && line.p[digits + 1] == ' ';
}

/* Short, begins with a capital or digit, ends without punctuation. */
static bool
is_like_heading(struct span line)
{
	return line.len <= HEADING_LINE && !ascii_is_lower(line.p[0]) &&
	    !ascii_is_any(line.p[line.len - 1], ".,;:!?") && !begins_item(line);
}

/* Handle a line of Markdown syntax.  False: it is ordinary text. */
static bool
take_markdown(struct document_reader *r, struct span line)
{
	size_t hashes = run_of(line, '#');

	if (span_begins(line, "```") || span_begins(line, "~~~")) {
		end_paragraph(r, false);
		r->fenced = !r->fenced;
		return true;
	}
	if (r->fenced) {
		chunker_text(r->chunker, line);
		end_paragraph(r, false);
		return true;
	}
	if (hashes >= 1 && hashes <= 6 && hashes < line.len && line.p[hashes] == ' ') {
		end_paragraph(r, false);
		chunker_text(r->chunker, span_of(line.p + hashes, line.len - hashes));
		end_paragraph(r, true);
		return true;
	}
	if (r->lines > 0 && line.len >= 2 && (run_of(line, '=') == line.len || run_of(line, '-') == line.len)) {
		end_paragraph(r, true);
		return true;
	}
	return line.len >= 3 && (run_of(line, '-') == line.len || run_of(line, '*') == line.len);
}

static void
take_line(struct document_reader *r, struct span line)
{
	bool is_long = line.len > LONG_LINE;

	line = span_trim(line);
	if (line.len == 0) {
		end_paragraph(r, r->lines == 1 && r->may_head);
		return;
	}
	if (r->markdown && take_markdown(r, line))
		return;
	if (r->lines > 0 && begins_item(line))
		end_paragraph(r, false);
	r->may_head = r->lines == 0 && is_like_heading(line);
	r->lines++;
	chunker_text(r->chunker, line);
	chunker_text(r->chunker, SPAN(" "));
	if (is_long)
		end_paragraph(r, false);
}

/* Too many control characters mean that the file is not text. */
static int
look_for_controls(struct document_reader *r, struct span text, struct err *err)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] == 0)
			return fail_no_text(err);
		else if (text.p[i] < 0x20 && !ascii_is_any(text.p[i], "\t\n\v\f\r\b\033\032"))
			r->controls++;
	r->bytes += text.len;
	return r->controls > CONTROLS_MAX && r->controls * CONTROLS_SHARE > r->bytes ? fail_no_text(err) : 0;
}

/* Take the complete lines, and pieces of overlong ones. */
static int
take_lines(struct document_reader *r, bool last, struct err *err)
{
	struct span rest = buf_view(&r->source.text);
	size_t done = 0;

	while (rest.len > 0) {
		const uint8_t *end = memchr(rest.p, '\n', rest.len);
		size_t n = end != NULL ? (size_t)(end - rest.p) : rest.len;

		if (end == NULL && !last && n < LINE_AT_ONCE)
			break;
		if (look_for_controls(r, span_of(rest.p, n), err) != 0)
			return -1;
		if (end == NULL && !last) {
			/* The line continues: the piece may end within a word or a character. */
			chunker_text(r->chunker, span_of(rest.p, n));
			r->within = true;
		} else if (r->within) {
			chunker_text(r->chunker, span_of(rest.p, n));
			end_paragraph(r, false);
			r->within = false;
		} else
			take_line(r, span_of(rest.p, n));
		n += end != NULL;
		done += n;
		rest = span_of(rest.p + n, rest.len - n);
	}
	source_consume(&r->source, done);
	return 0;
}

/* Find the encoding, which may depend on the whole file: nothing is passed on before. */
static int
find_encoding(struct document_reader *r, struct err *err)
{
	for (;;)
		switch (source_read(&r->source, err)) {
		case SOURCE_MORE:
			if (r->source.decided)
				return source_rewind(&r->source, err);
			source_consume(&r->source, r->source.checked);
			break;
		case SOURCE_AGAIN:
		case SOURCE_END:
			return source_rewind(&r->source, err);
		case SOURCE_FULL:
		case SOURCE_FAILED:
			return -1;
		}
}

static int
read_text(struct document_reader *r, struct err *err)
{
	enum source_more more;

	if (find_encoding(r, err) != 0)
		return -1;
	while (!chunker_is_over(r->chunker)) {
		more = source_read(&r->source, err);
		if (more == SOURCE_AGAIN || more == SOURCE_FULL)
			return err_set(err, ERR_INVALID_ARGUMENTS, "it changed while it was read; try again");
		if (more == SOURCE_FAILED)
			return -1;
		if (take_lines(r, more == SOURCE_END, err) != 0)
			return -1;
		if (more == SOURCE_END)
			break;
	}
	end_paragraph(r, false);
	return 0;
}

/* Take the lines of a piece, which ends with a line or a page. */
static void
take_piece(struct document_reader *r, struct span piece)
{
	while (piece.len > 0) {
		const uint8_t *end = memchr(piece.p, '\n', piece.len);
		size_t n = end != NULL ? (size_t)(end - piece.p) : piece.len;

		take_line(r, span_of(piece.p, n));
		n += end != NULL;
		piece = span_of(piece.p + n, piece.len - n);
	}
}

/* Take complete lines and pages, or everything if a line is overlong.  Returns the number of bytes. */
static size_t
take_pages(struct document_reader *r, struct span text, uint32_t *pages)
{
	size_t done = 0, end;

	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] == '\f') {
			take_piece(r, span_of(text.p + done, i - done));
			end_paragraph(r, false);
			chunker_page(r->chunker, ++*pages + 1);
			done = i + 1;
		}
	for (end = text.len; end > done && text.p[end - 1] != '\n'; end--)
		;
	if (end == done && text.len - done >= LINE_AT_ONCE)
		end = text.len;
	take_piece(r, span_of(text.p + done, end - done));
	return end;
}

int
document_read_pages(int fd, uint64_t bytes_max, struct chunker *c, uint32_t *pages, struct err *err)
{
	struct document_reader r = { .chunker = c };
	uint8_t *text = mem_new(2, LINE_AT_ONCE);
	size_t have = 0, done;
	ssize_t n = 0;
	int result = 0;

	chunker_page(c, *pages + 1);
	while (!chunker_is_over(c) && (n = read(fd, text + have, 2 * LINE_AT_ONCE - have)) > 0) {
		if ((r.bytes += (size_t)n) > bytes_max) {
			result = err_set(err, ERR_INVALID_ARGUMENTS, "it has more than %llu MiB of text; divide it",
			    (unsigned long long)(bytes_max >> 20));
			break;
		}
		have += (size_t)n;
		done = take_pages(&r, span_of(text, have), pages);
		memmove(text, text + done, have - done);
		have -= done;
	}
	if (n < 0)
		result = err_set(err, ERR_INVALID_ARGUMENTS, "its text cannot be read: %s", strerror(errno));
	if (result == 0) {
		take_piece(&r, span_of(text, have));
		end_paragraph(&r, false);
	}
	free(text);
	return result;
}

int
document_read_text(int fd, bool markdown, struct chunker *c, struct err *err)
{
	struct document_reader r = { .chunker = c, .markdown = markdown };
	int result;

	if (source_open(&r.source, fd, NULL, err) != 0)
		return -1;
	result = read_text(&r, err);
	source_close(&r.source);
	return result;
}
