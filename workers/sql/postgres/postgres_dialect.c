/* postgres_dialect.c - PostgreSQL's spelling (12 and later). */
#include "semantic/dialect.h"
#include "workers/sql/postgres/postgres_text.h"

/* The cast makes dates, both timestamps (the session is UTC) and ISO text alike. */
static void
dialect_postgres_bucket(struct buf *out, enum dialect_grain grain, struct span x)
{
	if (grain == GRAIN_NONE)
		buf_span(out, x);
	else
		buf_printf(out, "to_char(date_trunc('%s', CAST(%.*s AS timestamp)), '%s')", dialect_grain_name(grain),
		    SPAN_FMT(x), grain == GRAIN_HOUR ? "YYYY-MM-DD HH24:00:00" : "YYYY-MM-DD");
}

static void
percentile(struct buf *out, struct span x, struct span p)
{
	buf_printf(out, "percentile_cont(%.*s) WITHIN GROUP (ORDER BY (%.*s) * CAST(1 AS double precision))",
	    SPAN_FMT(p), SPAN_FMT(x));
}

static void
dialect_postgres_order(struct buf *out, struct span x, bool text, bool descending)
{
	if (text)
		buf_printf(out, "CAST(%.*s AS text) COLLATE \"C\"", SPAN_FMT(x));
	else
		buf_span(out, x);
	buf_str(out, descending ? " DESC NULLS LAST" : " NULLS FIRST");
}

/* The type money does not mix with numbers. */
static const struct dialect_around *
dialect_postgres_column(struct span type, bool text)
{
	static const struct dialect_around numeric = { "CAST(", " AS numeric)", "", "" };

	(void)text;
	return span_is_word(type, "money") ? &numeric : NULL;
}

static const char *const aggregates[] = { "sum", "avg", "count", "min", "max", "stddev",
	"stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp", "array_agg", "string_agg",
	"bool_and", "bool_or", "every", "corr", "covar_pop", "covar_samp", "regr_slope",
	"regr_intercept", "regr_r2", "mode", "percentile_cont", "percentile_disc", "json_agg",
	"jsonb_agg", "bit_and", "bit_or", "bit_xor", NULL };

const struct dialect dialect_postgres = {
	.text = SQLTEXT_POSTGRES,
	.name_max = 63,
	.bucket = dialect_postgres_bucket,
	.day = { "CAST(", " AS date)", "", "" },
	.divide = " * CAST(1 AS double precision) / ",
	.mean = { "(", " * CAST(1 AS double precision))", "", "" }, /* intervals stay intervals */
	.column = dialect_postgres_column,
	.has_filter = true,
	.percentile = percentile,
	.aggregates = aggregates,
	.order = dialect_postgres_order,
	.extreme = { "", "", "CAST(", " AS text) COLLATE \"C\"" },
	.boolean_side = "bool_or",
	.typed_nulls = true,
};
