#include "ask/comparisons.h"
#include "ask/groups.h"
#include "ask/thresholds.h"
#include "ask/readings/around.h"
#include "ask/readings/columns.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"

#define VERB_STEM_MIN	4u

size_t
match_skip_to_owner(const struct plan *p, size_t i)
{
	while (i < p->q.n &&
	    ((spans_is_skipped(p, i) && p->names->words[p->q.items[i].first].belongs) || plan_is_left(p, i) ||
		thresholds_is_said(p, i)))
		i++;
	return i;
}

bool
match_says_with(const struct plan *p, size_t i, bool article)
{
	const struct ask_item *it = &p->q.items[i];

	if (!article && (around_is_verb(p, i) || around_dates_rows(p, i)))
		return true;
	for (size_t k = it->first; k < it->first + it->n; k++)
		if (article ? p->names->words[k].article : p->names->words[k].with)
			return true;
	return false;
}

bool
match_leads(const struct plan *p, size_t i)
{
	struct span first = plan_word(p, i)->folded;

	/* "where can I find" */
	if (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_JOINS)
		return false;
	if (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_WHAT &&
	    (span_is_str(first, "how") || (span_is_str(first, "wie") && p->q.items[i].n < 2)))
		return false;
	/* "return on investment" */
	if (plan_is_word(p, i, ASK_WORD_LIST) && i + 1 < p->q.n && plan_reads(p, p->q.items[i + 1].first, "on"))
		return false;
	return plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i, ASK_WORD_LIST) ||
	    plan_is_word(p, i, ASK_WORD_WHICH);
}

const char *
match_behind(const char *pattern)
{
	return pattern + 1 + (pattern[1] == '?');
}

void
match_go_on(struct reading_search *s, const char *pattern, size_t i, size_t n, const struct draft_spans *got)
{
	spans_match(s, match_behind(pattern), i + n, got);
}

/* "new york city": a city of that name, or one in the state? */
static bool
may_name_next(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	bool may = false;

	if (plan_reads_before(p, i, "every each jeder jede jedes jeden"))
		return false;
	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_VALUE, &k)) != NULL;)
		may |=
		    e->index == p->m->sources[e->source].label && !plan_names_of(p, i + 1, ASK_KIND_SOURCE, e->source);
	return may && plan_names_any(p, i + 1, ASK_KIND_SOURCE) && p->q.items[i + 1].n == 1 &&
	    !plan_word(p, i + 1)->plural;
}

/* A segment that is called so itself, and not in another case: "größere", of large ones. */
static bool
names_segment(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	bool any = false;

	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_SEGMENT, &k)) != NULL;)
		any |= !e->german;
	return any;
}

bool
match_is_adjective(const struct plan *p, size_t i)
{
	return i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && !spans_may_date(p, i) &&
	    !(i + 1 < p->q.n && may_name_next(p, i)) &&
	    (plan_names_any(p, i, ASK_KIND_VALUE) || plan_names_any(p, i, ASK_KIND_FLAG) ||
		plan_names_any(p, i, ASK_KIND_SEGMENT)) &&
	    !plan_names_any(p, i, ASK_KIND_SOURCE) &&
	    (!plan_names_any(p, i, ASK_KIND_COLUMN) || plan_names_any(p, i, ASK_KIND_FLAG) || names_segment(p, i)) &&
	    !plan_names_any(p, i, ASK_KIND_MEASURE);
}

bool
match_take_adjective(const struct plan *p, size_t i, char of, struct draft_spans *s)
{

	if (!match_is_adjective(p, i) || plan_reads_behind(p, i, "of von whose deren dessen") ||
	    s->nadjectives == sizeof(s->adjectives) / sizeof(s->adjectives[0]) ||
	    p->q.tokens[p->q.items[i].first + p->q.items[i].n].comma)
		return false;
	s->adjectives[s->nadjectives++] = i;
	s->adjectives_of = of;
	return true;
}

