#include "ask/comparisons.h"
#include "ask/measures.h"
#include "ask/readings/around.h"
#include "ask/readings/columns.h"

#define COLUMN_ITEMS_MAX 4u
#define PREFIXED_MIN	 4u	/* bytes behind the name of a source in the name of its column */
#define SHORT_MIN	 3u	/* bytes of a short form of the name of a source */
#define KEYS_MAX	 800u	/* names of the columns of one source; further ones are not read */
#define SCRATCH_BYTES_MAX ((size_t)16 << 20)	/* for finding the names of one source */

/* What the columns of a source are called. */
struct called {
	size_t	n, cap;
	struct column_key {
		uint32_t	column;
		bool		exact;		/* all words of a name */
		struct span	key, base;	/* base: its verbs without endings; empty: in German */
	}	*keys;
};

struct found_column {
	bool		looked;
	uint32_t	column;
	size_t		n;
};

struct readings_names *
columns_names_new(const struct plan *p)
{
	struct readings_names *names = arena_alloc(p->a, sizeof(*names));
	size_t len;

	if (names == NULL || (names->routes = arena_array(p->a, p->m->nnodes + 1, sizeof(*names->routes))) == NULL ||
	    (names->found = arena_array(p->a, p->m->nnodes + 1, sizeof(*names->found))) == NULL ||
	    (names->called = arena_array(p->a, p->m->nsources + 1, sizeof(*names->called))) == NULL ||
	    (names->known = arena_array(p->a, 2 * (p->m->nsources + 1), sizeof(*names->known))) == NULL ||
	    (names->skipped = arena_array(p->a, p->q.n + 1, sizeof(*names->skipped))) == NULL ||
	    (names->letters = arena_array(p->a, p->q.n + 1, sizeof(*names->letters))) == NULL ||
	    (names->words = arena_array(p->a, p->q.ntokens + 1, sizeof(*names->words))) == NULL ||
	    (names->verbs = arena_array(p->a, p->q.n + 1, sizeof(*names->verbs))) == NULL)
		return NULL;
	for (size_t i = 0; i < p->q.ntokens; i++) {
		const struct ask_word_row *with = ask_word(p->q.language, &p->q.tokens[i], 1, ASK_WORD_WITH, &len);

		names->words[i] = (struct reading_word){ .with = with != NULL && with->arg == 0,
			.article = with != NULL && with->arg == 1,
			.belongs = ask_word(p->q.language, &p->q.tokens[i], 1, ASK_WORD_BELONGS, &len) != NULL };
	}
	return names;
}

/* Whether the words hold this one, in either language. */
static bool
has_word(struct ask_words words, const struct ask_token *word)
{
	for (size_t i = 0; i < words.n; i++)
		if (span_is(words.t[i].stem, word->stem) || span_is(words.t[i].german, word->german))
			return true;
	return false;
}

static bool
joins_words(const struct plan *p, const struct ask_token *t)
{
	size_t len;

	return ask_word(p->q.language, t, 1, ASK_WORD_BELONGS, &len) != NULL;
}

