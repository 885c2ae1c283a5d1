#include <stdio.h>

#include "semantic/compile.h"
#include "semantic/emit.h"
#include "semantic/fact.h"
#include "semantic/from.h"
#include "semantic/kind.h"
#include "semantic/names_row.h"
#include "semantic/ranked.h"
#include "semantic/select.h"

static int
too_large(struct sem_plan *c)
{
	return sem_fail(c->problem, SEM_PARSE_ERROR, SPAN_NONE,
	    "The query makes a statement of more than %d bytes; ask for less at once.", SEM_SQL_MAX);
}

static int
emit_where(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t id)
{
	const char *glue = "\nWHERE (";

	for (struct plan_filter *f = c->filters; f != NULL; f = f->next) {
		if (f->group || (f->applied & 1u << id) == 0)
			continue;
		buf_str(out, glue);
		if (emit_row_expr(c, out, fact, f->text, f->ast, SEM_NONE, true) == -1)
			return -1;
		buf_byte(out, ')');
		glue = "\n  AND (";
	}
	return 0;
}

/* FROM and WHERE: what conditions need joined is known once they are written. */
static int
emit_rows(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t id)
{
	struct buf from = BUF_MAX(SEM_SQL_MAX), where = BUF_MAX(SEM_SQL_MAX);
	int r;

	c->inside = true;
	r = emit_where(c, &where, fact, id) == -1 ? -1 : from_put(c, &from, fact, from_start(c, fact));
	c->inside = false;
	buf_span(&from, buf_view(&where));
	ranked_put_from(out, fact, buf_view(&from));
	r = r == 0 && from.full ? too_large(c) : r;
	buf_fini(&from);
	buf_fini(&where);
	return r;
}

static void
emit_group_by(struct sem_plan *c, struct buf *out)
{
	for (size_t i = 0; i < c->ndimensions; i++)
		buf_printf(out, "%s%zu", i == 0 ? "\nGROUP BY " : ", ", i + 1);
}

static void
emit_as(struct sem_plan *c, struct buf *out, struct span name)
{
	buf_str(out, " AS ");
	dialect_identifier(c->dialect, out, name);
}

static bool
is_text(const struct plan_dimension *d)
{
	return d->grain == GRAIN_NONE &&
	    kind_of_column(d->column) == KIND_TEXT; /* a time bucket is digits, which every collation sorts alike */
}

static bool
names_dimension(struct sem_plan *c, struct span field, const struct plan_dimension *d)
{
	struct span node = sem_model_node(c->model, d->node)->name, column = span_str(d->column->name);

	if (span_is_folded(field, d->header) || span_is_folded(field, d->field) || span_is_folded(field, column))
		return true;
	return field.len == node.len + 1 + column.len && field.p[node.len] == '.' &&
	    span_is_folded(span_of(field.p, node.len), node) &&
	    span_is_folded(span_of(field.p + node.len + 1, column.len), column);
}

static bool
names_output(struct sem_plan *c, struct span field, const struct plan_output *o)
{
	const struct plan_measure *def = compile_predefined(o->measure);
	struct span node;
	char name[512];
	int n;

	if (span_is_folded(field, o->header) || span_is_folded(field, o->item->expr) ||
	    (o->item->name.len > 0 && span_is_folded(field, o->item->name)))
		return true;
	if (def == NULL)
		return false;
	/* source.measure, for a measure that was asked for by its bare name */
	node = sem_model_node(c->model, def->scope)->name;
	n = snprintf(name, sizeof(name), "%.*s.%s", SPAN_FMT(node), def->def->name);
	return n > 0 && n < (int)sizeof(name) && span_is_folded(field, span_of(name, (size_t)n));
}

/* Resolves an ORDER BY field: a dimension (index), else an output (index after them). */
static int
find_order_field(struct sem_plan *c, const struct sem_order_item *item, size_t *at)
{
	struct span field = names_order(c, item->field);
	enum dialect_grain grain = dialect_grain(item->granularity);

	for (size_t i = 0; i < c->noutputs && item->granularity.len == 0; i++)
		if (names_output(c, field, &c->outputs[i])) {
			*at = c->ndimensions + i;
			return 0;
		}
	for (size_t i = 0; i < c->ndimensions; i++)
		if (names_dimension(c, field, &c->dimensions[i]) &&
		    (item->granularity.len == 0 || c->dimensions[i].grain == grain)) {
			*at = i;
			return 0;
		}
	if (names_check_hidden(c, field) == -1)
		return -1;
	for (size_t i = 0; i < c->ndimensions; i++)
		sem_candidate(c->problem, field, c->dimensions[i].header);
	for (size_t i = 0; i < c->noutputs; i++)
		sem_candidate(c->problem, field, c->outputs[i].header);
	return sem_fail(c->problem, SEM_UNKNOWN_ORDER_FIELD, field,
	    "order_by \"%.*s\" is no measure or dimension of this query; order by one that is, or ask for it as well.",
	    SPAN_FMT(field));
}