uint32_t
match_owner_at(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	uint32_t found = ASK_NONE;

	for (size_t k = 0;
	     (e = plan_next_hit(p, i, ASK_KIND_SOURCE, &k)) != NULL && p->q.items[i].kind == ASK_ITEM_NAME;) {
		uint32_t node = e->source == plan_root(p) ? p->root : around_parent(p, p->root, e->source);

		if (node == ASK_NONE || node == found)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = node;
	}
	return found;
}

size_t
match_common_stem(struct span a, struct span b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && ascii_lower(a.p[n]) == ascii_lower(b.p[n]))
		n++;
	return n >= VERB_STEM_MIN && a.len - n <= 4 && b.len - n <= 4 ? n : 0;
}

bool
match_any_comma(const struct plan *p, size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++)
		if (plan_word(p, i)->comma)
			return true;
	return false;
}

/* "borrowed", the date of loans: a word for what happened, which is no date of the root. */
static bool
is_date_of_event(const struct plan *p, const struct ask_item *it, const struct ask_entry *e)
{
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->source == plan_root(p) ||
		    (it->hits[k]->kind != ASK_KIND_DATE && it->hits[k]->kind != ASK_KIND_EVENT &&
			!(it->hits[k]->kind == ASK_KIND_COLUMN && it->hits[k]->source == e->source &&
			    it->hits[k]->index == e->index)))
			return false;
	return e->kind == ASK_KIND_DATE && p->m->sources[e->source].time == e->index;
}

/* "patients whose doctor": what is said next is about that doctor, not about the patients. */
static bool
says_whose(const struct plan *p, size_t i)
{
	return plan_reads_before(p, i, "whose deren dessen");
}

/* Rows that lead to the root, or to which it leads. */
void
match_source(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it = &p->q.items[i];

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		uint32_t source = it->hits[k]->source;
		struct draft_spans more = *got;

		more.rows = i;
		if (*pattern == 'u' && it->hits[k]->kind == ASK_KIND_ALIAS &&
		    draft_leads_to(p, s->before, it->hits[k]->index)) {
			more.parent = it->hits[k]->index;
			match_go_on(s, pattern, i, 1, &more);
			continue;
		}
		if ((it->hits[k]->kind != (*pattern == 'o' ? ASK_KIND_EVENT : ASK_KIND_SOURCE) &&
			!(*pattern == 'o' && is_date_of_event(p, it, it->hits[k]))) ||
		    p->m->sources[source].covered || (*pattern == 'r' && pattern[1] == '\0' && says_whose(p, i)))
			continue;
		if (*pattern != 'u') {
			more.related = source;
			more.apart = match_any_comma(p, s->first, i);
			if (!around_leads_to(p, source, p->root, AROUND_HOPS_MAX)) {
				more.way =
				    p->root < p->m->nsources ? plan_way(p, source, p->root, &more.through) : ASK_NONE;
				/* "patients without a doctor": their own, or one of a visit? */
				if (more.way == ASK_NONE &&
				    ((p->root < p->m->nsources && around_reaches(p, p->root, source)) ||
					(more.related = around_bridge(p, source, p->root)) == ASK_NONE))
					continue;
				more.through = more.way == ASK_NONE ? source : more.through;
			} else if (around_is_linked_only(p, source, p->root)) {
				/* "the events of a product": the event's own, or those of products_in_events */
				continue;
			}
		} else if ((more.parent = draft_parent(p, s->before, source)) == ASK_NONE)
			continue;
		match_go_on(s, pattern, i, 1, &more);
	}
}

