#include "workers/sql/declared.h"

void
declared_begin(struct declared *d, enum sqltext_dialect dialect, struct span sql)
{
	struct sqltext_token t;

	*d = (struct declared){ .sql = { .dialect = dialect, .text = sql }, .column = DECLARED_TABLE };
	t = sqltext_next(&d->sql);
	if (!sqltext_is(&t, "create"))
		goto none;
	t = sqltext_next(&d->sql);
	if (!sqltext_is(&t, "table"))
		goto none;
	do
		t = sqltext_next(&d->sql);
	while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN && !sqltext_is_punct(&t, '('));
	return;
none:
	d->sql.at = sql.len;
}

/* Behind an opening parenthesis: moves behind the closing one.  *within: the text between them. */
static bool
pass_group(struct declared *d, struct span *within)
{
	struct sqltext_token t;
	size_t begin = d->sql.at;

	for (unsigned depth = 1; depth > 0;) {
		t = sqltext_next(&d->sql);
		if (t.kind == SQLTEXT_END || t.kind == SQLTEXT_BROKEN)
			return false;
		if (sqltext_is_punct(&t, '('))
			depth++;
		else if (sqltext_is_punct(&t, ')'))
			depth--;
	}
	*within = span_trim(span_of(d->sql.text.p + begin, d->sql.at - 1 - begin));
	return true;
}

/* The first word of a definition: a column's name, or what begins a constraint of the table. */
static bool
begins_column(const struct sqltext_token *t)
{
	static const char *const words[] = { "constraint", "primary", "unique", "check", "foreign" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sqltext_is(t, words[i]))
			return false;
	return true;
}

static bool
take_expression(struct declared *d)
{
	struct sqltext_token t = sqltext_next(&d->sql);

	return sqltext_is_punct(&t, '(') && pass_group(d, &d->expression);
}

bool
declared_next(struct declared *d)
{
	struct sqltext_token t;
	struct span passed;

	d->kind = DECLARED_END;
	for (;;) {
		t = sqltext_next(&d->sql);
		if (t.kind == SQLTEXT_END || t.kind == SQLTEXT_BROKEN || sqltext_is_punct(&t, ')'))
			break;
		if (sqltext_is_punct(&t, ',')) {
			d->within = false;
			d->name = SPAN_NONE;
		} else if (!d->within && begins_column(&t)) {
			d->within = true;
			d->column = d->columns++;
		} else if (sqltext_is_punct(&t, '(')) {
			if (!pass_group(d, &passed))
				break;
		} else {
			if (!d->within)
				d->column = DECLARED_TABLE;
			d->within = true;
			if (sqltext_is(&t, "constraint"))
				d->name = sqltext_next(&d->sql).text;
			else if (sqltext_is(&t, "check") || sqltext_is(&t, "as")) {
				if (!take_expression(d))
					break;
				d->kind = sqltext_is(&t, "as") ? DECLARED_GENERATED : DECLARED_CHECK;
				return true;
			}
		}
	}
	d->sql.at = d->sql.text.len;
	d->column = DECLARED_TABLE;
	return false;
}
