/* builder - segments from text, document by document; see segment.h. */
#pragma once

#include "workers/search/index/segment.h"

/* "name", "display", …: matchedOn. */
const char *field_name(enum field f);
float field_weight(enum field f);

const char *kind_name(enum kind k);

/* forward: keep each document's terms, so that it can be killed alone. */
struct builder *builder_new(struct vocab *v, bool forward);
void builder_free(struct builder *b);

/* Begin a document; parent is VOCAB_NONE or the number of the one it follows.  Returns its number. */
uint32_t builder_doc(struct builder *b, enum kind kind, uint32_t parent, uint32_t item);

/* The rest of the document begun last counts for this share of its usual weight. */
void builder_scale(struct builder *b, float scale);

/*
 * Index text as a field of the document begun last.  A name is also indexed
 * written in one, and the first of several as a whole (see VOCAB_WHOLE).
 */
void builder_text(struct builder *b, enum field f, struct span text);

/*
 * As builder_text() of a name, the document's first field.  key, a small
 * number, stands for the text wherever it is given to this builder, so that a
 * name which thousands of documents have is taken apart once.
 */
void builder_name(struct builder *b, uint32_t key, struct span text);

/* The words of a name as they are, where the name's meaning was given by builder_text() before. */
void builder_plain_name(struct builder *b, struct span text);

/* Prefetch what is known of the name `key`. */
void builder_soon(const struct builder *b, uint32_t key);

/* Prefetch the terms of that name; call after builder_soon(). */
void builder_fetch(const struct builder *b, uint32_t key);

/*
 * The document `parent`, begun last of those without parent, has all its children: add their KIND_FAMILY, the last of
 * them.
 */
void builder_family(struct builder *b, uint32_t parent);

/* Take over the living documents of s, which was built forward, in order. */
void builder_segment(struct builder *b, const struct segment *s);

/*
 * End the document begun last.  Builders of one vocabulary share its working
 * space: before another one is used, and before returning to a loop, close.
 */
void builder_close(struct builder *b);

/* The size of what was added so far. */
uint32_t builder_docs(const struct builder *b);

/* Look up all terms that wait. */
void builder_settle(struct builder *b);

/* The family at hand is complete: its words become weights and masks. */
void builder_store(struct builder *b);