/* Rows, with adjectives before them. */
void
match_rows(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more = *got;

	/* "the title and artist for every song in English" */
	if (*pattern == 'E' && s->before->nsteps == 0 && got->nlist > 0 && i < p->q.n &&
	    plan_is_word(p, i, ASK_WORD_BY) && p->q.items[i].arg == 0 && p->q.items[i].n == 2) {
		more.each = true;
		i++;
	}
	for (size_t at = spans_skip(p, i); at < p->q.n; at = spans_skip(p, at + 1)) {
		if (*pattern == 'r' || *pattern == 'u' || *pattern == 'o') {
			if (!plan_says_all(p, s->before->nsteps > 0 ? s->before->steps[s->before->nsteps - 1].end : 0,
				at))
				match_source(s, pattern, at, &more);
		} else if (!(*pattern == 'E' && at == i && got->nlist > 0 && pattern[-1] == 'C' &&
			       !more.each) && /* "the AVA regions" */
		    (*pattern == 'e' || more.nadjectives > got->nadjectives || at == match_skip_to_owner(p, i)) &&
		    around_names(p, at, plan_root(p))) {
			struct draft_spans named = more;

			named.named = true;
			named.item = at;
			match_go_on(s, pattern, at, 1, &named);
		} else if ((*pattern == 'E' || *pattern == 'e') && spans_stands_for_rows(p, at)) {
			struct draft_spans named = more;

			named.named = true;
			named.item = at;
			if (match_take_adjective(p, at, *pattern, &named))
				match_go_on(s, pattern, at, 1, &named);
		}
		if (*pattern == 'o' || !match_take_adjective(p, at, *pattern, &more))
			return;
	}
}

/* "pieces sold by article delivered in March", where orders are delivered: of the only rows that the root leads to. */
static uint32_t
dated_behind(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	uint32_t node = ASK_NONE;
	size_t len;

	/* "inspections that happened": when the claims did, where these alone are said to happen? */
	if (ask_word(p->q.language, plan_word(p, i), p->q.items[i].n, ASK_WORD_STOP, &len) != NULL)
		return ASK_NONE;
	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_DATE, &k)) != NULL;) {
		if (node != ASK_NONE || e->source == plan_root(p))
			return ASK_NONE;
		node = plan_only_node(p, e->source);
	}
	return node;
}

/* Go on with each date of the node's rows that the item names; of: the rows that the condition is about. */
static void
go_on_with_date(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got, uint32_t node,
    size_t of)
{
	const struct ask_entry *e;

	for (size_t k = 0; node != ASK_NONE && (e = plan_next_hit(s->p, i, ASK_KIND_DATE, &k)) != NULL;) {
		struct draft_spans more = *got;

		if (e->source != s->p->m->nodes[node].source)
			continue;
		more.column = (struct plan_column){ node, e->index };
		more.said_by = i;
		more.at = of;
		match_go_on(s, pattern, i, 1, &more);
	}
}

/* The date that the word tells: "joined", of the rows named last, or of the root. */
void
match_date(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct draft *d = s->before;

	if (d->leads || d->number)
		go_on_with_date(s, pattern, i, got, d->near, DRAFT_ROOT);
	go_on_with_date(s, pattern, i, got, draft_node(s->p, d, d->last), d->last);
	if (d->last != DRAFT_ROOT)
		go_on_with_date(s, pattern, i, got, s->p->root, DRAFT_ROOT);
	if (d->number && d->near == ASK_NONE)
		go_on_with_date(s, pattern, i, got, dated_behind(s->p, i), DRAFT_ROOT);
}

/* "how old", "wie lang": the only number of the root that the adjective measures. */
void
match_how(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more = *got;
	/* "wie viel kosten" */
	size_t end = i, word = p->q.ntokens > 1 && plan_reads(p, 1, "much viel") ? 2 : 1;

	while (end < p->q.n && p->q.items[end].first <= word)
		end++;
	/* "wie hoch sind" is one item */
	if (p->q.ntokens < word + 2 || end >= p->q.n || p->q.items[end].first > word + 2 ||
	    !plan_reads(p, 0, "how wie was"))
		return;
	if (columns_of_degree(p, p->root, p->q.tokens[word].folded, &more.column) == 1)
		match_go_on(s, pattern, end, 0, &more);
}

