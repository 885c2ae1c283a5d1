/*
 * document_vectors - makes the vectors of a document's passages with the endpoint of `embeddings`, and stores them with
 * the document (project/passages.h).  Vectors of unchanged texts are reused.
 */
#pragma once

#include "cli/datasets/cmd_document.h"

/* The number of vectors that the model's file has for a document. */
uint64_t document_vectors(const struct documents *d, int dir, const struct document *one);

/*
 * Make vectors for the document's passages that have none, and set one->vectors.  False: after a message about failed
 * ones; successful ones are kept.
 */
bool document_embed(struct documents *d, struct client *c, struct document *one);

/* Remove the vectors of the document called name. */
void document_forget_vectors(struct cli *cli, int dir, const char *name);
