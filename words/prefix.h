/*
 * prefix - old files put the same few letters in front of every column's name (IMITEM, IMDESC, IMWGHT); the rest
 * of the name carries the meaning.
 */
#pragma once

#include <stddef.h>

#include "base/span.h"

#define PREFIX_MOST	5	/* letters */

/* The i-th of the names that are looked at. */
typedef struct span prefix_name_fn(const void *of, size_t i);

/* The letters that (nearly) all n names begin with, in lower case; returns how many, 0: none to speak of. */
size_t prefix_find(prefix_name_fn *name, const void *of, size_t n, uint8_t prefix[PREFIX_MOST]);

/* The rest of a name after the prefix; empty if the name has no such prefix or hardly anything after it. */
struct span prefix_rest(struct span name, const uint8_t *prefix, size_t len);
