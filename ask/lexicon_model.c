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

/* The words, by their stems in both languages. */
static void
lexicon_key(struct indexing *in, const struct ask_token *t, size_t n, struct ask_entry e)
{
	lexicon_put(in, ask_key(in->a, t, n, false), false, e);
	lexicon_put(in, ask_key(in->a, t, n, true), true, e);
}

static void
lexicon_words(struct indexing *in, struct span text, bool humps, struct ask_entry e)
{
	struct ask_words words = ask_words_of(in->a, text, humps);

	in->full |= words.t == NULL;
	if (words.n > 0)
		lexicon_key(in, words.t, words.n, e);
}

/* Two words as one: "zip code" and "zipcode", "e-mail" and "email". */
static void
lexicon_joined(struct indexing *in, struct ask_words words, struct ask_entry e)
{
	if (words.n == 2)
		lexicon_put(in, ask_joined(in->a, words.t, 2), false, e);
}

static void
lexicon_called(struct indexing *in, const struct ask_names *names, struct ask_entry e)
{
	lexicon_words(in, names->label, false, e);
	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; i < names->nsynonyms; i++)
		lexicon_words(in, names->synonyms[i], false, e);
}

static void
lexicon_names(struct indexing *in, const struct ask_names *names, struct ask_entry e)
{
	e.tier = ASK_TIER_NAME;
	if (names->words.n > 0)
		lexicon_key(in, names->words.t, names->words.n, e);
	lexicon_words(in, names->name, false, e);
	lexicon_called(in, names, e);
	e.tier = ASK_TIER_SYNONYM;
	lexicon_joined(in, names->words, e);
	lexicon_joined(in, ask_words_of(in->a, names->label, false), e);
}

/* Whether the English word is of this kind. */
static bool
is_of_kind(const struct ask_token *t, enum ask_word_kind kind)
{
	size_t len;

	return ask_word(ASK_ENGLISH, t, 1, kind, &len) != NULL;
}

/* Whether the rows of a source are called so, or its name ends so. */
static bool
names_rows(const struct indexing *in, const struct ask_token *t)
{
	bool names = false;

	for (uint32_t k = 0; k < in->m->nsources; k++) {
		const struct ask_names *rows = &in->m->sources[k].names;

		names |= rows->words.n > 0 && span_is(rows->words.t[rows->words.n - 1].stem, t->stem);
		for (size_t i = 0; i < rows->nsynonyms && !names; i++) {
			struct ask_words other = ask_words_of(in->a, rows->synonyms[i], false);

			names = other.n == 1 && span_is(other.t[0].stem, t->stem);
		}
	}
	return names;
}

/* What a column or a measure is called by some words of its name, or by them in another order. */
static void
lexicon_parts(struct indexing *in, struct ask_words name, bool number, bool column, struct ask_entry e)
{
	const struct ask_token *t = name.t;
	struct ask_token turned[ASK_NAME_WORDS_MAX + 1];
	size_t n = name.n;
	bool of, german;

	if (n < 2)
		return;
	e.tier = ASK_TIER_SYNONYM;
	/* fare_eur, duration_min: without the unit; not farm_ha of farms, nor inspection_hours or average_loan_days,
	 * "inspection", "average loan" */
	if (number && n < ASK_NAME_WORDS_MAX && is_of_kind(&t[n - 1], ASK_WORD_UNIT) &&
	    !((n == 2 || !column) && names_rows(in, &t[n - 2])))
		lexicon_key(in, t, n - 1, e);
	/* birth_date: "date of birth" */
	if (!number && n < ASK_NAME_WORDS_MAX && is_of_kind(&t[n - 1], ASK_WORD_NOUN)) {
		turned[0] = t[n - 1];
		turned[1] = (struct ask_token){ .stem = SPAN("of") };
		memcpy(&turned[2], t, (n - 1) * sizeof(*t));
		lexicon_put(in, ask_key(in->a, turned, n + 1, false), false, e);
	}
	of = span_is_str(t[1].folded, "of");
	german = ask_is_any(t[1].folded, "der des von");
	/* level_of_membership: "membership level"; datum_der_ankunft: "Ankunftsdatum" */
	if (column && (of || german) && n == 3) {
		turned[0] = t[2];
		turned[1] = t[0];
		lexicon_put(in, ask_key(in->a, turned, 2, german), german, e);
	}
	/* num_of_staff, number_products: what the number counts */
	if (column && number && n > 1 + (size_t)of && ask_is_any(t[0].folded, of ? "number num no" : "number num"))
		lexicon_put(in, ask_key(in->a, t + 1 + of, n - 1 - of, false), false, e);
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

		if (participles[i].german == german && span_ends(noun, participles[i].noun) &&
		    (noun.len == cut || noun.len >= cut + 3))
			lexicon_words(in,
			    span_str(arena_printf(in->a, "%s%.*s%s", participles[i].before, (int)(noun.len - cut),
				(const char *)noun.p, participles[i].verb)),
			    false, e);
	}
}

