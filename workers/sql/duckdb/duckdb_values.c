#include "workers/sql/duckdb/duckdb_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "base/text/num.h"
#include "base/utf8.h"
#include "workers/sql/duckdb/duckdb_types.h"
#include "workers/sql/value.h"

#define MICROS		INT64_C(1000000)
#define DAY_S		INT64_C(86400)
#define EXACT_MAX	(INT64_C(1) << 53)
#define HUGE_DIGITS	40

__extension__ typedef __int128 huge;
__extension__ typedef unsigned __int128 unsigned_huge;

/* The row's element of a vector whose elements have this type. */
#define AT(data, type, row)	(((const type *)(data))[row])

bool
duckdb_values_is_null(struct duck_vector *vector, uint64_t row)
{
	const uint64_t *valid = duck.vector_get_validity(vector);

	return valid != NULL && (valid[row / 64] >> (row % 64) & 1) == 0;
}

static struct span
text_at(const void *data, uint64_t row)
{
	const union duck_text *t = &AT(data, union duck_text, row);

	return t->value.length <= DUCK_INLINED ? span_of(t->value.inlined, t->value.length) :
						 span_of(t->pointer.p, t->pointer.length);
}

/* The whole number at row, of any width; of a UHUGEINT its bits. */
static huge
whole_at(enum duck_type_id id, const void *data, uint64_t row)
{
	const struct duck_huge *h;

	switch (id) {
	case DUCK_TINYINT:
		return AT(data, int8_t, row);
	case DUCK_SMALLINT:
		return AT(data, int16_t, row);
	case DUCK_INTEGER:
		return AT(data, int32_t, row);
	case DUCK_BIGINT:
		return AT(data, int64_t, row);
	case DUCK_UTINYINT:
		return AT(data, uint8_t, row);
	case DUCK_USMALLINT:
		return AT(data, uint16_t, row);
	case DUCK_UINTEGER:
		return AT(data, uint32_t, row);
	case DUCK_UBIGINT:
		return AT(data, uint64_t, row);
	default:
		h = &AT(data, struct duck_huge, row);
		return (huge)((unsigned_huge)(uint64_t)h->upper << 64 | h->lower);
	}
}

/* The digits of units / 10^scale into out, which has room for HUGE_DIGITS, a sign and a point.  Returns the length. */
static size_t
print_decimal(unsigned_huge units, bool negative, unsigned scale, char *out)
{
	char digits[HUGE_DIGITS];
	size_t n = 0, at = 0;

	do
		digits[n++] = (char)('0' + (int)(units % 10));
	while ((units /= 10) != 0 || n <= scale);
	if (negative)
		out[at++] = '-';
	while (n > 0) {
		if (n == scale)
			out[at++] = '.';
		out[at++] = digits[--n];
	}
	return at;
}

static void
put_decimal(struct buf *out, huge units, unsigned scale, bool is_unsigned)
{
	char text[HUGE_DIGITS + 3];
	bool negative = !is_unsigned && units < 0;
	unsigned_huge size = negative ? -(unsigned_huge)units : (unsigned_huge)units;

	buf_append(out, text, print_decimal(size, negative, scale, text));
}

/* The shortest digits that read back as the same float. */
static double
double_of(float f)
{
	char text[40];
	double v = f;

	for (int digits = 6; isfinite(f) && digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)f);
		v = strtod(text, NULL);
		if ((float)v == f)
			break;
	}
	return v;
}

static void
put_date(struct buf *out, int64_t days)
{
	struct date d = date_of_days(days);

	if (d.year <= 0)
		buf_printf(out, "%04" PRId64 "-%02u-%02u (BC)", 1 - d.year, d.month, d.day);
	else
		buf_printf(out, "%04" PRId64 "-%02u-%02u", d.year, d.month, d.day);
}

/* A part of a second, of that many digits, without its last zeros. */
static void
put_fraction(struct buf *out, int64_t part, int digits)
{
	char text[24];
	int n;

	if (part == 0)
		return;
	n = snprintf(text, sizeof(text), ".%0*" PRId64, digits, part);
	while (n > 0 && text[n - 1] == '0')
		n--;
	buf_append(out, text, (size_t)n);
}

/* per: units of a second. */
static void
put_time(struct buf *out, int64_t units, int64_t per, int digits)
{
	int64_t s = units / per;

	buf_printf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60, s % 60);
	put_fraction(out, units % per, digits);
}

