#include <math.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/text/num.h"
#include "workers/sql/postgres/postgres_values.h"
#include "workers/sql/value.h"

/* OIDs of built-in types, which never change: src/include/catalog/pg_type.dat. */
enum {
	OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_OID = 26,
	OID_FLOAT4 = 700, OID_FLOAT8 = 701, OID_MONEY = 790, OID_NUMERIC = 1700
};

static void
unhex(const uint8_t *p, size_t n, uint8_t *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)((unsigned)ascii_hex(p[2 * i]) << 4 | (unsigned)ascii_hex(p[2 * i + 1]));
}

static bool
is_hex(struct span s)
{
	if (s.len < 2 || s.len % 2 != 0 || s.p[0] != '\\' || s.p[1] != 'x')
		return false;
	for (size_t i = 2; i < s.len; i++)
		if (ascii_hex(s.p[i]) == -1)
			return false;
	return true;
}

/* "\x…": bytea_output is set to hex. */
static void
put_bytea(struct buf *out, struct span s)
{
	size_t full, n;
	uint8_t *bytes;

	if (!is_hex(s)) {
		value_text(out, s);
		return;
	}
	full = (s.len - 2) / 2;
	n = full > VALUE_CELL_MAX ? VALUE_START_MAX : full;
	bytes = mem_alloc(n + 1);
	unhex(s.p + 2, n, bytes);
	if (full > VALUE_CELL_MAX)
		value_cut(out, full, span_of(bytes, n), false);
	else
		mp_put_bin(out, span_of(bytes, n));
	free(bytes);
}

/* Writes digits without locale or allocation: most cells are small integers. */
static bool
put_integer(struct buf *out, struct span s)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	uint64_t v = 0;

	if (s.len == 0 || s.len > 20) {
		value_text(out, s);
		return false;
	}
	for (size_t i = negative; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9') {
			value_text(out, s);
			return false;
		}
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	return negative ? value_int(out, (int64_t)(0 - v)) : value_uint(out, v);
}

/* extra_float_digits gives the shortest digits, in JSON's grammar except for three words. */
static bool
put_float(struct buf *out, struct span s)
{
	double v;

	if (num_read_double((const char *)s.p, s.len, &v))
		return value_double(out, v);
	if (span_is_str(s, "NaN"))
		return value_double(out, NAN);
	if (span_is_str(s, "Infinity"))
		return value_double(out, INFINITY);
	if (span_is_str(s, "-Infinity"))
		return value_double(out, -INFINITY);
	value_text(out, s);
	return false;
}

/*
 * Amounts are written as lc_monetary has it ("-$1,234.50", "1.234,50 €"): the number of decimals tells the point from
 * other marks.
 */
static bool
put_money(struct buf *out, int decimals, struct span s)
{
	bool negative = false, exact;
	struct buf digits = { 0 };
	size_t n = 0, left;

	for (size_t i = 0; i < s.len; i++) {
		n += ascii_is_digit(s.p[i]);
		negative = negative || s.p[i] == '-' || s.p[i] == '(';
	}
	if (decimals < 0 || n <= (size_t)decimals) {
		value_text(out, s);
		return false;
	}
	left = n;
	buf_str(&digits, negative ? "-" : "");
	for (size_t i = 0; i < s.len; i++) {
		if (!ascii_is_digit(s.p[i]))
			continue;
		buf_str(&digits, left == (size_t)decimals ? "." : "");
		buf_byte(&digits, s.p[i]);
		left--;
	}
	exact = value_decimal(out, buf_view(&digits));
	buf_fini(&digits);
	return exact;
}

bool
pg_put_value(struct buf *out, Oid type, int money_decimals, struct span s)
{
	switch (type) {
	case OID_BOOL:
		mp_put_bool(out, s.len == 1 && s.p[0] == 't');
		break;
	case OID_INT2:
	case OID_INT4:
	case OID_INT8:
	case OID_OID:
		return put_integer(out, s);
	case OID_FLOAT4:
	case OID_FLOAT8:
		return put_float(out, s);
	case OID_NUMERIC:
		return value_decimal(out, s);
	case OID_MONEY:
		return put_money(out, money_decimals, s);
	case OID_BYTEA:
		put_bytea(out, s);
		break;
	default:
		value_text(out, s);
		break;
	}
	return false;
}
