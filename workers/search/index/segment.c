/* segment.c - see segment.h: looking things up and taking things out. */

#include "workers/search/index/segment.h"

bool
segment_find(const struct segment *s, uint32_t term, uint32_t *from, uint32_t *to, uint8_t *most)
{
	uint32_t low = segment_seek(s->terms, 0, s->nterms, term);

	if (low == s->nterms || s->terms[low] != term)
		return false;
	*from = s->starts[low];
	*to = s->starts[low + 1];
	*most = s->most[low];
	return true;
}

uint32_t
segment_family(const struct segment *s, uint32_t parent)
{
	uint32_t last = segment_children_end(s, parent) - 1;

	return s->kind[last] == KIND_FAMILY ? last : VOCAB_NONE;
}

void
segment_kill(struct segment *s, struct vocab *v, uint32_t doc)
{
	if (segment_is_dead(s, doc))
		return;
	if (s->dead == NULL)
		s->dead = array_new(s->ndocs / 8 + 1, 1);
	s->dead[doc / 8] |= (uint8_t)(1u << doc % 8);
	s->nlive--;
	for (uint32_t i = s->doc_starts[doc]; i < s->doc_starts[doc + 1]; i++)
		vocab_count_documents(v, s->doc_terms[i], -1);
}

/* Give the documents' counts back; killed ones already have. */
static void
uncount(const struct segment *s, struct vocab *v)
{
	if (s->dead == NULL) {
		for (uint32_t i = 0; i < s->nterms; i++)
			vocab_count_documents(v, s->terms[i], -(int32_t)(s->starts[i + 1] - s->starts[i]));
		return;
	}
	for (uint32_t doc = 0; doc < s->ndocs; doc++)
		if (!segment_is_dead(s, doc))
			for (uint32_t i = s->doc_starts[doc]; i < s->doc_starts[doc + 1]; i++)
				vocab_count_documents(v, s->doc_terms[i], -1);
}

void
segment_free(struct segment *s, struct vocab *v)
{
	if (s == NULL)
		return;
	uncount(s, v);
	free(s->kind);
	free(s->parent);
	free(s->item);
	free(s->dead);
	free(s->terms);
	free(s->starts);
	free(s->most);
	free(s->docs);
	free(s->weights);
	free(s->masks);
	free(s->block_most);
	free(s->doc_starts);
	free(s->doc_terms);
	free(s);
}

size_t
segment_bytes(const struct segment *s)
{
	size_t postings = s->starts[s->nterms];
	size_t bytes = sizeof(*s) + s->ndocs * (size_t)9 + s->nterms * (size_t)9 + postings * 6;

	if (s->doc_starts != NULL)
		bytes += (s->ndocs + postings) * sizeof(uint32_t);
	return bytes;
}