/* return_date: also "returned". */
static void
lexicon_happened(struct indexing *in, struct span name, struct ask_entry e)
{
	struct ask_words words = ask_words_of(in->a, name, true);

	if (words.n != 1)
		return;
	lexicon_verbs(in, words.t[0].stem, false, e);
	lexicon_verbs(in, words.t[0].german, true, e);
}

static void lexicon_german_verb(struct indexing *in, struct span verb, struct ask_entry e);

/* "Eröffnungsdatum", "Erscheinungsjahr": also the verb, "eröffnet", "erschienen". */
static void
lexicon_german_date(struct indexing *in, struct span name, struct ask_entry e)
{
	static const char *const verbs[][2] = { { "eintritt", "eingetreten" }, { "austritt", "ausgetreten" },
		{ "rückgabe", "zurückgegeben" }, { "erscheinung", "erschienen" }, { "kauf", "gekauft" },
		{ "verkauf", "verkauft" }, { "beginn", "begonnen" }, { "abschluss", "abgeschlossen" },
		{ "tod", "gestorben" }, { "geburt", "geboren" }, { "bestell", "bestellt" } };
	static const char *const endings[] = { "sdatum", "datum", "sjahr", "esjahr", "jahr", "stag", "estag", "tag" };
	struct span noun = ask_folded(in->a, name);
	bool date = false;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && !date; i++)
		if ((date = span_ends(noun, endings[i])))
			noun.len -= strlen(endings[i]);
	for (size_t i = 0; date && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (span_is_str(noun, verbs[i][0])) {
			lexicon_words(in, span_str(verbs[i][1]), false, e);
			return;
		}
	if (date && noun.len > 6 && span_ends(noun, "ung"))
		lexicon_german_verb(in,
		    span_str(arena_printf(in->a, "%.*sen", (int)noun.len - 3, (const char *)noun.p)), e);
}

/* publication_year: also "published"; founded_year: "founded". */
static void
lexicon_year(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	struct span name = c->names.name;

	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; i < c->names.nsynonyms; i++)
		if (c->type == ASK_TYPE_NUMBER && span_ends(ask_folded(in->a, c->names.synonyms[i]), "jahr"))
			lexicon_german_date(in, c->names.synonyms[i], e);
	if (name.len <= 5 || !span_is_folded(span_of(name.p + name.len - 5, 5), SPAN("_year")))
		return;
	name.len -= 5;
	lexicon_happened(in, name, e);
	if (ask_is_participle(ASK_ENGLISH, name))
		lexicon_words(in, name, true, e);
}

