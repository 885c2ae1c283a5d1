/* items.c - see items.h. */
#include "ask/items.h"

#include "base/num.h"

/* What the reading of items works with. */
struct itemizing {
	const struct ask_model	*m;
	const struct ask_context *c;
	const struct ask_known	*known;
	struct arena		*a;
	struct ask_items	*out;
	size_t			 nvalues;
	struct known_value {
		struct ask_entry	 entry;
		struct ask_token	*t;
		size_t			 n;
	}			*values;
};

static uint32_t
source_called(const struct ask_model *m, struct span name)
{
	for (uint32_t i = 0; i < m->nsources; i++)
		if (span_is(m->sources[i].names.name, name))
			return m->sources[i].covered ? ASK_NONE : i;
	return ASK_NONE;
}

/* The known values as entries, those that the model has a column for. */
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
				k->entry = (struct ask_entry){ .source = source, .index = c, .value = v->value, .kind = ASK_KIND_VALUE,
					.tier = ASK_TIER_VALUE };
				k->t = ask_tokens(z->a, v->value, false, 20, &k->n);
				z->nvalues += k->t != NULL && k->n > 0 && k->n <= 20;
				break;
			}
	}
}

static bool
value_stands_at(const struct known_value *v, const struct ask_token *t, size_t n)
{
	if (v->n > n)
		return false;
	for (size_t i = 0; i < v->n; i++)
		if (!span_is(v->t[i].folded, t[i].folded))
			return false;
	return true;
}

static void
add_hit(struct ask_item *item, const struct ask_entry *e)
{
	for (size_t i = 0; i < item->nhits; i++)
		if (item->hits[i]->kind == e->kind && item->hits[i]->source == e->source &&
		    item->hits[i]->index == e->index && span_is(item->hits[i]->value, e->value))
			return;
	if (item->nhits < ASK_HITS_MAX)
		item->hits[item->nhits++] = e;
}

/* The words from i that a name may be made of, auxiliary verbs left out; how many they are of the question. */
static size_t
name_words(const struct itemizing *z, size_t i, size_t want, struct ask_token *out)
{
	const struct ask_items *q = z->out;
	size_t n = 0, at = i, len;

	while (n < want && at < q->ntokens) {
		const struct ask_word_row *row;

		if (n > 0 && q->tokens[at].comma)
			return 0;
		row = n == 0 ? NULL : ask_word(q->language, q->tokens + at, q->ntokens - at, ASK_WORD_STOP, &len);
		if (row != NULL && len == 1 && row->arg == 1)
			at++;
		else
			out[n++] = q->tokens[at++];
	}
	return n == want ? at - i : 0;
}

static void
find_names(const struct itemizing *z, size_t i, struct ask_item *item)
{
	struct ask_token words[ASK_LEXICON_WORDS_MAX];

	for (size_t want = ASK_LEXICON_WORDS_MAX; want > 0; want--) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t len = name_words(z, i, want, words), n;

		if (len == 0 || len < item->n)
			continue;
		n = ask_lexicon_find(z->m->lexicon, ask_key(z->a, words, want, false), false, found, ASK_HITS_MAX);
		if (n == 0 && z->out->language == ASK_GERMAN)
			n = ask_lexicon_find(z->m->lexicon, ask_key(z->a, words, want, true), true, found,
			    ASK_HITS_MAX);
		if (n == 0)
			continue;
		if (len > item->n)
			item->nhits = 0;
		item->n = len;
		for (size_t k = 0; k < n; k++)
			add_hit(item, found[k]);
	}
}

static void
find_values(const struct itemizing *z, size_t i, struct ask_item *item)
{
	for (size_t k = 0; k < z->nvalues; k++) {
		const struct known_value *v = &z->values[k];

		if (v->n < item->n || !value_stands_at(v, z->out->tokens + i, z->out->ntokens - i))
			continue;
		if (v->n > item->n)
			item->nhits = 0;
		item->n = v->n;
		add_hit(item, &v->entry);
	}
}

/* Words that a name of the model stands before, when both take as much. */
static bool
yields_to_names(enum ask_word_kind kind)
{
	return kind == ASK_WORD_VAGUE || kind == ASK_WORD_STAKES || kind == ASK_WORD_UNIT || kind == ASK_WORD_KINDS ||
	    kind == ASK_WORD_VALUES || kind == ASK_WORD_REFUSED || kind == ASK_WORD_GRAIN || kind == ASK_WORD_SHARE ||
	    kind == ASK_WORD_CHANGE || kind == ASK_WORD_VAGUE_TIME || kind == ASK_WORD_MEANING;
}

/* 10,000 and 10.000, 1.5; false: it is no plain number. */
static bool
read_number(struct span text, enum ask_language language, double *out)
{
	char digits[32], group = language == ASK_GERMAN ? '.' : ',', point = language == ASK_GERMAN ? ',' : '.';
	size_t n = 0;

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

static bool
number_is_meant(const struct itemizing *z)
{
	const struct ask_item *before = z->out->n > 0 ? &z->out->items[z->out->n - 1] : NULL;

	return before != NULL && before->kind == ASK_ITEM_WORD &&
	    (before->word == ASK_WORD_COMPARATOR || before->word == ASK_WORD_TOP);
}

static void
item_of_words(const struct itemizing *z, size_t i, struct ask_item *item)
{
	const struct ask_token *t = z->out->tokens + i;
	size_t left = z->out->ntokens - i, words, period_len;
	const struct ask_word_row *row = ask_word(z->out->language, t, left, ASK_WORD_NONE, &words);
	struct ask_period period;
	bool number = number_is_meant(z);

	*item = (struct ask_item){ .first = i };
	find_names(z, i, item);
	find_values(z, i, item);
	if (item->nhits > 0)
		item->kind = ASK_ITEM_NAME;
	period_len = ask_period_at(z->c, z->out->language, t, left, &period);
	if (number && period_len == 1 && period.bare)
		period_len = 0;
	if (period_len > 0 && period_len >= item->n && period_len >= words) {
		*item = (struct ask_item){ .kind = ASK_ITEM_PERIOD, .first = i, .n = period_len, .period = period };
		return;
	}
	if (row != NULL && words > 0 && (words > item->n || (words == item->n && !yields_to_names(row->kind)))) {
		*item = (struct ask_item){
			.kind = ASK_ITEM_WORD, .first = i, .n = words, .word = row->kind, .arg = row->arg
		};
		if (row->kind == ASK_WORD_NUMBER) {
			item->kind = ASK_ITEM_NUMBER;
			item->number = row->arg;
		}
		return;
	}
	if (row != NULL && words == item->n && row->kind == ASK_WORD_GRAIN) {
		item->word = row->kind;
		item->arg = row->arg;
	}
	if (item->kind == ASK_ITEM_NAME)
		return;
	item->n = 1;
	if (t->number && read_number(t->text, z->out->language, &item->number))
		item->kind = ASK_ITEM_NUMBER;
	else if (t->plural && z->out->language == ASK_ENGLISH) {
		/* "months": the unit in many. */
		struct ask_token one = *t;

		one.folded = one.stem;
		row = ask_word(ASK_ENGLISH, &one, 1, ASK_WORD_GRAIN, &words);
		if (row != NULL)
			*item = (struct ask_item){
				.kind = ASK_ITEM_WORD, .first = i, .n = 1, .word = row->kind, .arg = row->arg
			};
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
		item->text = span_of(tokens[i].text.p,
		    (size_t)(tokens[i + item->n - 1].text.p + tokens[i + item->n - 1].text.len - tokens[i].text.p));
		i += item->n;
		out->n++;
	}
	return 0;
}