struct span
columns_verb_base(struct span word)
{
	static const char *const ends[] = { "ing", "ed", "e" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (span_ends(word, ends[i]) && word.len >= strlen(ends[i]) + 3)
			return span_of(word.p, word.len - strlen(ends[i]));
	return word;
}

/* The key of words whose verbs may have any ending: "opening year" and open_year. */
static struct span
key_of_bases(const struct plan *p, const struct ask_token *t, size_t n)
{
	struct ask_token bases[ASK_NAME_WORDS_MAX];

	for (size_t i = 0; i < n && n <= ASK_NAME_WORDS_MAX; i++) {
		bases[i] = t[i];
		bases[i].stem = columns_verb_base(t[i].stem);
	}
	return n <= ASK_NAME_WORDS_MAX ? ask_key(p->a, bases, n, false) : SPAN("");
}

/* Room for one more key.  False: there are KEYS_MAX, or the arena is full. */
static bool
called_grow(struct arena *a, struct called *c)
{
	size_t cap = c->cap == 0 ? 32 : 2 * c->cap;
	struct column_key *keys;

	if (c->n < c->cap)
		return true;
	if (c->n >= KEYS_MAX || (keys = arena_array(a, cap, sizeof(*keys))) == NULL)
		return false;
	if (c->n > 0)
		memcpy(keys, c->keys, c->n * sizeof(*keys));
	c->keys = keys;
	c->cap = cap;
	return true;
}

static void
add_keys(const struct plan *p, struct called *c, uint32_t column, const struct ask_token *t, size_t n, bool exact)
{
	for (unsigned german = 0; german < 2 && n > 0; german++) {
		struct span key = ask_key(p->a, t, n, german);

		if (key.len > 0 && called_grow(p->a, c))
			c->keys[c->n++] =
			    (struct column_key){ column, exact, key, german ? SPAN_NONE : key_of_bases(p, t, n) };
	}
}

/* The words without the unit or scale at their end: damage_millions_usd, rating_in_percent. */
static size_t
without_unit(const struct ask_token *t, size_t n)
{

	for (size_t i = 1; i + 1 < n; i++)
		if (span_is_str(t[i].folded, "in"))
			return i;
	while (n > 1 &&
	    ask_is_any(t[n - 1].folded,
		"million millions billion billions thousand thousands percent percentage pct usd eur euros dollars "
		"feet ft inches miles mph km kg lbs m t euro prozent jahre tage stunden minuten hours minutes seconds "
		"days years cm"))
		n--;
	return n;
}

/* num_employees: "number employees".  False: no word is a short form. */
static bool
spell_out(struct ask_token *t, size_t n)
{
	static const char *const forms[][2] = { { "num", "number" }, { "nbr", "number" }, { "nr", "number" },
		{ "avg", "average" }, { "max", "maximum" }, { "min", "minimum" }, { "qty", "quantity" },
		{ "amt", "amount" }, { "addr", "address" }, { "desc", "description" }, { "dept", "department" },
		{ "tel", "telephone" }, { "emp", "employee" }, { "cust", "customer" }, { "acc", "account" },
		{ "acct", "account" }, { "bal", "balance" }, { "loc", "location" }, { "pos", "position" },
		{ "dest", "destination" }, { "cnt", "count" }, { "mgr", "manager" }, { "yr", "year" } };
	bool any = false;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++)
			if (span_is_str(t[i].folded, forms[k][0]) ||
			    /* no_of_customers */
			    (k == 0 && i + 1 < n && span_is_str(t[i].folded, "no") &&
				span_is_str(t[i + 1].folded, "of"))) {
				t[i].folded = t[i].stem = t[i].german = span_str(forms[k][1]);
				any = true;
			}
	return any;
}

/* Add the ways in which people say the words of a name that programs write. */
static void
add_spoken(const struct plan *p, const struct ask_source *s, struct called *c, uint32_t column,
    const struct ask_token *name, size_t n)
{
	struct ask_token t[ASK_NAME_WORDS_MAX];
	size_t short_of;

	if (n >= ASK_NAME_WORDS_MAX)
		return;
	memcpy(t, name, n * sizeof(t[0]));
	short_of = without_unit(t, n);
	if (short_of < n && s->columns[column].type == ASK_TYPE_NUMBER)
		add_keys(p, c, column, t, short_of, false);
	if (spell_out(t, n))
		add_keys(p, c, column, t, n, false);
	/* "enrollment number" */
	if (s->columns[column].type == ASK_TYPE_NUMBER && column != plan_key_column(s)) {
		t[n] = (struct ask_token){ .folded = SPAN("number"), .stem = SPAN("number"), .german = SPAN("number") };
		add_keys(p, c, column, t, n + 1, false);
	}
	/* "names of colleges", a column college of players */
	if (s->columns[column].type == ASK_TYPE_TEXT && column != plan_key_column(s)) {
		t[n] = (struct ask_token){ .folded = SPAN("name"), .stem = SPAN("name"), .german = SPAN("name") };
		add_keys(p, c, column, t, n + 1, false);
		memmove(t + 1, t, n * sizeof(t[0]));
		t[0] = (struct ask_token){ .folded = SPAN("name"), .stem = SPAN("name"), .german = SPAN("name") };
		add_keys(p, c, column, t, n + 1, false);
	}
}

