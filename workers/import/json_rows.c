#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_text.h"
#include "base/mem.h"
#include "base/table.h"
#include "workers/import/json_rows.h"

#define ROW_ARENA	((size_t)64 << 20)

struct json_rows {
	struct import_rows	 rows;
	struct import_source	*source;
	size_t		 at;
	uint64_t	 line;
	bool		 in_array, begun, closed, ended;	/* closed: the array's bracket was read */

	struct table	 index;		/* of names */
	struct span	*names;		/* owned */
	size_t		 n, cap, fields_cap;
	struct import_field	*fields;
	struct buf	 value;		/* the record as msgpack */
	struct arena	*arena;		/* of the record */
	const char	*fault;		/* of the record */
};

static struct import_field *
field_named(struct json_rows *j, struct span name)
{
	uint64_t hash = hash_of(name);
	size_t at = table_start(hash);
	uint32_t i;

	while ((i = table_next(&j->index, hash, &at)) != TABLE_NONE)
		if (span_is(j->names[i], name))
			return &j->fields[i];
	if (j->n == ROWS_COLUMNS_MAX) {
		j->fault = "it has more fields than a table may have columns";
		return NULL;
	}
	j->names = mem_grow(j->names, j->n, &j->cap, sizeof(*j->names));
	j->fields = mem_grow(j->fields, j->n, &j->fields_cap, sizeof(*j->fields));
	j->names[j->n] = span_str(mem_text(name));
	j->fields[j->n] = (struct import_field){ .kind = FIELD_NULL };
	table_add(&j->index, hash, (uint32_t)j->n);
	return &j->fields[j->n++];
}

/* Append a value in which numbers are BIN: json_write() with the digits of the file. */
static void
put_json(struct buf *out, const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value each;
	struct span key;
	bool first = true;

	if (v->class == MP_BIN)
		buf_span(out, v->s);
	else if (v->class == MP_ARRAY) {
		buf_byte(out, '[');
		for (; mp_next(&it, &each); first = false) {
			buf_str(out, first ? "" : ",");
			put_json(out, &each);
		}
		buf_byte(out, ']');
	} else if (v->class == MP_MAP) {
		buf_byte(out, '{');
		for (; mp_next_pair(&it, &key, &each); first = false) {
			buf_str(out, first ? "" : ",");
			json_write_string(out, key);
			buf_byte(out, ':');
			put_json(out, &each);
		}
		buf_byte(out, '}');
	} else
		json_write(out, v);
}

static void
put_field(struct json_rows *j, struct span name, const struct mp_value *v)
{
	struct import_field *f = field_named(j, name);
	struct buf text = { .max = ROWS_RECORD_MAX };

	if (f != NULL && f->kind != FIELD_NULL)
		j->fault = "two of its fields would be one column";
	if (f == NULL || f->kind != FIELD_NULL)
		return;
	switch (v->class) {
	case MP_NIL:
		*f = (struct import_field){ .kind = FIELD_NULL };
		break;
	case MP_BOOL:
		*f = (struct import_field){ v->boolean ? SPAN("true") : SPAN("false"), FIELD_BARE };
		break;
	case MP_STR:
		*f = (struct import_field){ v->s, FIELD_STRING };
		break;
	case MP_BIN:
		*f = (struct import_field){ v->s, FIELD_BARE };
		break;
	default:
		put_json(&text, v);
		*f = (struct import_field){ arena_span(j->arena, buf_view(&text)), FIELD_STRING };
		if (text.full || f->text.p == NULL)
			j->fault = "it is longer than 16 MB";
		buf_fini(&text);
	}
}

static void
put_object(struct json_rows *j, const char *prefix, const struct mp_value *map, unsigned depth)
{
	struct mp_iter it = mp_iter(map);
	struct mp_value v;
	struct span key;

	while (mp_next_pair(&it, &key, &v)) {
		char *name = arena_printf(j->arena, "%s%.*s", prefix, SPAN_FMT(key));

		if (name == NULL) {
			j->fault = "it is longer than 16 MB";
			return;
		}
		if (v.class == MP_MAP && v.n > 0 && depth < JSON_ROWS_NESTED_MAX)
			put_object(j, arena_printf(j->arena, "%s_", name), &v, depth + 1);
		else
			put_field(j, span_str(name), &v);
	}
}

