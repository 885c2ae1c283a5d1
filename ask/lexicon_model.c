#include <stdlib.h>

#include "ask/lexicon_model.h"
#include "ask/words_function.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

#define LEXICON_ENTRIES_MAX	4000000u

/* State of the indexing. */
struct indexing {
	const struct ask_model	*m;
	struct arena		*a;
	struct ask_lexicon	*x;
	bool			 full;
};

static void
lexicon_put(struct indexing *in, struct span key, bool german, struct ask_entry e)
{
	struct ask_lexicon *x = in->x;

	if (key.p == NULL || x->n >= LEXICON_ENTRIES_MAX) {
		in->full = true;
		return;
	}
	e.key = key;
	e.german = german;
	for (size_t at = table_start(hash_of(key)), row;
	     (row = table_next(&x->by_key, hash_of(key), &at)) != TABLE_NONE;) {
		struct ask_entry *old = &x->entries[row];

		if (old->kind == e.kind && old->source == e.source && old->index == e.index && old->german == german &&
		    span_is(old->key, key) && span_is(old->value, e.value)) {
			old->tier = e.tier < old->tier ? e.tier : old->tier;
			return;
		}
	}
	if (x->n == x->cap) {
		x->cap = x->cap == 0 ? 256 : 2 * x->cap;
		x->entries = mem_resize(x->entries, x->cap, sizeof(*x->entries));
	}
	x->entries[x->n] = e;
	table_add(&x->by_key, hash_of(key), (uint32_t)x->n++);
}

static void
lexicon_words(struct indexing *in, struct span text, bool humps, struct ask_entry e)
{
	size_t n;
	struct ask_token *t = ask_tokens(in->a, text, humps, ASK_LEXICON_WORDS_MAX, &n);

	if (t == NULL)
		in->full = true;
	if (t == NULL || n == 0 || n > ASK_LEXICON_WORDS_MAX)
		return;
	lexicon_put(in, ask_key(in->a, t, n, false), false, e);
	lexicon_put(in, ask_key(in->a, t, n, true), true, e);
}

/* Two words as one: "zip code" and "zipcode", "e-mail" and "email". */
static void
lexicon_joined(struct indexing *in, struct span text, bool humps, struct ask_entry e)
{
	size_t n;
	struct ask_token *t = ask_tokens(in->a, text, humps, ASK_LEXICON_WORDS_MAX, &n);
	struct span key = n == 2 && t != NULL ? ask_joined(in->a, t, n) : span_of("", 0);

	if (key.len > 0)
		lexicon_put(in, key, false, e);
}

static void
lexicon_names(struct indexing *in, const struct ask_names *names, struct ask_entry e)
{
	e.tier = ASK_TIER_NAME;
	lexicon_words(in, names->name, true, e);
	lexicon_words(in, names->name, false, e);
	lexicon_words(in, names->label, false, e);
	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; i < names->nsynonyms; i++)
		lexicon_words(in, names->synonyms[i], false, e);
	lexicon_joined(in, names->name, true, e);
	lexicon_joined(in, names->label, false, e);
}

/* fare_eur, duration_min: the name without its unit.  birth_date: also "date of birth". */
static void
lexicon_parts(struct indexing *in, struct span name, bool number, struct ask_entry e)
{
	size_t n, len;
	struct ask_token *t = ask_tokens(in->a, name, true, ASK_LEXICON_WORDS_MAX, &n);
	struct ask_token turned[ASK_LEXICON_WORDS_MAX + 1];

	if (t == NULL || n < 2 || n >= ASK_LEXICON_WORDS_MAX)
		return;
	e.tier = ASK_TIER_SYNONYM;
	if (number && ask_word(ASK_ENGLISH, &t[n - 1], 1, ASK_WORD_UNIT, &len) != NULL)
		for (unsigned german = 0; german < 2; german++)
			lexicon_put(in, ask_key(in->a, t, n - 1, german), german, e);
	if (number || ask_word(ASK_ENGLISH, &t[n - 1], 1, ASK_WORD_NOUN, &len) == NULL)
		return;
	turned[0] = t[n - 1];
	turned[1] = (struct ask_token){ .stem = SPAN("of") };
	for (size_t i = 0; i + 1 < n; i++)
		turned[i + 2] = t[i];
	lexicon_put(in, ask_key(in->a, turned, n + 1, false), false, e);
}