static void
put_timestamp(struct buf *out, int64_t units, int64_t per, int digits, const char *zone)
{
	int64_t day = per * DAY_S, days = units / day, rest = units % day;

	if (units == INT64_MAX || units == -INT64_MAX) {
		buf_str(out, units > 0 ? "infinity" : "-infinity");
		return;
	}
	if (rest < 0) {
		rest += day;
		days--;
	}
	put_date(out, days);
	buf_byte(out, ' ');
	put_time(out, rest, per, digits);
	buf_str(out, zone);
}

/* 40 bits of microseconds, 24 of the offset, counted from the largest down. */
#define OFFSET_MAX	(15 * 3600 + 59 * 60 + 59)
static void
put_time_tz(struct buf *out, uint64_t bits)
{
	int offset = OFFSET_MAX - (int)(bits & 0xFFFFFF), size = abs(offset);

	put_time(out, (int64_t)(bits >> 24), MICROS, 6);
	buf_printf(out, "%c%02d", offset < 0 ? '-' : '+', size / 3600);
	if (size / 60 % 60 != 0 || size % 60 != 0)
		buf_printf(out, ":%02d", size / 60 % 60);
	if (size % 60 != 0)
		buf_printf(out, ":%02d", size % 60);
}

static void
put_count(struct buf *out, int64_t n, const char *unit, bool *any)
{
	if (n == 0)
		return;
	buf_printf(out, "%s%" PRId64 " %s%s", *any ? " " : "", n, unit, n == 1 || n == -1 ? "" : "s");
	*any = true;
}

static void
put_interval(struct buf *out, const struct duck_interval *v)
{
	bool any = false;

	put_count(out, v->months / 12, "year", &any);
	put_count(out, v->months % 12, "month", &any);
	put_count(out, v->days, "day", &any);
	if (v->micros == 0 && any)
		return;
	buf_str(out, any ? " " : "");
	buf_str(out, v->micros < 0 ? "-" : "");
	put_time(out, v->micros < 0 ? (int64_t) - (uint64_t)v->micros : v->micros, MICROS, 6);
}

/* The first bit is turned round, so that the numbers sort as the texts do. */
static void
put_uuid(struct buf *out, const struct duck_huge *v)
{
	uint64_t high = (uint64_t)v->upper ^ UINT64_C(1) << 63, low = v->lower;

	buf_printf(out, "%08x-%04x-%04x-%04x-%012" PRIx64, (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xFFFF),
	    (unsigned)(high & 0xFFFF), (unsigned)(low >> 48), low & UINT64_C(0xFFFFFFFFFFFF));
}

/* The first byte counts the bits of the second that are padding. */
static void
put_bits(struct buf *out, struct span s)
{
	if (s.len < 2)
		return;
	for (size_t i = 8 + s.p[0]; i < 8 * s.len; i++)
		buf_byte(out, s.p[i / 8] >> (7 - i % 8) & 1 ? '1' : '0');
}

static const char *
label_at(const struct duckdb_type *t, const void *data, uint64_t row)
{
	uint64_t i = (uint64_t)whole_at(t->stored, data, row);

	return i < t->n ? t->names[i] : "";
}

