#include "base/text/identity_text.h"

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

#define CLAIMS	"claims."

bool
identity_text_is_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.p[i];

		if (!(ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') && !(c >= '0' && c <= '9') &&
		    (c == '\0' || strchr("_.:/-", c) == NULL))
			return false;
	}
	return name.len > 0 && name.len <= IDENTITY_NAME_MAX;
}

bool
identity_text_is_value(struct span value)
{
	return value.len > 0 && value.len <= IDENTITY_VALUE_MAX && utf8_valid(value.p, value.len) &&
	    memchr(value.p, '\0', value.len) == NULL;
}

static size_t
length_to(struct span s, uint8_t end)
{
	const uint8_t *at = s.len == 0 ? NULL : memchr(s.p, end, s.len);

	return at == NULL ? s.len : (size_t)(at - s.p);
}

bool
identity_text_next(struct span *rest, struct identity_part *part)
{
	size_t n = length_to(*rest, '{');

	if (rest->len == 0)
		return false;
	if (n > 0) {
		*part = (struct identity_part){ IDENTITY_LITERAL, span_of(rest->p, n) };
		*rest = span_of(rest->p + n, rest->len - n);
		return true;
	}
	n = length_to(*rest, '}');
	part->text = span_of(rest->p + 1, n - 1);
	part->kind = IDENTITY_USER;
	if (span_begins(part->text, CLAIMS)) {
		part->kind = IDENTITY_CLAIM;
		part->text = span_of(part->text.p + strlen(CLAIMS), part->text.len - strlen(CLAIMS));
	}
	*rest = n < rest->len ? span_of(rest->p + n + 1, rest->len - n - 1) : SPAN("");
	return true;
}

const char *
identity_text_fault(struct span text)
{
	if (!identity_text_is_value(text))
		return "a template is a text of 1 to 1024 bytes";
	for (size_t at = 0; at < text.len;) {
		struct span rest = span_of(text.p + at, text.len - at), name;
		size_t n = length_to(rest, '{'), end;

		if (length_to(rest, '}') < n)
			return "a } has no { before it; {user.name} and {claims.NAME} are the only places of values";
		if (n == rest.len)
			break;
		end = length_to(span_of(rest.p + n, rest.len - n), '}');
		if (n + end == rest.len)
			return "a { has no } behind it";
		name = span_of(rest.p + n + 1, end - 1);
		if (!span_is_str(name, IDENTITY_USER_NAME) &&
		    !(span_begins(name, CLAIMS) &&
			identity_text_is_name(span_of(name.p + strlen(CLAIMS), name.len - strlen(CLAIMS)))))
			return "between { and } stands user.name, or claims. and the name of a claim";
		at += n + end + 1;
	}
	return NULL;
}
