/* source_model - a source's tree as the structs that search and the compiler work on. */
#pragma once

#include "project/model/source_tree.h"

/* Read the tree into *s; texts are copied into a.  -1: a is full. */
int source_extract(struct arena *a, const struct yaml_node *node, struct source *s);

/* The same from a manifest entry, without projecting it first. */
int source_extract_manifest(struct arena *a, struct span name, const struct yaml_node *entry,
    struct source *s);
