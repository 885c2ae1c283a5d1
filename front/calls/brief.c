#include "front/calls/brief.h"

#include <string.h>

#include "base/ascii.h"

/*
 * The name that a client gives, and the version that was measured: its model was told structuredContent and not the
 * text.  Earlier versions were not looked at.  opencode 1.18.33 passes on the text alone.
 */
static const struct {
	const char	*name;
	unsigned	 since[3];
} readers[] = {
	{ "claude-code", { 2, 1, 197 } },
	{ "codex-mcp-client", { 0, 169, 0 } },
};

#define NUMBER_MAX	1000000000u

/* The number at the start of *s, which is taken off it with the dot behind it.  False: it begins with no digit. */
static bool
take_number(struct span *s, unsigned *out)
{
	size_t n = 0;

	for (*out = 0; n < s->len && ascii_is_digit(s->p[n]); n++) {
		if (*out >= NUMBER_MAX / 10)
			return false;
		*out = *out * 10 + (unsigned)(s->p[n] - '0');
	}
	if (n == 0)
		return false;
	n += n < s->len && s->p[n] == '.';
	*s = span_of(s->p + n, s->len - n);
	return true;
}

/* Whether a version of three numbers is since or a later one; one before its release, as 1.0.0-rc.1, is not. */
static bool
is_since(struct span version, const unsigned since[3])
{
	unsigned each[3];

	for (unsigned i = 0; i < 3; i++)
		if (!take_number(&version, &each[i]))
			return false;
	for (unsigned i = 0; i < 3; i++)
		if (each[i] != since[i])
			return each[i] > since[i];
	return version.len == 0;
}

bool
brief_reads_structured(struct span client)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		size_t n = strlen(readers[i].name);

		if (client.len > n && span_begins(client, readers[i].name) && client.p[n] == ' ')
			return is_since(span_of(client.p + n + 1, client.len - n - 1), readers[i].since);
	}
	return false;
}
