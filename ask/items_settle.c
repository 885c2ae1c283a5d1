/* items_settle.c - what the items of a question become, next to each other, once all of them are read. */
#include "ask/items_settle.h"

static bool
is_value_of(const struct ask_item *column, const struct ask_item *value)
{
	for (size_t k = 0; k < value->nhits; k++)
		for (size_t h = 0; h < column->nhits; h++)
			if (value->hits[k]->kind != ASK_KIND_VALUE || ask_is_value_of(column->hits[h], value->hits[k]))
				return true;
	return false;
}

/* "sex M", "grade is A": after a column the word is read as one of the column's values. */
static void
take_spare_values(const struct itemizing *z)
{
	struct ask_items *out = z->out;
	const struct ask_item *column = NULL;

	for (size_t i = 0; i < out->n; i++) {
		struct ask_item *item = &out->items[i];

		if (column != NULL && ask_item_names_number(z->m, column) && item->kind == ASK_ITEM_NAME &&
		    item->n == 1 && !is_value_of(column, item) &&
		    ask_items_signed_number(z, item->first, &item->number)) {
			item->kind = ASK_ITEM_NUMBER;
			item->nhits = 0;
		}
		for (size_t k = 0; column != NULL && k < item->nspare; k++)
			for (size_t h = 0; h < column->nhits; h++)
				if (ask_is_value_of(column->hits[h], item->spare[k])) {
					item->kind = ASK_ITEM_NAME;
					item->word = ASK_WORD_NONE;
					ask_items_add_hit(z, item, item->spare[k]);
				}
		if (item->kind == ASK_ITEM_NAME)
			column = item;
		else if (item->kind != ASK_ITEM_WORD ||
		    !((item->word == ASK_WORD_STOP && item->arg == ASK_STOP_INSIDE) ||
			(item->word == ASK_WORD_COMPARATOR && item->arg == ASK_EXACTLY)))
			column = NULL;
	}
}

/* "2024 or 2025", "in May or June": one period if the second begins where the first ends. */
static void
join_periods(struct ask_items *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct ask_item *first = n > 0 ? &out->items[n - 1] : NULL, * or = &out->items[i];
		const struct ask_item *second = i + 1 < out->n ? &out->items[i + 1] : NULL;

		if (first != NULL && second != NULL && first->kind == ASK_ITEM_PERIOD && or->kind == ASK_ITEM_WORD &&
		    or
			->word == ASK_WORD_OR && second->kind == ASK_ITEM_PERIOD &&
			ask_period_join(&first->period, &second->period)) {
			first->n += or->n + second->n;
			first->nspare = 0;
			first->text = ask_from_to(first->text, second->text);
			i++;
			continue;
		}
		out->items[n++] = out->items[i];
	}
	out->n = n;
}

/* Whether a preference of the asker defines the word. */
static bool
is_preferred(const struct itemizing *z, const struct ask_token *t)
{
	for (size_t i = 0; i < z->c->preferences.nthresholds; i++) {
		struct ask_words own = ask_words_of(z->a, z->c->preferences.thresholds[i].word, false);

		for (size_t k = 0; k < own.n; k++)
			if (span_is(own.t[k].folded, t->folded) || span_is(own.t[k].stem, t->stem))
				return true;
	}
	return false;
}

/* How many items from i on have one word each that nothing knows, with no comma between them. */
static size_t
count_unknown(const struct itemizing *z, size_t i)
{
	const struct ask_items *q = z->out;
	size_t n = 0;

	while (n < ASK_NAME_WORDS_MAX && i + n < q->n && q->items[i + n].kind == ASK_ITEM_UNKNOWN &&
	    q->items[i + n].n == 1 && q->items[i + n].nspare == 0 &&
	    (n == 0 || !q->tokens[q->items[i + n].first].comma) && !is_preferred(z, &q->tokens[q->items[i + n].first]))
		n++;
	return n;
}