/* Append an output: one column of a fact, or an expression over columns of several facts. */
static int
emit_output(struct sem_plan *c, struct buf *out, const struct plan_output *o)
{
	const struct plan_measure *m = o->measure;
	struct sem_column *k;

	if ((m->facts & (m->facts - 1)) != 0)
		return emit_combined(c, out, m, m->ast, NULL);
	if ((k = fact_column(c, (uint32_t)__builtin_ctz(m->facts), m, NULL, NULL, o->header)) == NULL)
		return -1;
	emit_side(c, out, k);
	return 0;
}

static int
emit_order_item(struct sem_plan *c, struct buf *out, size_t at, bool descending)
{
	struct buf x = BUF_MAX(SEM_SQL_MAX);
	const struct plan_dimension *d = at < c->ndimensions ? &c->dimensions[at] : NULL;
	const struct plan_output *o = d == NULL ? &c->outputs[at - c->ndimensions] : NULL;
	bool text = d != NULL ? is_text(d) : kind_of_measure(c, o->measure, o->measure->ast) == KIND_TEXT;
	int r = 0;

	/* An alias may stand alone in ORDER BY but not inside an expression: text is cast, so it is spelt out. */
	if (text && d != NULL && c->nfacts == 1)
		r = emit_dimension(c, &x, &c->facts[0], d);
	else if (text && o != NULL)
		r = c->nfacts > 1 ? emit_output(c, &x, o) :
				    emit_measure(c, &x, &c->facts[0], o->measure, o->measure->ast, NULL);
	else
		dialect_identifier(c->dialect, &x, d != NULL ? d->header : o->header);
	if (r == 0)
		c->dialect->order(out, buf_view(&x), text, descending);
	buf_fini(&x);
	return r;
}

/*
 * NULL is the smallest value, whatever the limit.  Rows that the query's own order leaves equal are in the order of
 * their dimensions, so that every engine gives the same rows, and the same ones of a limit, each time.
 */
static int
emit_order(struct sem_plan *c, struct buf *out)
{
	const char *glue = "\nORDER BY ";

	for (size_t i = 0; i < c->query->norder; i++) {
		size_t at = 0;

		if (find_order_field(c, &c->query->order[i], &at) == -1)
			return -1;
		if (at < c->ndimensions)
			c->dimensions[at].ordered = true;
		buf_str(out, glue);
		glue = ", ";
		if (emit_order_item(c, out, at, c->query->order[i].descending) == -1)
			return -1;
	}
	for (size_t i = 0; i < c->ndimensions; i++) {
		if (c->dimensions[i].ordered)
			continue;
		buf_str(out, glue);
		glue = ", ";
		if (emit_order_item(c, out, i, false) == -1)
			return -1;
	}
	return 0;
}

static int
emit_having(struct sem_plan *c, struct buf *out, struct plan_fact *fact)
{
	const char *glue = "\nHAVING (";

	for (struct plan_filter *f = c->filters; f != NULL; f = f->next) {
		if (!f->group)
			continue;
		buf_str(out, glue);
		if ((fact != NULL ? emit_measure(c, out, fact, f->measure, f->ast, NULL) :
				    emit_combined(c, out, f->measure, f->ast, NULL)) == -1)
			return -1;
		buf_byte(out, ')');
		glue = "\n  AND (";
	}
	return 0;
}

static int
select_one(struct sem_plan *c, struct buf *out)
{
	struct plan_fact *fact = &c->facts[0];
	struct buf tail = BUF_MAX(SEM_SQL_MAX);
	const char *glue = "SELECT\n  ";
	int r = -1;

	for (size_t i = 0; i < c->ndimensions; i++) {
		buf_str(out, glue);
		glue = ",\n  ";
		if (emit_dimension(c, out, fact, &c->dimensions[i]) == -1)
			goto done;
		emit_as(c, out, c->dimensions[i].header);
	}
	for (size_t i = 0; i < c->noutputs; i++) {
		buf_str(out, glue);
		glue = ",\n  ";
		if (emit_measure(c, out, fact, c->outputs[i].measure, c->outputs[i].measure->ast, NULL) == -1)
			goto done;
		emit_as(c, out, c->outputs[i].header);
	}
	/* These first: they may need more joins than what is selected. */
	emit_group_by(c, &tail);
	if (emit_having(c, &tail, fact) == -1 || emit_order(c, &tail) == -1 || emit_rows(c, out, fact, 0) == -1)
		goto done;
	buf_span(out, buf_view(&tail));
	r = out->full || tail.full ? too_large(c) : 0;
done:
	buf_fini(&tail);
	return r;
}

static int
name_ctes(struct sem_plan *c)
{
	for (size_t i = 0; i < c->nfacts; i++) {
		struct span node = sem_model_node(c->model, c->facts[i].root)->label;
		const char *name = arena_printf(c->arena, "%.*s_agg", SPAN_FMT(node));

		/* A CTE hides a table of the same name from the facts' own SELECTs. */
		while (name != NULL && sem_find_table(c->model, span_str(name)) != SEM_NONE)
			name = arena_printf(c->arena, "%s_", name);
		if (name == NULL)
			return too_large(c);
		c->facts[i].cte = span_str(name);
	}
	return 0;
}