/* level_of_membership: also "membership level".  num_of_staff, number_products: also what the number counts. */
static void
lexicon_turned(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	size_t n, of;
	bool german;
	struct ask_token *t = ask_tokens(in->a, c->names.name, true, ASK_LEXICON_WORDS_MAX, &n), turned[2];

	if (t == NULL || n < 2 || n > ASK_LEXICON_WORDS_MAX)
		return;
	of = span_is_str(t[1].folded, "of");
	e.tier = ASK_TIER_SYNONYM;
	/* datum_der_ankunft: also "Ankunftsdatum" */
	german = span_is_str(t[1].folded, "der") || span_is_str(t[1].folded, "des") || span_is_str(t[1].folded, "von");
	if ((of || german) && n == 3) {
		turned[0] = t[2];
		turned[1] = t[0];
		lexicon_put(in, ask_key(in->a, turned, 2, german), german, e);
	}
	if (c->type == ASK_TYPE_NUMBER && n > 1 + of &&
	    (span_is_str(t[0].folded, "number") || span_is_str(t[0].folded, "num") ||
		(of && span_is_str(t[0].folded, "no"))))
		lexicon_put(in, ask_key(in->a, t + 1 + of, n - 1 - of, false), false, e);
}

/* cars_data, model_list: also the name of the rows, "cars" and "models". */
static void
lexicon_rows(struct indexing *in, struct span name, struct ask_entry e)
{
	size_t n, len;
	struct ask_token *t = ask_tokens(in->a, name, true, ASK_LEXICON_WORDS_MAX, &n);

	if (t == NULL || n < 2 || n > ASK_LEXICON_WORDS_MAX ||
	    ask_word(ASK_ENGLISH, &t[n - 1], 1, ASK_WORD_NAMELESS, &len) == NULL)
		return;
	e.tier = ASK_TIER_SYNONYM;
	lexicon_put(in, ask_key(in->a, t, n - 1, false), false, e);
}

/* Endings of event nouns and those of their verbs' participles; the first match applies. */
static const struct {
	const char *noun, *verb, *before;
	bool german;
} participles[] = {
	{ "ssion", "tted", "", false }, { "ication", "ished", "", false }, { "istration", "istered", "", false },
	{ "ription", "ribed", "", false },
	{ "payment", "paid", "", false }, { "birth", "born", "", false }, { "signup", "signed up", "", false },
	{ "checkin", "checked in", "", false }, { "checkout", "checked out", "", false },
	{ "login", "logged in", "", false },
	{ "death", "died", "", false }, { "end", "ended", "", false }, { "arture", "arted", "", false },
	{ "very", "vered", "", false },
	{ "er", "ed", "", false }, { "ation", "ed", "", false }, { "ation", "ated", "", false },
	{ "ion", "ed", "", false }, { "ment", "ed", "", false }, { "al", "ed", "", false }, { "ing", "ed", "", false },
	{ "e", "ed", "", false }, { "y", "ied", "", false }, { "", "ed", "", false }, { "ung", "t", "", true },
	{ "ung", "ten", "", true }, { "ung", "te", "", true }, { "ung", "t", "ge", true }, { "", "t", "ge", true },
};

static void
lexicon_verbs(struct indexing *in, struct span noun, bool german, struct ask_entry e)
{
	for (size_t i = 0; i < sizeof(participles) / sizeof(participles[0]); i++) {
		size_t cut = strlen(participles[i].noun);
		struct buf verb = { 0 };

		if (participles[i].german != german || noun.len < cut || (noun.len != cut && noun.len < cut + 3) ||
		    memcmp(noun.p + noun.len - cut, participles[i].noun, cut) != 0)
			continue;
		buf_str(&verb, participles[i].before);
		buf_append(&verb, noun.p, noun.len - cut);
		buf_str(&verb, participles[i].verb);
		lexicon_words(in, buf_view(&verb), false, e);
		buf_fini(&verb);
	}
}

