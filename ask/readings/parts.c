/*
 * parts.c - which questions a root cannot answer, found without a search.
 *
 * A search tries thousands of chains of rows before it gives up on a word that nothing near its root knows, and a
 * question over hundreds of tables names words of many of them.  Here each item is looked at once for each part of the
 * model: an entry of that part, a word of what its columns are called, or a word that the readings take otherwise.
 * What is accepted here may still have no reading; what is refused has none.
 */
#include "ask/readings/parts.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"
#include "ask/thresholds.h"
#include "base/hash.h"

static uint32_t
part_of(uint32_t *parts, uint32_t source)
{
	while (parts[source] != source)
		source = parts[source] = parts[parts[source]];
	return source;
}

static void
join_parts(uint32_t *parts, uint32_t a, uint32_t b)
{
	parts[part_of(parts, a)] = part_of(parts, b);
}

bool
parts_find(const struct ask_model *m, struct readings_spoken *spoken)
{
	uint32_t *parts = spoken->parts = arena_array(spoken->a, m->nsources + 1, sizeof(*parts));

	if (parts == NULL)
		return false;
	for (uint32_t i = 0; i < m->nsources; i++)
		parts[i] = i;
	for (size_t i = 0; i < m->nnodes; i++) {
		const struct ask_node *node = &m->nodes[i];

		if (node->owner != ASK_NONE)
			join_parts(parts, node->source, m->nodes[node->owner].source);
		for (size_t e = 0; e < node->nedges; e++)
			join_parts(parts, node->source, m->nodes[node->edges[e].to].source);
	}
	for (uint32_t i = 0; i < m->nsources; i++)
		parts[i] = part_of(parts, i);
	return true;
}

static uint64_t
word_hash(struct span word, uint32_t part)
{
	return hash_step(hash_of(word), part);
}

/* Whether a word of that hash is in the part: true of a few others, too. */
static bool
has_word(const struct table *words, uint64_t hash)
{
	size_t at = table_start(hash);

	return table_next(words, hash, &at) != TABLE_NONE;
}

static void
add_words(struct table *words, struct span key, uint32_t part)
{
	while (key.len > 0) {
		const uint8_t *end = memchr(key.p, ' ', key.len);
		struct span word = span_of(key.p, end == NULL ? key.len : (size_t)(end - key.p));
		uint64_t hash = word_hash(word, part);

		if (!has_word(words, hash))
			table_add(words, hash, 0);
		key = end == NULL ? SPAN_NONE : span_of(end + 1, key.len - word.len - 1);
	}
}

/* The words of what columns are called, in the language of the question; made for its first one. */
static const struct table *
words_of_columns(const struct plan *p)
{
	struct readings_spoken *spoken = p->m->spoken;
	struct table *words = &spoken->words[p->q.language];

	for (uint32_t source = 0; !spoken->listed[p->q.language] && source < p->m->nsources; source++) {
		struct span key, base;

		for (size_t at = 0; columns_next_key(p, source, &at, &key, &base);) {
			add_words(words, key, spoken->parts[source]);
			add_words(words, base, spoken->parts[source]);
		}
	}
	spoken->listed[p->q.language] = true;
	return words;
}

/* Whether columns of the part are called by all words of the item. */
static bool
is_of_columns(const struct plan *p, const struct ask_item *it, uint32_t part)
{
	const struct table *words = words_of_columns(p);

	for (size_t i = it->first; i < it->first + it->n; i++) {
		const struct ask_token *t = &p->q.tokens[i];

		if (!p->names->words[i].belongs && !has_word(words, word_hash(t->stem, part)) &&
		    !has_word(words, word_hash(t->german, part)) &&
		    !has_word(words, word_hash(columns_verb_base(t->stem), part)))
			return false;
	}
	return true;
}

/* "operated", of operator or operating_costs: a verb of a column, or of rows. */
static bool
is_verb_in(const struct plan *p, size_t i, uint32_t part)
{
	const uint32_t *parts = p->m->spoken->parts;

	for (uint32_t source = 0; source < p->m->nsources; source++)
		if (parts[source] == part &&
		    (match_is_verb_of(p, i, source) || match_verb_column(p, i, source) != ASK_NONE))
			return true;
	return false;
}

/* Whether the item has a meaning whatever the model says: "name", "full" before it, the "how" of "how old". */
static bool
is_read_anywhere(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_token *t = &p->q.tokens[it->first];
	size_t n;

	return (it->kind != ASK_ITEM_UNKNOWN && it->kind != ASK_ITEM_NAME) || it->word != ASK_WORD_NONE || t->number ||
	    thresholds_is_said(p, i) || (it->first < 2 && plan_reads(p, 0, "how wie was")) ||
	    (i + 1 < p->q.n && columns_is_name(p, i + 1)) || ask_word(p->q.language, t, 1, ASK_WORD_KEY, &n) != NULL ||
	    spans_is_word(p, i);
}

static bool
is_known_in(const struct plan *p, size_t i, uint32_t part)
{
	const struct ask_item *it = &p->q.items[i];

	for (size_t k = 0; k < it->nhits; k++)
		if (p->m->spoken->parts[it->hits[k]->source] == part)
			return true;
	return is_read_anywhere(p, i) || is_of_columns(p, it, part) || is_verb_in(p, i, part);
}

bool
parts_know_all(const struct plan *p, uint32_t source)
{
	uint32_t part = p->m->spoken->parts[source];
	uint8_t *known = &p->names->known[2 * part + p->leaves];
	enum { UNSEEN, KNOWN, UNKNOWN };

	if (*known != UNSEEN)
		return *known == KNOWN;
	*known = KNOWN;
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_LIKE)) /* a text may be any word */
			return true;
	for (size_t i = 0; i < p->q.n && *known == KNOWN; i++)
		if (!plan_is_left(p, i) && !is_known_in(p, i, part))
			*known = UNKNOWN;
	return *known == KNOWN;
}
