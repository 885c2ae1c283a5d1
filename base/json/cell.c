#include <inttypes.h>
#include <math.h>

#include "base/json/cell.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/text/num.h"

#define EXACT_BELOW	(INT64_C(1) << 53)	/* smaller integers, of either sign, are exact as doubles */

bool
cell_digits(const struct mp_value *cell, struct span *out)
{
	struct mp_iter it = mp_iter(cell);
	struct mp_value text;

	if (cell->class != MP_ARRAY || cell->n != 1 || !mp_next(&it, &text) || text.class != MP_STR)
		return false;
	*out = text.s;
	return true;
}

bool
cell_decimal(const struct mp_value *cell, struct decimal *out)
{
	struct span digits;

	if (cell->class == MP_INT || cell->class == MP_UINT) {
		*out = (struct decimal){ .units = cell->class == MP_INT ? cell->i : (decimal_units)cell->u };
		return true;
	}
	if (cell->class == MP_FLOAT)
		return decimal_of_double(cell->f, out);
	return cell_digits(cell, &digits) && decimal_read(digits, out);
}

bool
cell_number(const struct mp_value *cell, double *out)
{
	struct span digits;

	if (cell_digits(cell, &digits))
		return json_is_number(digits) && num_read_double((const char *)digits.p, digits.len, out);
	if (!mp_is_number(cell))
		return false;
	*out = mp_number(cell);
	return isfinite(*out);
}

bool
cell_is(const struct mp_value *a, const struct mp_value *b)
{
	struct decimal one, two;
	double x, y;

	if (cell_decimal(a, &one) && cell_decimal(b, &two))
		return one.units == two.units && one.scale == two.scale;
	if (cell_number(a, &x) && cell_number(b, &y))
		return x == y;
	return span_is(a->raw, b->raw);
}

static bool
put_integer(struct buf *out, const struct decimal *d)
{
	if (d->scale > 0 || d->units >= EXACT_BELOW || d->units <= -EXACT_BELOW)
		return false;
	mp_put_int(out, (int64_t)d->units);
	return true;
}

void
cell_put_value(struct buf *out, const struct mp_value *cell)
{
	struct span digits;
	struct decimal d;
	double v;

	if (!cell_digits(cell, &digits))
		buf_span(out, cell->raw);
	else if (decimal_read(digits, &d) && put_integer(out, &d))
		return;
	else if (json_is_exact(digits) && cell_number(cell, &v))
		mp_put_double(out, v);
	else
		mp_put_str(out, digits);
}

void
cell_put_text(struct buf *out, const struct mp_value *cell)
{
	struct span digits;
	struct decimal d;

	if (cell->class == MP_STR)
		buf_span(out, cell->s);
	else if (cell->class == MP_ARRAY ?
		cell_decimal(cell, &d) :
		cell->class == MP_FLOAT && fabs(cell->f) < EXACT_BELOW && decimal_of_double(cell->f, &d))
		decimal_put(out, &d);
	else if (cell_digits(cell, &digits))
		buf_span(out, digits);
	else if (cell->class == MP_INT)
		buf_printf(out, "%" PRId64, cell->i);
	else if (cell->class == MP_UINT)
		buf_printf(out, "%" PRIu64, cell->u);
	else
		json_write(out, cell);
}