/* return_date: also "returned". */
static void
lexicon_happened(struct indexing *in, struct span name, struct ask_entry e)
{
	size_t n;
	struct ask_token *t = ask_tokens(in->a, name, true, 1, &n);

	if (t == NULL || n != 1)
		return;
	lexicon_verbs(in, t->stem, false, e);
	lexicon_verbs(in, t->german, true, e);
}

/* publication_year: also "published". */
static void
lexicon_year(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	struct span name = c->names.name;

	if (name.len <= 5 || !span_is_folded(span_of(name.p + name.len - 5, 5), SPAN("_year")))
		return;
	e.tier = ASK_TIER_SYNONYM;
	name.len -= 5;
	lexicon_happened(in, name, e);
	/* founded_year */
	if (ask_is_participle(ASK_ENGLISH, name))
		lexicon_words(in, name, true, e);
}

/* opened_at, issued_on, hire_date: also the verb, "opened". */
static void
lexicon_date(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	static const char *const endings[] = { "at", "on", "date", "time", "datetime", "timestamp", "am", "datum",
		"zeit", NULL };
	struct span name = c->names.name;
	size_t words;
	struct ask_token *t = ask_tokens(in->a, name, true, ASK_LEXICON_WORDS_MAX, &words);

	e.kind = ASK_KIND_DATE;
	e.tier = ASK_TIER_NAME;
	for (size_t i = 0; t != NULL && words > 1 && words <= ASK_LEXICON_WORDS_MAX && endings[i] != NULL; i++) {
		if (!span_is_str(t[words - 1].folded, endings[i]))
			continue;
		name.len = (size_t)(t[words - 1].text.p - name.p);
		while (name.len > 0 && name.p[name.len - 1] == '_')
			name.len--;
		lexicon_words(in, name, true, e);
		lexicon_happened(in, name, e);
		break;
	}
	name = c->names.name;
	if (span_is_folded(name, SPAN("dob")) || span_is_folded(name, SPAN("birthday")))
		lexicon_words(in, SPAN("born"), true, e);
	if (memmem(name.p, name.len, "geburt", strlen("geburt")) != NULL ||
	    memmem(name.p, name.len, "birth", strlen("birth")) != NULL)
		lexicon_words(in, SPAN("geboren"), true, e);
	if (name.len > 8 && span_is_folded(span_of(name.p, 8), SPAN("date_of_")))
		lexicon_happened(in, span_of(name.p + 8, name.len - 8), e);
	lexicon_words(in, c->names.name, true, e);
	lexicon_words(in, c->names.label, false, e);
	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; i < c->names.nsynonyms; i++)
		lexicon_words(in, c->names.synonyms[i], false, e);
}

/* orders: also "ordered"; reservations: "reserved"; Bestellungen: "bestellt".  Only for names of one word. */
static void
lexicon_event(struct indexing *in, const struct ask_names *names, struct ask_entry e)
{
	e.kind = ASK_KIND_EVENT;
	e.tier = ASK_TIER_SYNONYM;
	lexicon_happened(in, names->name, e);
	lexicon_happened(in, names->label, e);
	for (size_t i = 0; i < names->nsynonyms; i++)
		lexicon_happened(in, names->synonyms[i], e);
}

/* is_electric, has_invoice, paid: the word for the true state. */
static void
lexicon_flag(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	static const char *const beginnings[] = { "is_", "has_", "was_", "ist_", "hat_", NULL };
	struct span name = c->names.name;

	e.kind = ASK_KIND_FLAG;
	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; beginnings[i] != NULL; i++) {
		size_t n = strlen(beginnings[i]);

		if (name.len > n && span_is_folded(span_of(name.p, n), span_str(beginnings[i]))) {
			name = span_of(name.p + n, name.len - n);
			break;
		}
	}
	lexicon_words(in, name, true, e);
	lexicon_words(in, c->names.label, false, e);
	for (size_t i = 0; i < c->names.nsynonyms; i++)
		lexicon_words(in, c->names.synonyms[i], false, e);
}

/* "ship", of which people write "shipped" */
static bool
doubles_end(struct span verb)
{
	static const char vowels[] = "aeiou", single[] = "aeiouwxy";

	return verb.len > 2 && strchr(single, verb.p[verb.len - 1]) == NULL &&
	    strchr(vowels, verb.p[verb.len - 2]) != NULL && strchr(vowels, verb.p[verb.len - 3]) == NULL;
}

