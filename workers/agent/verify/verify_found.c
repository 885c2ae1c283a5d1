#include <math.h>

#include "base/json/cell.h"
#include "base/text/locale_text.h"
#include "workers/agent/verify/verify_found.h"

/* Record an outcome, unless a worse one is recorded already. */
void
verify_note(struct answer_check *v, unsigned which, enum verify_outcome outcome)
{
	static const int weight[] = { 0, 1, 3, 4, 2 };

	if (weight[outcome] >= weight[v->checks[which].outcome])
		v->checks[which].outcome = outcome;
}

/* The same with its reason, which is told unless the check failed to run. */
void
verify_tell(struct answer_check *v, unsigned which, enum verify_outcome outcome, enum caveat text,
    const struct span args[CAVEAT_ARGUMENTS_MAX])
{
	struct span note = caveat_text(v->arena, v->brief->german, text, args);

	verify_note(v, which, outcome);
	v->checks[which].note = note;
	if (outcome >= VERIFY_CAVEAT && v->ncaveats < VERIFY_CAVEATS_MAX)
		v->caveats[v->ncaveats++] = note;
}

struct span
verify_count(struct answer_check *v, size_t n)
{
	struct buf text = { 0 };
	struct span out;

	locale_put_double(&text, (double)n, 0, v->brief->german);
	out = arena_span(v->arena, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* "8.3 %", or what part is too small to be told. */
struct span
verify_part(struct answer_check *v, double part)
{
	bool german = v->brief->german, small = part < 0.001;
	struct buf text = { 0 };
	struct span out;

	buf_str(&text, !small ? "" : german ? "Weniger als " : "Less than ");
	locale_put_double(&text, small ? 0.1 : round(1000 * part) / 10, 1, german);
	buf_str(&text, " %");
	out = arena_span(v->arena, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* A figure that is not a number makes a check impossible. */
void
verify_unreadable(struct answer_check *v, unsigned which, struct span label)
{
	verify_tell(v, which, VERIFY_UNVERIFIED, CAVEAT_NO_FIGURE, ARGS(verify_count(v, which + 1), label));
}

/* Run a query for a check.  False: the check cannot be made; *stop: no further check can. */
bool
verify_ask(struct answer_check *v, unsigned which, const struct ask_query *q, const struct brief_change *change,
    struct data_rows *out, struct err *err, bool *stop)
{
	if (v->query(v->arg, q, change, out, err) == 0)
		return true;
	*stop = !v->may_go_on(v->arg, err);
	if (!*stop)
		verify_tell(v, which, VERIFY_UNVERIFIED, CAVEAT_NOT_CHECKED,
		    ARGS(verify_count(v, which + 1), span_str(err->message)));
	return false;
}

enum verify_figure
verify_figure(const struct data_rows *r, size_t row, size_t column, double *out)
{
	const struct mp_value *cell = data_cell(r, row, column);

	return cell->class == MP_NIL ? FIGURE_NONE : cell_number(cell, out) ? FIGURE_NUMBER : FIGURE_UNREADABLE;
}

/* Whether no row has a figure. */
bool
verify_is_empty(const struct ask_query *q, const struct data_rows *r)
{
	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = q->ndimensions; i < r->ncolumns; i++)
			if (data_cell(r, row, i)->class != MP_NIL)
				return false;
	return r->ncolumns > q->ndimensions || r->nrows == 0;
}

/* The keys of a row as bytes: they are adjacent in the packed row. */
struct span
verify_keys(const struct data_rows *r, size_t row, size_t n)
{
	struct span first = data_cell(r, row, 0)->raw, last = data_cell(r, row, n - 1)->raw;

	return span_of(first.p, (size_t)(last.p + last.len - first.p));
}

/* The filter of q that is a condition on groups; SIZE_MAX: none. */
size_t
verify_group_filter(const struct ask_query *q)
{
	for (size_t i = 0; i < q->nfilters; i++)
		if (q->filters[i].groups)
			return i;
	return SIZE_MAX;
}
