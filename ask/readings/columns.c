#include "ask/readings/columns.h"

#define COLUMN_ITEMS_MAX 4u
#define KEYS_MAX	 400u	/* names of the columns of one source; further ones are not read */

/* What the columns of a source are called. */
struct called {
	size_t	n;
	struct column_key {
		uint32_t	column;
		struct span	key;
	}	*keys;
};

struct readings_names *
columns_names_new(const struct plan *p)
{
	struct readings_names *names = arena_alloc(p->a, sizeof(*names));

	if (names == NULL || (names->called = arena_array(p->a, p->m->nsources + 1, sizeof(*names->called))) == NULL ||
	    (names->routes = arena_array(p->a, p->m->nnodes + 1, sizeof(*names->routes))) == NULL)
		return NULL;
	return names;
}

static bool
has_word(const struct ask_token *t, size_t n, struct span stem)
{
	for (size_t i = 0; i < n && i < ASK_LEXICON_WORDS_MAX; i++)
		if (span_is(t[i].stem, stem))
			return true;
	return false;
}

static void
add_key(struct called *c, uint32_t column, struct span key)
{
	if (key.len > 0 && c->n < KEYS_MAX)
		c->keys[c->n++] = (struct column_key){ column, key };
}

/* Add a name of the column: all of its words, and all but those of its source. */
static void
add_name(const struct plan *p, const struct ask_source *s, struct called *c, uint32_t column, struct span name)
{
	size_t n, nsource, left = 0;
	struct ask_token *t = ask_tokens(p->a, name, true, ASK_LEXICON_WORDS_MAX, &n);
	struct ask_token *source = ask_tokens(p->a, s->names.name, true, ASK_LEXICON_WORDS_MAX, &nsource);

	if (t == NULL || source == NULL || n == 0 || n > ASK_LEXICON_WORDS_MAX || nsource > ASK_LEXICON_WORDS_MAX)
		return;
	add_key(c, column, ask_key(p->a, t, n, false));
	add_key(c, column, ask_key(p->a, t, n, true));
	for (size_t i = 0; i < n; i++)
		if (!has_word(source, nsource, t[i].stem))
			t[left++] = t[i];
	if (left > 0 && left < n)
		add_key(c, column, ask_key(p->a, t, left, false));
}

static const struct called *
called_of(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	struct called *c = p->names->called[source];

	if (c != NULL || (c = arena_alloc(p->a, sizeof(*c))) == NULL ||
	    (c->keys = arena_array(p->a, KEYS_MAX, sizeof(*c->keys))) == NULL)
		return c;
	c->n = 0;
	p->names->called[source] = c;
	for (uint32_t i = 0; i < s->ncolumns; i++) {
		add_name(p, s, c, i, s->columns[i].names.name);
		add_name(p, s, c, i, s->columns[i].names.label);
		for (size_t k = 0; k < s->columns[i].names.nsynonyms; k++)
			add_name(p, s, c, i, s->columns[i].names.synonyms[k]);
	}
	return c;
}

static bool
is_shown(const struct ask_column *c)
{
	return !c->internal && !c->masked;
}

/* The only column of the source that the words name. */
static uint32_t
column_called(const struct plan *p, uint32_t source, struct span words)
{
	const struct called *c = called_of(p, source);
	uint32_t found = ASK_NONE;

	for (size_t i = 0; c != NULL && i < c->n; i++) {
		if (c->keys[i].column == found || !span_is(c->keys[i].key, words))
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = c->keys[i].column;
	}
	return found != ASK_NONE && is_shown(&p->m->sources[source].columns[found]) ? found : ASK_NONE;
}

/* Whether the label is all of a row's name: a person has a last name as well. */
static bool
names_all(const struct ask_source *s)
{
	if (s->label == ASK_NONE || !is_shown(&s->columns[s->label]))
		return false;
	for (uint32_t c = 0; c < s->ncolumns && s->columns[s->label].of_person; c++)
		if (c != s->label && s->columns[c].of_person)
			return false;
	return true;
}

/* "id": the key; "name": what names the rows. */
static uint32_t
column_of_noun(const struct plan *p, const struct ask_source *s, const struct ask_token *t)
{
	size_t len;
	const struct ask_word_row *row = ask_word(p->q.language, t, 1, ASK_WORD_KEY, &len);

	if (row == NULL)
		return ASK_NONE;
	if (row->arg == ASK_KEY_NAME)
		return names_all(s) ? s->label : ASK_NONE;
	for (uint32_t c = 0; s->ngrain == 1 && c < s->ncolumns; c++)
		if (span_is(s->columns[c].names.name, s->grain[0]))
			return is_shown(&s->columns[c]) ? c : ASK_NONE;
	return ASK_NONE;
}

/* The only column of the source among the item's hits. */
static uint32_t
column_hit(const struct plan *p, const struct ask_source *s, size_t i)
{
	uint32_t found = ASK_NONE;

	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_SOURCE && &p->m->sources[e->source] != s)
			return ASK_NONE;
		if (e->kind != ASK_KIND_COLUMN || &p->m->sources[e->source] != s || e->index == found)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->index;
	}
	return found != ASK_NONE && is_shown(&s->columns[found]) ? found : ASK_NONE;
}

uint32_t
columns_find(const struct plan *p, uint32_t node, size_t i, size_t *n)
{
	const struct ask_source *s = plan_source(p, node);
	uint32_t source = p->m->nodes[node].source, column;

	/* What is measured is no column of rows, even where one is called so. */
	if (i < p->q.n && plan_names_any(p, i, ASK_KIND_MEASURE))
		return ASK_NONE;
	for (*n = COLUMN_ITEMS_MAX; *n > 0; --*n) {
		size_t first, words = 0;
		bool apart = false;

		if (i + *n > p->q.n)
			continue;
		first = p->q.items[i].first;
		for (size_t k = 0; k < *n; k++) {
			apart |= k > 0 && p->q.tokens[p->q.items[i + k].first].comma;
			words += p->q.items[i + k].n;
		}
		if (apart)
			continue;
		column = column_called(p, source, ask_key(p->a, &p->q.tokens[first], words, false));
		if (column == ASK_NONE && p->q.language == ASK_GERMAN)
			column = column_called(p, source, ask_key(p->a, &p->q.tokens[first], words, true));
		if (column == ASK_NONE && *n == 1)
			column = column_hit(p, s, i);
		if (column == ASK_NONE && words == 1)
			column = column_of_noun(p, s, &p->q.tokens[first]);
		if (column != ASK_NONE)
			return column;
	}
	return ASK_NONE;
}