/* A form of a German verb, with the ending that its stem takes: "gehört", "geheizt", "eingereicht". */
static void
lexicon_form(struct indexing *in, struct span prefix, const char *before, struct span stem, struct ask_entry e)
{
	struct buf form = { 0 };
	size_t n;
	struct ask_token *t;

	buf_printf(&form, "%.*s%s%.*s%st", SPAN_FMT(prefix), before, SPAN_FMT(stem),
	    span_ends(stem, "t") || span_ends(stem, "d") ? "e" : "");
	t = ask_tokens(in->a, arena_span(in->a, buf_view(&form)), false, 1, &n);
	if (t != NULL && n == 1)
		lexicon_put(in, ask_key(in->a, t, 1, true), true, e);
	buf_fini(&form);
}

/* gehören: also "gehört"; einreichen: also "eingereicht" and "einreicht".  Other forms are declared. */
static void
lexicon_german_verb(struct indexing *in, struct span verb, struct ask_entry e)
{
	static const char *const prefixes[] = { "", "ab", "an", "auf", "aus", "bei", "ein", "nach", "statt", "teil",
		"vor", "zu" };
	struct span stem = verb;

	if (verb.len < 5 || !span_ends(verb, "n"))
		return;
	stem.len -= span_ends(verb, "en") ? 2 : 1;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);
		struct span prefix = span_of(stem.p, n), rest = span_of(stem.p + n, stem.len - n);

		if (stem.len < n + 3 || memcmp(stem.p, prefixes[i], n) != 0)
			continue;
		lexicon_form(in, prefix, "", rest, e);
		lexicon_form(in, prefix, "ge", rest, e);
	}
}

/* produce: also "produced" and "producing"; other forms are declared, too: "sang", "sung". */
static void
lexicon_verb(struct indexing *in, struct span verb, struct ask_entry e)
{
	static const char *const endings[] = { "ed", "ing", NULL };
	struct span base = verb;

	lexicon_words(in, verb, false, e);
	if (verb.len < 3 || memchr(verb.p, ' ', verb.len) != NULL)
		return;
	lexicon_german_verb(in, verb, e);
	base.len -= verb.p[verb.len - 1] == 'e';
	for (size_t i = 0; endings[i] != NULL; i++) {
		bool y =
		    endings[i][0] == 'e' && verb.p[verb.len - 1] == 'y' && strchr("aeo", verb.p[verb.len - 2]) == NULL;
		struct buf form = { 0 };

		buf_printf(&form, "%.*s%s%s", (int)(base.len - y), (const char *)base.p, y ? "i" : "", endings[i]);
		lexicon_words(in, buf_view(&form), false, e);
		buf_fini(&form);
		if (!doubles_end(verb))
			continue;
		buf_printf(&form, "%.*s%c%s", SPAN_FMT(verb), verb.p[verb.len - 1], endings[i]);
		lexicon_words(in, buf_view(&form), false, e);
		buf_fini(&form);
	}
}

static void
lexicon_joins(struct indexing *in, uint32_t i)
{
	const struct ask_node *n = &in->m->nodes[i];
	struct ask_entry e = { .source = i, .kind = ASK_KIND_VERB, .tier = ASK_TIER_SYNONYM };

	for (size_t k = 0; k < n->nedges; k++)
		for (size_t v = 0; v < n->edges[k].nverbs; v++) {
			e.index = n->edges[k].to;
			lexicon_verb(in, n->edges[k].verbs[v], e);
		}
}

