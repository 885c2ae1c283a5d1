#include <string.h>

#include "words/language.h"
#include "words/language_tables.h"
#include "words/text.h"

static struct span
text_of(const struct language_entry *e)
{
	return span_of(language_pool + e->text, e->len);
}

static const struct language_entry *
language_find(struct span word)
{
	unsigned pair = language_pair(word);
	size_t low = language_starts[pair], high = language_starts[pair + 1];

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = span_cmp(text_of(&language_entries[mid]), word);

		if (order == 0)
			return &language_entries[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

uint32_t
language_rank(struct span folded)
{
	const struct language_entry *e = language_find(folded);

	return e == NULL ? 0 : e->rank;
}

bool
language_has(struct span folded)
{
	const struct language_entry *e = language_find(folded);

	return e != NULL && !e->german;
}

/* WordNet's rules of detachment, for nouns and verbs together, and German ones. */
static const struct {
	const char	*ending, *plain;
	bool		 german;
} endings[] = {
	{ "ies", "y", false }, { "ses", "s", false }, { "xes", "x", false }, { "ches", "ch", false },
	{ "shes", "sh", false }, { "men", "man", false }, { "s", "", false }, { "ed", "e", false },
	{ "ed", "", false }, { "ing", "e", false }, { "ing", "", false }, { "n", "", true },
	{ "en", "", true }, { "e", "", true }, { "s", "", true }, { "es", "", true }
};

/* The entry of the word, or of its plain form, that has links. */
static const struct language_entry *
find_linked(struct span word)
{
	const struct language_entry *e = language_find(word);
	uint8_t plain[TEXT_WORD_MAX + 4];

	for (size_t i = 0; (e == NULL || e[0].links == e[1].links) && i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t cut = strlen(endings[i].ending), put = strlen(endings[i].plain);

		if (word.len < cut + 2 || word.len > TEXT_WORD_MAX ||
		    memcmp(word.p + word.len - cut, endings[i].ending, cut) != 0)
			continue;
		memcpy(plain, word.p, word.len - cut);
		memcpy(plain + word.len - cut, endings[i].plain, put);
		e = language_find(span_of(plain, word.len - cut + put));
		if (e != NULL && e->german != endings[i].german)
			e = NULL;
	}
	return e == NULL || e[0].links == e[1].links ? NULL : e;
}

size_t
language_related(struct span folded, struct language_word out[LANGUAGE_RELATED_MAX])
{
	const struct language_entry *e = find_linked(folded);
	size_t n = 0;

	for (uint32_t i = e == NULL ? 0 : e[0].links; e != NULL && i < e[1].links && n < LANGUAGE_RELATED_MAX; i++)
		if (language_edges[i].link != LANGUAGE_PLAIN)
			out[n++] = (struct language_word){
			.text = text_of(&language_entries[language_edges[i].word]),
			.likeness = (float)language_edges[i].percent / 100,
			.link = (enum language_link)language_edges[i].link
		};
	return n;
}

struct span
language_plain(struct span folded)
{
	const struct language_entry *e = language_find(folded);

	for (uint32_t i = e == NULL ? 0 : e[0].links; e != NULL && i < e[1].links; i++)
		if (language_edges[i].link == LANGUAGE_PLAIN)
			return text_of(&language_entries[language_edges[i].word]);
	return SPAN_NONE;
}
