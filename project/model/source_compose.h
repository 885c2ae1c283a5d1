/*
 * source_compose - private to this folder: what one name means: a standalone source, a manifest entry, or overlays on
 * top of one; see source.h for the rules.
 */
#pragma once

#include "project/model/source_set.h"

/* Compose name's definitions, list its troubles, and call changed(). */
void source_compose(struct source_set *set, struct name *name,
    void (*changed)(void *, const struct source *, const struct source *), void *arg);