static int
emit_cte(struct sem_plan *c, struct buf *out, uint32_t id)
{
	struct plan_fact *fact = &c->facts[id];
	const char *glue = "\nSELECT\n  ";

	dialect_identifier(c->dialect, out, fact->cte);
	buf_str(out, " AS (");
	for (size_t i = 0; i < c->ndimensions; i++) {
		buf_str(out, glue);
		glue = ",\n  ";
		if (emit_dimension(c, out, fact, &c->dimensions[i]) == -1)
			return -1;
		emit_as(c, out, c->dimensions[i].header);
	}
	for (const struct sem_column *k = fact->columns; k != NULL; k = k->next) {
		buf_str(out, glue);
		glue = ",\n  ";
		if (emit_measure(c, out, fact, k->measure, k->part != NULL ? k->part : k->measure->ast, k->conds) == -1)
			return -1;
		emit_as(c, out, k->name);
	}
	if (emit_rows(c, out, fact, id) == -1)
		return -1;
	emit_group_by(c, out);
	buf_str(out, "\n)");
	return out->full ? too_large(c) : 0;
}

/* One branch of the UNION ALL: this fact's columns, NULL in the place of the others'. */
static void
emit_branch(struct sem_plan *c, struct buf *out, uint32_t id)
{
	const char *glue = "  SELECT ";

	for (size_t i = 0; i < c->ndimensions; i++) {
		buf_str(out, glue);
		glue = ", ";
		dialect_identifier(c->dialect, out, c->dimensions[i].header);
	}
	for (uint32_t f = 0; f < c->nfacts; f++)
		for (const struct sem_column *k = c->facts[f].columns; k != NULL; k = k->next) {
			buf_str(out, glue);
			glue = ", ";
			if (f == id) {
				dialect_identifier(c->dialect, out, k->name);
				continue;
			}
			/* The third branch's type would otherwise meet two untyped NULLs taken for text. */
			if (id == 0 && f >= 2 && c->dialect->typed_nulls) {
				buf_str(out, "(SELECT ");
				dialect_identifier(c->dialect, out, k->name);
				buf_str(out, " FROM ");
				dialect_identifier(c->dialect, out, c->facts[f].cte);
				buf_str(out, " WHERE FALSE)");
			} else
				buf_str(out, "NULL");
			if (id == 0)
				emit_as(c, out, k->name);
		}
	buf_str(out, "\n  FROM ");
	dialect_identifier(c->dialect, out, c->facts[id].cte);
}

static int
select_several(struct sem_plan *c, struct buf *out)
{
	struct buf head = BUF_MAX(SEM_SQL_MAX), having = BUF_MAX(SEM_SQL_MAX);
	const char *glue = "SELECT\n  ";
	int r = -1;

	for (size_t i = 0; i < c->ndimensions; i++) {
		buf_str(&head, glue);
		glue = ",\n  ";
		dialect_identifier(c->dialect, &head, c->dimensions[i].header);
	}
	for (size_t i = 0; i < c->noutputs; i++) {
		buf_str(&head, glue);
		glue = ",\n  ";
		if (emit_output(c, &head, &c->outputs[i]) == -1)
			goto done;
		emit_as(c, &head, c->outputs[i].header);
	}
	/* Outputs and group filters have now named every column that the facts must compute. */
	if (emit_having(c, &having, NULL) == -1 || name_ctes(c) == -1)
		goto done;
	for (uint32_t f = 0; f < c->nfacts; f++) {
		buf_str(out, f == 0 ? "WITH " : ",\n");
		if (emit_cte(c, out, f) == -1)
			goto done;
	}
	buf_byte(out, '\n');
	buf_span(out, buf_view(&head));
	buf_str(out, "\nFROM (\n");
	for (uint32_t f = 0; f < c->nfacts; f++) {
		emit_branch(c, out, f);
		buf_str(out, f + 1 < c->nfacts ? "\n  UNION ALL\n" : "\n) AS facts");
	}
	for (size_t i = 0; i < c->ndimensions; i++) {
		buf_str(out, i == 0 ? "\nGROUP BY " : ", ");
		dialect_identifier(c->dialect, out, c->dimensions[i].header);
	}
	if (!c->query->include_empty && c->ndimensions > 0) {
		buf_printf(out, "\nHAVING COUNT(*) = %zu", c->nfacts);
		if (having.len > 0)
			buf_printf(out, " AND%.*s", (int)having.len - 7, (const char *)having.p + 7);
	} else
		buf_span(out, buf_view(&having));
	if (emit_order(c, out) == -1)
		goto done;
	r = out->full || head.full || having.full ? too_large(c) : 0;
done:
	buf_fini(&head);
	buf_fini(&having);
	return r;
}

int
select_put(struct sem_plan *c, struct buf *out)
{
	return c->nfacts > 1 ? select_several(c, out) : select_one(c, out);
}
