#include "ask/items.h"
#include "ask/items_settle.h"

#include "ask/route.h"
#include "base/text/num.h"

#define VALUE_WORDS_MAX	20u	/* of a value that a question may name */

static uint32_t
source_called(const struct ask_model *m, struct span name)
{
	for (uint32_t i = 0; i < m->nsources; i++)
		if (span_is(m->sources[i].names.name, name))
			return m->sources[i].covered ? ASK_NONE : i;
	return ASK_NONE;
}

/* The known values as entries, if the model has their column. */
static void
read_values(struct itemizing *z)
{
	size_t n = z->known == NULL ? 0 : z->known->nvalues < ASK_VALUES_MAX ? z->known->nvalues : ASK_VALUES_MAX;

	z->values = arena_array(z->a, n + 1, sizeof(*z->values));
	for (size_t i = 0; z->values != NULL && i < n; i++) {
		const struct ask_value *v = &z->known->values[i];
		struct known_value *k = &z->values[z->nvalues];
		uint32_t source = source_called(z->m, v->source);

		for (uint32_t c = 0; source != ASK_NONE && c < z->m->sources[source].ncolumns; c++)
			if (span_is(z->m->sources[source].columns[c].names.name, v->column) &&
			    !z->m->sources[source].columns[c].internal) {
				k->entry = (struct ask_entry){ .source = source, .index = c, .value = v->value,
					.kind = ASK_KIND_VALUE,
					.tier = ASK_TIER_VALUE };
				k->t = ask_tokens(z->a, v->value, false, VALUE_WORDS_MAX, &k->n);
				z->nvalues += k->t != NULL && k->n > 0 && k->n <= VALUE_WORDS_MAX;
				break;
			}
	}
}

/* plural: the last words may differ in number. */
bool
ask_items_value_stands_at(const struct known_value *v, const struct ask_token *t, size_t n, bool plural)
{
	if (v->n > n)
		return false;
	for (size_t i = 0; i < v->n; i++)
		if (!span_is(v->t[i].folded, t[i].folded) &&
		    (!plural || i + 1 < v->n || !span_is(v->t[i].stem, t[i].stem)))
			return false;
	return true;
}

void
ask_items_add_hit(const struct itemizing *z, struct ask_item *item, const struct ask_entry *e)
{
	for (size_t i = 0; i < item->nhits; i++)
		if (item->hits[i]->kind == e->kind && item->hits[i]->source == e->source &&
		    item->hits[i]->index == e->index && ask_is_same_value(z->a, item->hits[i]->value, e->value))
			return;
	if (item->nhits < ASK_HITS_MAX)
		item->hits[item->nhits++] = e;
}

/*
 * Copy the `want` words of a name from i on; skip: without auxiliary verbs.  Returns the number of words that they span
 * in the question; 0: too few.
 */
static size_t
name_words(const struct itemizing *z, size_t i, size_t want, bool skip, struct ask_token *out)
{
	const struct ask_items *q = z->out;
	size_t n = 0, at = i, len;

	while (n < want && at < q->ntokens) {
		const struct ask_word_row *row;

		if (n > 0 && q->tokens[at].comma)
			return 0;
		row = n == 0 || !skip ? NULL :
					ask_word(q->language, q->tokens + at, q->ntokens - at, ASK_WORD_STOP, &len);
		if (row != NULL && len == 1 && row->arg == 1)
			at++;
		else
			out[n++] = q->tokens[at++];
	}
	return n == want ? at - i : 0;
}

/* "rented at least twice": whether the last word of the name begins a comparison. */
static bool
ends_in_comparator(const struct itemizing *z, size_t i, size_t len)
{
	size_t words, last = i + len - 1;

	return len > 1 &&
	    ask_word(z->out->language, z->out->tokens + last, z->out->ntokens - last, ASK_WORD_COMPARATOR, &words) !=
	    NULL &&
	    words > 1;
}

void
ask_items_find_names(const struct itemizing *z, size_t i, struct ask_item *item)
{
	struct ask_token words[ASK_NAME_WORDS_MAX];

	/* "date the order was placed" may be a name itself */
	for (size_t want = ASK_NAME_WORDS_MAX, skip = 0; want > 0; want -= skip, skip = !skip) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t len = name_words(z, i, want, skip == 1, words), n;

		if (len == 0 || len < item->n || ends_in_comparator(z, i, len))
			continue;
		n = ask_lexicon_words(z->m->lexicon, z->a, words, want, false, found);
		/* "Arbeiten" are work, too */
		if (z->out->language == ASK_GERMAN &&
		    (n == 0 || (n < ASK_HITS_MAX && words[0].capital && found[0]->kind == ASK_KIND_VERB)))
			n += ask_lexicon_find(z->m->lexicon, ask_key(z->a, words, want, true), true, found + n,
			    ASK_HITS_MAX - n);
		if (n == 0 && want == 2)
			n = ask_lexicon_find(z->m->lexicon, ask_joined(z->a, words, 2), false, found, ASK_HITS_MAX);
		if (n == 0)
			continue;
		if (len > item->n)
			item->nhits = 0;
		item->n = len;
		for (size_t k = 0; k < n; k++)
			ask_items_add_hit(z, item, found[k]);
	}
}

