#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/score.h"
#include "ask/readings/spans.h"
#include "ask/thresholds.h"

static void
put_query(struct buf *text, const struct ask_query *q)
{
	buf_printf(text, "%d;", q->role);
	for (size_t i = 0; i < q->nmeasures; i++)
		buf_printf(text, "%.*s;", SPAN_FMT(q->measures[i].expr));
	for (size_t i = 0; i < q->ndimensions; i++)
		buf_printf(text, "%.*s %.*s;", SPAN_FMT(q->dimensions[i].field),
		    SPAN_FMT(q->dimensions[i].granularity));
	for (size_t i = 0; i < q->nfilters; i++)
		buf_printf(text, "%.*s;", SPAN_FMT(q->filters[i].sql));
	buf_printf(text, "%.*s %.*s %.*s;", SPAN_FMT(q->window.field), SPAN_FMT(q->window.start),
	    SPAN_FMT(q->window.end));
	buf_printf(text, "%.*s %d %zu", SPAN_FMT(q->order_by), q->descending, q->limit);
	for (size_t i = 0; i < q->nthen; i++)
		buf_printf(text, ";%.*s %d", SPAN_FMT(q->then[i].field), q->then[i].descending);
}

/* Why the draft with the best score cannot be answered. */
static void
keep_refusal(struct reading_search *s, const struct draft *d, const struct ask_reading *out)
{
	if (out->status != ASK_REFUSE || out->message.len == 0 || (s->refused && d->score <= s->refused_score))
		return;
	s->refused = true;
	s->refused_score = d->score;
	s->reason = out->reason;
	s->message = out->message;
}

/* What the draft says, as text; a question of the plan back becomes the draft's. */
static struct span
text_of(struct reading_search *s, struct draft *d)
{
	struct ask_reading out = { .status = ASK_REFUSE, .german = s->p->out->german };
	struct plan p = *s->p;
	struct buf text = { 0 };

	p.out = &out;
	p.q.items = arena_array(p.a, p.q.n + 1, sizeof(*p.q.items));
	if (p.q.items == NULL) {
		s->steps = SEARCH_STEPS_MAX + 1; /* what was not compared might differ */
		return SPAN("");
	}
	memcpy(p.q.items, s->p->q.items, p.q.n * sizeof(*p.q.items));
	if (d->asks != NULL)
		return d->asks->question;
	if (!draft_answer(&p, d)) {
		keep_refusal(s, d, &out);
		return SPAN("");
	}
	if (out.status == ASK_CLARIFY) {
		struct ask_clarification *asks = arena_alloc(p.a, sizeof(*asks));

		if (asks == NULL || out.nquestions != 1)
			return SPAN("");
		*asks = out.questions[0];
		d->asks = asks;
		return asks->question;
	}
	for (size_t i = 0; i < out.nqueries; i++)
		put_query(&text, &out.queries[i]);
	return ask_text(p.a, &text);
}

/* Whether each row of the answer is one row of the root: what names it is listed, or rows are counted. */
static bool
lists_rows(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	bool rows = d->number || d->rows;

	for (size_t i = 0; i < d->ncolumns; i++)
		rows |= d->columns[i].node == p->root &&
		    (ask_is_name(s, d->columns[i].column) || d->columns[i].column == plan_key_column(s));
	return rows;
}

/* Whether a condition names a row of the root. */
static bool
names_row(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->nconditions; i++) {
		const struct plan_condition *c = &d->conditions[i].is;

		if (d->conditions[i].of == DRAFT_ROOT && c->at.node == p->root && c->test == PLAN_IS && !c->negated &&
		    ask_is_name(plan_source(p, p->root), c->at.column))
			return true;
	}
	return false;
}

/*
 * "the people of austin texas": what the first value names is the row, where one is called so, and not the state that
 * has it as its capital.
 */
static bool
passes_name_over(const struct plan *p, const struct draft *d)
{
	const struct plan_condition *first = NULL;
	const struct ask_entry *e;
	bool over = false;

	for (size_t i = 0; i < d->nconditions && d->loose; i++)
		if (d->conditions[i].is.test == PLAN_IS && !d->conditions[i].named &&
		    (first == NULL || d->conditions[i].is.items[0] < first->items[0]))
			first = &d->conditions[i].is;
	if (first == NULL || first->at.column == plan_source(p, first->at.node)->label)
		return false;
	for (size_t k = 0; (e = plan_next_hit(p, first->items[0], ASK_KIND_VALUE, &k)) != NULL;)
		over |= e->index == p->m->sources[e->source].label;
	return over;
}

