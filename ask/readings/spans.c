#include "ask/thresholds.h"
#include "ask/readings/around.h"
#include "ask/readings/columns.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"

static bool
names_column_of(const struct plan *p, size_t i, bool number)
{
	bool any = false;

	for (size_t k = 0; i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_SOURCE)
			return false;
		any |= e->kind == ASK_KIND_COLUMN &&
		    (p->m->sources[e->source].columns[e->index].type == ASK_TYPE_NUMBER) == number;
	}
	return any;
}

bool
spans_says_kind(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	struct span word = p->q.tokens[it->first].folded;
	bool amount = span_is_str(word, "amount");
	size_t next = i + 1;

	if (it->kind != ASK_ITEM_UNKNOWN || it->n != 1 || it->first + 1 >= p->q.ntokens ||
	    !(amount || ask_is_any(word, "kind kinds type types sort sorts")) || !plan_reads(p, it->first + 1, "of"))
		return false;
	while (next < p->q.n && plan_is_word(p, next, ASK_WORD_STOP))
		next++;
	return names_column_of(p, next, amount);
}

/* "complaints about the product", unlike "about 500". */
static bool
relates_rows(const struct plan *p, size_t i)
{
	size_t next = i + 1;

	while (next < p->q.n && plan_is_word(p, next, ASK_WORD_STOP))
		next++;
	return i > 0 && p->q.items[i].kind == ASK_ITEM_UNKNOWN && p->q.items[i].n == 1 &&
	    plan_reads(p, p->q.items[i].first, "about regarding concerning") && next < p->q.n &&
	    plan_names_any(p, i - 1, ASK_KIND_SOURCE) && plan_names_any(p, next, ASK_KIND_SOURCE);
}

/* "run through", "durch die … fließen": the way of a verb of a join, which says no more than the verb. */
static bool
is_way_of_verb(const struct plan *p, size_t i)
{
	size_t verb = i;

	if (p->q.items[i].n != 1 || !plan_reads(p, p->q.items[i].first, "through across along over past durch entlang"))
		return false;
	if (i > 0 && around_is_verb(p, i - 1))
		return true;
	/* "states through which the Ohio runs" */
	while (verb < p->q.n && !around_is_verb(p, verb))
		verb++;
	return verb < p->q.n && (plan_is_word(p, i + 1, ASK_WORD_WHICH) || p->q.language == ASK_GERMAN);
}

/* Whether the item has no meaning of its own in a pattern. */
static bool
stands_between(const struct plan *p, size_t i)
{
	if (is_way_of_verb(p, i))
		return true;
	/* "customers which have" */
	return (plan_is_word(p, i, ASK_WORD_STOP) && !plan_word(p, i)->quoted &&
		   !(i == 0 && p->q.items[i].arg == ASK_STOP_JOINS)) ||
	    /* "big orders": a condition of the figure, or a question back */
	    plan_is_left(p, i) || thresholds_is_said(p, i) || around_is_verb(p, i) || around_dates_rows(p, i) ||
	    spans_says_kind(p, i) || relates_rows(p, i) ||
	    /* "countries in which" */
	    (i > 1 && plan_is_word(p, i, ASK_WORD_WHICH) && plan_is_word(p, i - 1, ASK_WORD_STOP) &&
		p->q.items[i - 2].kind == ASK_ITEM_NAME) ||
	    (i > 1 && i + 1 < p->q.n && p->q.items[i - 1].kind == ASK_ITEM_NAME && plan_is_word(p, i, ASK_WORD_WHICH) &&
		((plan_is_word(p, i + 1, ASK_WORD_STOP) && p->q.items[i + 1].arg == ASK_STOP_INSIDE) ||
		    around_is_verb(p, i + 1)));
}

bool
spans_is_skipped(const struct plan *p, size_t i)
{
	return p->names->skipped[i];
}

size_t
spans_skip(const struct plan *p, size_t i)
{
	while (i < p->q.n && spans_is_skipped(p, i))
		i++;
	return i;
}

bool
spans_asks_whole(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_LIST) && p->q.items[i].arg == ASK_LIST_WHOLE;
}

bool
spans_asks(const struct plan *p, size_t i)
{
	return (plan_is_word(p, i, ASK_WORD_LIST) && !spans_asks_whole(p, i)) || plan_is_word(p, i, ASK_WORD_WHICH) ||
	    plan_asks_which(p, i) ||
	    (plan_is_word(p, i, ASK_WORD_STOP) &&
		(p->q.items[i].arg == ASK_STOP_ROWS || p->q.items[i].arg == ASK_STOP_WHAT));
}