/* "roten", of rot: an adjective whose stem is too short to lose its ending elsewhere. */
static void
find_adjective(const struct itemizing *z, size_t i, struct ask_item *item)
{
	static const char *const endings[] = { "en", "er", "es", "em", "e" };
	const struct ask_token *t = &z->out->tokens[i];
	const struct ask_entry *found[ASK_HITS_MAX];

	if (z->out->language != ASK_GERMAN || t->capital || t->number)
		return;
	for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]) && item->nhits == 0; k++) {
		struct span stem = span_of(t->folded.p, t->folded.len - strlen(endings[k]));
		size_t n = stem.len < 3 || !span_ends(t->folded, endings[k]) ?
		    0 :
		    ask_lexicon_find(z->m->lexicon, stem, false, found, ASK_HITS_MAX);

		for (size_t h = 0; h < n; h++)
			if (found[h]->kind == ASK_KIND_SEGMENT || found[h]->kind == ASK_KIND_VALUE ||
			    found[h]->kind == ASK_KIND_FLAG)
				ask_items_add_hit(z, item, found[h]);
		item->n = item->nhits > 0 ? 1 : item->n;
	}
}

/* "type of pet" for the column pet_type: the words in reverse order, when the first word alone is no name. */
static void
find_turned(const struct itemizing *z, size_t i, struct ask_item *item)
{
	const struct ask_token *t = z->out->tokens + i;
	const struct ask_entry *found[ASK_HITS_MAX];
	struct ask_token words[2];
	size_t n;

	if (item->nhits > 0 || z->out->language != ASK_ENGLISH || i + 2 >= z->out->ntokens ||
	    !span_is_str(t[1].folded, "of") || t[1].comma || t[2].comma)
		return;
	words[0] = t[2];
	words[1] = t[0];
	n = ask_lexicon_words(z->m->lexicon, z->a, words, 2, false, found);
	for (size_t k = 0; k < n; k++)
		if (found[k]->kind == ASK_KIND_COLUMN || found[k]->kind == ASK_KIND_MEASURE)
			ask_items_add_hit(z, item, found[k]);
	item->n = item->nhits > 0 ? 3 : item->n;
}

/* The participle of a regular verb: "opened", "hired", "planned"; empty: the verb has no such form. */
static struct span
participle_of(struct arena *a, struct span verb, unsigned way)
{
	bool e = verb.p[verb.len - 1] == 'e', y = verb.p[verb.len - 1] == 'y';

	if (way == 0)
		return span_str(arena_printf(a, "%.*s%s", SPAN_FMT(verb), e ? "d" : "ed"));
	if (way == 1 && y)
		return span_str(arena_printf(a, "%.*sied", (int)verb.len - 1, (const char *)verb.p));
	return way == 2 ? span_str(arena_printf(a, "%.*s%ced", SPAN_FMT(verb), verb.p[verb.len - 1])) : SPAN("");
}

/* "when did it open", "did not borrow": the verb of a date or an event, behind "did". */
static void
find_base_verb(const struct itemizing *z, size_t i, struct ask_item *item)
{
	static const char *const pasts[][2] = { { "lend", "lent" }, { "leave", "left" }, { "pay", "paid" },
		{ "buy", "bought" }, { "sell", "sold" }, { "send", "sent" }, { "begin", "begun" }, { "win", "won" } };
	const struct ask_token *t = &z->out->tokens[i];
	const struct ask_entry *found[ASK_HITS_MAX];
	bool did = false;

	for (size_t k = 0; k < i; k++)
		did |= span_is_str(z->out->tokens[k].folded, "did");
	if (!did || z->out->language != ASK_ENGLISH || item->nhits > 0 || t->number || t->plural || t->folded.len < 3)
		return;
	for (unsigned way = 0; way < 4 && item->nhits == 0; way++) {
		struct span form = participle_of(z->a, t->folded, way);
		size_t n = 0;

		for (size_t k = 0; way == 3 && k < sizeof(pasts) / sizeof(pasts[0]); k++)
			if (span_is_str(t->folded, pasts[k][0]))
				form = span_str(pasts[k][1]);
		if (form.len > 0)
			n = ask_lexicon_find(z->m->lexicon, form, false, found, ASK_HITS_MAX);
		for (size_t h = 0; h < n; h++)
			if (found[h]->kind == ASK_KIND_DATE || found[h]->kind == ASK_KIND_EVENT)
				ask_items_add_hit(z, item, found[h]);
	}
	item->n = item->nhits > 0 ? 1 : item->n;
}

