#include "base/text/parameter_types.h"

#include <string.h>

#include "base/ascii.h"
#include "base/date.h"
#include "base/utf8.h"

const struct parameter_kind parameter_kinds[PARAMETER_TYPES] = {
#define PARAMETER(NAME, word, json, sample)	[PARAMETER_##NAME] = { word, json, sample },
#include "base/text/parameter_types.def"
#undef PARAMETER
};

enum parameter_type
parameter_type_named(struct span word)
{
	enum parameter_type type = 0;

	while (type < PARAMETER_TYPES && !span_is_str(word, parameter_kinds[type].word))
		type++;
	return type;
}

bool
parameter_is_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!ascii_is_lower(name.p[i]) && (i == 0 || (!ascii_is_digit(name.p[i]) && name.p[i] != '_')))
			return false;
	return name.len > 0 && name.len <= PARAMETER_NAME_MOST;
}

/* Read n digits at *at as a number and move *at behind them.  -1 if fewer digits stand there. */
static int
take_digits(struct span s, size_t *at, size_t n)
{
	int value = 0;

	for (; n > 0; n--, ++*at) {
		if (*at >= s.len || !ascii_is_digit(s.p[*at]))
			return -1;
		value = 10 * value + (s.p[*at] - '0');
	}
	return value;
}

static bool
take_byte(struct span s, size_t *at, const char *any)
{
	if (*at >= s.len || s.p[*at] == '\0' || strchr(any, s.p[*at]) == NULL)
		return false;
	++*at;
	return true;
}

static bool
take_day(struct span s, size_t *at)
{
	int year = take_digits(s, at, 4), month, day;

	return year >= 1 && take_byte(s, at, "-") && (month = take_digits(s, at, 2)) >= 1 && take_byte(s, at, "-") &&
	    (day = take_digits(s, at, 2)) >= 1 && date_exists(year, (unsigned)month, (unsigned)day);
}

static bool
take_time(struct span s, size_t *at)
{
	int hour = take_digits(s, at, 2), part;
	size_t fraction;

	if (hour < 0 || hour > 23 || !take_byte(s, at, ":") || (part = take_digits(s, at, 2)) < 0 || part > 59)
		return false;
	if (!take_byte(s, at, ":"))
		return true;
	if ((part = take_digits(s, at, 2)) < 0 || part > 59)
		return false;
	if (!take_byte(s, at, "."))
		return true;
	for (fraction = *at; *at < s.len && ascii_is_digit(s.p[*at]);)
		++*at;
	return *at > fraction && *at - fraction <= 6;
}

static bool
is_moment(enum parameter_type type, struct span s)
{
	size_t at = 0;

	return take_day(s, &at) && (type == PARAMETER_DATE || (take_byte(s, &at, "T ") && take_time(s, &at))) &&
	    at == s.len;
}

/* Whether n digits fit into a signed number of 64 bits.  Leading zeros count as digits. */
static bool
is_wide(const uint8_t *digits, size_t n, bool negative)
{
	return n < 19 || (n == 19 && memcmp(digits, negative ? "9223372036854775808" : "9223372036854775807", 19) <= 0);
}

static bool
is_number(enum parameter_type type, struct span s)
{
	size_t at = 0, digits;
	bool negative = take_byte(s, &at, "-");

	for (digits = at; at < s.len && ascii_is_digit(s.p[at]);)
		at++;
	if (at == digits)
		return false;
	if (type == PARAMETER_INTEGER)
		return at == s.len && is_wide(s.p + digits, at - digits, negative);
	if (take_byte(s, &at, "."))
		for (digits = at; at < s.len && ascii_is_digit(s.p[at]);)
			at++;
	if (at == digits)
		return false;
	if (take_byte(s, &at, "eE")) {
		(void)take_byte(s, &at, "+-");
		for (digits = at; at < s.len && ascii_is_digit(s.p[at]);)
			at++;
	}
	return at > digits && at == s.len;
}

bool
parameter_fits(enum parameter_type type, struct span text)
{
	switch (type) {
	case PARAMETER_STRING:
		return memchr(text.p, '\0', text.len) == NULL && utf8_valid(text.p, text.len);
	case PARAMETER_BOOLEAN:
		return span_is_str(text, "true") || span_is_str(text, "false");
	case PARAMETER_DATE:
	case PARAMETER_TIMESTAMP:
		return is_moment(type, text);
	default:
		return is_number(type, text);
	}
}