/* "the names called Ada": the only listed column has a single value, which the question already contains. */
static bool
lists_what_is_said(const struct draft *d)
{
	for (size_t i = 0; i < d->nconditions && d->ncolumns == 1 && !d->rows; i++) {
		const struct plan_condition *c = &d->conditions[i].is;

		if (d->conditions[i].of == DRAFT_ROOT && c->test == PLAN_IS && c->nvalues == 1 && !c->negated &&
		    c->at.node == d->columns[0].node && c->at.column == d->columns[0].column)
			return true;
	}
	return false;
}

/* "countries that have no orders": a condition on all rows of a country, which one on a row does not express. */
static bool
denies_rows(const struct plan *p, const struct draft *d)
{
	bool denies = false;

	for (size_t i = 0; i < d->nrelated; i++)
		denies |= d->related[i].negated && !d->related[i].alike;
	for (size_t i = 0; i < d->nconditions; i++)
		denies |= d->conditions[i].is.negated && d->conditions[i].is.at.column != d->columns[0].column;
	return denies && !d->owned && !lists_rows(p, d);
}

/* "invoices without payments were issued in May": without any until now, or in May? */
static bool
period_follows(const struct draft *d, size_t item)
{
	bool follows = false;

	for (size_t i = 0; i < d->nperiods; i++)
		follows |= d->periods[i].item > item;
	for (size_t i = 0; i < d->nconditions; i++)
		follows |= d->conditions[i].is.test == PLAN_WITHIN && d->conditions[i].is.items[0] > item;
	return follows;
}

/* Events need a period.  "Customers without invoices" have none at any time, and a row's place is among all rows. */
static bool
lacks_period(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->nrelated; i++)
		if (!d->related[i].compared && !(d->most && d->nfolds > 0) && draft_lacks_period(p, d, i) &&
		    (!d->related[i].negated || period_follows(d, d->related[i].item)))
			return true;
	return false;
}

/* A segment is of no column. */
static bool
is_same_column(const struct plan_condition *a, const struct plan_condition *b)
{
	return a->at.node == b->at.node && a->at.column == b->at.column && a->test != PLAN_SEGMENT &&
	    b->test != PLAN_SEGMENT;
}

/* "not with a doctor from Oslo", "not with status open": what is said next is about what is missing. */
static bool
tells_of_missing(const struct plan *p, struct plan_column missing, struct plan_column next)
{
	const struct ask_source *s = plan_source(p, missing.node), *of = plan_source(p, next.node);
	struct span name = next.column < of->ncolumns ? of->columns[next.column].names.name : SPAN("");
	bool same = false;

	for (uint32_t c = 0; c < s->ncolumns; c++)
		same |= (missing.node != p->root ? missing.column == plan_key_column(s) : c == missing.column) &&
		    span_is(s->columns[c].names.name, name);
	return same || (missing.column < s->ncolumns && span_is(s->columns[missing.column].names.name, name));
}

/* "without the nationality USA": no column is missing that has a value, nor a row of which more is said. */
static bool
misses_a_value(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->nconditions; i++)
		for (size_t k = 0; k < d->nconditions; k++) {
			const struct draft_condition *a = &d->conditions[i], *b = &d->conditions[k];

			if (i != k && a->is.test == PLAN_PRESENT && a->is.negated && a->of == b->of &&
			    a->is.at.node == b->is.at.node &&
			    (is_same_column(&a->is, &b->is) || a->is.at.node != p->root) && !b->either && !a->either)
				return true;
			if (i < k && a->is.test == PLAN_PRESENT && a->is.negated && b->is.test != PLAN_SEGMENT &&
			    b->is.at.node != a->is.at.node && tells_of_missing(p, a->is.at, b->is.at))
				return true;
		}
	return false;
}

/* "papers by authors", with nothing said of the authors */
static bool
lacks_condition(const struct draft *d)
{
	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].unsaid && draft_conditions_of(d, i) == 0)
			return true;
	return false;
}