/* cust, of customer. */
static bool
is_short_of(struct ask_words source, const struct ask_token *word)
{
	for (size_t i = 0; i < source.n && word->folded.len >= SHORT_MIN; i++)
		if (word->folded.len < source.t[i].folded.len &&
		    memcmp(word->folded.p, source.t[i].folded.p, word->folded.len) == 0)
			return true;
	return false;
}

/*
 * Add a name of the column: all of its words, those without "of", "date of arrival" as "arrival date", and all but the
 * words of its source.
 */
static void
add_name(const struct plan *p, const struct ask_source *s, struct called *c, uint32_t column, struct span name)
{
	size_t n, left = 0, own = 0, of = 0;
	struct ask_token *t = ask_tokens(p->a, name, true, ASK_NAME_WORDS_MAX, &n), turned[ASK_NAME_WORDS_MAX];

	if (t == NULL || n == 0 || n > ASK_NAME_WORDS_MAX)
		return;
	add_keys(p, c, column, t, n, true);
	add_spoken(p, s, c, column, t, n);
	for (size_t i = 0; i < n; i++)
		if (i > 0 && joins_words(p, &t[i]))
			of = of == 0 ? left : of;
		else
			t[left++] = t[i];
	if (left < n)
		add_spoken(p, s, c, column, t, left);
	for (size_t i = 0; i < left; i++)
		turned[i] = t[(of + i) % left];
	if (of > 0) {
		add_keys(p, c, column, t, left, false);
		add_keys(p, c, column, turned, left, false);
	}
	for (size_t i = 0; i < left; i++)
		if (!has_word(s->names.words, &t[i]) && !(i == 0 && is_short_of(s->names.words, &t[i])))
			t[own++] = t[i];
	if (own < left && own > 0) {
		add_keys(p, c, column, t, own, false);
		add_spoken(p, s, c, column, t, own);
	}
}

/* clubdesc, of the source club: its "desc". */
static void
add_without_source(const struct plan *p, const struct ask_source *s, struct called *c, uint32_t column)
{
	struct ask_words name = s->columns[column].names.words, rows = s->names.words, rest;
	struct span whole, first;

	if (name.n != 1 || rows.n != 1)
		return;
	whole = name.t[0].folded;
	first = rows.t[0].folded;
	if (whole.len < first.len + PREFIXED_MIN || memcmp(whole.p, first.p, first.len) != 0)
		return;
	rest = ask_words_of(p->a, span_of(whole.p + first.len, whole.len - first.len), true);
	if (rest.n != 1)
		return;
	add_keys(p, c, column, rest.t, 1, false);
	add_spoken(p, s, c, column, rest.t, 1);
}

/* fname, and Vorname: what the first and the last names of people are called. */
static void
add_person_names(const struct plan *p, struct called *c, uint32_t column, struct ask_words name)
{
	static const char *const called[2][6] = { { "first name", "given name", "forename", "vorname", NULL },
		{ "last name", "family name", "surname", "nachname", "familienname", NULL } };
	static const char *const lasts[] = { "lastname", "lname", "surname", "familyname", "nachname", NULL };
	struct span joined = ask_joined(p->a, name.t, name.n);
	unsigned last = 0;

	for (size_t i = 0; lasts[i] != NULL; i++)
		last |= span_ends(joined, lasts[i]);
	for (const char *const *other = called[last]; *other != NULL; other++) {
		struct ask_words words = ask_words_of(p->a, span_str(*other), false);

		add_keys(p, c, column, words.t, words.n, false);
	}
}

/* A copy of what the columns are called, in memory that stays; NULL: a is full. */
static struct called *
called_copy(struct arena *a, const struct called *c)
{
	struct called *copy = arena_alloc(a, sizeof(*copy));

	if (copy == NULL || (copy->keys = arena_array(a, c->n + 1, sizeof(*copy->keys))) == NULL)
		return NULL;
	for (copy->n = 0; copy->n < c->n; copy->n++) {
		struct column_key *key = &copy->keys[copy->n];

		*key = c->keys[copy->n];
		key->key = arena_span(a, key->key);
		key->base = key->base.len > 0 ? arena_span(a, key->base) : SPAN_NONE;
		if (key->key.p == NULL || (c->keys[copy->n].base.len > 0 && key->base.p == NULL))
			return NULL;
	}
	return copy;
}

