#include <string.h>

#include "base/text/locale_text.h"
#include "base/text/parameter_types.h"
#include "workers/agent/answer/describe.h"

struct description {
	struct arena *a;
	bool german;
	struct buf text;
};

static void
put_names(struct description *d, const char *before, const struct span *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(&d->text, "%s%.*s", i == 0 ? before : d->german ? " und " : " and ", SPAN_FMT(names[i]));
}

static struct span
label_of(const struct description *d, const struct ask_query *q, const struct ask_dimension *dimension)
{
	const char *period = dimension->time ? locale_granularity(dimension->granularity, d->german) : "";

	return q->nmeasures == 0 ? dimension->field : period[0] != '\0' ? span_str(period) : dimension->label;
}

/* What is measured, by what. */
static void
put_head(struct description *d, const struct answer_brief *b, const struct ask_query *q)
{
	struct span names[ASK_MEASURES_MAX > ASK_DIMENSIONS_MAX ? ASK_MEASURES_MAX : ASK_DIMENSIONS_MAX];
	size_t n = 0;

	if (b->shape == ASK_SHARE)
		buf_str(&d->text, d->german ? "Anteil an " : "share of ");
	for (size_t i = 0; i < q->nmeasures; i++)
		names[i] = q->measures[i].label;
	put_names(d, "", names, q->nmeasures);
	for (; n < q->ndimensions && (q->nmeasures == 0 || n == 0 || !q->dimensions[n].identity); n++)
		names[n] = label_of(d, q, &q->dimensions[n]);
	put_names(d,
	    q->nmeasures > 0 ? (d->german ? " nach " : " by ") :
		d->german    ? "Werte von " :
			       "values of ",
	    names, n);
	if (q->nmeasures == 0 && q->order_by.len > 0)
		buf_printf(&d->text, d->german ? ", geordnet nach %.*s%s" : ", ordered by %.*s%s",
		    SPAN_FMT(q->order_by),
		    !q->descending ? "" :
			d->german  ? " absteigend" :
				     " descending");
	for (size_t i = 0; i < q->nthen; i++)
		buf_printf(&d->text, d->german ? ", dann nach %.*s%s" : ", then by %.*s%s", SPAN_FMT(q->then[i].field),
		    !q->then[i].descending ? "" :
			d->german          ? " absteigend" :
					     " descending");
	if (q->limit > 0 && !d->german)
		buf_printf(&d->text, ", %s %zu", q->descending ? "highest" : "lowest", q->limit);
	else if (q->limit == 1)
		buf_printf(&d->text, ", der %s Wert", q->descending ? "höchste" : "niedrigste");
	else if (q->limit > 0)
		buf_printf(&d->text, ", die %zu %s Werte", q->limit, q->descending ? "höchsten" : "niedrigsten");
}

/* A value: dates as people write them, the words between several in the language. */
static void
put_value(struct description *d, const struct ask_filter *f)
{
	static const char *const words[][2] = { { " and ", " und " }, { " or ", " oder " } };
	bool several = span_ends(f->operator, "IN") || span_ends(f->operator, "between");
	size_t at = 0;

	if (!several) {
		locale_put_period(&d->text, f->value, SPAN("day"), d->german, false);
		return;
	}
	while (at < f->value.len) {
		size_t i = 0;

		for (; i < 2; i++)
			if (d->german && f->value.len - at > strlen(words[i][0]) &&
			    memcmp(f->value.p + at, words[i][0], strlen(words[i][0])) == 0)
				break;
		if (i < 2) {
			buf_str(&d->text, words[i][1]);
			at += strlen(words[i][0]);
		} else
			buf_byte(&d->text, f->value.p[at++]);
	}
}

static void
put_filter(struct description *d, const struct ask_filter *f)
{
	struct span operator= ask_operator(f->operator, d->german);

	buf_printf(&d->text, ", %.*s%s%.*s%s", SPAN_FMT(f->field), f->field.len > 0 && operator.len> 0 ? " " : "",
	    SPAN_FMT(operator), f->value.len > 0 && f->field.len + operator.len> 0 ? " " : "");
	put_value(d, f);
}

static void
put_window(struct description *d, const struct ask_window *w)
{
	bool both = w->start.len > 0 && w->end.len > 0;
	struct span day = SPAN("day");

	if (w->field.len == 0)
		return;
	buf_printf(&d->text, ", %.*s", SPAN_FMT(w->field));
	if (both && span_is(brief_last_day(d->a, w->end), w->start)) {
		buf_str(&d->text, d->german ? " am " : " on ");
		locale_put_period(&d->text, w->start, day, d->german, false);
		return;
	}
	if (w->start.len > 0) {
		buf_str(&d->text, both ? (d->german ? " vom " : " from ") : d->german ? " seit " : " since ");
		locale_put_period(&d->text, w->start, day, d->german, false);
	}
	if (w->end.len > 0) {
		buf_str(&d->text, d->german ? " bis " : both ? " to " : " until ");
		locale_put_period(&d->text, brief_last_day(d->a, w->end), day, d->german, false);
	}
}

/* A period of a date that carries no window, which is two filters; empty: the first of them is another. */
static struct ask_window
period_of(const struct ask_filter *f, size_t n)
{
	bool period = n > 1 && span_is(f[0].field, f[1].field) && span_is_str(f[0].operator, ">=") &&
	    span_is_str(f[1].operator, "<") && parameter_fits(PARAMETER_DATE, f[0].value) &&
	    parameter_fits(PARAMETER_DATE, f[1].value);

	return period ? (struct ask_window){ .field = f[0].field, .start = f[0].value, .end = f[1].value } :
			(struct ask_window){ .field = SPAN("") };
}

struct span
describe_brief(struct arena *a, const struct answer_brief *b)
{
	struct description d = { .a = a, .german = b->german };
	struct span out;

	put_head(&d, b, &b->queries[0]);
	for (size_t k = 0; k < b->nqueries && (k == 0 || b->queries[k].role != ASK_TOTAL); k++) {
		const struct ask_query *q = &b->queries[k];

		if (k > 0)
			buf_str(&d.text, d.german ? "; verglichen mit" : "; compared with");
		for (size_t i = 0; i < q->nfilters; i++) {
			struct ask_window period = period_of(&q->filters[i], q->nfilters - i);

			if (period.field.len > 0) {
				put_window(&d, &period);
				i++;
			} else
				put_filter(&d, &q->filters[i]);
		}
		put_window(&d, &q->window);
	}
	out = arena_span(a, buf_view(&d.text));
	buf_fini(&d.text);
	return out;
}