/* "cities with customers under 30" is a condition on rows, and "cities without customers" needs one. */
static bool
lacks_alike(const struct plan *p, const struct draft *d)
{
	size_t n = 0;
	bool negated = false, bare = draft_conditions_of(d, DRAFT_ROOT) > 0;

	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].alike) {
			n++;
			negated |= d->related[i].negated;
			bare |= draft_conditions_of(d, i) == 0;
		}
	return n > 0 && (bare || d->ordered || (n == 1 && !negated) || lists_rows(p, d));
}

/* "the channel that plays …" is one, and no number. */
static bool
asks_for_one(const struct plan *p, const struct draft *d)
{
	size_t item = d->entity, first = item == PLAN_NO_ITEM ? 0 : p->q.items[item].first;

	return d->bare && d->number && first > 0 && p->q.language == ASK_ENGLISH && plan_reads(p, first - 1, "the") &&
	    !p->q.tokens[first + p->q.items[item].n - 1].plural;
}

/* "what is the highest elevation in the US", a column so called: of all rows, of which one is meant */
static bool
lists_extremes(const struct plan *p, const struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->nsteps > 0 ? d->steps[0].end - 1 : 0];
	bool one = p->q.ntokens > 1 && plan_reads(p, 1, "lautet"), extreme = false;
	size_t len;

	one |= plan_is_word(p, 0, ASK_WORD_STOP) && p->q.items[0].arg == ASK_STOP_WHAT;
	for (size_t w = it->first; w < it->first + it->n; w++)
		extreme |= ask_word(p->q.language, &p->q.tokens[w], 1, ASK_WORD_EXTREME, &len) != NULL;
	one &= extreme && d->ncolumns == 1 && !d->rows && !d->first && d->nrelated == 0 &&
	    !p->q.tokens[it->first + it->n - 1].plural;
	for (size_t k = 0; k < d->nconditions; k++)
		one &= d->conditions[k].is.test == PLAN_SEGMENT;
	return one;
}

/* What the rows understood does not express what the words ask. */
static bool
is_no_reading(const struct plan *p, const struct draft *d)
{
	/* "the model of the car whose …" */
	bool said = d->owned && (d->first || (d->behind && d->nconditions + d->nrelated > 0));

	return d->unnamed || asks_for_one(p, d) || (d->loose && !said && !names_row(p, d)) || lists_what_is_said(d) ||
	    lists_extremes(p, d) || denies_rows(p, d) || passes_name_over(p, d) || lacks_alike(p, d) ||
	    lacks_condition(d) || lacks_period(p, d) || misses_a_value(p, d);
}

/* "orders of the oldest customer from Oslo": of all customers, or of those from Oslo? */
static bool
limits_extreme(const struct draft *d, size_t extreme)
{
	const struct draft_condition *c = &d->conditions[extreme];

	for (size_t i = 0; i < d->nconditions; i++)
		if (i != extreme && (d->conditions[i].is.at.node == c->is.at.node || d->conditions[i].either))
			return true;
	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].of == c->of && c->of != DRAFT_ROOT)
			return true;
	return false;
}

/* "higher than all songs", which says nothing about them; "older than the average of …" may. */
static bool
lacks_compared(const struct draft *d, size_t average)
{
	return d->conditions[average].is.index != PLAN_OF_AVERAGE && draft_conditions_of(d, 0) == 0;
}

/* "below 20 and above 30": no number is both, so that two rows are meant. */
static bool
leaves_no_number(const struct plan_condition *a, const struct plan_condition *b)
{
	double least, most;

	if (a->test != PLAN_COMPARED || b->test != PLAN_COMPARED ||
	    a->operator[0] == b->operator[0] || !ask_items_number(a->values[0], ASK_ENGLISH,
		a->operator[0] == '>' ? &least : & most) ||
	    !ask_items_number(b->values[0], ASK_ENGLISH, a->operator[0] == '>' ? &most : & least))
		return false;
	return (a->operator[0] == '>' || b->operator[0] == '>') && (a->operator[0] == '<' || b->operator[0] == '<') &&
	    least >= most;
}

