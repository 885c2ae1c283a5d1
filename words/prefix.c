#include <stdbool.h>
#include <stdint.h>

#include "words/prefix.h"

#define NAMES_LEAST	4	/* names of a table; fewer may begin alike by chance */
#define LEAST		2	/* letters of a prefix, */
#define REST_LEAST	2	/* and of what stands behind it */
#define SHARE(n)	((n) - (n) / 5)	/* how many of n names must have the prefix */

/* A letter in lower case; 0 if it is not a-z. */
static uint8_t
letter(uint8_t c)
{
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c : 0;
}

static bool
is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

struct span
prefix_rest(struct span name, const uint8_t *prefix, size_t len)
{
	if (name.len < len + REST_LEAST)
		return SPAN_NONE;
	for (size_t i = 0; i < len; i++)
		if (letter(name.p[i]) != prefix[i])
			return SPAN_NONE;
	/* A name that comes apart by itself (orderId, order_no) needs no help. */
	for (size_t i = len; i < name.len; i++) {
		bool digit = i >= len + REST_LEAST && name.p[i] >= '0' && name.p[i] <= '9';

		if (!digit && (letter(name.p[i]) == 0 || is_upper(name.p[i]) != is_upper(name.p[0])))
			return SPAN_NONE;
	}
	return span_of(name.p + len, name.len - len);
}

static size_t
prefix_count(prefix_name_fn *name, const void *of, size_t n, const uint8_t *prefix, size_t len)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += prefix_rest(name(of, i), prefix, len).len > 0;
	return found;
}

/* Length of the prefix of `name` shared by most names; 0 if there is no such prefix. */
static size_t
try_name(prefix_name_fn *name, const void *of, size_t n, struct span one, uint8_t prefix[PREFIX_MOST])
{
	size_t found, len = LEAST;

	for (size_t i = 0; i < PREFIX_MOST; i++)
		prefix[i] = i < one.len ? letter(one.p[i]) : 0;
	if (prefix[0] == 0 || prefix[1] == 0 || (found = prefix_count(name, of, n, prefix, len)) < SHARE(n))
		return 0;
	while (len < PREFIX_MOST && prefix[len] != 0 && prefix_count(name, of, n, prefix, len + 1) == found)
		len++;
	return len;
}

static bool
begin_alike(struct span a, struct span b)
{
	return a.len >= LEAST && b.len >= LEAST && letter(a.p[0]) == letter(b.p[0]) && letter(a.p[1]) == letter(b.p[1]);
}

size_t
prefix_find(prefix_name_fn *name, const void *of, size_t n, uint8_t prefix[PREFIX_MOST])
{
	size_t len;

	/* Most tables are done with three names. */
	if (n < NAMES_LEAST ||
	    !(begin_alike(name(of, 0), name(of, 1)) || begin_alike(name(of, 1), name(of, 2)) ||
		begin_alike(name(of, 0), name(of, 2))))
		return 0;
	len = try_name(name, of, n, name(of, 0), prefix);
	return len > 0 ? len : try_name(name, of, n, name(of, 1), prefix);
}
