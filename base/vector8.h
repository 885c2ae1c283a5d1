/*
 * vector8 - vectors in a signed byte a dimension and a scale that all of them share: a number is its byte times the
 * scale.  The likeness of two of length one is the product of their scales and the sum of their bytes' products.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VECTOR8_DIMENSIONS_MAX	4096u

/* The scale, 0 where all numbers are; out has room for n bytes. */
float vector8_pack(const float *in, size_t n, int8_t *out);

/* The sum of products of n bytes, n at most VECTOR8_DIMENSIONS_MAX. */
int32_t vector8_product(const int8_t *a, const int8_t *b, size_t n);