/* "owner", of "owned" */
static bool
is_doer(struct span noun, struct span participle)
{
	return noun.len > 3 && noun.len == participle.len && span_ends(participle, "ed") &&
	    (span_ends(noun, "er") || span_ends(noun, "or")) && match_common_stem(noun, participle) + 1 >= noun.len;
}

uint32_t
match_verb_column(const struct plan *p, size_t i, uint32_t source)
{
	struct span word = plan_word(p, i)->folded;
	const struct ask_source *s = &p->m->sources[source];
	uint32_t found = ASK_NONE;

	if (p->q.items[i].kind != ASK_ITEM_UNKNOWN || p->q.items[i].n != 1 || !ask_is_participle(p->q.language, word))
		return ASK_NONE;
	for (uint32_t c = 0; c < s->ncolumns; c++)
		if (s->columns[c].type == ASK_TYPE_TEXT && ask_is_shown(&s->columns[c]) &&
		    (match_common_stem(s->columns[c].names.name, word) > VERB_STEM_MIN ||
			is_doer(s->columns[c].names.name, word))) {
			if (found != ASK_NONE)
				return ASK_NONE;
			found = c;
		}
	return found;
}

/* "directed", of the rows named last. */
void
match_verb(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	uint32_t node = draft_node(s->p, s->before, s->before->last);
	uint32_t column = match_verb_column(s->p, i, s->p->m->nodes[node].source);
	struct draft_spans more;

	if (column == ASK_NONE)
		return;
	more = *got;
	more.column = (struct plan_column){ node, column };
	more.at = s->before->last;
	match_go_on(s, pattern, i, 1, &more);
}

/* "arranged", of course_arrange: the verb of a word of the name. */
static bool
is_verb_of_name(struct ask_words name, const struct ask_token *verb)
{
	for (size_t i = 0; i < name.n; i++)
		if (match_common_stem(name.t[i].folded, verb->folded) > 0)
			return true;
	return false;
}

/* A word that nothing knows but an event's name, as people write a verb. */
static bool
may_be_verb(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	bool word = it->kind == ASK_ITEM_UNKNOWN || it->kind == ASK_ITEM_NAME;

	for (size_t k = 0; k < it->nhits; k++)
		word &= it->hits[k]->kind == ASK_KIND_EVENT;
	return word && it->n == 1 && !p->q.tokens[it->first].capital;
}

/* The sources of whose names the item is a verb: looked for once. */
static const struct reading_verbs *
verbs_at(const struct plan *p, size_t i)
{
	struct reading_verbs *v = &p->names->verbs[i];

	if (v->looked)
		return v;
	v->looked = true;
	if (!may_be_verb(p, i) || (v->sources = arena_array(p->a, p->m->nsources, sizeof(*v->sources))) == NULL)
		return v;
	for (uint32_t source = 0; source < p->m->nsources; source++)
		if (is_verb_of_name(p->m->sources[source].names.words, plan_word(p, i)))
			v->sources[v->n++] = source;
	return v;
}

bool
match_is_verb_of(const struct plan *p, size_t i, uint32_t source)
{
	const struct reading_verbs *v = verbs_at(p, i);

	for (size_t k = 0; k < v->n; k++)
		if (v->sources[k] == source)
			return true;
	return false;
}

bool
match_is_verb(const struct plan *p, size_t i, bool named)
{
	const struct reading_verbs *v = verbs_at(p, i);

	for (size_t k = 0; k < v->n; k++)
		if (!named || v->sources[k] == plan_root(p) || around_is_named(p, v->sources[k]))
			return true;
	return false;
}

