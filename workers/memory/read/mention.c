#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/claim.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/mention.h"
#include "workers/memory/read/wording.h"
#include "workers/memory/read/words_note.h"

#define WORD_MAX	64

/* Equal but for case, and for blanks in place of underscores. */
static bool
is_called(const char *name, struct span words)
{
	size_t i = 0;

	for (; i < words.len && name[i] != '\0'; i++)
		if (ascii_lower((uint8_t)name[i]) != ascii_lower(words.p[i]) && !(name[i] == '_' && words.p[i] == ' '))
			return false;
	return i == words.len && name[i] == '\0';
}

static bool
is_called_any(const char *name, const struct source_words *w, struct span words)
{
	for (size_t i = 0; i < w->nsynonyms; i++)
		if (is_called(w->synonyms[i], words))
			return true;
	return is_called(name, words) || (w->label.len > 0 && span_is_folded(w->label, words));
}

/* Counts the source's shown columns and measures that are called so; *out: the first, if n is 0 so far. */
static size_t
find_members(const struct source *s, struct span words, size_t n, struct mention *out)
{
	for (size_t i = 0; i < s->nmeasures; i++)
		if (is_called_any(s->measures[i].name, &s->measures[i].words, words) && n++ == 0)
			*out = (struct mention){ .source = s, .measure = &s->measures[i] };
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN && !s->columns[i].withheld &&
		    is_called_any(s->columns[i].name, &s->columns[i].words, words) && n++ == 0)
			*out = (struct mention){ .source = s, .column = &s->columns[i] };
	return n;
}

/* The source with this name in one of the usual spellings: orders, Orders, order. */
static const struct source *
find_source(const struct source_set *set, struct span word)
{
	uint8_t name[WORD_MAX + 1];
	const struct source *s = NULL;

	if (word.len < 2 || word.len >= WORD_MAX)
		return NULL;
	for (unsigned turn = 0; turn < 9 && s == NULL; turn++) {
		size_t n = word.len;

		for (size_t i = 0; i < n; i++)
			name[i] = turn < 3 ? word.p[i] : ascii_lower(word.p[i]);
		if (turn >= 6 && ascii_is_letter(name[0]))
			name[0] &= (uint8_t)~0x20u;
		if (turn % 3 == 1)
			name[n++] = 's';
		if (turn % 3 == 2 && name[n - 1] == 's')
			n--;
		s = source_set_get(set, span_of(name, n));
	}
	return s;
}

size_t
mention_find(const struct source_set *set, struct span words, struct span sentence, struct mention *out)
{
	const struct source *owner;
	struct span name, table, last;
	struct mention first;
	struct wording w;
	size_t n = 0, sharing = 0;

	if (claim_is_name(words, &name) && memchr(name.p, '.', name.len) != NULL) {
		(void)formula_dotted(name, &table, &last);
		owner = find_source(set, table);
		return owner == NULL ? 0 : find_members(owner, last, 0, out);
	}
	for (size_t i = 0; i < source_set_count(set); i++)
		n = find_members(source_set_at(set, i), name, n, out);
	if (n < 2)
		return n;
	wording_split(sentence, &w);
	for (size_t i = 0; i < w.n; i++)
		if ((owner = find_source(set, w.v[i])) != NULL)
			sharing = find_members(owner, name, sharing, &first);
	*out = sharing == 1 ? first : *out;
	return sharing == 1 ? 1 : n;
}

bool
mention_is_known(const struct source_set *set, struct span word, bool subject)
{
	struct mention found;
	struct span name, table, last;

	if (!claim_is_name(word, &name))
		return find_source(set, word) != NULL || (subject && mention_find(set, word, SPAN_NONE, &found) > 0);
	if (find_source(set, name) != NULL || mention_find(set, word, SPAN_NONE, &found) > 0)
		return true;
	/* main.orders */
	(void)formula_dotted(name, &table, &last);
	return table.len > 0 && find_source(set, last) != NULL;
}

const struct source_measure *
mention_measure(const struct source_set *set, struct span source, struct span name, struct span words,
    const struct source **owner)
{
	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);

		for (size_t k = 0; k < s->nmeasures; k++) {
			const struct source_measure *m = &s->measures[k];

			*owner = s;
			if ((is_called_any(m->name, &m->words, name) || is_called_any(m->name, &m->words, words)) &&
			    !(span_is_str(source, s->name) && span_is_str(name, m->name)))
				return m;
		}
	}
	return NULL;
}

static bool
is_beside_names(struct span word)
{
	return ascii_is_digit(word.p[0]) || span_is_any_word(word, words_beside_names);
}

const struct source_measure *
mention_within(const struct source_set *set, struct span source, struct span name, struct span words,
    const struct source **owner)
{
	const struct source_measure *found = NULL;
	uint8_t spoken[WORD_MAX * 2];
	struct wording w;
	size_t first = 0, last;

	words.len = words.len < sizeof(spoken) ? words.len : sizeof(spoken);
	for (size_t i = 0; i < words.len; i++)
		spoken[i] = words.p[i] == '_' ? ' ' : words.p[i];
	wording_split(span_of(spoken, words.len), &w);
	while (first < w.n && is_beside_names(w.v[first]))
		first++;
	for (last = w.n; last > first && is_beside_names(w.v[last - 1]);)
		last--;
	/* The part may itself begin or end with such words: "total sales". */
	for (size_t i = 0; i <= first && found == NULL; i++)
		for (size_t k = w.n; k >= last && k > i && found == NULL; k--)
			if (k - i < w.n)
				found = mention_measure(set, source, name,
				    span_of(w.v[i].p, (size_t)(w.v[k - 1].p + w.v[k - 1].len - w.v[i].p)), owner);
	return found;
}