static const struct letter {
	matcher *match; /* NULL: match_word() */
	enum { NEXT, HERE } from;
	enum ask_word_kind word;
	size_t item, flag; /* offsets in struct draft_spans; 0: none */
} letters[128] = {
#define LETTER(letter, from, reader) [letter] = { match_##reader, from, ASK_WORD_NONE, 0, 0 },
#define WORD(letter, kind, item) [letter] = { NULL, NEXT, ASK_WORD_##kind, offsetof(struct draft_spans, item), 0 },
#define FLAG(letter, kind, flag) [letter] = { NULL, NEXT, ASK_WORD_##kind, 0, offsetof(struct draft_spans, flag) },
#include "ask/readings/letters.def"
#undef LETTER
#undef WORD
#undef FLAG
};

/* "bulk orders", "round trips" in one, "guests": a state of the root's rows that stands for them. */
static bool
names_state(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++)
		if ((it->hits[k]->kind != ASK_KIND_VALUE && it->hits[k]->kind != ASK_KIND_SEGMENT) ||
		    it->hits[k]->source != plan_root(p) || it->hits[k]->index != it->hits[0]->index)
			return false;
	return it->kind == ASK_ITEM_NAME && it->nhits > 0;
}

bool
spans_may_date(const struct plan *p, size_t i)
{
	for (size_t k = 0; plan_names_any(p, i, ASK_KIND_DATE) && k < p->q.n; k++)
		if (p->q.items[k].kind == ASK_ITEM_PERIOD)
			return true;
	return false;
}

bool
spans_is_word_of_rows(const struct plan *p, size_t word)
{
	for (unsigned german = 0; german < 2; german++) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t k = ask_lexicon_find(p->m->lexicon, ask_key(p->a, &p->q.tokens[word], 1, german), german, found,
		    ASK_HITS_MAX);

		while (k-- > 0)
			if (found[k]->kind == ASK_KIND_SOURCE && found[k]->source == plan_root(p))
				return true;
	}
	return false;
}

uint32_t
spans_rows_of_groups(const struct plan *p, const struct draft *d)
{
	size_t item = d->ngroups == 1 && d->number && !d->leads ? d->groups[0].item : PLAN_NO_ITEM;
	const struct ask_entry *e;
	uint32_t rows = item == PLAN_NO_ITEM ? ASK_NONE : match_owner_at(p, item);

	for (size_t k = 0; rows != ASK_NONE && (e = plan_next_hit(p, item, ASK_KIND_COLUMN, &k)) != NULL;) {
		bool here = e->source == plan_root(p) || around_reaches(p, p->root, e->source);

		if (here && e->index != plan_key_column(&p->m->sources[e->source]) &&
		    !(e->source == p->m->nodes[rows].source && e->index == p->m->sources[e->source].label) &&
		    !ask_is_foreign(p->m, e->source, p->m->sources[e->source].columns[e->index].names.name))
			return ASK_NONE;
	}
	return rows == p->root ? ASK_NONE : rows;
}

bool
spans_stands_for_rows(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	uint32_t root = plan_root(p);
	bool segment = false, of_root = it->kind == ASK_ITEM_NAME;

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		segment |= it->hits[k]->kind == ASK_KIND_SEGMENT;
		of_root &= it->hits[k]->source == root &&
		    (it->hits[k]->kind == ASK_KIND_SEGMENT || it->hits[k]->kind == ASK_KIND_VALUE);
	}
	return segment && of_root &&
	    !(i + 1 < p->q.n && p->q.items[i + 1].first == it->first + it->n && around_names(p, i + 1, root));
}

bool
spans_has_label(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	bool has = false;

	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_SOURCE, &k)) != NULL;)
		has |= p->m->sources[e->source].label != ASK_NONE;
	return has;
}

bool
spans_is_located(const struct plan *p, size_t i)
{
	size_t behind = p->q.items[i].first + p->q.items[i].n, rows = i;

	while (rows > 0 && (p->q.items[rows - 1].kind == ASK_ITEM_WORD || around_is_verb(p, rows - 1)))
		rows--;
	return rows > 0 && spans_has_label(p, rows - 1) && !plan_names_any(p, rows - 1, ASK_KIND_COLUMN) &&
	    plan_reads_before(p, i, "is are liegt") &&
	    ((behind + 1 == p->q.ntokens && plan_reads(p, behind, "in")) ||
		(behind == p->q.ntokens && plan_reads(p, 0, "in")));
}