/* The text of a value that is not nested and not NULL. */
static void
put_plain(struct buf *out, const struct duckdb_type *t, const void *data, uint64_t row)
{
	char digits[40];
	double v;

	switch (t->id) {
	case DUCK_BOOLEAN:
		buf_str(out, AT(data, bool, row) ? "true" : "false");
		break;
	case DUCK_FLOAT:
	case DUCK_DOUBLE:
		v = t->id == DUCK_FLOAT ? double_of(AT(data, float, row)) : AT(data, double, row);
		if (isfinite(v))
			buf_append(out, digits, num_print_double(v, digits));
		else
			buf_str(out, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
		break;
	case DUCK_TIMESTAMP:
		put_timestamp(out, AT(data, int64_t, row), MICROS, 6, "");
		break;
	case DUCK_TIMESTAMP_TZ:
		put_timestamp(out, AT(data, int64_t, row), MICROS, 6, "+00");
		break;
	case DUCK_TIMESTAMP_S:
		put_timestamp(out, AT(data, int64_t, row), 1, 0, "");
		break;
	case DUCK_TIMESTAMP_MS:
		put_timestamp(out, AT(data, int64_t, row), 1000, 3, "");
		break;
	case DUCK_TIMESTAMP_NS:
		put_timestamp(out, AT(data, int64_t, row), MICROS * 1000, 9, "");
		break;
	case DUCK_DATE:
		if (AT(data, int32_t, row) == INT32_MAX || AT(data, int32_t, row) == -INT32_MAX)
			buf_str(out, AT(data, int32_t, row) > 0 ? "infinity" : "-infinity");
		else
			put_date(out, AT(data, int32_t, row));
		break;
	case DUCK_TIME:
		put_time(out, AT(data, int64_t, row), MICROS, 6);
		break;
	case DUCK_TIME_NS:
		put_time(out, AT(data, int64_t, row), MICROS * 1000, 9);
		break;
	case DUCK_TIME_TZ:
		put_time_tz(out, AT(data, uint64_t, row));
		break;
	case DUCK_INTERVAL:
		put_interval(out, &AT(data, struct duck_interval, row));
		break;
	case DUCK_DECIMAL:
		put_decimal(out, whole_at(t->stored, data, row), t->scale, false);
		break;
	case DUCK_ENUM:
		buf_str(out, label_at(t, data, row));
		break;
	case DUCK_UUID:
		put_uuid(out, &AT(data, struct duck_huge, row));
		break;
	case DUCK_BIT:
		put_bits(out, text_at(data, row));
		break;
	case DUCK_VARCHAR:
	case DUCK_BLOB:
		buf_span(out, text_at(data, row));
		break;
	default:
		put_decimal(out, whole_at(t->id, data, row), 0, t->id == DUCK_UHUGEINT);
		break;
	}
}

static void put_json(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row);

static void
put_json_text(struct buf *out, struct span s)
{
	if (utf8_valid(s.p, s.len)) {
		json_write_string(out, s);
		return;
	}
	json_write(out, &(const struct mp_value){ .class = MP_BIN, .s = s });
}

static bool
is_number(enum duck_type_id id)
{
	return (id >= DUCK_TINYINT && id <= DUCK_DOUBLE) || id == DUCK_HUGEINT || id == DUCK_UHUGEINT ||
	    id == DUCK_DECIMAL;
}

/* Whether JSON holds the text without quotes: readers have its number exactly. */
static bool
is_literal(enum duck_type_id id, struct span text)
{
	if (id == DUCK_FLOAT || id == DUCK_DOUBLE)
		return json_is_number(text);
	return id == DUCK_BOOLEAN || (is_number(id) && json_is_exact(text));
}

static void
put_json_plain(struct buf *out, const struct duckdb_type *t, const void *data, uint64_t row)
{
	struct buf text = { 0 };

	put_plain(&text, t, data, row);
	if (t->id == DUCK_BLOB) {
		json_write(out, &(const struct mp_value){ .class = MP_BIN, .s = buf_view(&text) });
	} else if (is_literal(t->id, buf_view(&text)))
		buf_span(out, buf_view(&text));
	else
		put_json_text(out, buf_view(&text));
	buf_fini(&text);
}

static void
put_json_list(struct buf *out, const struct duckdb_type *element, struct duck_vector *child, uint64_t from, uint64_t n)
{
	buf_byte(out, '[');
	for (uint64_t i = 0; i < n && !out->full; i++) {
		buf_str(out, i == 0 ? "" : ",");
		put_json(out, element, child, from + i);
	}
	buf_byte(out, ']');
}

/* A map is an object; its keys are texts there. */
static void
put_json_map(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, const struct duck_list *l)
{
	struct duck_vector *entries = duck.list_vector_get_child(vector);
	struct duck_vector *keys = duck.struct_vector_get_child(entries, 0);

	buf_byte(out, '{');
	for (uint64_t i = 0; i < l->length && !out->full; i++) {
		struct buf key = { 0 };

		buf_str(out, i == 0 ? "" : ",");
		(void)duckdb_values_text(&key, t->children[0], keys, l->offset + i);
		json_write_string(out, utf8_valid(key.p, key.len) ? buf_view(&key) : SPAN("?"));
		buf_byte(out, ':');
		put_json(out, t->children[1], duck.struct_vector_get_child(entries, 1), l->offset + i);
		buf_fini(&key);
	}
	buf_byte(out, '}');
}

static void
put_json_struct(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row)
{
	buf_byte(out, '{');
	for (uint64_t i = 0; i < t->n && !out->full; i++) {
		buf_str(out, i == 0 ? "" : ",");
		json_write_string(out, span_str(t->names[i]));
		buf_byte(out, ':');
		put_json(out, t->children[i], duck.struct_vector_get_child(vector, i), row);
	}
	buf_byte(out, '}');
}

/* The member that the tag names, as it is. */
static void
put_json_union(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row)
{
	uint8_t tag = AT(duck.vector_get_data(duck.struct_vector_get_child(vector, 0)), uint8_t, row);

	if (tag < t->n)
		put_json(out, t->children[tag], duck.struct_vector_get_child(vector, tag + 1u), row);
	else
		buf_str(out, "null");
}

static void
put_json(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row)
{
	void *data = duck.vector_get_data(vector);
	const struct duck_list *l;

	if (duckdb_values_is_null(vector, row) || t->id == DUCK_NULL) {
		buf_str(out, "null");
		return;
	}
	switch (t->id) {
	case DUCK_LIST:
		l = &AT(data, struct duck_list, row);
		put_json_list(out, t->children[0], duck.list_vector_get_child(vector), l->offset, l->length);
		break;
	case DUCK_ARRAY:
		put_json_list(out, t->children[0], duck.array_vector_get_child(vector), row * t->size, t->size);
		break;
	case DUCK_MAP:
		put_json_map(out, t, vector, &AT(data, struct duck_list, row));
		break;
	case DUCK_STRUCT:
		put_json_struct(out, t, vector, row);
		break;
	case DUCK_UNION:
		put_json_union(out, t, vector, row);
		break;
	default:
		put_json_plain(out, t, data, row);
		break;
	}
}

static bool
is_nested(const struct duckdb_type *t)
{
	return t->id == DUCK_LIST || t->id == DUCK_ARRAY || t->id == DUCK_MAP || t->id == DUCK_STRUCT ||
	    t->id == DUCK_UNION;
}

bool
duckdb_values_text(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row)
{
	if (duckdb_values_is_null(vector, row) || t->id == DUCK_NULL)
		return false;
	if (is_nested(t))
		put_json(out, t, vector, row);
	else
		put_plain(out, t, duck.vector_get_data(vector), row);
	return true;
}

/* A whole number or a decimal. */
static bool
put_number(struct buf *out, const struct duckdb_type *t, const void *data, uint64_t row)
{
	huge v = whole_at(t->id == DUCK_DECIMAL ? t->stored : t->id, data, row);
	char text[HUGE_DIGITS + 3];
	bool is_unsigned = t->id == DUCK_UHUGEINT, negative = !is_unsigned && v < 0;
	unsigned_huge size = negative ? -(unsigned_huge)v : (unsigned_huge)v;

	if (t->id != DUCK_DECIMAL && size <= INT64_MAX)
		return value_int(out, (int64_t)v);
	return value_decimal(out, span_of(text, print_decimal(size, negative, t->scale, text)));
}

/* A cell of text that is composed here. */
static void
put_composed(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row)
{
	struct buf text = { 0 };

	(void)duckdb_values_text(&text, t, vector, row);
	value_text(out, buf_view(&text));
	buf_fini(&text);
}

bool
duckdb_values_put(struct buf *out, const struct duckdb_type *t, struct duck_vector *vector, uint64_t row)
{
	void *data = duck.vector_get_data(vector);

	if (duckdb_values_is_null(vector, row) || t->id == DUCK_NULL) {
		mp_put_nil(out);
		return false;
	}
	switch (t->id) {
	case DUCK_BOOLEAN:
		mp_put_bool(out, AT(data, bool, row));
		return false;
	case DUCK_FLOAT:
		return value_double(out, double_of(AT(data, float, row)));
	case DUCK_DOUBLE:
		return value_double(out, AT(data, double, row));
	case DUCK_VARCHAR:
		value_text(out, text_at(data, row));
		return false;
	case DUCK_BLOB:
		value_bytes(out, text_at(data, row));
		return false;
	default:
		if (is_number(t->id))
			return put_number(out, t, data, row);
		put_composed(out, t, vector, row);
		return false;
	}
}

bool
duckdb_values_put_only(struct buf *out, struct duck_result *result)
{
	struct duck_chunk *chunk = duck.fetch_chunk(*result);
	struct duckdb_type **types = NULL;
	uint64_t n = 0;
	bool ok;

	duckdb_types_read(result, &types, &n);
	ok = chunk != NULL && duck.data_chunk_get_size(chunk) == 1 && n == 1 &&
	    duckdb_values_text(out, types[0], duck.data_chunk_get_vector(chunk, 0), 0);
	duckdb_types_free(types, n);
	if (chunk != NULL)
		duck.destroy_data_chunk(&chunk);
	return ok;
}
