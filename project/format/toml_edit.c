/* toml_edit.c - see toml_edit.h.  TOML 1.0.0. */
#include <string.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "project/format/toml_edit.h"

/* A dotted key: its parts with quotes and escapes undone, the longest that are told apart. */
struct dotted {
	size_t		n;
	struct span	parts[TOML_EDIT_PATH_MAX + 1];	/* as written, quotes included */
};

struct toml_scan {
	struct span	text;
	size_t		at, line;
	struct err	*err;
};

static int
toml_edit_wrong(struct toml_scan *s, const char *what)
{
	return err_set(s->err, ERR_INVALID_ARGUMENTS, "it is no TOML in line %zu: %s", s->line, what);
}

static bool
is_at(const struct toml_scan *s, const char *token)
{
	size_t n = strlen(token);

	return s->text.len - s->at >= n && memcmp(s->text.p + s->at, token, n) == 0;
}

static void
skip_blanks(struct toml_scan *s)
{
	while (s->at < s->text.len && (s->text.p[s->at] == ' ' || s->text.p[s->at] == '\t'))
		s->at++;
}

/* s->at is on the quote; behind the closing one afterwards. */
static int
skip_string(struct toml_scan *s)
{
	const char quote = (char)s->text.p[s->at];
	const char three[4] = { quote, quote, quote, '\0' };
	bool lines = is_at(s, three);

	s->at += lines ? 3 : 1;
	while (s->at < s->text.len) {
		uint8_t c = s->text.p[s->at];

		if (c == '\n' && !lines)
			break;
		s->line += c == '\n';
		if (c == '\\' && quote == '"') {
			s->line += s->at + 1 < s->text.len && s->text.p[s->at + 1] == '\n';
			s->at += 2;
		} else if (lines ? is_at(s, three) : c == (uint8_t)quote) {
			s->at += lines ? 3 : 1;
			/* Up to two quotes may stand right before the closing three. */
			while (lines && s->at < s->text.len && s->text.p[s->at] == (uint8_t)quote)
				s->at++;
			return 0;
		} else
			s->at++;
	}
	return toml_edit_wrong(s, "a text does not end");
}

/* Behind the line feed that ends the value, however many lines it has. */
static int
skip_value(struct toml_scan *s)
{
	size_t depth = 0;

	while (s->at < s->text.len) {
		uint8_t c = s->text.p[s->at];

		if (c == '"' || c == '\'') {
			if (skip_string(s) != 0)
				return -1;
			continue;
		}
		if (c == '#') {
			while (s->at < s->text.len && s->text.p[s->at] != '\n')
				s->at++;
			continue;
		}
		if ((c == ']' || c == '}') && depth-- == 0)
			return toml_edit_wrong(s, "a bracket too many");
		depth += c == '[' || c == '{';
		s->at++;
		if (c == '\n') {
			s->line++;
			if (depth == 0)
				return 0;
		}
	}
	return depth == 0 ? 0 : toml_edit_wrong(s, "a bracket is not closed");
}

/* A dotted key; s->at is behind it, and behind blanks. */
static int
read_key(struct toml_scan *s, struct dotted *key)
{
	key->n = 0;
	for (;;) {
		size_t from;

		skip_blanks(s);
		from = s->at;
		if (s->at < s->text.len && (s->text.p[s->at] == '"' || s->text.p[s->at] == '\'')) {
			if (skip_string(s) != 0)
				return -1;
		} else
			while (s->at < s->text.len &&
			    (ascii_is_alnum(s->text.p[s->at]) || s->text.p[s->at] == '_' || s->text.p[s->at] == '-'))
				s->at++;
		if (s->at == from)
			return toml_edit_wrong(s, "a key is missing");
		if (key->n <= TOML_EDIT_PATH_MAX)
			key->parts[key->n++] = span_of(s->text.p + from, s->at - from);
		skip_blanks(s);
		if (s->at >= s->text.len || s->text.p[s->at] != '.')
			return 0;
		s->at++;
	}
}

static bool
part_is(struct span part, const char *key)
{
	struct buf mp = { 0 };
	struct mp_value v;
	size_t at;
	bool same;

	if (part.len < 2 || (part.p[0] != '"' && part.p[0] != '\''))
		return span_is_str(part, key);
	if (part.p[0] == '\'')
		return span_is_str(span_of(part.p + 1, part.len - 2), key);
	/* The escapes are those of JSON; \UXXXXXXXX is not needed for our own names. */
	same = json_read(part, &mp, &at) == JSON_OK && mp_value(buf_view(&mp), &v) && v.class == MP_STR &&
	    span_is_str(v.s, key);
	buf_fini(&mp);
	return same;
}

/* How many parts of prefix and key together agree with path from its beginning. */
static size_t
agreement(const struct dotted *prefix, const struct dotted *key, struct toml_edit_path path)
{
	size_t n = 0;

	for (size_t i = 0; i < prefix->n && n == i && n < path.n; i++)
		n += part_is(prefix->parts[i], path.keys[n]);
	for (size_t i = 0; i < key->n && n == prefix->n + i && n < path.n; i++)
		n += part_is(key->parts[i], path.keys[n]);
	return n;
}