/* "the one with the highest price", "the price for 3": no number that a column is compared with. */
static bool
is_no_amount(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	struct span before = i > 0 ? p->q.tokens[it->first - 1].folded : SPAN_NONE;

	return span_is_str(before, "for") || span_is_str(before, "für") ||
	    (i > 0 && it->number == 1 && !ascii_is_digit(it->text.p[0]) && p->names->words[it->first - 1].belongs);
}

/* A number; one that is a value of some column as well is a number in front of "or more". */
static bool
number_at(const struct plan *p, size_t i, double *number)
{
	const struct ask_item *it = &p->q.items[i];

	*number = it->number;
	/* "4 cylinders" */
	if (it->kind == ASK_ITEM_NAME && it->n == 1 && p->q.tokens[it->first].number && i + 1 < p->q.n &&
	    ask_item_names_number(p->m, &p->q.items[i + 1]))
		return ask_items_number(it->text, p->q.language, number);
	/* "the 3 heaviest" */
	if (it->kind == ASK_ITEM_NAME && it->n == 1 && p->q.tokens[it->first].number &&
	    (plan_is_word(p, i + 1, ASK_WORD_EXTREME) || plan_is_word(p, i + 1, ASK_WORD_LATEST) ||
		(i > 0 && plan_is_word(p, i - 1, ASK_WORD_TOP))))
		return ask_items_number(it->text, p->q.language, number);
	return it->kind == ASK_ITEM_NUMBER ||
	    (it->kind == ASK_ITEM_NAME && it->n == 1 && plan_is_word(p, i + 1, ASK_WORD_COMPARATOR) &&
		ask_items_number(it->text, p->q.language, number));
}

/* "minimum, average and maximum": whether the aggregate word at i is the first, or joined to those before. */
static bool
joins_fold(const struct plan *p, size_t i, const struct draft_spans *got)
{
	return got->nfolds == 0 ||
	    (got->nfolds < ASK_MEASURES_MAX &&
		(plan_word(p, i)->comma ||
		    (plan_before(p, i) != PLAN_NO_ITEM && plan_is_word(p, plan_before(p, i), ASK_WORD_AND))));
}

/* "a higher price than": 1; "a lower one": 2; 0: neither */
static unsigned
higher_or_lower(struct span word)
{

	return ask_is_any(word, "higher larger greater bigger more mehr höheren höhere höheres größere größeren") ? 1 :
	    ask_is_any(word, "lower smaller less fewer weniger niedrigeren niedrigere kleinere kleineren")        ? 2 :
														    0;
}

/* "the number", behind which nothing follows that is counted. */
static bool
is_bare_number(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];

	return it->kind == ASK_ITEM_UNKNOWN && it->n == 1 && plan_reads(p, it->first, "number anzahl") &&
	    (i + 1 == p->q.n || plan_is_word(p, i + 1, ASK_WORD_AND) || plan_is_word(p, i + 1, ASK_WORD_BY) ||
		p->q.tokens[it->first + 1].comma);
}

static bool
is_word_of(const struct plan *p, size_t i, char letter)
{
	enum ask_word_kind word = letters[letter & 127].word;

	return (word != ASK_WORD_NONE && plan_is_word(p, i, word)) ||
	    /* "…, and the number": of what was said */
	    (letter == 'K' && is_bare_number(p, i)) ||
	    /* "older than 30 years" */
	    (letter == 'Y' && plan_is_word(p, i, ASK_WORD_GRAIN) && p->q.items[i].arg == ASK_UNIT_YEAR);
}

/* "riders but Ana": all others */
static bool
is_all_but(const struct plan *p, size_t i)
{
	size_t next = spans_skip(p, i + 1);

	return i > 0 && plan_names_any(p, i - 1, ASK_KIND_SOURCE) && next < p->q.n &&
	    plan_names_any(p, next, ASK_KIND_VALUE);
}