/* "with orders or invoices and from Oslo": AND and OR together; and what a figure or an order do not join by OR. */
static bool
mixes_any_of(const struct draft *d)
{
	size_t n = 0, either = 0;

	if (!d->any_of)
		return false;
	for (size_t i = 0; i < d->nconditions; i++) {
		n += d->conditions[i].of == DRAFT_ROOT;
		either += d->conditions[i].of == DRAFT_ROOT && d->conditions[i].either;
		if (d->conditions[i].of == DRAFT_ROOT && d->conditions[i].is.negated)
			return true;
	}
	for (size_t i = 0; i < d->nrelated; i++) {
		n += d->related[i].of == DRAFT_ROOT;
		either += d->related[i].of == DRAFT_ROOT && d->related[i].either;
		if (d->related[i].compared || d->related[i].negated)
			return true;
	}
	return either + 1 != n || d->number || d->leads || d->first || d->most || d->by_row;
}

/*
 * Two conditions that one row cannot meet, "milk and cat", or that may mean two rows, "countries with singers over 40
 * and under 30".  AND and OR together may be read in two ways; so may a negated OR.
 */
static bool
contradicts(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].is.test == PLAN_AVERAGE &&
		    (d->nrelated != 1 || !d->related[0].compared ? d->nconditions + d->nrelated + d->ngroups > 1 :
								   lacks_compared(d, i)))
			return true;
		else if (d->conditions[i].is.test == PLAN_EXTREME && limits_extreme(d, i))
			return true;
	if (mixes_any_of(d))
		return true;
	for (size_t i = 0; i < d->nconditions; i++)
		for (size_t k = i + 1; k < d->nconditions; k++) {
			const struct draft_condition *a = &d->conditions[i], *b = &d->conditions[k];
			bool same = is_same_column(&a->is, &b->is);

			if (a->of != b->of)
				continue;
			if ((!d->any_of && b->either != d->conditions[d->nconditions - 1].either) ||
			    (b->either && (a->is.negated || b->is.negated)))
				return true;
			/* "not in Kenya, Peru or Chile" */
			if (same && a->is.test == PLAN_IS && b->is.test == PLAN_IS && a->is.negated != b->is.negated)
				return true;
			if (!b->either && same && leaves_no_number(&a->is, &b->is))
				return true;
			if (!b->either && same && !a->is.negated && !b->is.negated &&
			    ((a->is.test == b->is.test &&
				 (a->is.test == PLAN_IS || a->is.test == PLAN_WITHIN ||
				     (a->is.test == PLAN_COMPARED &&
					 a->is.operator[0] == '=' && b->is.operator[0] == '='))) ||
				!lists_rows(p, d)))
				return true;
		}
	return false;
}

/* Whether what the draft asks for lies on both sides of the edge. */
static bool
uses_edge(const struct plan *p, const struct draft *d, uint32_t at, uint32_t to)
{
	bool uses = false;

	for (size_t i = 0; i < d->ncolumns; i++)
		uses |= around_goes_over(p, p->root, d->columns[i].node, at, to);
	for (size_t i = 0; i < d->nconditions; i++)
		uses |= around_goes_over(p, draft_node(p, d, d->conditions[i].of), d->conditions[i].is.at.node, at, to);
	for (size_t i = 0; i < d->nrelated; i++) {
		const struct draft_related *r = &d->related[i];

		uses |= around_goes_over(p, r->node, draft_node(p, d, r->of), at, to) ||
		    (r->through != ASK_NONE && around_goes_over(p, r->node, r->through, at, to));
	}
	/* a group whose column is known is one of the root's */
	for (size_t i = 0; i < d->ngroups; i++)
		for (size_t k = 0; d->groups[i].item != PLAN_NO_ITEM && k < p->q.items[d->groups[i].item].nhits; k++)
			uses |= around_goes_over(p, p->root, p->q.items[d->groups[i].item].hits[k]->source, at, to);
	return uses || (d->near != ASK_NONE && around_goes_over(p, p->root, d->near, at, to));
}

/* "wines produced by Caymus", of a column of the wines: the value behind the verb says what the verb does. */
static bool
tells_value(const struct plan *p, const struct draft *d, size_t verb, uint32_t source)
{
	const struct ask_item *it = &p->q.items[verb];
	size_t next = verb + 1;

	while (next < p->q.n && (plan_is_word(p, next, ASK_WORD_STOP) || plan_is_word(p, next, ASK_WORD_BY)))
		next++;
	if (next >= p->q.n || plan_root(p) != source ||
	    !ask_is_participle(p->q.language, p->q.tokens[it->first].folded))
		return false;
	for (size_t i = 0; i < d->nconditions; i++)
		if ((d->conditions[i].of == DRAFT_ROOT || d->related[d->conditions[i].of].compared) &&
		    d->conditions[i].is.at.node == p->root && d->conditions[i].is.test == PLAN_IS &&
		    d->conditions[i].is.items[0] == next)
			return true;
	return false;
}