static void
find_values(const struct itemizing *z, size_t i, bool plural, struct ask_item *item)
{
	size_t least = plural ? item->n + 1 : item->n;

	for (size_t k = 0; k < z->nvalues; k++) {
		const struct known_value *v = &z->values[k];

		if (v->n < least || v->n < item->n ||
		    !ask_items_value_stands_at(v, z->out->tokens + i, z->out->ntokens - i, plural))
			continue;
		if (v->n > item->n)
			item->nhits = 0;
		item->n = v->n;
		ask_items_add_hit(z, item, &v->entry);
	}
}

/* Whether the column's name, label, synonyms or description contain the word. */
static bool
is_said_of(const struct itemizing *z, const struct ask_names *names, struct span word)
{
	struct span texts[3] = { names->name, names->label, names->description };

	for (size_t k = 0; k < 3 + names->nsynonyms; k++) {
		size_t n;
		struct ask_token *t = ask_tokens(z->a, k < 3 ? texts[k] : names->synonyms[k - 3], k == 0, 40, &n);

		for (size_t i = 0; t != NULL && i < n && i < 40; i++)
			if (span_is(t[i].folded, word))
				return true;
	}
	return false;
}

static bool
is_known_beside(const struct itemizing *z, const struct ask_entry *value, struct span other)
{
	for (size_t k = 0; k < z->nvalues; k++)
		if (z->values[k].entry.source == value->source && z->values[k].entry.index == value->index &&
		    z->values[k].n == 1 && span_is(z->values[k].t[0].folded, other))
			return true;
	return false;
}

/* "female" for the value F of a column sex that also has the value M. */
static void
find_codes(const struct itemizing *z, size_t i, struct ask_item *item)
{
	struct ask_code code;

	for (size_t at = 0; item->nhits == 0 && ask_code(z->out->language, &z->out->tokens[i], &at, &code);)
		for (size_t k = 0; k < z->nvalues; k++) {
			const struct known_value *v = &z->values[k];
			const struct ask_column *c = &z->m->sources[v->entry.source].columns[v->entry.index];

			if (v->n == 1 && span_is(v->t[0].folded, code.code) && is_said_of(z, &c->names, code.column) &&
			    is_known_beside(z, &v->entry, code.other)) {
				ask_items_add_hit(z, item, &v->entry);
				item->n = 1;
			}
		}
}

bool
ask_item_is_value(const struct ask_item *item)
{
	for (size_t i = 0; i < item->nhits; i++)
		if (item->hits[i]->kind != ASK_KIND_VALUE)
			return false;
	return true;
}

/*
 * "holds", as rows are called: a noun where it is a plural, or behind an article, unless it is between a subject and
 * its object, as in "who holds a card".
 */
static bool
is_noun_of_rows(const struct itemizing *z, const struct ask_item *item)
{
	const struct ask_items *q = z->out;
	const struct ask_token *t = &q->tokens[item->first];
	const struct ask_item *before = q->n > 0 ? &q->items[q->n - 1] : NULL;
	size_t len;
	bool rows = false, subject, article;

	for (size_t i = 0; i < item->nhits; i++)
		rows |= item->hits[i]->kind == ASK_KIND_SOURCE;
	if (!rows || item->n != 1 || q->language == ASK_GERMAN)
		return rows && item->n == 1 && t->capital;
	article = before != NULL &&
	    ((before->kind == ASK_ITEM_WORD && before->word != ASK_WORD_STOP && before->word != ASK_WORD_WHICH) ||
		ask_word(q->language, t - 1, 1, ASK_WORD_BELONGS, &len) != NULL ||
		ask_word(q->language, t - 1, 1, ASK_WORD_WITH, &len) != NULL);
	subject = before != NULL && !article && before->word != ASK_WORD_STOP &&
	    (before->kind == ASK_ITEM_NAME || before->word == ASK_WORD_WHICH);
	subject |= before != NULL && before->word == ASK_WORD_STOP && before->arg == ASK_STOP_ROWS;
	if (subject && item->first + 1 < q->ntokens)
		return t->plural &&
		    ask_word(q->language, t + 1, q->ntokens - item->first - 1, ASK_WORD_EXTREME, &len) == NULL &&
		    ask_word(q->language, t + 1, 1, ASK_WORD_WITH, &len) == NULL && !span_is_str(t[1].folded, "the");
	return t->plural || article;
}

/*
 * Function words that lose to a name of the model of the same length.  A unit is no value: "revenue in USD".  The noun
 * "Kosten" compares nothing.
 */
