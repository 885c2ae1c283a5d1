/* sqlite_dialect.c - SQLite's spelling (3.30 and later). */
#include <stdint.h>

#include "semantic/dialect.h"
#include "workers/sql/sqlite/sqlite_text.h"

static void
dialect_sqlite_bucket(struct buf *out, enum dialect_grain grain, struct span x)
{
	switch (grain) {
	case GRAIN_HOUR:
		buf_printf(out, "strftime('%%Y-%%m-%%d %%H:00:00', %.*s)", SPAN_FMT(x));
		break;
	case GRAIN_DAY:
		buf_printf(out, "date(%.*s)", SPAN_FMT(x));
		break;
	case GRAIN_WEEK: /* the Sunday on or after, six days back: the Monday on or before */
		buf_printf(out, "date(%.*s, 'weekday 0', '-6 days')", SPAN_FMT(x));
		break;
	case GRAIN_MONTH:
		buf_printf(out, "strftime('%%Y-%%m-01', %.*s)", SPAN_FMT(x));
		break;
	case GRAIN_QUARTER:
		buf_printf(out, "date(%.*s, 'start of month', '-' || ((strftime('%%m', %.*s) + 2) %% 3) || ' months')",
		    SPAN_FMT(x), SPAN_FMT(x));
		break;
	case GRAIN_YEAR:
		buf_printf(out, "strftime('%%Y-01-01', %.*s)", SPAN_FMT(x));
		break;
	case GRAIN_DECADE:
		buf_printf(out, "(substr(strftime('%%Y', %.*s), 1, 3) || '0-01-01')", SPAN_FMT(x));
		break;
	case GRAIN_NONE:
		buf_span(out, x);
		break;
	}
}

/* NULL is SQLite's smallest value already; text compares by bytes unless a column says otherwise. */
static void
dialect_sqlite_order(struct buf *out, struct span x, bool text, bool descending)
{
	buf_span(out, x);
	if (text)
		buf_str(out, " COLLATE BINARY");
	if (descending)
		buf_str(out, " DESC");
}

/* sqlite_percentile.h */
static void
dialect_sqlite_percentile(struct buf *out, struct span x, struct span p)
{
	buf_printf(out, "percentile_cont(%.*s, %.*s)", SPAN_FMT(x), SPAN_FMT(p));
}

static const char *const aggregates[] = { "sum", "avg", "count", "min", "max", "total",
	"group_concat", "median", "percentile_cont", NULL };

const struct dialect dialect_sqlite = {
	.text = SQLTEXT_SQLITE,
	.name_max = SIZE_MAX,
	.bucket = dialect_sqlite_bucket,
	.day = { "date(", ")", "", "" },
	.divide = " * 1.0 / ",
	.mean = { "", "", "", "" },
	.has_filter = true,
	.percentile = dialect_sqlite_percentile,
	.aggregates = aggregates,
	.order = dialect_sqlite_order,
	.extreme = { "", "", "", "" },
	.boolean_side = "MAX",
	.typed_nulls = false,
};
