/* duckdb_dialect.c - DuckDB's spelling (1.4 and later). */
#include <stdint.h>

#include "semantic/dialect.h"
#include "workers/sql/duckdb/duckdb_text.h"

/* The cast makes dates, both timestamps (the session is UTC) and ISO text alike. */
static void
dialect_duckdb_bucket(struct buf *out, enum dialect_grain grain, struct span x)
{
	if (grain == GRAIN_NONE)
		buf_span(out, x);
	else
		buf_printf(out, "strftime(date_trunc('%s', CAST(%.*s AS TIMESTAMP)), '%s')", dialect_grain_name(grain),
		    SPAN_FMT(x), grain == GRAIN_HOUR ? "%Y-%m-%d %H:00:00" : "%Y-%m-%d");
}

static void
put_quantile(struct buf *out, struct span x, struct span p)
{
	buf_printf(out, "quantile_cont(CAST(%.*s AS DOUBLE), %.*s)", SPAN_FMT(x), SPAN_FMT(p));
}

/* Text compares by bytes unless a column says otherwise, which a cast leaves behind. */
static void
dialect_duckdb_order(struct buf *out, struct span x, bool text, bool descending)
{
	if (text)
		buf_printf(out, "CAST(%.*s AS VARCHAR)", SPAN_FMT(x));
	else
		buf_span(out, x);
	buf_str(out, descending ? " DESC NULLS LAST" : " NULLS FIRST");
}

static const char *const aggregates[] = { "sum", "avg", "count", "min", "max", "stddev", "stddev_pop", "stddev_samp",
	"variance", "var_pop", "var_samp", "array_agg", "string_agg", "group_concat", "listagg", "list", "bool_and",
	"bool_or", "corr", "covar_pop", "covar_samp", "regr_slope", "regr_intercept", "regr_r2", "mode", "median",
	"quantile_cont", "quantile_disc", "approx_count_distinct", "approx_quantile", "any_value", "arg_max", "arg_min",
	"max_by", "min_by", "first", "last", "product", "bit_and", "bit_or", "bit_xor", "count_if", "histogram",
	"skewness",
	"kurtosis", "entropy", "mad", "percentile_cont", "percentile_disc", NULL };

const struct dialect dialect_duckdb = {
	.text = SQLTEXT_DUCKDB,
	.name_max = SIZE_MAX,
	.bucket = dialect_duckdb_bucket,
	.day = { "CAST(", " AS date)", "", "" },
	.divide = " * CAST(1 AS DOUBLE) / ",
	.mean = { "", "", "", "" }, /* of numbers it is a DOUBLE already, of intervals an interval */
	.has_filter = true,
	.percentile = put_quantile,
	.aggregates = aggregates,
	.order = dialect_duckdb_order,
	.extreme = { "", "", "CAST(", " AS VARCHAR)" },
	.boolean_side = "bool_or",
	.typed_nulls = true,
};