static void
called_fill(const struct plan *p, uint32_t source, struct called *c)
{
	const struct ask_source *s = &p->m->sources[source];

	for (uint32_t i = 0; i < s->ncolumns; i++) {
		add_name(p, s, c, i, s->columns[i].names.name);
		add_name(p, s, c, i, s->columns[i].names.label);
		add_without_source(p, s, c, i);
		if (s->columns[i].of_person)
			add_person_names(p, c, i, s->columns[i].names.words);
		for (size_t k = 0; k < s->columns[i].names.nsynonyms; k++)
			add_name(p, s, c, i, s->columns[i].names.synonyms[k]);
	}
}

/* Found once for a model, or, where the model has no room left, once for a question. */
static const struct called *
called_of(const struct plan *p, uint32_t source)
{
	struct called **kept = &p->m->spoken->called[p->q.language][source], **own = &p->names->called[source];
	struct called found = { 0 };
	struct plan scratch;

	if (*kept != NULL || *own != NULL)
		return *kept != NULL ? *kept : *own;
	scratch = *p;
	scratch.a = arena_new(SCRATCH_BYTES_MAX);
	called_fill(&scratch, source, &found);
	if ((*kept = called_copy(p->m->spoken->a, &found)) == NULL)
		*own = called_copy(p->a, &found);
	arena_free(scratch.a);
	return *kept != NULL ? *kept : *own;
}

bool
columns_next_key(const struct plan *p, uint32_t source, size_t *at, struct span *key, struct span *base)
{
	const struct called *c = called_of(p, source);

	if (c == NULL || *at >= c->n)
		return false;
	*key = c->keys[*at].key;
	*base = c->keys[(*at)++].base;
	return true;
}

/* The only column of the source that the words name: by all words of its name, else by some. */
static uint32_t
column_called(const struct plan *p, uint32_t source, struct span words)
{
	const struct called *c = called_of(p, source);
	uint32_t found = ASK_NONE;
	bool exact = false;

	for (size_t i = 0; c != NULL && i < c->n; i++) {
		if (c->keys[i].column == found || !span_is(c->keys[i].key, words) || (exact && !c->keys[i].exact))
			continue;
		if (found != ASK_NONE && exact == c->keys[i].exact)
			return ASK_NONE;
		found = c->keys[i].column;
		exact = c->keys[i].exact;
	}
	return found != ASK_NONE && ask_is_shown(&p->m->sources[source].columns[found]) ? found : ASK_NONE;
}

/* The only column of the source that the words name where the endings of verbs are left out. */
static uint32_t
column_called_by_base(const struct plan *p, uint32_t source, struct span base)
{
	const struct called *c = called_of(p, source);
	uint32_t found = ASK_NONE;

	for (size_t i = 0; c != NULL && i < c->n; i++) {
		if (c->keys[i].column == found || c->keys[i].base.len == 0 || !span_is(c->keys[i].base, base))
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = c->keys[i].column;
	}
	return found != ASK_NONE && ask_is_shown(&p->m->sources[source].columns[found]) ? found : ASK_NONE;
}

/* Whether the label is all of a row's name: a person has a last name as well. */
static bool
names_all(const struct ask_source *s)
{
	if (s->label == ASK_NONE || !ask_is_shown(&s->columns[s->label]))
		return false;
	for (uint32_t c = 0; c < s->ncolumns && s->columns[s->label].of_person; c++)
		if (c != s->label && s->columns[c].of_person)
			return false;
	return true;
}