static bool
yields_to_names(const struct itemizing *z, const struct ask_word_row *row, const struct ask_item *item)
{
	enum ask_word_kind kind = row->kind;

	if (kind == ASK_WORD_COMPARATOR)
		return z->out->language == ASK_GERMAN && z->out->tokens[item->first].capital && item->n == 1;
	if (kind == ASK_WORD_UNIT && ask_item_is_value(item))
		return false;
	return (kind == ASK_WORD_STOP && (ask_stop_may_be_value(row->arg) || is_noun_of_rows(z, item))) ||
	    kind == ASK_WORD_VAGUE || kind == ASK_WORD_STAKES || kind == ASK_WORD_UNIT || kind == ASK_WORD_KINDS ||
	    kind == ASK_WORD_VALUES || kind == ASK_WORD_REFUSED || kind == ASK_WORD_GRAIN || kind == ASK_WORD_SHARE ||
	    kind == ASK_WORD_CHANGE || kind == ASK_WORD_VAGUE_TIME || kind == ASK_WORD_MEANING ||
	    kind == ASK_WORD_TIMES;
}

bool
ask_items_number(struct span text, enum ask_language language, double *out)
{
	char digits[15 + 2], group = language == ASK_GERMAN ? '.' : ',', point = language == ASK_GERMAN ? ',' : '.';
	size_t n = 0;

	if (text.len > 0 && (memchr(text.p, 'e', text.len) != NULL || memchr(text.p, 'E', text.len) != NULL))
		return num_read_double((const char *)text.p, text.len, out);
	for (size_t i = 0; i < text.len && n < sizeof(digits) - 1; i++) {
		if ((char)text.p[i] == group) {
			if (i + 3 >= text.len || (i + 4 < text.len && ascii_is_digit(text.p[i + 4])))
				return false;
			continue;
		}
		if (!ascii_is_digit(text.p[i]) && (char)text.p[i] != point)
			return false;
		digits[n++] = (char)text.p[i] == point ? '.' : (char)text.p[i];
	}
	return n < sizeof(digits) - 1 && num_read_double(digits, n, out);
}

bool
ask_items_number_of_both(struct span text, enum ask_language language, double *whole)
{
	char point = language == ASK_GERMAN ? ',' : '.', digits[8] = { 0 };
	size_t n = 0;

	if (text.len < 5 || text.len > 7 || text.p[text.len - 4] != (uint8_t)point || text.p[0] == '0')
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (i != text.len - 4)
			digits[n++] = (char)text.p[i];
	return num_read_double(digits, n, whole);
}

/* "-5", "-$5": a minus sign directly before the digits or their unit, with a blank or a comparison sign before it. */
static bool
is_negative(const struct itemizing *z, size_t i)
{
	const struct ask_token *t = &z->out->tokens[i], *before = i > 0 ? t - 1 : NULL;
	struct span gap;
	size_t len;

	if (i > 1 && before->text.p + before->text.len == t->text.p &&
	    ask_word(z->out->language, before, 1, ASK_WORD_UNIT, &len) != NULL)
		t = before--;
	if (before == NULL)
		return false;
	gap = span_of(before->text.p + before->text.len, (size_t)(t->text.p - (before->text.p + before->text.len)));
	if (!span_ends(gap, "-") && !span_ends(gap, "\u2212"))
		return false;
	gap.len -= span_ends(gap, "-") ? strlen("-") : strlen("\u2212");
	return gap.len > 0 ? ascii_is_any(gap.p[gap.len - 1], " \t") : ascii_is_any(gap.p[-1], "<>=");
}

/* The number that the word stands for, with its sign. */
bool
ask_items_signed_number(const struct itemizing *z, size_t i, double *out)
{
	const struct ask_token *t = &z->out->tokens[i];

	if (!t->number || !ask_items_number(t->text, z->out->language, out))
		return false;
	*out = is_negative(z, i) ? -*out : *out;
	return true;
}

static bool
number_is_meant(const struct itemizing *z)
{
	const struct ask_item *before = z->out->n > 0 ? &z->out->items[z->out->n - 1] : NULL;

	return before != NULL && before->kind == ASK_ITEM_WORD &&
	    (before->word == ASK_WORD_COMPARATOR || before->word == ASK_WORD_TOP);
}

static bool
fits_noun(const struct itemizing *z, const struct ask_entry *e, int noun)
{
	const struct ask_source *s = &z->m->sources[e->source];

	switch (e->kind) {
	case ASK_KIND_MEASURE:
		return noun == ASK_NOUN_NUMBER;
	case ASK_KIND_COLUMN:
		/* "the winning aircraft name", where the column holds the key of an aircraft: a key is no name */
		return !(noun == ASK_NOUN_NAME && ask_is_foreign(z->m, e->source, s->columns[e->index].names.name)) &&
		    s->columns[e->index].type ==
		    (noun == ASK_NOUN_DATE          ? ASK_TYPE_TIME :
			    noun == ASK_NOUN_NUMBER ? ASK_TYPE_NUMBER :
						      ASK_TYPE_TEXT);
	default:
		return false;
	}
}