/* The entries of the longest word of others among the n unknown items from i on; *len: its items. */
static size_t
find_others(const struct itemizing *z, size_t i, size_t n, const struct ask_entry **found, size_t *len)
{
	const struct ask_token *t = &z->out->tokens[z->out->items[i].first];

	for (*len = n; *len > 0; --*len) {
		size_t nfound = ask_lexicon_words(z->out->others, z->a, t, *len, false, found);

		if (nfound == 0 && z->out->language == ASK_GERMAN)
			nfound = ask_lexicon_words(z->out->others, z->a, t, *len, true, found);
		if (nfound > 0)
			return nfound;
	}
	return 0;
}

/* Reads words that mean nothing otherwise as others declare them. */
static void
take_words_of_others(const struct itemizing *z)
{
	struct ask_items *out = z->out;
	size_t n = 0, len;

	for (size_t i = 0; i < out->n; i += len) {
		const struct ask_entry *found[ASK_HITS_MAX];
		const struct ask_item *last;
		size_t nfound = find_others(z, i, count_unknown(z, i), found, &len);

		len = nfound == 0 ? 1 : len;
		last = &out->items[i + len - 1];
		out->items[n] = out->items[i];
		if (nfound > 0) {
			out->items[n].kind = ASK_ITEM_NAME;
			out->items[n].n = len;
			out->items[n].text = ask_from_to(out->items[n].text, last->text);
		}
		for (size_t k = 0; k < nfound; k++)
			ask_items_add_hit(z, &out->items[n], found[k]);
		n++;
	}
	out->n = n;
}

/* "nach Honolulu" is where to, not by what; "Arbeiten", a noun, is no verb. */
static void
settle_german(struct ask_items *out)
{
	for (size_t i = 0; i < out->n; i++) {
		struct ask_item *item = &out->items[i];
		size_t n = 0;

		if (item->kind == ASK_ITEM_WORD && item->word == ASK_WORD_BY && i + 1 < out->n &&
		    span_is_str(out->tokens[item->first].folded, "nach") && item->n == 1 &&
		    out->items[i + 1].kind == ASK_ITEM_NAME && ask_item_is_value(&out->items[i + 1]))
			item->word = ASK_WORD_STOP;
		for (size_t k = 0; item->kind == ASK_ITEM_NAME && out->tokens[item->first].capital && k < item->nhits;
		     k++)
			if (item->hits[k]->kind != ASK_KIND_VERB)
				item->hits[n++] = item->hits[k];
		item->nhits = n > 0 ? n : item->nhits;
	}
}

/* The known value that the words have in the column that names the source's rows; NULL: none. */
static const struct ask_entry *
name_known(const struct itemizing *z, size_t first, size_t n, uint32_t source)
{
	for (size_t k = 0; k < z->nvalues; k++)
		if (z->values[k].n == n && z->values[k].entry.source == source &&
		    z->values[k].entry.index == z->m->sources[source].label &&
		    ask_items_value_stands_at(&z->values[k], z->out->tokens + first, n, false))
			return &z->values[k].entry;
	return NULL;
}

/* The name of a row that the first `words` words of the item and those behind it are, before a word for such rows. */
static const struct ask_entry *
row_called(const struct itemizing *z, const struct ask_item *it, size_t words)
{
	const struct ask_items *out = z->out;
	size_t last = it->first + words - 1, n;
	const struct ask_entry *found[ASK_HITS_MAX], *name = NULL;

	/* the 'Elm' town */
	if (it->first > 0 && out->language == ASK_ENGLISH && it->text.p[-1] == '\'')
		return NULL;
	if (words < 2 || last >= out->ntokens || out->tokens[last].comma || out->tokens[last].plural)
		return NULL;
	n = ask_lexicon_words(z->m->lexicon, z->a, &out->tokens[last], 1, false, found);
	for (size_t k = 0; k < n; k++)
		if (found[k]->kind == ASK_KIND_COLUMN)
			return NULL;
		else if (found[k]->kind == ASK_KIND_SOURCE && z->m->sources[found[k]->source].label != ASK_NONE &&
		    name == NULL)
			name = name_known(z, it->first, words - 1, found[k]->source);
	/* nothing else is called so */
	return name != NULL && it->nhits == 1 && it->n < words && it->hits[0]->source == name->source ? NULL : name;
}