/* Whether the item is a word, or a number, that the letter stands for. */
static bool
is_span(const struct plan *p, size_t i, char letter, const struct draft_spans *got)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_word_row *row;
	double number;
	size_t n;

	switch (letter) {
	case 'N':
		return !is_no_amount(p, i) && number_at(p, i, &number);
	case 't':
		return it->kind == ASK_ITEM_PERIOD;
	case 'i':
		/* "the first 3", unlike "the first name" */
		row = ask_word(p->q.language, &p->q.tokens[it->first], 1, ASK_WORD_ORDINAL, &n);
		return row != NULL && row->arg == 1 && it->n == 1 && plan_is_number(p, spans_skip(p, i + 1));
	case 'X':
		return plan_is_word(p, i, ASK_WORD_NOT) && it->arg != ASK_NOT_BUT && it->arg != ASK_NOT_APART;
	case '&':
		return plan_is_word(p, i, ASK_WORD_AND) ||
		    (plan_is_word(p, i, ASK_WORD_NOT) && it->arg == ASK_NOT_BUT && !is_all_but(p, i));
	case 'v':
	case 'q':
		return match_is_verb(p, i, letter == 'v');
	case '$':
		/* a column may be called tonnes as well */
		return it->word == ASK_WORD_UNIT;
	case 'g':
	case 'f':
		/* A column may be called so as well. */
		return ((plan_is_word(p, i, ASK_WORD_AGGREGATE) && (letter == 'f' || it->arg == ASK_FOLD_AVG)) ||
			   (letter == 'f' && plan_is_word(p, i, ASK_WORD_EXTREME) &&
			       ((it->arg <= 1 && it->arg >= -1) || it->arg == -ASK_MOST))) &&
		    (letter == 'f' || columns_find(p, p->root, i, &n) == ASK_NONE) && joins_fold(p, i, got);
	case 'm':
		return plan_is_word(p, i, ASK_WORD_EXTREME) && (it->arg == ASK_MOST || it->arg == -ASK_MOST);
	case 'Q':
		return it->n == 1 && higher_or_lower(p->q.tokens[it->first].folded) > 0;
	case 'b':
		return plan_is_extreme(p, i, ASK_COMMONEST);
	case 'U':
		return plan_names_any(p, i, ASK_KIND_SOURCE) || plan_names_any(p, i, ASK_KIND_EVENT);
	case 'y':
		return names_state(p, i);
	case 'I':
		return it->n == 1 && plan_reads(p, it->first, "as for als");
	case 'n':
		return it->n == 1 &&
		    span_is_str(p->q.tokens[it->first].folded, p->q.language == ASK_GERMAN ? "als" : "than");
	case 's':
		return (plan_is_word(p, i, ASK_WORD_EXTREME) || plan_is_word(p, i, ASK_WORD_LATEST)) &&
		    !plan_is_extreme(p, i, ASK_MOST) && got->extreme >= 0; /* no "bottom 2 lightest" */
	default:
		return is_word_of(p, i, letter);
	}
}

bool
spans_is_word(const struct plan *p, size_t i)
{
	static const char of_the_model[] = "fgqUvy";

	for (int letter = '!'; letter <= '~'; letter++)
		if (strchr(of_the_model, letter) == NULL && is_span(p, i, (char)letter, &(struct draft_spans){ 0 }))
			return true;
	return spans_is_skipped(p, i);
}

/* The letters that only some items match, whatever the root is; a bit of the sets each. */
static const char letters_of_items[] = "KDPRBOdahl$TzZASY|k/^@tiX&fmQbUynsIVFMwojW~";

uint64_t
spans_needed(const char *pattern)
{
	uint64_t set = 0;

	for (; *pattern != '\0'; pattern++) {
		const char *at = pattern[1] == '?' ? NULL : strchr(letters_of_items, *pattern);

		set |= at == NULL ? 0 : (uint64_t)1 << (at - letters_of_items);
	}
	return set;
}

/* Whether the item may match the letter, with some root. */
static bool
may_match(const struct plan *p, size_t i, char letter)
{
	switch (letter) {
	case 'V':
		return plan_names_any(p, i, ASK_KIND_VALUE);
	case 'F':
		return plan_names_any(p, i, ASK_KIND_FLAG) || plan_names_any(p, i, ASK_KIND_SEGMENT);
	case 'M':
		return plan_names_any(p, i, ASK_KIND_MEASURE);
	case 'w':
		return plan_names_any(p, i, ASK_KIND_DATE);
	case 'o':
		return plan_names_any(p, i, ASK_KIND_EVENT) || plan_names_any(p, i, ASK_KIND_DATE);
	case 'j':
		return around_is_verb(p, i);
	case 'W':
		return match_says_with(p, i, false);
	case '~':
		return thresholds_is_said(p, i);
	case 'y':
		return p->q.items[i].kind == ASK_ITEM_NAME;
	default:
		return is_span(p, i, letter, &(struct draft_spans){ 0 });
	}
}