/* The column that names the source's rows, as an entry; 0: the source has none. */
static size_t
label_entry(const struct itemizing *z, const struct ask_entry *e, const struct ask_entry **out)
{
	const struct ask_source *s = &z->m->sources[e->source];
	const struct ask_entry *found[ASK_HITS_MAX];
	struct ask_words label = s->label == ASK_NONE ? (struct ask_words){ 0 } : s->columns[s->label].names.words;
	size_t n = label.n == 0 ? 0 : ask_lexicon_words(z->m->lexicon, z->a, label.t, label.n, false, found);

	for (size_t i = 0; i < n; i++)
		if (found[i]->kind == ASK_KIND_COLUMN && found[i]->source == e->source && found[i]->index == s->label) {
			*out = found[i];
			return 1;
		}
	return 0;
}

/*
 * "birth date", "sales amount", "region name": the noun after a name tells the kind of column, and is not a name
 * itself.
 */
static void
take_noun(const struct itemizing *z, struct ask_item *item)
{
	const struct ask_items *q = z->out;
	size_t next = item->first + item->n, len, n = 0;
	const struct ask_entry *own[ASK_HITS_MAX], *fitting[ASK_HITS_MAX];
	const struct ask_word_row *noun;
	bool source = false;

	if (next >= q->ntokens || q->tokens[next].comma ||
	    (noun = ask_word(q->language, &q->tokens[next], 1, ASK_WORD_NOUN, &len)) == NULL)
		return;
	for (size_t h = 0; h < item->nhits; h++)
		source |= item->hits[h]->kind == ASK_KIND_SOURCE;
	for (size_t k = ask_lexicon_words(z->m->lexicon, z->a, &q->tokens[next], 1, false, own); k > 0 && source; k--)
		for (size_t h = 0; h < item->nhits; h++)
			if (own[k - 1]->source == item->hits[h]->source)
				return;
	for (size_t h = 0; h < item->nhits; h++)
		if (item->hits[h]->kind == ASK_KIND_SOURCE && noun->arg == ASK_NOUN_NAME)
			n += label_entry(z, item->hits[h], &fitting[n]);
		else if (fits_noun(z, item->hits[h], noun->arg))
			fitting[n++] = item->hits[h];
	if (n == 0)
		return;
	memcpy(item->hits, fitting, n * sizeof(fitting[0]));
	item->nhits = n;
	item->n++;
}

/* Keep the values that the words may also be, in case a column next to them makes them one. */
static void
keep_values(const struct ask_item *from, struct ask_item *item)
{
	for (size_t i = 0; i < from->nhits && from->n == item->n && item->nspare < 4; i++)
		if (from->hits[i]->kind == ASK_KIND_VALUE)
			item->spare[item->nspare++] = from->hits[i];
}

bool
ask_item_names_number(const struct ask_model *m, const struct ask_item *item)
{
	for (size_t i = 0; i < item->nhits; i++)
		if (item->hits[i]->kind == ASK_KIND_COLUMN &&
		    m->sources[item->hits[i]->source].columns[item->hits[i]->index].type == ASK_TYPE_NUMBER)
			return true;
	return false;
}

static bool
number_at(const struct itemizing *z, size_t i, double *out)
{
	size_t len;
	const struct ask_word_row *row;

	if (i >= z->out->ntokens)
		return false;
	if (z->out->tokens[i].number)
		return ask_items_signed_number(z, i, out);
	row = ask_word(z->out->language, z->out->tokens + i, 1, ASK_WORD_NUMBER, &len);
	if (row != NULL)
		*out = row->arg;
	return row != NULL;
}

/* "between 5 and 10", when it is not a period or follows a number column. */
static bool
read_range(const struct itemizing *z, size_t i, size_t period_len, struct ask_item *out)
{
	const struct ask_items *q = z->out;
	const struct ask_token *t = q->tokens + i;
	size_t left = q->ntokens - i, lead, to;

	if (period_len > 0 && (q->n == 0 || !ask_item_names_number(z->m, &q->items[q->n - 1])))
		return false;
	*out = (struct ask_item){ .kind = ASK_ITEM_WORD, .word = ASK_WORD_RANGE, .first = i };
	if (ask_word(q->language, t, left, ASK_WORD_BETWEEN, &lead) == NULL &&
	    ask_word(q->language, t, left, ASK_WORD_FROM, &lead) == NULL) {
		/* "3 to 17 items" */
		lead = 0;
		if (left < 3 || !(span_is_str(t[1].folded, "to") || span_is_str(t[1].folded, "bis")))
			return false;
	}
	if (lead >= left || !number_at(z, i + lead, &out->number) || lead + 1 >= left ||
	    ask_word(q->language, t + lead + 1, left - lead - 1, ASK_WORD_TO, &to) == NULL ||
	    !number_at(z, i + lead + 1 + to, &out->upto) || out->upto < out->number)
		return false;
	out->n = lead + 1 + to + 1;
	return true;
}

