/* knowledge_files - the files of an import: their marks, their texts, and the report. */
#pragma once

#include "workers/memory/ingest/knowledge_parts.h"

/* The file of that path among this import's, added if it is missing. */
size_t know_file(struct know *k, const char *path, const char *below);

/* The model's parts go into that file, unless the model is skipped. */
void know_join_file(struct know *k, struct know_model *m, size_t file);

/*
 * Reads the sources of the connection into k->set, and lists the files that earlier imports of this project made.
 * -1 with *err: a directory cannot be opened.
 */
int know_read_files(struct know *k, struct err *err);

/* Letters, digits and dashes: a part of a key or of a directory's name. */
const char *know_slug(struct know *k, struct span text);

/*
 * "_imported/dbt-shop/orders.yaml": the overlay of a source.  A name with other bytes than [a-z0-9_] becomes a slug
 * with a digest.
 */
const char *know_file_name(struct know *k, const char *source);

/* "name:" and "sql:" of a source that is a query, and a column of it. */
void know_put_query(struct buf *out, const struct know_model *m);
void know_put_field(struct buf *out, const struct know_field *f);

/* The text of an overlay: what is taken of all models of the file. */
void know_put_overlay(struct know *k, struct know_file *f, size_t file);

void know_put_page(struct know *k, struct know_file *f, const struct know_page *p);

/* Sets r's report: counts of each kind of object, and what was skipped. */
void know_report(struct know *k);
