#include "base/ascii.h"
#include "semantic/kind.h"
#include "semantic/names_row.h"

/* A type as the model or a cast names it; anything not known is text, as in a scan. */
static enum value_kind
type_kind(struct span type)
{
	static const char *const numbers[] = { "number", "int", "bigint", "smallint", "tinyint",
		"mediumint", "serial", "bigserial", "decimal", "numeric", "float", "double", "real", "money", NULL };
	static const char *const times[] = { "time", "date", "interval", NULL };

	while (type.len > 0 && type.p[0] == ' ')
		type = span_of(type.p + 1, type.len - 1);
	for (size_t i = 0; numbers[i] != NULL; i++)
		if (span_begins_word(type, numbers[i]))
			return KIND_NUMBER;
	for (size_t i = 0; times[i] != NULL; i++)
		if (span_begins_word(type, times[i]))
			return KIND_TIME;
	return span_begins_word(type, "bool") ? KIND_BOOLEAN : KIND_TEXT;
}

enum value_kind
kind_of_column(const struct source_column *column)
{
	return column == NULL || column->type == NULL || *column->type == '\0' ? KIND_UNKNOWN :
										 type_kind(span_str(column->type));
}

static struct span
between(struct span text, size_t from, size_t to)
{
	while (from < to && (text.p[from] == ' ' || text.p[from] == '\n' || text.p[from] == '\t'))
		from++;
	return span_of(text.p + from, to - from);
}

static enum value_kind
literal_kind(struct span s)
{
	if (s.len == 0 || s.p[0] == ':') /* of a parameter only its driver knows */
		return KIND_UNKNOWN;
	if (s.p[0] == '\'' || s.p[0] == '$')
		return KIND_TEXT;
	if (ascii_is_digit(s.p[0]))
		return KIND_NUMBER;
	if (span_begins_word(s, "true") || span_begins_word(s, "false"))
		return KIND_BOOLEAN;
	return span_begins_word(s, "null") ? KIND_UNKNOWN : KIND_TIME; /* DATE '…', CURRENT_DATE */
}

/* The kind by what follows the first operand: x::type, x IS NULL, x < y. */
static enum value_kind
tail_kind(struct span tail, enum value_kind operand)
{
	if (span_begins_word(tail, "::"))
		return type_kind(span_of(tail.p + 2, tail.len - 2));
	if (span_begins_word(tail, "collate"))
		return KIND_TEXT;
	if (span_begins_word(tail, "at "))
		return KIND_TIME;
	return span_begins_word(tail, "[") ? KIND_UNKNOWN : tail.len > 0 ? KIND_BOOLEAN : operand;
}

static enum value_kind
call_kind(struct span text, const struct expr *e, enum value_kind argument)
{
	static const char *const booleans[] = { "bool_and", "bool_or", "every", "logical_and", "logical_or", NULL };
	static const char *const texts[] = { "string_agg", "group_concat", "listagg", "lower", "upper", "trim",
		"substr", "substring", "replace", "concat", "to_char", "strftime", "date", "datetime", "printf",
		"format", "ltrim", "rtrim", NULL };
	static const char *const same[] = { "min", "max", "any_value", "mode", "percentile_disc", "max_by", "min_by",
		"arg_max", "arg_min", "coalesce", "ifnull", "nullif", "greatest", "least", NULL };
	static const char *const lists[] = { "array_agg", "json_agg", "jsonb_agg", NULL };
	static const char *const times[] = { "date_trunc", "now", "make_date", "to_date", "to_timestamp", NULL };
	struct span name = e->parts[0];

	if (span_is_str(name, "cast") && e->first != NULL) {
		struct span type = between(text, e->first->end, e->args_end);

		return type_kind(span_begins_word(type, "as ") ? span_of(type.p + 3, type.len - 3) : type);
	}
	return span_is_any_word(name, booleans) ? KIND_BOOLEAN :
	    span_is_any_word(name, texts)       ? KIND_TEXT :
	    span_is_any_word(name, same)        ? argument :
	    span_is_any_word(name, lists)       ? KIND_UNKNOWN :
	    span_is_any_word(name, times)       ? KIND_TIME :
						  KIND_NUMBER;
}

static enum value_kind
ref_kind(struct sem_plan *c, const struct plan_measure *m, const struct expr *e)
{
	const struct source_column *column;
	struct span verbatim;
	uint32_t node;

	for (const struct plan_link *l = m->links; l != NULL; l = l->next)
		if (l->ref == e)
			return kind_of_measure(c, l->to, l->to->ast);
	return names_row_name(c, e, m->scope, false, &node, &column, &verbatim) == 0 ? kind_of_column(column) :
										       KIND_UNKNOWN;
}

enum value_kind
kind_of_measure(struct sem_plan *c, const struct plan_measure *m, const struct expr *e)
{
	enum value_kind left;

	switch (e->kind) {
	case EXPR_REF:
		return ref_kind(c, m, e);
	case EXPR_AND:
	case EXPR_OR:
	case EXPR_NOT:
		return KIND_BOOLEAN;
	case EXPR_PAREN:
		return kind_of_measure(c, m, e->first);
	case EXPR_CALL:
		return call_kind(m->text, e, e->first == NULL ? KIND_UNKNOWN : kind_of_measure(c, m, e->first));
	case EXPR_BINARY:
		left = kind_of_measure(c, m, e->first);
		return m->text.p[e->op_start] == '|' ? KIND_TEXT :
		    e->op != 0 && left != KIND_TIME  ? KIND_NUMBER :
						       KIND_UNKNOWN;
	case EXPR_SUBQUERY:
		return KIND_UNKNOWN;
	case EXPR_OTHER:
		break;
	}
	if (e->first == NULL)
		return literal_kind(span_of(m->text.p + e->start, e->end - e->start));
	if (span_begins_word(span_of(m->text.p + e->start, e->end - e->start), "case"))
		return kind_of_measure(c, m, e->last); /* ELSE, or the last THEN */
	if (span_begins_word(span_of(m->text.p + e->start, e->end - e->start), "exists"))
		return KIND_BOOLEAN;
	if (e->first->start > e->start)
		return KIND_NUMBER; /* a sign */
	return tail_kind(between(m->text, e->first->end, e->end), kind_of_measure(c, m, e->first));
}