static bool
is_preposition(const struct ask_token *t)
{
	return ask_is_any(t->folded, "in of to on an my we from for");
}

/* "US", "M", "grade A": letters whose spelling shows that they are not a word of the language. */
static bool
is_code(const struct itemizing *z, size_t i, const struct ask_word_row *row, size_t words)
{
	const struct ask_token *t = &z->out->tokens[i];

	if (words != 1 || row->kind != ASK_WORD_STOP)
		return false;
	if (row->arg == ASK_STOP_CONTRACTED)
		return !t->contracted;
	/* "the us", which is no pronoun there */
	if (span_is_str(t->folded, "us") && i > 0 && span_is_str(t[-1].folded, "the"))
		return true;
	if (!t->upper)
		return false;
	if (t->text.len == 1)
		return i > 0 && !span_is_str(t->text, "I");
	/* Capitals may be emphasis: "revenue BY country IN 2025".  "customers in US" is a code, "from IN" too. */
	return t->text.len == 2 && (!is_preposition(t) || (i > 0 && is_preposition(t - 1) && !t[-1].upper));
}

/* After "more than" a number is a number, even if a known text is spelled the same. */
static void
drop_values(struct ask_item *item)
{
	size_t n = 0;

	for (size_t i = 0; i < item->nhits; i++)
		if (item->hits[i]->kind != ASK_KIND_VALUE)
			item->hits[n++] = item->hits[i];
	item->nhits = n;
	item->n = n > 0 ? item->n : 0;
}

static bool
is_number_before(const struct itemizing *z)
{
	const struct ask_item *before = &z->out->items[z->out->n - 1];

	return before->kind == ASK_ITEM_NUMBER ||
	    (before->kind == ASK_ITEM_WORD && (before->word == ASK_WORD_RANGE || before->word == ASK_WORD_UNIT));
}

/* A small letter alone is a value only after its column. */
static bool
is_single_letter(const struct ask_token *t)
{
	return t->text.len == 1 && t->text.p[0] >= 'a' && t->text.p[0] <= 'z' && !t->quoted;
}

/* The longest phrase of function words at i. */
static const struct ask_word_row *
function_word(const struct itemizing *z, size_t i, size_t *words)
{
	static const enum ask_word_kind lists[] = { ASK_WORD_ORDER, ASK_WORD_DIRECTION, ASK_WORD_ALPHABETICAL,
		ASK_WORD_THEN, ASK_WORD_LIKE };
	const struct ask_token *t = z->out->tokens + i;
	size_t left = z->out->ntokens - i, len;
	const struct ask_word_row *best = ask_word(z->out->language, t, left, ASK_WORD_NONE, words), *row;

	/* "names of", where a list may begin with another column */
	if (z->out->lists && best != NULL && best->kind == ASK_WORD_LIST && best->arg == ASK_LIST_NAMES) {
		best = NULL;
		*words = 0;
	}
	for (size_t k = 0; z->out->lists && k < sizeof(lists) / sizeof(lists[0]); k++)
		if ((row = ask_word(z->out->language, t, left, lists[k], &len)) != NULL && len > *words) {
			best = row;
			*words = len;
		}
	return best;
}

/* "Monterey county" in small letters, where a county is called Monterey, though an appellation has the whole name. */
static void
part_column(const struct itemizing *z, size_t i, struct ask_item *item)
{
	const struct ask_entry *found[ASK_HITS_MAX];
	const struct ask_token *last = z->out->tokens + i + item->n - 1;
	size_t n, rest = item->n - 1;

	if (item->nhits == 0 || rest == 0 || !ask_item_is_value(item) || last->capital || last->quoted)
		return;
	n = ask_lexicon_words(z->m->lexicon, z->a, last, 1, false, found);
	for (size_t k = 0; k < z->nvalues; k++)
		for (size_t h = 0; h < n && z->values[k].n == rest; h++)
			if (ask_is_value_of(found[h], &z->values[k].entry) &&
			    ask_items_value_stands_at(&z->values[k], z->out->tokens + i, rest, false)) {
				item->nhits = 0;
				item->n = rest;
				ask_items_add_hit(z, item, &z->values[k].entry);
				return;
			}
}

static struct ask_item
item_of_row(size_t i, size_t n, const struct ask_word_row *row)
{
	return (struct ask_item){ .kind = ASK_ITEM_WORD, .first = i, .n = n, .word = row->kind, .arg = row->arg };
}

/* "in our catalogue", where something is called a catalogue */
static bool
ends_in_name(const struct itemizing *z, size_t last)
{
	const struct ask_entry *found[1];

	return ask_lexicon_find(z->m->lexicon, ask_key(z->a, &z->out->tokens[last], 1, false), false, found, 1) > 0;
}