static void
lexicon_source(struct indexing *in, uint32_t i)
{
	const struct ask_source *s = &in->m->sources[i];
	struct ask_entry e = { .source = i, .kind = ASK_KIND_SOURCE };

	lexicon_names(in, &s->names, e);
	lexicon_rows(in, s->names.name, e);
	lexicon_event(in, &s->names, e);
	for (e.index = 0, e.kind = ASK_KIND_MEASURE; e.index < s->nmeasures; e.index++) {
		lexicon_names(in, &s->measures[e.index].names, e);
		lexicon_parts(in, s->measures[e.index].names.name, true, e);
	}
	for (e.index = 0; e.index < s->ncolumns; e.index++) {
		const struct ask_column *c = &s->columns[e.index];

		if (c->internal)
			continue;
		e.kind = ASK_KIND_COLUMN;
		lexicon_names(in, &c->names, e);
		lexicon_parts(in, c->names.name, c->type == ASK_TYPE_NUMBER, e);
		lexicon_turned(in, c, e);
		lexicon_year(in, c, e);
		if (c->time)
			lexicon_date(in, c, e);
		if (c->type == ASK_TYPE_BOOLEAN)
			lexicon_flag(in, c, e);
		e.kind = ASK_KIND_VALUE;
		e.tier = ASK_TIER_VALUE;
		for (size_t k = 0; k < c->nvalues; k++) {
			e.value = c->values[k];
			lexicon_words(in, c->values[k], false, e);
		}
		e.value = SPAN_NONE;
	}
	for (e.index = 0, e.kind = ASK_KIND_SEGMENT; e.index < s->nsegments; e.index++)
		lexicon_names(in, &s->segments[e.index].names, e);
	lexicon_joins(in, i);
}

/* Index the word for the measure, column or segment `leaf` of e's source, or for a value of the column. */
static void
lexicon_declare_leaf(struct indexing *in, struct span word, struct ask_entry e, struct span leaf)
{
	const struct ask_source *s = &in->m->sources[e.source];

	for (e.index = 0, e.kind = ASK_KIND_VALUE; e.value.len > 0 && e.index < s->ncolumns; e.index++)
		if (span_is_folded(s->columns[e.index].names.name, leaf))
			lexicon_words(in, word, false, e);
	if (e.value.len > 0)
		return;
	for (e.index = 0, e.kind = ASK_KIND_MEASURE; e.index < s->nmeasures; e.index++)
		if (span_is_folded(s->measures[e.index].names.name, leaf))
			lexicon_words(in, word, false, e);
	for (e.index = 0; e.index < s->ncolumns; e.index++)
		if (span_is_folded(s->columns[e.index].names.name, leaf)) {
			e.kind = ASK_KIND_COLUMN;
			lexicon_words(in, word, false, e);
			e.kind = ASK_KIND_DATE;
			if (s->columns[e.index].time)
				lexicon_words(in, word, false, e);
		}
	for (e.index = 0, e.kind = ASK_KIND_SEGMENT; e.index < s->nsegments; e.index++)
		if (span_is_folded(s->segments[e.index].names.name, leaf))
			lexicon_words(in, word, false, e);
}

static void
lexicon_declare(struct indexing *in, const struct ask_declared *d, uint32_t declared)
{
	const struct ask_model *m = in->m;

	for (uint32_t i = 0; i < m->nnodes; i++) {
		struct ask_entry e = { .source = m->nodes[i].source, .index = i,
			.tier = d->agent ? ASK_TIER_AGENT : ASK_TIER_DECLARED, .declared = declared,
			.value = d->value };
		struct span name = m->nodes[i].name, leaf;

		e.kind = i < m->nsources ? ASK_KIND_SOURCE : ASK_KIND_ALIAS;
		if (d->join == (i >= m->nsources) && span_is_folded(name, d->means))
			lexicon_words(in, d->word, false, e);
		if (i >= m->nsources || d->means.len <= name.len + 1 || d->means.p[name.len] != '.' ||
		    !span_is_folded(span_of(d->means.p, name.len), name))
			continue;
		leaf = span_of(d->means.p + name.len + 1, d->means.len - name.len - 1);
		lexicon_declare_leaf(in, d->word, e, leaf);
	}
}

/* Index a node by its alias or its column: "origin", and with its source "origin airport". */
static void
lexicon_alias(struct indexing *in, uint32_t node)
{
	const struct ask_node *n = &in->m->nodes[node];
	struct ask_entry e = { .source = n->source, .index = node, .kind = ASK_KIND_ALIAS };
	struct buf both = { 0 };

	if (n->label.len == 0) {
		lexicon_words(in, n->name, true, e);
		return;
	}
	e.tier = ASK_TIER_SYNONYM;
	lexicon_words(in, n->label, true, e);
	buf_printf(&both, "%.*s %.*s", SPAN_FMT(n->label), SPAN_FMT(in->m->sources[n->source].names.name));
	lexicon_words(in, buf_view(&both), false, e);
	buf_fini(&both);
}