/* "colorado river", where a river is called Colorado: that river, whatever else is called so. */
static void
take_rows_called(const struct itemizing *z)
{
	struct ask_items *out = z->out;
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct ask_item *it = &out->items[i];
		bool which = i > 0 && it[-1].kind == ASK_ITEM_WORD && it[-1].word == ASK_WORD_WHICH;
		const struct ask_entry *name = NULL;
		size_t words = it->n + 1;

		if (!which && it->kind == ASK_ITEM_NAME && ask_item_is_value(it)) {
			if (i + 1 < out->n && it[1].n == 1)
				name = row_called(z, it, words);
			if (name != NULL)
				i++;
			else
				name = row_called(z, it, --words);
		}
		out->items[n] = *it;
		if (name != NULL) {
			out->items[n].n = words;
			out->items[n].nhits = 1;
			out->items[n].hits[0] = name;
			out->items[n].text =
			    ask_from_to(out->items[n].text, out->tokens[out->items[n].first + words - 1].text);
		}
		n++;
	}
	out->n = n;
}

/* Whether the question names the rows of the source or a measure of it. */
static bool
is_source_named(const struct ask_items *out, uint32_t source)
{
	for (size_t i = 0; i < out->n; i++)
		for (size_t k = 0; k < out->items[i].nhits; k++)
			if (out->items[i].hits[k]->source == source &&
			    (out->items[i].hits[k]->kind == ASK_KIND_SOURCE ||
				out->items[i].hits[k]->kind == ASK_KIND_MEASURE))
				return true;
	return false;
}

/* date_order_placed, of orders: whether the name says of the rows when that happened. */
static bool
is_date_of(const struct itemizing *z, const struct ask_source *s, struct ask_words name, struct span verb)
{
	bool has = false;
	size_t len;

	for (size_t i = 0; i < name.n; i++)
		if (span_is(name.t[i].folded, verb))
			has = true;
		else if (!(s->names.words.n > 0 &&
			     span_is(name.t[i].stem, s->names.words.t[s->names.words.n - 1].stem)) &&
		    ask_word(z->out->language, &name.t[i], 1, ASK_WORD_NOUN, &len) == NULL &&
		    ask_word(z->out->language, &name.t[i], 1, ASK_WORD_STOP, &len) == NULL)
			return false;
	return has;
}

static void
find_dates_called(const struct itemizing *z, const struct ask_token *t, struct ask_item *item)
{
	for (uint32_t s = 0; s < z->m->nsources; s++)
		for (uint32_t c = 0; is_source_named(z->out, s) && c < z->m->sources[s].ncolumns; c++) {
			const struct ask_column *column = &z->m->sources[s].columns[c];
			struct ask_entry *e;

			if (!column->time || column->internal ||
			    !is_date_of(z, &z->m->sources[s], column->names.words, t->folded) ||
			    (e = arena_alloc(z->a, sizeof(*e))) == NULL)
				continue;
			*e = (struct ask_entry){ .source = s, .index = c, .value = SPAN_NONE, .kind = ASK_KIND_DATE,
				.tier = ASK_TIER_SYNONYM };
			ask_items_add_hit(z, item, e);
		}
	item->n = 1;
}

/* What the first words of the item name of rows in the question; a date needs a period, just behind if words remain. */
static void
find_declared(const struct itemizing *z, size_t i, struct ask_item *found)
{
	const struct ask_item *it = &z->out->items[i];
	bool participle = ask_is_participle(z->out->language, z->out->tokens[it->first].folded), period = false, next;
	size_t n = 0;

	for (size_t k = 0; k < z->out->n; k++)
		period |= z->out->items[k].kind == ASK_ITEM_PERIOD;
	next = i + 1 < z->out->n && it[1].kind == ASK_ITEM_PERIOD;
	*found = (struct ask_item){ .kind = ASK_ITEM_NAME, .first = it->first };
	ask_items_find_names(z, it->first, found);
	for (size_t k = 0; k < found->nhits; k++) {
		unsigned kind = found->hits[k]->kind;

		if ((kind == ASK_KIND_DATE ? found->n == it->n ? period : next :
					     participle && found->n == it->n &&
				(kind == ASK_KIND_COLUMN || kind == ASK_KIND_FLAG || kind == ASK_KIND_SEGMENT)) &&
		    is_source_named(z->out, found->hits[k]->source))
			found->hits[n++] = found->hits[k];
	}
	found->nhits = n;
	if (n == 0 && participle && (it->n == 1 ? period : next))
		find_dates_called(z, &z->out->tokens[it->first], found);
}