/* "wineries that made a wine in 2008": between what is listed and the rows that have it, the verb says no more. */
static bool
leads_to_listed(const struct plan *p, const struct draft *d, size_t verb, uint32_t source)
{

	for (size_t i = 0; i < d->nsteps && plan_root(p) == source; i++)
		if (verb >= d->steps[i].first && verb < d->steps[i].end &&
		    ask_is_any(span_str(d->steps[i].row), "these alike alike_values"))
			return true;
	return false;
}

/* "songs that artists sang": each verb of a join is about one that the draft uses. */
static bool
holds_verbs(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < p->q.n; i++) {
		const struct ask_entry *e;
		size_t len, first = p->q.items[i].first;
		/* "orders that were made": it may say nothing at all */
		bool holds = !around_is_verb(p, i) ||
		    (d->nrelated == 0 &&
			ask_word(p->q.language, &p->q.tokens[first], p->q.items[i].n, ASK_WORD_STOP, &len) != NULL) ||
		    /* "wines produced in 2008": when it was */
		    (d->nrelated == 0 && spans_skip(p, i + 1) < p->q.n &&
			p->q.items[spans_skip(p, i + 1)].kind == ASK_ITEM_PERIOD &&
			ask_is_participle(p->q.language, p->q.tokens[first].folded));

		for (size_t k = 0; !holds && (e = plan_next_hit(p, i, ASK_KIND_VERB, &k)) != NULL;)
			holds = uses_edge(p, d, e->source, e->index) || tells_value(p, d, i, e->source) ||
			    leads_to_listed(p, d, i, e->source);
		if (!holds)
			return false;
	}
	return true;
}

bool
score_is_worse(const struct reading_search *s, const struct draft *d)
{
	if (!s->found || (d->asks == NULL) != (s->best.asks == NULL))
		return s->found && d->asks != NULL;
	return d->score < s->best.score;
}

/* "from big customers": what is said of them is asked about. */
static bool
any_left(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_left(p, i) || thresholds_is_said(p, i))
			return true;
	return false;
}

/* "branches that have a café": the rows, where these are no events, which are counted. */
static bool
lists_bare(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	return d->number && d->bare && d->entity != PLAN_NO_ITEM && d->nconditions + d->nrelated > 0 &&
	    d->nperiods + d->ngroups + d->nmeasures + d->nfolds + d->nmentions == 0 && d->asks == NULL && !d->share &&
	    !d->compare && !d->change && !d->always && !d->before && d->through == PLAN_NO_ITEM &&
	    s->time == ASK_NONE && s->label != ASK_NONE && !plan_reads(p, 0, "is are gibt");
}

void
score_complete(struct reading_search *s, const struct draft *complete)
{
	struct draft told = *complete, *d = &told;
	struct span said;
	bool unclear = contradicts(s->p, d);

	if (lists_bare(s->p, d) && !build_name_rows(s->p, d))
		told = *complete;

	if (d->among != PLAN_NO_ITEM || (d->leads && d->rank == 0) || (d->before && !d->number) ||
	    ((d->date_before != PLAN_NO_ITEM || (d->date_said.column != ASK_NONE && d->through == PLAN_NO_ITEM)) &&
		d->nperiods == 0 && d->asks == NULL) ||
	    d->and_next || d->or_next || (d->pending && !any_left(s->p)) || d->open_list ||
	    ((d->sorted || (d->places > 0 && d->rank == 0)) && !d->ordered) || is_no_reading(s->p, d) ||
	    score_is_worse(s, d) || !holds_verbs(s->p, d))
		return;
	said = text_of(s, d);
	if (said.len == 0 || score_is_worse(s, d))
		return;
	if (s->found && d->score == s->best.score && (d->asks == NULL) == (s->best.asks == NULL)) {
		s->several |= unclear || !span_is(said, s->said);
		return;
	}
	s->found = true;
	s->several = unclear;
	s->best = *d;
	s->said = said;
}
