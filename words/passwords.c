#include <string.h>

#include "base/ascii.h"
#include "words/passwords.h"

#define UNIT_LEAST	4u	/* characters that may be repeated */
#define LISTED_MOST	64u	/* bytes of one in the list; longer ones are not looked for */

static bool
is_listed(struct span s)
{
	char line[LISTED_MOST + 3];

	if (s.len == 0 || s.len > LISTED_MOST)
		return false;
	line[0] = line[s.len + 1] = '\n';
	memcpy(line + 1, s.p, s.len);
	line[s.len + 2] = '\0';
	return strstr(passwords_table, line) != NULL;
}

/* What s repeats, the last time perhaps in part; s itself when it repeats nothing. */
static struct span
unit_of(struct span s)
{
	size_t n = 1;

	while (n < s.len && memcmp(s.p, s.p + n, s.len - n) != 0)
		n++;
	return span_of(s.p, n);
}

/* s without the digits and signs at its ends; s itself when that is less than half of it. */
static struct span
core_of(struct span s)
{
	struct span core = s;

	while (core.len > 0 && !ascii_is_letter(core.p[0]))
		core = span_of(core.p + 1, core.len - 1);
	while (core.len > 0 && !ascii_is_letter(core.p[core.len - 1]))
		core.len--;
	return 2 * core.len >= s.len ? core : s;
}

bool
passwords_is_common(struct span password)
{
	uint8_t folded[PASSWORDS_LONGEST];
	struct span all, unit;
	bool common;

	if (password.len == 0 || password.len > sizeof(folded) || memchr(password.p, '\n', password.len) != NULL)
		return false;
	for (size_t i = 0; i < password.len; i++)
		folded[i] = ascii_lower(password.p[i]);
	all = span_of(folded, password.len);
	unit = unit_of(all);
	common = (unit.len < all.len && unit.len < UNIT_LEAST) || is_listed(all) || is_listed(unit) ||
	    is_listed(core_of(unit)) || is_listed(unit_of(core_of(all)));
	explicit_bzero(folded, sizeof(folded));
	return common;
}
