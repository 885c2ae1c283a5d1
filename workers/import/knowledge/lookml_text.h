/* lookml_text - files of LookML as trees. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "project/format/yaml.h"

#define LOOKML_DEPTH_MAX	32
#define LOOKML_NODES_MAX	2000000

/*
 * Parses a file.  A block is a mapping that may have a key several times, and whose own text is its name: the value of
 * "view: orders { ... }" is a mapping with the text "orders".  A list of pairs is a mapping, another list a sequence;
 * everything else is a scalar, quoted if it was a string or SQL.  The tree is in a.  NULL with *err ("line 12: ..."):
 * it is no LookML, or larger or deeper than the bounds.
 */
const struct yaml_node *lookml_parse(struct arena *a, struct span text, struct err *err);
