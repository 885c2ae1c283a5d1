/* uuid - the text of a UUID: 36 characters, 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4). */
#pragma once

#include <stdbool.h>

#include "base/ascii.h"
#include "base/span.h"

#define UUID_LENGTH	36u

/* Whether s is a UUID; out gets it in lower case, with a NUL; undefined otherwise. */
static inline bool
uuid_read(struct span s, char out[UUID_LENGTH + 1])
{
	if (s.len != UUID_LENGTH)
		return false;
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		uint8_t c = ascii_lower(s.p[i]);
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? c != '-' : !ascii_is_digit(c) && (c < 'a' || c > 'f'))
			return false;
		out[i] = (char)c;
	}
	out[UUID_LENGTH] = '\0';
	return true;
}

/* Whether s is a UUID in lower case, the form of ids and directory names. */
static inline bool
uuid_is_kept(struct span s)
{
	char text[UUID_LENGTH + 1];

	return uuid_read(s, text) && span_is_str(s, text);
}