/*
 * "claims that happened", where the model calls a date or a column of claims so: then the word says something.  Words
 * like "in" behind it remain.
 */
static void
take_declared_words(const struct itemizing *z)
{
	struct ask_items *out = z->out;

	for (size_t i = 0; i < out->n; i++) {
		struct ask_item *it = &out->items[i], found;
		size_t left;

		if (it->kind != ASK_ITEM_WORD || it->word != ASK_WORD_STOP || out->tokens[it->first].folded.len < 4 ||
		    !(it->arg == ASK_STOP_PLAIN || ask_stop_may_be_value(it->arg)))
			continue;
		find_declared(z, i, &found);
		if (found.nhits == 0)
			continue;
		left = it->n - found.n;
		if (left > 0) {
			memmove(it + 2, it + 1, (out->n - i - 1) * sizeof(*it));
			out->n++;
			it[1] = *it;
			it[1].first += found.n;
			it[1].n = left;
			it[1].text = out->tokens[it[1].first].text;
		}
		found.text = ask_from_to(out->tokens[found.first].text, out->tokens[found.first + found.n - 1].text);
		*it = found;
	}
}

/* "storage capacity", where one column or measure is called storage and capacity. */
static void
join_names_of_one(const struct itemizing *z)
{
	struct ask_items *out = z->out;
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct ask_item *before = n > 0 ? &out->items[n - 1] : NULL, *it = &out->items[i],
				joined = { .kind = ASK_ITEM_NAME };

		for (size_t k = 0; before != NULL && before->kind == ASK_ITEM_NAME && it->kind == ASK_ITEM_NAME &&
		     !out->tokens[it->first].comma && k < before->nhits;
		     k++)
			for (size_t h = 0; h < it->nhits; h++)
				if ((it->hits[h]->kind == ASK_KIND_COLUMN || it->hits[h]->kind == ASK_KIND_MEASURE) &&
				    it->hits[h]->kind == before->hits[k]->kind &&
				    it->hits[h]->source == before->hits[k]->source &&
				    it->hits[h]->index == before->hits[k]->index)
					ask_items_add_hit(z, &joined, it->hits[h]);
		if (joined.nhits > 0) {
			joined.first = before->first;
			joined.n = it->first + it->n - before->first;
			joined.text = ask_from_to(before->text, it->text);
			*before = joined;
		} else {
			out->items[n++] = *it;
		}
	}
	out->n = n;
}

/* "the best 5 sites" rank by a number, which is asked for; what the question measures may be better when it is low. */
static void
rank_best(struct ask_items *out)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->items[i].kind == ASK_ITEM_WORD && out->items[i].word == ASK_WORD_BY)
			return;
		else
			for (size_t k = 0; out->items[i].kind == ASK_ITEM_NAME && k < out->items[i].nhits; k++)
				if (out->items[i].hits[k]->kind == ASK_KIND_MEASURE)
					return;
	for (size_t i = 0; i + 1 < out->n; i++)
		if (out->items[i].kind == ASK_ITEM_WORD && out->items[i].word == ASK_WORD_VAGUE &&
		    ask_is_any(out->tokens[out->items[i].first].folded, "best beste besten") &&
		    out->items[i + 1].kind == ASK_ITEM_NUMBER) {
			out->items[i].word = ASK_WORD_TOP;
			out->items[i].arg = 1;
		}
}

void
items_settle(const struct itemizing *z)
{
	take_declared_words(z);
	join_names_of_one(z);
	take_spare_values(z);
	take_rows_called(z);
	rank_best(z->out);
	join_periods(z->out);
	if (z->out->language == ASK_GERMAN)
		settle_german(z->out);
	if (z->out->others != NULL)
		take_words_of_others(z);
}
