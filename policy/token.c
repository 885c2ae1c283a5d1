#include <string.h>

#include "base/ascii.h"
#include "policy/token.h"

/* The length of a prefix as connectivity.token_prefix may be; 0 if invalid. */
static size_t
prefix_length(struct span text)
{
	size_t n = 0;

	while (n < text.len && (ascii_is_lower(text.p[n]) || (n > 0 && ascii_is_digit(text.p[n]))))
		n++;
	return n >= 2 && n <= POLICY_TOKEN_PREFIX_MAX ? n : 0;
}

static bool
is_secret(const uint8_t *p)
{
	for (size_t i = 0; i < POLICY_TOKEN_SECRET; i++)
		if (!ascii_is_digit(p[i]) && !(p[i] >= 'a' && p[i] <= 'f'))
			return false;
	return true;
}

bool
policy_token_is(const char *prefix, struct span text)
{
	size_t n = prefix != NULL ? strlen(prefix) : prefix_length(text);
	const uint8_t *id;

	if (n == 0 || text.len != n + 1 + POLICY_TOKEN_ID + 1 + POLICY_TOKEN_SECRET ||
	    (prefix != NULL && memcmp(text.p, prefix, n) != 0))
		return false;
	id = text.p + n + 1;
	if (id[-1] != '_' || id[POLICY_TOKEN_ID] != '_')
		return false;
	for (size_t i = 0; i < POLICY_TOKEN_ID; i++)
		if (!ascii_is_alnum(id[i]))
			return false;
	return is_secret(id + POLICY_TOKEN_ID + 1);
}