static void
put_record(struct json_rows *j, const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value each;
	char name[32];

	for (size_t i = 0; i < j->n; i++)
		j->fields[i] = (struct import_field){ .kind = FIELD_NULL };
	if (v->class == MP_MAP)
		put_object(j, "", v, 0);
	else if (v->class == MP_ARRAY)
		for (unsigned i = 1; mp_next(&it, &each); i++) {
			snprintf(name, sizeof(name), "column_%u", i);
			put_field(j, span_str(name), &each);
		}
	else
		put_field(j, SPAN("value"), v);
}

enum reach { REACH_VALUE, REACH_PART, REACH_END };

/* The length of the value at the start of t; REACH_PART: it continues after t. */
static enum reach
value_length(struct span t, bool ends, size_t *len)
{
	size_t depth = 0, i = 0;

	for (;;) {
		uint8_t c;

		if (i == t.len)
			break;
		c = t.p[i];
		if (c == '"') {
			for (i++;;) {
				i += i < t.len ? json_plain(t.p + i, t.len - i) : 0;
				if (i >= t.len)
					return ends ? REACH_END : REACH_PART;
				if (t.p[i] == '"')
					break;
				i += t.p[i] == '\\' ? 2 : 1;
			}
			i++;
		} else if (c == '{' || c == '[') {
			depth++;
			i++;
			continue;
		} else if (c == '}' || c == ']') {
			if (depth == 0)
				break;
			depth--;
			i++;
		} else if (depth > 0) {
			i++;
			continue;
		} else {
			/* A number or a literal. */
			while (i < t.len && t.p[i] != ',' && t.p[i] != ']' && t.p[i] != '}' && !ascii_is_space(t.p[i]))
				i++;
			if (i == t.len && !ends)
				return REACH_PART;
		}
		if (depth == 0) {
			*len = i;
			return REACH_VALUE;
		}
	}
	*len = i;
	return depth > 0 ? (ends ? REACH_END : REACH_PART) : REACH_VALUE;
}

/* Skip white space and, in an array, commas; counts lines.  False: end of the text. */
static bool
pass_blanks(struct json_rows *j)
{
	const struct buf *text = &j->source->text;

	for (; j->at < text->len; j->at++) {
		uint8_t c = text->p[j->at];

		if (c == '\n')
			j->line++;
		else if (!ascii_is_space(c) && !(c == ',' && j->begun))
			return true;
	}
	return false;
}

/* ROWS_BAD: the value at j->at does not fit. */
static enum rows_next
more_text(struct json_rows *j, const char **reason, struct err *err)
{
	source_consume(j->source, j->at);
	j->at = 0;
	switch (source_read(j->source, err)) {
	case SOURCE_MORE:
	case SOURCE_END:
		return ROWS_ROW;
	case SOURCE_AGAIN:
		return ROWS_AGAIN;
	case SOURCE_FULL:
		return ROWS_BAD;
	default:
		*reason = NULL;
		return ROWS_FAILED;
	}
}

static const char *
read_record(struct json_rows *j, struct span text)
{
	struct mp_value v;
	enum json_fault fault;
	size_t at;

	buf_reset(&j->value, (size_t)1 << 20);
	arena_reset(j->arena);
	j->fault = NULL;
	if ((fault = json_read_digits(text, &j->value, &at)) != JSON_OK)
		return json_fault_text(fault);
	if (!mp_value(buf_view(&j->value), &v))
		return "it is no JSON";
	put_record(j, &v);
	return j->fault;
}

static size_t
lines_in(struct span t)
{
	size_t n = 0;

	for (size_t i = 0; i < t.len; i++)
		n += t.p[i] == '\n';
	return n;
}

/* Skip an invalid value up to the end of the line. */
static void
pass_line(struct json_rows *j)
{
	const struct buf *text = &j->source->text;
	const uint8_t *newline = memchr(text->p + j->at, '\n', text->len - j->at);

	j->at = newline != NULL ? (size_t)(newline - text->p) : text->len;
}

/* The last record, which is bad. */
static enum rows_next
end_with(struct json_rows *j, struct import_row *row, const char **reason, const char *why)
{
	j->ended = true;
	*row = (struct import_row){ .line = j->line };
	*reason = why;
	return ROWS_BAD;
}

/*
 * Pass over the value at j->at, which is too long to be kept.  Outside of an array it ends with its line at the
 * latest, as in pass_line(): what lacks a bracket does not take the lines behind it along.
 */