/* Whether the item names rows, and nothing tells what they are called. */
static bool
is_nameless(const struct plan *p, size_t i)
{
	bool nameless = false;

	for (size_t k = 0; i < p->q.n && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		const struct ask_source *s = &p->m->sources[e->source];

		nameless |= e->kind == ASK_KIND_SOURCE && s->label == ASK_NONE;
		if (e->kind == ASK_KIND_COLUMN && s->columns[e->index].type == ASK_TYPE_TEXT &&
		    !ask_is_foreign(p->m, e->source, s->columns[e->index].names.name) && e->index != plan_key_column(s))
			return false;
	}
	return nameless;
}

/* "lending branch": the name of a join, and the rows to which it leads. */
static bool
alias_of_source(const struct plan *p, size_t i)
{
	const struct ask_entry *e;

	for (size_t k = 0;
	     i + 1 < p->q.n && !plan_word(p, i + 1)->comma && (e = plan_next_hit(p, i, ASK_KIND_ALIAS, &k)) != NULL;)
		if (around_names(p, i + 1, e->source))
			return true;
	return false;
}

/* Words that are a group, and one that says whose column it is: "customer country". */
void
match_group(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more = *got;
	bool alias;

	/* "names of studios", where a studio is but a name, or has one */
	if (columns_is_name(p, i) && match_skip_to_owner(p, i + 1) > i + 1 &&
	    !is_nameless(p, match_skip_to_owner(p, i + 1)))
		i = match_skip_to_owner(p, i + 1);
	/* "gold customers" */
	while (i < p->q.n && match_take_adjective(p, i, 'G', &more))
		i = spans_skip(p, i + 1);
	if (i >= p->q.n || (more.nadjectives > 0 && !plan_has(p, i, ASK_KIND_SOURCE)))
		return;
	alias = plan_has(p, i, ASK_KIND_ALIAS);
	more.group = i;
	if (groups_is_grain(p, i) ||
	    (p->q.items[i].kind == ASK_ITEM_NAME &&
		(plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE) || alias)))
		match_go_on(s, pattern, i,
		    ((plan_has(p, i + 1, ASK_KIND_COLUMN) && !plan_word(p, i + 1)->comma) || alias_of_source(p, i)) &&
			    (alias ||
				(plan_has(p, i, ASK_KIND_SOURCE) && plan_source_of_column(p, i, i + 1) != ASK_NONE)) ?
			2 :
			1,
		    &more);
}

/* A measure of the root, which no other source has by a better name. */
void
match_measure(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_entry *e;
	unsigned own = ASK_NONE, other = ASK_NONE;
	struct draft_spans more = *got;

	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_MEASURE, &k)) != NULL;) {
		unsigned *best = e->source == plan_root(p) ? &own : &other;

		*best = e->tier < *best ? e->tier : *best;
	}
	more.measure = i;
	if (own != ASK_NONE && own <= other)
		match_go_on(s, pattern, i, 1, &more);
}

/* "a", of "the letter a" */
static bool
is_letter(const struct plan *p, size_t i)
{
	return i > 0 && p->q.items[i].text.len == 1 && plan_is_word(p, i - 1, ASK_WORD_LIKE);
}

/* The items that are one text, in quotes or without a blank inside: "x.org"; at least one. */
static size_t
text_items(const struct plan *p, size_t i, struct span *text)
{
	size_t n = 0;

	*text = p->q.items[i].text;
	do {
		const struct ask_item *it = &p->q.items[i + n++];

		text->len = (size_t)(it->text.p + it->text.len - text->p);
	} while (i + n < p->q.n &&
	    ((plan_word(p, i)->quoted && plan_word(p, i + n)->quoted) ||
		memchr(text->p + text->len, ' ', (size_t)(p->q.items[i + n].text.p - text->p) - text->len) == NULL));
	return n;
}