/* "which branch was opened first", "hired last" */
static bool
ends_in_first(const struct itemizing *z, size_t i, struct ask_item *item)
{
	const struct ask_items *q = z->out;
	const struct ask_item *before = q->n > 0 ? &q->items[q->n - 1] : NULL;
	bool first = ask_is_any(q->tokens[i].folded, "first zuerst"), date = false;

	for (size_t k = 0; before != NULL && k < before->nhits; k++)
		date |= before->hits[k]->kind == ASK_KIND_DATE;
	if (i + 1 != q->ntokens || !date || (!first && !ask_is_any(q->tokens[i].folded, "last zuletzt")))
		return false;
	*item = (struct ask_item){ .kind = ASK_ITEM_WORD, .first = i, .n = 1, .word = ASK_WORD_LATEST,
		.arg = first ? -1 : 1 };
	return true;
}

/* "when was the last order", "wann war die erste Bestellung": the latest, or the earliest. */
static bool
says_last(const struct itemizing *z, size_t i, struct ask_item *item)
{
	const struct ask_items *q = z->out;
	const struct ask_token *t = q->tokens + i;
	const struct ask_entry *found[ASK_HITS_MAX];
	bool german = q->language == ASK_GERMAN, rows = false;
	const struct ask_word_row *first = ask_word(q->language, t, 1, ASK_WORD_ORDINAL, &item->n);
	size_t n, len;

	if (i == 0 || i + 1 >= q->ntokens || ask_word(q->language, q->tokens, 1, ASK_WORD_WHEN, &len) == NULL ||
	    !((first != NULL && first->arg == 1) || ask_word(q->language, t, 1, ASK_WORD_LAST, &len) != NULL))
		return false;
	n = ask_lexicon_find(z->m->lexicon, ask_key(z->a, t + 1, 1, german), german, found, ASK_HITS_MAX);
	for (size_t k = 0; k < n; k++)
		rows |= found[k]->kind == ASK_KIND_SOURCE;
	if (rows)
		*item = (struct ask_item){ .kind = ASK_ITEM_WORD, .first = i, .n = 1, .word = ASK_WORD_LATEST,
			.arg = first != NULL ? -1 : 1 };
	return rows;
}

/* "Morning! …": the first word, alone. */
static bool
is_greeting(const struct itemizing *z, size_t i)
{
	const struct ask_token *t = z->out->tokens;

	return i == 0 && z->out->ntokens > 1 && t[1].comma &&
	    ask_is_any(t->folded, "morning afternoon evening hey morgen moin");
}