static enum rows_next
skip_value(struct json_rows *j, struct import_row *row, const char **reason, struct err *err)
{
	bool string = false, escaped = false;
	size_t depth = 0;
	enum rows_next more;

	*row = (struct import_row){ .line = j->line };
	for (;; j->at++) {
		uint8_t c;

		while (j->at == j->source->text.len) {
			if (j->source->ends) {
				j->ended = true;
				*reason = "it is longer than 16 MB, and the file ends within it";
				return ROWS_BAD;
			}
			if ((more = more_text(j, reason, err)) != ROWS_ROW)
				return more;
		}
		c = j->source->text.p[j->at];
		if (c == '\n' && !j->in_array)
			break;
		j->line += c == '\n';
		if (escaped || (string && c == '\\')) {
			escaped = !escaped;
			continue;
		}
		if (c == '"')
			string = !string;
		else if (string)
			continue;
		else if (c == '{' || c == '[')
			depth++;
		else if (depth > 0 && (c == '}' || c == ']'))
			depth--;
		else if (depth > 0 || (c != ',' && c != ']' && c != '}' && !ascii_is_space(c)))
			continue;
		else
			break; /* behind a number */
		if (depth == 0 && !string) {
			j->at++;
			break;
		}
	}
	*reason = "it is longer than 16 MB";
	return ROWS_BAD;
}

static enum rows_next
json_next(struct import_rows *r, struct import_row *row, const char **reason, struct err *err)
{
	struct json_rows *j = (struct json_rows *)r;

	for (;;) {
		struct span rest;
		enum reach reach;
		enum rows_next more;
		size_t len = 0;

		if (j->ended)
			return ROWS_END;
		if (!pass_blanks(j)) {
			if (j->source->ends)
				return j->in_array && !j->closed ?
				    end_with(j, row, reason, "the file ends within its list") :
				    ROWS_END;
			if ((more = more_text(j, reason, err)) != ROWS_ROW)
				return more;
			continue;
		}
		rest = span_of(j->source->text.p + j->at, j->source->text.len - j->at);
		if (!j->begun) {
			j->begun = true;
			if ((j->in_array = rest.p[0] == '[')) {
				j->at++;
				continue;
			}
		}
		if (j->closed)
			return end_with(j, row, reason, "it stands after the end of the list, with all that follows");
		if (j->in_array && rest.p[0] == ']') {
			j->closed = true;
			j->at++;
			continue;
		}
		reach = value_length(rest, j->source->ends, &len);
		if (reach == REACH_PART) {
			if ((more = more_text(j, reason, err)) == ROWS_BAD)
				return skip_value(j, row, reason, err);
			if (more != ROWS_ROW)
				return more;
			continue;
		}
		*row = (struct import_row){ .line = j->line };
		r->done = j->source->done;
		if (reach == REACH_END || len == 0) {
			*reason = reach == REACH_END ? "the file ends within it" : "it is no JSON";
			if (reach == REACH_END && j->in_array)
				j->ended = true;
			else if (j->in_array)
				j->at++; /* a bracket */
			else
				pass_line(j);
			return ROWS_BAD;
		}
		*reason = read_record(j, span_of(rest.p, len));
		/* With JSON lines the next line may be valid. */
		if (*reason != NULL && !j->in_array) {
			pass_line(j);
			return ROWS_BAD;
		}
		j->line += lines_in(span_of(rest.p, len));
		j->at += len;
		row->n = j->n;
		row->fields = j->fields;
		return *reason != NULL ? ROWS_BAD : ROWS_ROW;
	}
}

static int
json_rewind(struct import_rows *r, struct err *err)
{
	struct json_rows *j = (struct json_rows *)r;

	j->at = 0;
	j->line = 1;
	j->begun = j->in_array = j->closed = j->ended = false;
	return source_rewind(j->source, err);
}

static void
json_close(struct import_rows *r)
{
	struct json_rows *j = (struct json_rows *)r;

	source_close(j->source);
	rows_free_names(j->names, j->n);
	free(j->fields);
	table_free(&j->index);
	buf_fini(&j->value);
	arena_free(j->arena);
	free(j);
}

static const struct span *
json_names(const struct import_rows *r)
{
	return ((const struct json_rows *)r)->names;
}

static void
json_describe(const struct import_rows *r, struct buf *out)
{
	source_describe(((const struct json_rows *)r)->source, out);
}

static const struct rows_class json_class = { json_next, json_rewind, json_close, json_names, json_describe };

struct import_rows *
json_rows_open(struct import_source *s, struct err *err)
{
	struct json_rows *j = mem_new(1, sizeof(*j));

	j->rows = (struct import_rows){ .class = &json_class, .total = s->total };
	j->source = s;
	j->arena = arena_new(ROW_ARENA);
	if (json_rewind(&j->rows, err) == 0)
		return &j->rows;
	json_close(&j->rows);
	return NULL;
}