/* Whether something is called by the word, other than by its verb. */
static bool
is_name(const struct indexing *in, const struct ask_token *t)
{
	const struct ask_entry *found[16];

	for (unsigned german = 0; german < 2; german++)
		for (size_t k = ask_lexicon_find(in->x, ask_key(in->a, t, 1, german), german, found, 16); k > 0; k--)
			if (found[k - 1]->kind != ASK_KIND_DATE && found[k - 1]->kind != ASK_KIND_EVENT &&
			    found[k - 1]->kind != ASK_KIND_VALUE)
				return true;
	return false;
}

/* Whether the only column of the key is called as the word: order_id, of customer_orders. */
static bool
is_key_called(const struct indexing *in, const struct ask_source *s, const struct ask_token *word)
{
	size_t n;
	struct ask_token *t = s->ngrain == 1 ? ask_tokens(in->a, s->grain[0], true, ASK_LEXICON_WORDS_MAX, &n) : NULL;

	return t != NULL && n == 2 && span_is(t[0].stem, word->stem);
}

/* The last word of the source's name, if the words before it only qualify it (not those of
 * student_courses), or its key is called so. */
static const struct ask_token *
qualified_word(const struct indexing *in, const struct ask_source *s)
{
	static const enum ask_word_kind others[] = { ASK_WORD_STOP, ASK_WORD_NOUN, ASK_WORD_KEY, ASK_WORD_NAMELESS };
	size_t n, len;
	struct ask_token *t = ask_tokens(in->a, s->names.name, true, ASK_LEXICON_WORDS_MAX, &n);

	if (t == NULL || n < 2 || n > ASK_LEXICON_WORDS_MAX || !t[n - 1].plural)
		return NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
			if (ask_word(ASK_ENGLISH, &t[i], 1, others[k], &len) != NULL ||
			    ask_word(ASK_GERMAN, &t[i], 1, others[k], &len) != NULL)
				return NULL;
	for (size_t i = 0; i < n; i++)
		if (is_name(in, &t[i]) && (i + 1 == n || !is_key_called(in, s, &t[n - 1])))
			return NULL;
	return &t[n - 1];
}

/* financial_transactions: also "transactions", when nothing else is called so, nor ends so. */
static void
lexicon_last_words(struct indexing *in)
{
	for (uint32_t i = 0; i < in->m->nsources; i++) {
		const struct ask_token *last =
		    in->m->sources[i].covered ? NULL : qualified_word(in, &in->m->sources[i]);
		struct ask_entry e = { .source = i, .kind = ASK_KIND_SOURCE, .tier = ASK_TIER_SYNONYM };
		bool several = false;

		for (uint32_t k = 0; k < in->m->nsources && last != NULL; k++) {
			size_t n;
			struct ask_token *t = k == i ?
			    NULL :
			    ask_tokens(in->a, in->m->sources[k].names.name, true, ASK_LEXICON_WORDS_MAX, &n);

			several |=
			    t != NULL && n > 0 && n <= ASK_LEXICON_WORDS_MAX && span_is(t[n - 1].stem, last->stem);
		}
		if (last != NULL && !several)
			lexicon_words(in, last->stem, false, e);
	}
}

/* The lexicon, with those of the n words that are of agents, or of people. */
static struct ask_lexicon *
lexicon_end(struct indexing *in, const struct ask_declared *words, size_t n, bool agents)
{
	for (uint32_t i = 0; i < n; i++)
		if (words[i].agent == agents)
			lexicon_declare(in, &words[i], i);
	if (!in->full)
		return in->x;
	ask_lexicon_free(in->x);
	return NULL;
}

struct ask_lexicon *
ask_lexicon_of_others(const struct ask_model *m, struct arena *a, const struct ask_declared *words, size_t n)
{
	return lexicon_end(&(struct indexing){ .m = m, .a = a, .x = mem_new(1, sizeof(struct ask_lexicon)) }, words, n,
	    true);
}

