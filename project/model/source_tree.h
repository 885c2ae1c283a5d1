/*
 * source_tree - sources as trees: what the files say is composed here, in the
 * authoring form, before source_model.c reads it into structs.
 *
 * Everything returned is in the arena given; nodes of the inputs are copied.
 */
#pragma once

#include "project/model/source.h"

/* The node's text when it is a scalar with some; else empty. */
struct span source_text(const struct yaml_node *node);

/* A scanned entry of a manifest shard as a source would be written by hand. */
const struct yaml_node *source_project(struct arena *a, struct span name, const struct yaml_node *entry);

/* The source's tree in the authoring form; a manifest entry is projected. */
const struct yaml_node *source_authored(struct arena *a, const struct source *s);

/* overlay on base, both in the authoring form.  NULL with *err when they do not fit. */
const struct yaml_node *source_overlay(struct arena *a, const struct yaml_node *base,
    const struct yaml_node *overlay, struct err *err);

/* inherits_columns_from: fill blanks of source's columns from base's columns of the same name. */
const struct yaml_node *source_inherit(struct arena *a, const struct yaml_node *source,
    const struct yaml_node *base);