void
spans_find_letters(const struct plan *p)
{
	uint64_t behind = 0;

	for (size_t i = p->q.n; i-- > 0;) {
		p->names->skipped[i] = stands_between(p, i);
		for (size_t k = 0; letters_of_items[k] != '\0'; k++)
			behind |= (uint64_t)may_match(p, i, letters_of_items[k]) << k;
		p->names->letters[i] = behind;
	}
}

/* What a word that is_span() has accepted says. */
static void
capture_word(const struct plan *p, size_t i, char letter, struct draft_spans *got)
{
	const struct ask_item *it = &p->q.items[i];

	/* "between 5 and 10", behind another word that compares */
	if (letter == 'R' && got->comparator == PLAN_NO_ITEM)
		got->comparator = i;
	if (letters[letter & 127].item > 0)
		*(size_t *)(void *)((char *)got + letters[letter & 127].item) = i;
	if (letters[letter & 127].flag > 0)
		*((bool *)got + letters[letter & 127].flag) = true;
	switch (letter) {
	case 'N':
		(void)number_at(p, i, &got->number);
		got->amount = it->n == 1 && p->q.tokens[it->first].number ? it->text : SPAN("");
		break;
	case 'R':
		got->number = it->number;
		got->upto = it->upto;
		got->range = true;
		break;
	case 'f':
		got->folds[got->nfolds++] = (struct draft_fold){ i, ASK_NONE };
		break;
	case 'm':
	case 's':
	case 'T':
		got->extreme = it->arg;
		break;
	case 'l':
		got->operator= it->arg;
		break;
	case 'P':
		got->operator= it->arg;
		got->word = p->q.tokens[it->first].folded;
		break;
	case 'Q':
		got->operator= higher_or_lower(p->q.tokens[it->first].folded) == 1 ? ASK_OVER : ASK_UNDER;
		break;
	case 'd':
		got->direction = it->arg;
		/* "most expensive first" */
		if (it->n > 1 && ask_is_any(p->q.tokens[it->first + it->n - 1].folded, "first zuerst"))
			got->word = p->q.tokens[it->first + it->n - 2].folded;
		break;
	case 'D':
		got->distinct = true;
		break;
	case 'X':
		got->negated = true;
		got->none = it->arg == ASK_NOT_HAVING;
		got->but = it->arg == ASK_NOT_EXCEPT;
		got->with |= it->arg == ASK_NOT_NEITHER || it->arg == ASK_NOT_NOR;
		got->and_next |= it->arg == ASK_NOT_NOR;
		break;
	default:
		break;
	}
}

/* A word of the tables, or a number. */
static void
match_word(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	bool article = *pattern == 'N' && i > 0 && s->p->q.language == ASK_GERMAN && got->word.len > 0 &&
	    match_says_with(s->p, i - 1, true);
	struct draft_spans more;

	if (!article && !is_span(s->p, i, *pattern, got))
		return;
	more = *got;
	/* "mehr als eine Behandlung" */
	if (article) {
		more.number = 1;
		more.number_item = 0; /* none of its own */
	}
	if (!article)
		capture_word(s->p, i, *pattern, &more);
	match_go_on(s, pattern, i, article ? 0 : 1, &more);
}

void
spans_match(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct letter *letter = &letters[*pattern & 127];
	size_t at;

	if (s->steps++ > SEARCH_STEPS_MAX || (s->vain && s->led) || (s->p->leaves && s->found))
		return;
	if (*pattern == '\0') {
		s->row_ends(s, i, got);
		return;
	}
	at = letter->from == HERE ? i : spans_skip(s->p, i);
	if (letter->from == HERE || at < s->p->q.n)
		(letter->match != NULL ? letter->match : match_word)(s, pattern, at, got);
	if (pattern[1] == '?')
		spans_match(s, pattern + 2, i, got);
}

bool
spans_asks_list(const struct plan *p, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (plan_is_word(p, i, ASK_WORD_LIST) ||
		    (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_ROWS))
			return true;
	return false;
}