struct ask_lexicon *
ask_lexicon_new(const struct ask_model *m)
{
	struct indexing in = { .m = m, .a = m->arena, .x = mem_new(1, sizeof(struct ask_lexicon)) };

	for (uint32_t i = 0; i < m->nsources; i++)
		if (!m->sources[i].covered)
			lexicon_source(&in, i);
	for (uint32_t i = (uint32_t)m->nsources; i < m->nnodes; i++)
		lexicon_alias(&in, i);
	lexicon_last_words(&in);
	return lexicon_end(&in, m->declared, m->ndeclared, false);
}

void
ask_lexicon_free(struct ask_lexicon *x)
{
	if (x == NULL)
		return;
	free(x->entries);
	table_free(&x->by_key);
	free(x);
}

size_t
ask_lexicon_find(const struct ask_lexicon *x, struct span key, bool german, const struct ask_entry **out, size_t max)
{
	uint64_t hash = hash_of(key);
	size_t n = 0;
	uint32_t row;

	for (size_t at = table_start(hash); n < max && (row = table_next(&x->by_key, hash, &at)) != TABLE_NONE;) {
		const struct ask_entry *e = &x->entries[row];
		size_t i = n;

		if (e->german != german || !span_is(e->key, key))
			continue;
		for (n++; i > 0 && out[i - 1]->tier > e->tier; i--)
			out[i] = out[i - 1];
		out[i] = e;
	}
	return n;
}

/* The edit distance from the word to the key or to the nearest of its words; 9: too far. */
static unsigned
near_distance(struct span word, struct span key)
{
	unsigned limit = word.len < 4 ? 0 : word.len < 8 ? 1 : 2, best = 9;
	size_t from = 0;

	for (size_t i = 0; i <= key.len; i++) {
		struct span part;
		unsigned d;

		if (i < key.len && key.p[i] != ' ')
			continue;
		part = span_of(key.p + from, i - from);
		from = i + 1;
		d = ask_distance(word, part, limit);
		if (d > limit)
			d = word.len >= 5 && part.len > word.len && memcmp(part.p, word.p, word.len) == 0 ? 3 : 9;
		best = d < best ? d : best;
	}
	return best;
}

struct span
ask_lexicon_nearest(struct span word, struct span key)
{
	struct span part, best = SPAN("");
	unsigned least = 3; /* further ones only begin alike */

	while (key.len > 0) {
		const uint8_t *end = memchr(key.p, ' ', key.len);

		part = span_of(key.p, end == NULL ? key.len : (size_t)(end - key.p));
		key = span_of(key.p + part.len, key.len - part.len);
		if (key.len > 0)
			key = span_of(key.p + 1, key.len - 1);
		if (near_distance(word, part) < least) {
			least = near_distance(word, part);
			best = part;
		}
	}
	return best;
}

size_t
ask_lexicon_near(const struct ask_lexicon *x, struct span word, const struct ask_entry **out, size_t max)
{
	unsigned far[16];
	size_t n = 0;

	if (max > 16)
		max = 16;
	for (size_t row = 0; row < x->n; row++) {
		const struct ask_entry *e = &x->entries[row];
		unsigned d = e->german || e->kind == ASK_KIND_DATE ? 9 : near_distance(word, e->key);
		bool same = d == 9;
		size_t i;

		for (size_t k = 0; k < n; k++)
			same |= out[k]->kind == e->kind && out[k]->source == e->source && out[k]->index == e->index;
		if (same || (n == max && far[n - 1] <= d))
			continue;
		for (i = n < max ? n++ : n - 1; i > 0 && far[i - 1] > d; i--) {
			out[i] = out[i - 1];
			far[i] = far[i - 1];
		}
		out[i] = e;
		far[i] = d;
	}
	return n;
}

struct span
ask_label(struct arena *a, const struct ask_names *names)
{
	struct span copy;

	if (names->label.len > 0)
		return names->label;
	copy = arena_span(a, names->name);
	for (size_t i = 0; copy.p != NULL && i < copy.len; i++)
		if (copy.p[i] == '_')
			((uint8_t *)(uintptr_t)copy.p)[i] = ' ';
	return copy.p == NULL ? names->name : copy;
}