/* A text that a column contains. */
void
match_text(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it;
	struct draft_spans more;
	size_t n;

	i = i < p->q.n && is_letter(p, i) ? i : spans_skip(p, i);
	if (i == p->q.n)
		return;
	it = &p->q.items[i];
	if ((it->kind == ASK_ITEM_WORD || it->kind == ASK_ITEM_PERIOD) && !p->q.tokens[it->first].quoted &&
	    !is_letter(p, i))
		return;
	/* "the land that contains the highest peak" */
	if (!p->q.tokens[it->first].quoted && i > 0 && p->q.items[i - 1].n == 1 &&
	    (plan_names_any(p, i, ASK_KIND_COLUMN) || plan_names_any(p, i, ASK_KIND_SOURCE)))
		return;
	/* "contains the substring 'a'": the quoted part is the text */
	if (i + 1 < p->q.n && !p->q.tokens[it->first].quoted && plan_word(p, i + 1)->quoted)
		return;
	more = *got;
	n = text_items(p, i, &more.text);
	match_go_on(s, pattern, i, n, &more);
}

/* A yes or no of the rows, in front of a word for them or behind it. */
void
match_flag(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more;

	if (!plan_names_any(s->p, i, ASK_KIND_FLAG) && !plan_names_any(s->p, i, ASK_KIND_SEGMENT))
		return;
	more = *got;
	if (match_take_adjective(s->p, i, 'F', &more))
		match_go_on(s, pattern, i, 1, &more);
}

/* "names of customers" asks for a list without a verb. */
static bool
begins_list(const struct plan *p, size_t i)
{
	size_t first = i < p->q.n ? p->q.items[i].first : p->q.ntokens, len;
	const struct ask_word_row *row =
	    ask_word(p->q.language, &p->q.tokens[first], p->q.ntokens - first, ASK_WORD_LIST, &len);

	return row != NULL && row->arg == ASK_LIST_NAMES;
}

void
match_lead(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;
	bool asked = false;

	/* "does each continent have? List …" */
	while (i > 0 && i + 1 < s->p->q.n && spans_is_skipped(s->p, i) && match_says_with(s->p, i, false) &&
	    (spans_asks(s->p, i + 1) || spans_is_skipped(s->p, i + 1)))
		i++;
	/* "Who has a friend" asks who has one, not for the friends. */
	for (; i < s->p->q.n && match_leads(s->p, i) && !match_says_with(s->p, i, false) && !spans_asks_whole(s->p, i);
	     i++) {
		asked |= spans_asks(s->p, i);
		more.singular |= plan_is_word(s->p, i, ASK_WORD_STOP) && s->p->q.items[i].arg == ASK_STOP_WHAT;
	}
	if ((asked || begins_list(s->p, i)) &&
	    (i == s->p->q.n || !spans_is_skipped(s->p, i) || plan_is_left(s->p, i) || thresholds_is_said(s->p, i) ||
		spans_says_kind(s->p, i)))
		match_go_on(s, pattern, i, 0, &more);
}

void
match_with(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;

	more.with = more.article = false;
	for (; i < s->p->q.n && spans_is_skipped(s->p, i); i++) {
		more.with |= match_says_with(s->p, i, false);
		more.article |= match_says_with(s->p, i, true);
	}
	if (more.with)
		match_go_on(s, pattern, i, 0, &more);
}

/* A verb that the model declares for a join, among words without a meaning of their own. */
void
match_join(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;
	bool any = false;

	for (; i < s->p->q.n && spans_is_skipped(s->p, i); i++)
		if (around_is_verb(s->p, i)) {
			more.verb = i;
			any = true;
		}
	if (any)
		match_go_on(s, pattern, i, 0, &more);
}

/* "high-value", which is known to be a condition; else it is skipped. */
void
match_threshold(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;

	while (i < s->p->q.n && plan_is_word(s->p, i, ASK_WORD_STOP))
		i++;
	more.value_item = i;
	if (i < s->p->q.n && thresholds_is_said(s->p, i))
		match_go_on(s, pattern, i, 1, &more);
}
