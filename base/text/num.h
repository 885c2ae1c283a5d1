/* num - doubles as text: the shortest digits that read back as the same value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Write v, finite, into out (at least 32 bytes), no NUL.  Returns the length.
 * The form is ECMAScript's (12, 0.1, 1e-7), but zero keeps its sign and
 * numbers from 2^53 on have an exponent (1.152921504606847e+18), so that no
 * reader takes them for exact integers.
 */
size_t num_print_double(double v, char *out);

/* Read a JSON number.  False when it is not finite as a double. */
bool num_read_double(const char *s, size_t len, double *v);

#ifdef __cplusplus
}
#endif