static void
item_of_words(const struct itemizing *z, size_t i, struct ask_item *item)
{
	const struct ask_token *t = z->out->tokens + i;
	size_t left = z->out->ntokens - i, words = 0, period_len;
	const struct ask_word_row *row = function_word(z, i, &words);
	struct ask_period period;
	struct ask_item spare, range;
	const struct ask_word_row *unit;
	size_t len;
	bool number = number_is_meant(z);

	if (i > 0 && z->out->n > 0 && is_number_before(z) &&
	    ask_word(z->out->language, t, left, ASK_WORD_AGED, &len) != NULL) {
		*item = (struct ask_item){ .kind = ASK_ITEM_WORD, .first = i, .n = len, .word = ASK_WORD_AGED };
		return;
	}
	if (row != NULL && (is_code(z, i, row, words) || (row->kind == ASK_WORD_CHANGE && i > 0 && t->capital)))
		row = NULL;
	if (row != NULL && words > 1 &&
	    ((row->kind == ASK_WORD_STOP && ends_in_name(z, i + words - 1)) ||
		/* "longest first reply" */
		(row->kind == ASK_WORD_DIRECTION && words < left && !t[words].comma &&
		    span_is_str(t[words - 1].folded, "first"))))
		row = ask_word(z->out->language, t, 1, ASK_WORD_NONE, &words);
	/* a name with "ha" or 'ha' in it */
	if (row != NULL && row->kind == ASK_WORD_UNIT &&
	    (t->quoted || (i > 0 && !t->contracted && t->text.p[-1] == '\'')))
		row = NULL;
	/* "intake in t", unlike "isn t" */
	if (row != NULL && row->kind == ASK_WORD_NOT && words == 1 && !t->contracted &&
	    (unit = ask_word(z->out->language, t, 1, ASK_WORD_UNIT, &len)) != NULL)
		row = unit;
	if (says_last(z, i, item) || ends_in_first(z, i, item))
		return;
	if (is_greeting(z, i)) {
		*item = (struct ask_item){ .kind = ASK_ITEM_WORD, .first = i, .n = 1, .word = ASK_WORD_STOP };
		return;
	}
	*item = (struct ask_item){ .first = i };
	ask_items_find_names(z, i, item);
	find_values(z, i, false, item);
	find_values(z, i, true, item);
	part_column(z, i, item);
	find_codes(z, i, item);
	spare = *item;
	if ((number && t->number) || (is_single_letter(t) && item->n == 1))
		drop_values(item);
	if (row == NULL) {
		find_turned(z, i, item);
		find_adjective(z, i, item);
		find_base_verb(z, i, item);
	}
	if (item->nhits > 0) {
		item->kind = ASK_ITEM_NAME;
		take_noun(z, item);
	}
	period_len = ask_period_at(z->c, z->out->language, t, left, &period);
	if (number && period_len == 1 && period.bare)
		period_len = 0;
	if (read_range(z, i, period_len, &range)) {
		*item = range;
		return;
	}
	if (period_len > 0 && period_len >= item->n && period_len >= words) {
		*item = (struct ask_item){ .kind = ASK_ITEM_PERIOD, .first = i, .n = period_len, .period = period };
		keep_values(&spare, item);
		return;
	}
	if (row != NULL && z->out->n > 0 && is_number_before(z) &&
	    (unit = ask_word(z->out->language, t, left, ASK_WORD_UNIT, &len)) != NULL && len >= words) {
		/* "60 min" */
		*item = item_of_row(i, len, unit);
		return;
	}
	if (row != NULL && words > 0 && (words > item->n || (words == item->n && !yields_to_names(z, row, item)))) {
		*item = item_of_row(i, words, row);
		keep_values(&spare, item);
		if (row->kind == ASK_WORD_NUMBER) {
			item->kind = ASK_ITEM_NUMBER;
			item->number = row->arg;
		}
		return;
	}
	if (row != NULL && words == item->n && (row->kind == ASK_WORD_GRAIN || row->kind == ASK_WORD_UNIT)) {
		item->word = row->kind;
		item->arg = row->arg;
	}
	if (item->kind == ASK_ITEM_NAME)
		return;
	item->n = 1;
	keep_values(&spare, item);
	if (ask_items_signed_number(z, i, &item->number))
		item->kind = ASK_ITEM_NUMBER;
	else if (t->plural && z->out->language == ASK_ENGLISH) {
		/* "months": the plural of a unit. */
		struct ask_token one = *t;

		one.folded = one.stem;
		row = ask_word(ASK_ENGLISH, &one, 1, ASK_WORD_GRAIN, &words);
		if (row != NULL)
			*item = item_of_row(i, 1, row);
	}
}

bool
ask_is_same_value(struct arena *a, struct span one, struct span two)
{
	size_t n, m;
	struct ask_token *t, *u;

	if (span_is(one, two))
		return true;
	t = ask_tokens(a, one, false, VALUE_WORDS_MAX, &n);
	u = ask_tokens(a, two, false, VALUE_WORDS_MAX, &m);
	if (t == NULL || u == NULL || n != m || n == 0 || n > VALUE_WORDS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!span_is(t[i].folded, u[i].folded))
			return false;
	return true;
}

/* "5 million", "one hundred thousand", "500k": the number times what the words behind it say. */
static void
scale_number(const struct itemizing *z, struct ask_item *item)
{
	const struct ask_token *t = &z->out->tokens[item->first];
	const struct ask_word_row *row;
	size_t len;

	if (item->kind == ASK_ITEM_UNKNOWN && item->n == 1 && t->text.len > 1 &&
	    ascii_lower(t->text.p[t->text.len - 1]) == 'k' &&
	    ask_items_number(span_of(t->text.p, t->text.len - 1), z->out->language, &item->number)) {
		item->kind = ASK_ITEM_NUMBER;
		item->number *= 1000;
	}
	while (item->kind == ASK_ITEM_NUMBER && item->first + item->n < z->out->ntokens && !t[item->n].comma &&
	    (row = ask_word(z->out->language, &t[item->n], 1, ASK_WORD_NUMBER, &len)) != NULL && row->arg >= 100) {
		item->number *= row->arg;
		item->n++;
	}
}

int
ask_items_read(const struct ask_model *m, const struct ask_context *c, const struct ask_known *known,
    struct ask_token *tokens, size_t n, struct arena *a, struct ask_items *out)
{
	struct itemizing z = { .m = m, .c = c, .known = known, .a = a, .out = out };

	out->tokens = tokens;
	out->ntokens = n;
	out->items = arena_array(a, n + 1, sizeof(*out->items));
	read_values(&z);
	if (out->items == NULL || z.values == NULL)
		return -1;
	for (size_t i = 0; i < n;) {
		struct ask_item *item = &out->items[out->n];

		item_of_words(&z, i, item);
		scale_number(&z, item);
		item->text = ask_from_to(tokens[i].text, tokens[i + item->n - 1].text);
		i += item->n;
		out->n++;
	}
	items_settle(&z);
	return 0;
}