/* "borrowed on", "ausgeliehen am": also the verb alone. */
static void
lexicon_happened_on(struct indexing *in, struct span name, struct ask_entry e)
{
	static const char *const endings[] = { " on", " at", " am" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (span_ends(name, endings[i]))
			lexicon_words(in, span_of(name.p, name.len - strlen(endings[i])), false, e);
}

/* opened_at, issued_on, hire_date: also the verb, "opened". */
static void
lexicon_date(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	struct ask_words words = c->names.words;
	struct span name = c->names.name;

	e.kind = ASK_KIND_DATE;
	e.tier = ASK_TIER_NAME;
	if (words.n > 1 &&
	    ask_is_any(words.t[words.n - 1].folded, "at on date time datetime timestamp am datum zeit")) {
		name.len = (size_t)(words.t[words.n - 1].text.p - name.p);
		while (name.len > 0 && name.p[name.len - 1] == '_')
			name.len--;
		lexicon_words(in, name, true, e);
		lexicon_happened(in, name, e);
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
	lexicon_called(in, &c->names, e);
	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; i < c->names.nsynonyms; i++) {
		lexicon_happened_on(in, c->names.synonyms[i], e);
		lexicon_german_date(in, c->names.synonyms[i], e);
	}
}

/* orders: also "ordered"; reservations: "reserved"; Bestellungen: "bestellt".  Only for names of one word. */
static void
lexicon_event(struct indexing *in, const struct ask_names *names, struct ask_entry e)
{
	const struct span *name;

	e.kind = ASK_KIND_EVENT;
	e.tier = ASK_TIER_SYNONYM;
	for (size_t i = 0; (name = ask_names_at(names, i)) != NULL; i++)
		lexicon_happened(in, *name, e);
}

/* is_electric, has_invoice, paid: the word for the true state. */
static void
lexicon_flag(struct indexing *in, const struct ask_column *c, struct ask_entry e)
{
	static const char *const beginnings[] = { "is_", "has_", "was_", "ist_", "hat_", NULL };
	struct span name = c->names.name;

	e.kind = ASK_KIND_FLAG;
	e.tier = ASK_TIER_SYNONYM;
	for (const char *const *begin = beginnings; *begin != NULL; begin++)
		if (span_begins_word(name, *begin) && name.len > strlen(*begin)) {
			name = span_of(name.p + strlen(*begin), name.len - strlen(*begin));
			break;
		}
	lexicon_words(in, name, true, e);
	lexicon_called(in, &c->names, e);
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
	bool e_between = span_ends(stem, "t") || span_ends(stem, "d") || span_ends(stem, "fn") ||
	    span_ends(stem, "chn") || span_ends(stem, "gn");
	const char *end = e_between ? "et" : "t",
		   *form = arena_printf(in->a, "%.*s%s%.*s%s", SPAN_FMT(prefix), before, SPAN_FMT(stem), end);
	struct ask_words words = ask_words_of(in->a, span_str(form), false);

	if (words.n == 1)
		lexicon_put(in, ask_key(in->a, words.t, 1, true), true, e);
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

		if (stem.len < n + 3 || !span_begins(stem, prefixes[i]))
			continue;
		lexicon_form(in, span_of(stem.p, n), "", span_of(stem.p + n, stem.len - n), e);
		lexicon_form(in, span_of(stem.p, n), "ge", span_of(stem.p + n, stem.len - n), e);
	}
}

/* produce: also "produced" and "producing"; other forms are declared, too: "sang", "sung". */
static void
lexicon_verb(struct indexing *in, struct span verb, struct ask_entry e)
{
	static const char *const endings[] = { "ed", "ing" };
	size_t n = verb.len;

	lexicon_words(in, verb, false, e);
	if (n < 3 || memchr(verb.p, ' ', n) != NULL)
		return;
	lexicon_german_verb(in, verb, e);
	for (size_t i = 0; i < 2; i++) {
		bool ied = i == 0 && verb.p[n - 1] == 'y' && strchr("aeo", verb.p[n - 2]) == NULL;
		size_t keep = n - (ied || verb.p[n - 1] == 'e');

		lexicon_words(in,
		    span_str(arena_printf(in->a, "%.*s%s%s", (int)keep, (const char *)verb.p, ied ? "i" : "",
			endings[i])),
		    false, e);
		if (doubles_end(verb))
			lexicon_words(in,
			    span_str(arena_printf(in->a, "%.*s%c%s", SPAN_FMT(verb), verb.p[n - 1], endings[i])), false,
			    e);
	}
}

