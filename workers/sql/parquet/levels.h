/*
 * levels - the repetition and definition levels of a page, in Parquet's hybrid of runs and packed bits
 * (Encodings.md of apache/parquet-format, "RLE").
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Append n levels, each from 0 to max, with the length of what they take before them. */
void levels_put(struct buf *out, const uint8_t *levels, size_t n, unsigned max);

/* Append n bits, each a byte of 0 or 1, eight a byte, the first the lowest. */
void levels_put_bits(struct buf *out, const uint8_t *bits, size_t n);
