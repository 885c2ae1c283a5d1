/* mysql_dialect.c - the spelling of MariaDB and MySQL. */
#include <stdint.h>

#include "semantic/dialect.h"

static void
dialect_mysql_bucket(struct buf *out, enum dialect_grain grain, struct span x)
{
	(void)grain;
	buf_span(out, x);
}

static void
dialect_mysql_order(struct buf *out, struct span x, bool text, bool descending)
{
	buf_str(out, text ? "BINARY " : "");
	buf_span(out, x);
	buf_str(out, descending ? " DESC" : "");
}

static void
dialect_mysql_percentile(struct buf *out, struct span x, struct span p)
{
	buf_printf(out, "percentile_cont(%.*s, %.*s)", SPAN_FMT(x), SPAN_FMT(p));
}

static const char *const aggregates[] = { "sum", "avg", "count", "min", "max", "group_concat", NULL };

const struct dialect dialect_mysql = {
	.text = SQLTEXT_BACKTICKS, .name_max = 64, .bucket = dialect_mysql_bucket, .divide = " / ", .avg_open = "",
	.avg_close = "", .percentile = dialect_mysql_percentile, .aggregates = aggregates, .order = dialect_mysql_order,
	.text_open = "", .text_close = "", .boolean_side = "MAX", .typed_nulls = false,
};
