/*
 * yaml_emit - a tree of project/format/yaml.h as text: block style, two spaces, long
 * lines kept, text quoted wherever YAML 1.1 or 1.2 would read something else or
 * a person something that is not there.
 */
#pragma once

#include "base/buf.h"
#include "project/format/yaml.h"

/* Append node as one document, ending with a line feed. */
void yaml_emit(const struct yaml_node *node, struct buf *out);

/* Append a member of a block mapping that is indented so far, with its line feed: the mapping piece by piece. */
void yaml_emit_member(struct span key, const struct yaml_node *item, unsigned indent, struct buf *out);

/* True when s, written without quotes, is read back as this text by every YAML. */
bool yaml_is_plain_text(struct span s);

/* Append s in double quotes, with deceiving characters (base/text/safe_text.h) as escapes. */
void yaml_put_quoted(struct span s, struct buf *out);