/* "room_nr", "flno": called a number. */
static bool
is_called_number(const struct ask_column *c)
{
	static const char *const ends[] = { "no", "nr", "num", "nbr", "number" };
	struct ask_words name = c->names.words;

	for (size_t i = 0; name.n > 0 && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (span_is_str(name.t[name.n - 1].folded, ends[i]) ||
		    (c->type == ASK_TYPE_NUMBER && span_ends(name.t[name.n - 1].folded, ends[i])))
			return true;
	return false;
}

/* The key, if it alone is called a number. */
static uint32_t
key_called_number(const struct ask_source *s)
{
	uint32_t key = plan_key_column(s);

	for (uint32_t c = 0; key != ASK_NONE && c < s->ncolumns; c++)
		if (is_called_number(&s->columns[c]) != (c == key))
			return ASK_NONE;
	return key;
}

/* "id" of songs, whose key is their name, and which have an f_id as well. */
static bool
is_named_elsewhere(const struct plan *p, const struct ask_source *s, uint32_t key, const struct ask_token *word)
{
	bool elsewhere = false;

	for (uint32_t c = 0; c < s->ncolumns; c++) {
		if (!has_word(s->columns[c].names.words, word))
			continue;
		if (c == key)
			return false;
		elsewhere |=
		    key == s->label || !ask_is_foreign(p->m, (uint32_t)(s - p->m->sources), s->columns[c].names.name);
	}
	return elsewhere;
}

/* "id": the key; "name": what names the rows; "number": a key that is called so. */
static uint32_t
column_of_noun(const struct plan *p, const struct ask_source *s, const struct ask_token *t)
{
	size_t len;
	const struct ask_word_row *row = ask_word(p->q.language, t, 1, ASK_WORD_KEY, &len);
	uint32_t key;

	if (row == NULL)
		return ASK_NONE;
	key = row->arg == ASK_KEY_NUMBER ? key_called_number(s) : plan_key_column(s);
	if (row->arg == ASK_KEY_NAME)
		return names_all(s) ? s->label : ASK_NONE;
	return key != ASK_NONE && ask_is_shown(&s->columns[key]) && !is_named_elsewhere(p, s, key, t) ? key : ASK_NONE;
}

/* The only column of the source among the item's hits. */
static uint32_t
column_hit(const struct plan *p, uint32_t node, size_t i)
{
	const struct ask_source *s = plan_source(p, node);
	uint32_t found = ASK_NONE;

	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_SOURCE && &p->m->sources[e->source] != s &&
		    (around_leads_to(p, e->source, node, ASK_NONE - 1) ||
			around_parent(p, node, e->source) != ASK_NONE))
			return ASK_NONE;
		if (e->kind != ASK_KIND_COLUMN || &p->m->sources[e->source] != s || e->index == found)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->index;
	}
	return found != ASK_NONE && ask_is_shown(&s->columns[found]) ? found : ASK_NONE;
}

/* "first", of "first and last name". */
static uint32_t
column_of_shared_noun(const struct plan *p, uint32_t node, size_t i, size_t *n)
{
	struct ask_token t[2];
	size_t next;

	if (i + 2 >= p->q.n || p->q.items[i].kind != ASK_ITEM_UNKNOWN || p->q.items[i].n != 1 ||
	    !plan_is_word(p, i + 1, ASK_WORD_AND) || columns_find(p, node, i + 2, &next) == ASK_NONE)
		return ASK_NONE;
	*n = 1;
	t[0] = p->q.tokens[p->q.items[i].first];
	t[1] = p->q.tokens[p->q.items[i + 1 + next].first + p->q.items[i + 1 + next].n - 1];
	return column_called(p, p->m->nodes[node].source, ask_key(p->a, t, 2, p->q.language == ASK_GERMAN));
}

/* "code of the card type": the words behind "of" first are all words of a name.  ASK_NONE: no "of", or no column. */
static uint32_t
column_turned(const struct plan *p, uint32_t source, const struct ask_token *t, size_t n, size_t of)
{
	const struct called *c = called_of(p, source);
	struct ask_token turned[ASK_NAME_WORDS_MAX];
	struct span key;

	for (size_t i = 0; i < n; i++)
		turned[i] = t[(of + i) % n];
	key = ask_key(p->a, turned, n, p->q.language == ASK_GERMAN);
	for (size_t i = 0; of > 0 && of < n && c != NULL && i < c->n; i++)
		if (c->keys[i].exact && span_is(c->keys[i].key, key))
			return column_called(p, source, key);
	return ASK_NONE;
}

