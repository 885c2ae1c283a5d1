/*
 * mysql_geometry.c - see mysql_geometry.h.  Stored is the number of a reference system in four bytes, then "well-known
 * binary" (OGC 06-103r4, section 8): byte order, kind, and of most kinds a number of parts.  Both servers store little
 * endian.
 */
#include "workers/sql/mysql/mysql_geometry.h"

#include <math.h>
#include <string.h>

#include "base/text/num.h"
#include "workers/sql/value.h"

#define LITTLE_ENDIAN_WKB 1u

enum { POINT = 1, LINE, POLYGON, POINTS, LINES, POLYGONS, COLLECTION, KINDS };

static const char *const names[KINDS] = { [POINT] = "POINT", [LINE] = "LINESTRING", [POLYGON] = "POLYGON",
	[POINTS] = "MULTIPOINT", [LINES] = "MULTILINESTRING", [POLYGONS] = "MULTIPOLYGON",
	[COLLECTION] = "GEOMETRYCOLLECTION" };

static bool
take_bytes(struct span *rest, void *out, size_t n)
{
	if (rest->len < n)
		return false;
	memcpy(out, rest->p, n);
	*rest = span_of(rest->p + n, rest->len - n);
	return true;
}

static bool
take_number(struct span *rest, uint32_t *n)
{
	uint8_t b[4];

	if (!take_bytes(rest, b, sizeof(b)))
		return false;
	*n = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return true;
}

static bool
put_point(struct buf *out, struct span *rest)
{
	char digits[32];

	for (unsigned i = 0; i < 2; i++) {
		double v;

		if (!take_bytes(rest, &v, sizeof(v)) || !isfinite(v))
			return false;
		buf_str(out, i == 0 ? "" : " ");
		buf_append(out, digits, num_print_double(v, digits));
	}
	return true;
}

/* A list of these in brackets. */
static bool
put_list(struct buf *out, struct span *rest, bool (*put)(struct buf *, struct span *))
{
	uint32_t n;

	if (!take_number(rest, &n))
		return false;
	buf_byte(out, '(');
	for (uint32_t i = 0; i < n; i++) {
		buf_str(out, i == 0 ? "" : ",");
		if (!put(out, rest))
			return false;
	}
	buf_byte(out, ')');
	return true;
}

static bool
put_points(struct buf *out, struct span *rest)
{
	return put_list(out, rest, put_point);
}

static bool
put_rings(struct buf *out, struct span *rest)
{
	return put_list(out, rest, put_points);
}

static bool put_geometry(struct buf *out, struct span *rest, bool named, unsigned depth);

/* Parts have heads of their own; their names are written in collections alone. */
static bool
put_parts(struct buf *out, struct span *rest, bool named, unsigned depth)
{
	uint32_t n;

	if (depth == MYSQL_GEOMETRY_DEPTH || !take_number(rest, &n))
		return false;
	if (n == 0) {
		buf_str(out, " EMPTY");
		return true;
	}
	buf_byte(out, '(');
	for (uint32_t i = 0; i < n; i++) {
		buf_str(out, i == 0 ? "" : ",");
		if (!put_geometry(out, rest, named, depth + 1))
			return false;
	}
	buf_byte(out, ')');
	return true;
}

static bool
put_body(struct buf *out, struct span *rest, uint32_t kind, bool named, unsigned depth)
{
	switch (kind) {
	case POINT:
		buf_str(out, named ? "(" : "");
		if (!put_point(out, rest))
			return false;
		buf_str(out, named ? ")" : "");
		return true;
	case LINE:
		return put_points(out, rest);
	case POLYGON:
		return put_rings(out, rest);
	default:
		return put_parts(out, rest, kind == COLLECTION, depth);
	}
}

static bool
put_geometry(struct buf *out, struct span *rest, bool named, unsigned depth)
{
	uint8_t order;
	uint32_t kind;

	if (!take_bytes(rest, &order, 1) || order != LITTLE_ENDIAN_WKB || !take_number(rest, &kind) || kind == 0 ||
	    kind >= KINDS)
		return false;
	if (named)
		buf_str(out, names[kind]);
	return put_body(out, rest, kind, named, depth);
}

bool
mysql_geometry_text(struct buf *out, struct span stored)
{
	struct span rest = stored;
	uint32_t system;

	return take_number(&rest, &system) && put_geometry(out, &rest, true, 0) && rest.len == 0;
}

void
mysql_geometry_put(struct buf *out, struct span stored)
{
	struct buf text = { 0 };

	if (mysql_geometry_text(&text, stored))
		value_text(out, buf_view(&text));
	else
		value_bytes(out, stored);
	buf_fini(&text);
}