/* Without blank and comment lines at the end: those belong to what follows. */
static size_t
without_tail(struct span text, size_t from, size_t end)
{
	while (end > from) {
		size_t start = end - 1;
		struct span line;

		while (start > from && text.p[start - 1] != '\n')
			start--;
		line = span_trim(span_of(text.p + start, end - start));
		if (line.len > 0 && line.p[0] != '#')
			break;
		end = start;
	}
	return end;
}

struct toml_found {
	size_t	from, end;
	bool	any, open;	/* open: end is not known yet */
};

static int
close_found(struct toml_scan *s, struct toml_found *f, size_t end)
{
	if (f->open)
		f->end = without_tail(s->text, f->from, end);
	f->open = false;
	return 0;
}

static int
take_header(struct toml_scan *s, size_t start, struct dotted *table, struct toml_found *f, struct toml_edit_path path)
{
	static const struct dotted none = { 0 };
	bool array = is_at(s, "[[");

	s->at += array ? 2 : 1;
	if (read_key(s, table) != 0)
		return -1;
	if (!is_at(s, array ? "]]" : "]"))
		return toml_edit_wrong(s, "a header is not closed");
	s->at += array ? 2 : 1;
	if (agreement(table, &none, path) < path.n)
		close_found(s, f, start);
	else if (!f->open && f->any)
		return err_set(s->err, ERR_INVALID_ARGUMENTS, "the table is defined twice, again in line %zu", s->line);
	else if (array)
		return err_set(s->err, ERR_INVALID_ARGUMENTS, "it is an array of tables in line %zu", s->line);
	else if (!f->open)
		*f = (struct toml_found){ .from = start, .any = true, .open = true };
	return skip_value(s);
}

static int
find_value(struct span text, struct toml_edit_path path, struct toml_found *f, struct err *err)
{
	struct toml_scan s = { .text = text, .line = 1, .err = err };
	struct dotted table = { 0 }, key;

	*f = (struct toml_found){ .any = false };
	if (text.len >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		s.at = 3;
	while (s.at < text.len) {
		size_t start = s.at;

		skip_blanks(&s);
		if (s.at >= text.len)
			break;
		switch (text.p[s.at]) {
		case '\n':
		case '\r':
		case '#':
			if (skip_value(&s) != 0)
				return -1;
			break;
		case '[':
			if (take_header(&s, start, &table, f, path) != 0)
				return -1;
			break;
		default:
			if (read_key(&s, &key) != 0)
				return -1;
			if (!is_at(&s, "="))
				return toml_edit_wrong(&s, "a key without a value");
			/* The table, or a table around it, is written as an inline value. */
			if (!f->open &&
			    (agreement(&table, &key, path) == path.n ||
				agreement(&table, &key, path) == table.n + key.n))
				return err_set(err, ERR_INVALID_ARGUMENTS,
				    "line %zu gives it as a value; write it as a [table] first", s.line);
			if (skip_value(&s) != 0)
				return -1;
			break;
		}
	}
	return close_found(&s, f, text.len);
}

int
toml_edit_get(struct span text, struct toml_edit_path path, struct span *lines, struct err *err)
{
	struct toml_found f;

	if (find_value(text, path, &f, err) != 0)
		return -1;
	*lines = span_of(text.p + f.from, f.end - f.from);
	return f.any;
}

static bool
ends_line(struct span text)
{
	return text.len == 0 || text.p[text.len - 1] == '\n';
}

int
toml_edit_set(struct span text, struct toml_edit_path path, struct span lines, struct buf *out, struct err *err)
{
	struct toml_found f;

	if (find_value(text, path, &f, err) != 0)
		return -1;
	if (f.any) {
		buf_append(out, text.p, f.from);
		buf_span(out, lines);
		if (!ends_line(lines))
			buf_byte(out, '\n');
		buf_append(out, text.p + f.end, text.len - f.end);
		return 0;
	}
	buf_span(out, text);
	if (!ends_line(text))
		buf_byte(out, '\n');
	if (text.len > 0)
		buf_byte(out, '\n');
	buf_span(out, lines);
	if (!ends_line(lines))
		buf_byte(out, '\n');
	return 0;
}

int
toml_edit_remove(struct span text, struct toml_edit_path path, struct buf *out, struct err *err)
{
	struct toml_found f;
	size_t from;

	if (find_value(text, path, &f, err) != 0)
		return -1;
	from = f.from;
	if (f.any && f.end == text.len && from >= 2 && text.p[from - 1] == '\n' && text.p[from - 2] == '\n')
		from--;
	if (!f.any)
		buf_span(out, text);
	else {
		buf_append(out, text.p, from);
		buf_append(out, text.p + f.end, text.len - f.end);
	}
	return 0;
}

void
toml_edit_key(const char *key, struct buf *out)
{
	bool bare = *key != '\0';

	for (const char *p = key; *p != '\0'; p++)
		bare = bare && (ascii_is_alnum((uint8_t)*p) || *p == '_' || *p == '-');
	if (bare)
		buf_str(out, key);
	else
		json_write_string(out, span_str(key));
}