static uint32_t
column_at(const struct plan *p, uint32_t node, size_t i, size_t *n)
{
	const struct ask_source *s = plan_source(p, node);
	uint32_t source = p->m->nodes[node].source, column;

	/* What is measured is no column of rows, even where one is called so. */
	if (i < p->q.n && plan_names_any(p, i, ASK_KIND_MEASURE) && !measures_counts_values(p, i))
		return ASK_NONE;
	for (*n = COLUMN_ITEMS_MAX; *n > 0; --*n) {
		struct ask_token t[ASK_NAME_WORDS_MAX];
		size_t first, words = 0, of = 0;
		bool apart = false;

		if (i + *n > p->q.n)
			continue;
		first = p->q.items[i].first;
		for (size_t k = 0; k < *n; k++) {
			const struct ask_item *it = &p->q.items[i + k];

			apart |= k > 0 && p->q.tokens[it->first].comma;
			for (size_t w = it->first; w < it->first + it->n && words < ASK_NAME_WORDS_MAX; w++)
				if (words == 0 || !p->names->words[w].belongs)
					t[words++] = p->q.tokens[w];
				else if (of == 0 && plan_reads(p, w, "of von"))
					of = words;
			/* "location of the stadium": of those rows */
			if (k > 0 && plan_names_any(p, i + k, ASK_KIND_SOURCE))
				of = ASK_NAME_WORDS_MAX;
		}
		if (apart || plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i + *n - 1, ASK_WORD_STOP))
			continue;
		column = column_called(p, source, ask_key(p->a, t, words, false));
		if (column == ASK_NONE && p->q.language == ASK_GERMAN)
			column = column_called(p, source, ask_key(p->a, t, words, true));
		/* two words: one alone may be a verb of its own, "the year that it opened" */
		if (column == ASK_NONE && words > 1 && p->q.language == ASK_ENGLISH)
			column = column_called_by_base(p, source, key_of_bases(p, t, words));
		if (column == ASK_NONE)
			column = column_turned(p, source, t, words, of);
		if (column == ASK_NONE && *n == 1)
			column = column_hit(p, node, i);
		if (column == ASK_NONE && words == 1)
			column = column_of_noun(p, s, &p->q.tokens[first]);
		if (column != ASK_NONE)
			return column;
	}
	return column_of_shared_noun(p, node, i, n);
}

uint32_t
columns_find(const struct plan *p, uint32_t node, size_t i, size_t *n)
{
	struct found_column *f = p->names->found[node];

	*n = 0;
	if (i >= p->q.n)
		return ASK_NONE;
	if (f == NULL && (f = p->names->found[node] = arena_array(p->a, p->q.n, sizeof(*f))) == NULL)
		return ASK_NONE;
	if (!f[i].looked) {
		f[i].column = column_at(p, node, i, &f[i].n);
		f[i].looked = true;
	}
	*n = f[i].n;
	return f[i].column;
}

/* Whether the item is one of the names of what is measured as well, of these rows and no others. */
static bool
is_measured_here(const struct plan *p, uint32_t node, size_t i)
{
	const struct ask_entry *e;
	bool measured = false;

	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_MEASURE, &k)) != NULL; measured = true)
		if (e->source != p->m->nodes[node].source)
			return false;
	return measured && p->q.items[i].kind == ASK_ITEM_NAME;
}

uint32_t
columns_of_measure(const struct plan *p, uint32_t node, size_t i)
{
	uint32_t column = i < p->q.n && is_measured_here(p, node, i) ? column_hit(p, node, i) : ASK_NONE;

	return column != ASK_NONE && plan_source(p, node)->columns[column].type == ASK_TYPE_NUMBER ? column : ASK_NONE;
}

bool
columns_is_name(const struct plan *p, size_t i)
{
	size_t len;
	const struct ask_word_row *row =
	    i < p->q.n && p->q.items[i].n == 1 ? ask_word(p->q.language, plan_word(p, i), 1, ASK_WORD_KEY, &len) : NULL;

	return row != NULL && row->arg == ASK_KEY_NAME;
}

size_t
columns_of_degree(const struct plan *p, uint32_t node, struct span word, struct plan_column *out)
{
	const struct ask_source *s = plan_source(p, node);
	size_t n = 0;

	for (unsigned part = 0; part < 2 && n == 0; part++)
		for (uint32_t c = 0; c < s->ncolumns; c++)
			if (comparisons_is_own_number(p, (struct plan_column){ node, c }) &&
			    comparisons_is_of_degree(p, word, &s->columns[c], part == 1)) {
				*out = (struct plan_column){ node, c };
				n++;
			}
	return n;
}