/* Of a join to authors: "wrote", as people say it of those who are called so. */
static void
lexicon_doers(struct indexing *in, struct span name, struct ask_entry e)
{
	size_t n;
	struct ask_token *t = ask_tokens(in->a, name, true, ASK_NAME_WORDS_MAX, &n);

	for (unsigned german = 0; t != NULL && n > 0 && n <= ASK_NAME_WORDS_MAX && german < 2; german++) {
		const char *rest = "";
		size_t at = 0;
		struct span noun = german ? t[n - 1].german : t[n - 1].stem, verb;

		while ((verb = ask_does(german ? ASK_GERMAN : ASK_ENGLISH, noun, &at, &rest)).len > 0)
			lexicon_verb(in, verb, e);
	}
}

static void
lexicon_joins(struct indexing *in, uint32_t i)
{
	const struct ask_node *n = &in->m->nodes[i];
	struct ask_entry e = { .source = i, .kind = ASK_KIND_VERB, .tier = ASK_TIER_SYNONYM };

	for (size_t k = 0; k < n->nedges; k++) {
		const struct ask_names *to = &in->m->sources[in->m->nodes[n->edges[k].to].source].names;

		e.index = n->edges[k].to;
		for (size_t v = 0; v < n->edges[k].nverbs; v++)
			lexicon_verb(in, n->edges[k].verbs[v], e);
		lexicon_doers(in, to->name, e);
		lexicon_doers(in, to->label, e);
		for (size_t v = 0; v < to->nsynonyms; v++)
			lexicon_doers(in, to->synonyms[v], e);
	}
}

