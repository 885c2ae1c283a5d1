/* token.c - see token.h. */
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

/* --- in other text --------------------------------------------------------------------------- */

#define CUT_MIN	8u	/* digits of a secret that is cut off; fewer tell nothing, and end many a name */

/* The digits of a secret that follow text.p[at], the "_" in front of an id.  0: none is there. */
static size_t
secret_at(struct span text, size_t at)
{
	size_t begin = at + 1 + POLICY_TOKEN_ID + 1, n = 0;

	if (at == 0 || !ascii_is_alnum(text.p[at - 1]) || begin > text.len || text.p[begin - 1] != '_')
		return 0;
	for (size_t i = at + 1; i < begin - 1; i++)
		if (!ascii_is_alnum(text.p[i]))
			return 0;
	while (begin + n < text.len && ascii_hex(text.p[begin + n]) >= 0)
		n++;
	return n >= POLICY_TOKEN_SECRET || (n >= CUT_MIN && begin + n == text.len) ? n : 0;
}

bool
policy_token_hide(struct span text, struct buf *out)
{
	size_t done = 0, n;

	for (const uint8_t *p = text.p; p != NULL;) {
		size_t at, left = text.len - (size_t)(p - text.p);

		if (left == 0 || (p = memchr(p, '_', left)) == NULL)
			break;
		at = (size_t)(p++ - text.p);
		if ((n = secret_at(text, at)) == 0)
			continue;
		at += 1 + POLICY_TOKEN_ID + 1;
		buf_append(out, text.p + done, at - done);
		buf_str(out, "***");
		done = at + n;
		p = text.p + done;
	}
	if (done > 0)
		buf_append(out, text.p + done, text.len - done);
	return done > 0;
}