static void
lexicon_source(struct indexing *in, uint32_t i)
{
	const struct ask_source *s = &in->m->sources[i];
	struct ask_words rows = s->names.words;
	struct ask_entry e = { .source = i, .kind = ASK_KIND_SOURCE };

	lexicon_names(in, &s->names, e);
	/* cars_data, model_list: also the name of the rows, "cars" and "models" */
	e.tier = ASK_TIER_SYNONYM;
	if (rows.n > 1 && is_of_kind(&rows.t[rows.n - 1], ASK_WORD_NAMELESS))
		lexicon_put(in, ask_key(in->a, rows.t, rows.n - 1, false), false, e);
	lexicon_event(in, &s->names, e);
	for (e.index = 0, e.kind = ASK_KIND_MEASURE; e.index < s->nmeasures; e.index++) {
		lexicon_names(in, &s->measures[e.index].names, e);
		lexicon_parts(in, s->measures[e.index].names.words, true, false, e);
	}
	for (e.index = 0; e.index < s->ncolumns; e.index++) {
		const struct ask_column *c = &s->columns[e.index];

		if (c->internal)
			continue;
		e.kind = ASK_KIND_COLUMN;
		lexicon_names(in, &c->names, e);
		lexicon_parts(in, c->names.words, c->type == ASK_TYPE_NUMBER, true, e);
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

	if (n->label.len == 0) {
		lexicon_words(in, n->name, true, e);
		return;
	}
	e.tier = ASK_TIER_SYNONYM;
	lexicon_words(in, n->label, true, e);
	lexicon_words(in,
	    span_str(arena_printf(in->a, "%.*s %.*s", SPAN_FMT(n->label),
		SPAN_FMT(in->m->sources[n->source].names.name))),
	    false, e);
}

/* Whether something is called by the word, other than by its verb. */
static bool
is_name(const struct indexing *in, const struct ask_token *t)
{
	return ask_lexicon_has(in->x, in->a, t, 1,
	    ~(1u << ASK_KIND_DATE | 1u << ASK_KIND_EVENT | 1u << ASK_KIND_VALUE));
}

/* Whether the only column of the key is called as the word: order_id, of customer_orders. */
static bool
is_key_called(const struct indexing *in, const struct ask_source *s, const struct ask_token *word)
{
	struct ask_words key = ask_words_of(in->a, s->ngrain == 1 ? s->grain[0] : SPAN(""), true);

	return key.n == 2 && span_is(key.t[0].stem, word->stem);
}

/* The last word of the source's name, if the words before it only qualify it (not those of
 * student_courses), or its key is called so. */
static const struct ask_token *
qualified_word(const struct indexing *in, const struct ask_source *s)
{
	static const enum ask_word_kind others[] = { ASK_WORD_STOP, ASK_WORD_NOUN, ASK_WORD_KEY, ASK_WORD_NAMELESS };
	struct ask_words name = s->names.words;
	const struct ask_token *last = &name.t[name.n - 1];
	size_t len;

	if (s->covered || name.n < 2 || !last->plural)
		return NULL;
	for (size_t i = 0; i < name.n; i++)
		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
			if (is_of_kind(&name.t[i], others[k]) ||
			    ask_word(ASK_GERMAN, &name.t[i], 1, others[k], &len) != NULL)
				return NULL;
	for (size_t i = 0; i < name.n; i++)
		if (is_name(in, &name.t[i]) && (i + 1 == name.n || !is_key_called(in, s, last)))
			return NULL;
	return last;
}

/* financial_transactions: also "transactions", when nothing else is called so, nor ends so. */
static void
lexicon_last_words(struct indexing *in)
{
	for (uint32_t i = 0; i < in->m->nsources; i++) {
		const struct ask_token *last = qualified_word(in, &in->m->sources[i]);
		struct ask_entry e = { .source = i, .kind = ASK_KIND_SOURCE, .tier = ASK_TIER_SYNONYM };
		bool several = false;

		for (uint32_t k = 0; k < in->m->nsources && last != NULL; k++) {
			struct ask_words other = in->m->sources[k].names.words;

			several |= k != i && other.n > 0 && span_is(other.t[other.n - 1].stem, last->stem);
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

size_t
ask_lexicon_words(const struct ask_lexicon *x, struct arena *a, const struct ask_token *t, size_t n, bool german,
    const struct ask_entry *out[ASK_HITS_MAX])
{
	return ask_lexicon_find(x, ask_key(a, t, n, german), german, out, ASK_HITS_MAX);
}

bool
ask_lexicon_has(const struct ask_lexicon *x, struct arena *a, const struct ask_token *t, size_t n, unsigned kinds)
{
	const struct ask_entry *found[ASK_HITS_MAX];

	for (unsigned german = 0; german < 2; german++)
		for (size_t k = ask_lexicon_words(x, a, t, n, german, found); k > 0; k--)
			if ((kinds & 1u << found[k - 1]->kind) != 0)
				return true;
	return false;
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

uint32_t
ask_only_ending(const struct ask_source *s, const char *words, bool time)
{
	struct ask_words rows = s->names.words;
	uint32_t found = ASK_NONE;

	for (uint32_t i = 0; rows.n > 0 && i < s->ncolumns; i++) {
		const struct ask_column *c = &s->columns[i];
		struct ask_words name = c->names.words;

		if (c->internal || !(time ? c->time : c->type == ASK_TYPE_TEXT) || name.n == 0 || name.n > 2 ||
		    !ask_is_any(name.t[name.n - 1].folded, words) ||
		    (name.n == 2 && !span_is(name.t[0].stem, rows.t[rows.n - 1].stem)))
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = i;
	}
	return found;
}
