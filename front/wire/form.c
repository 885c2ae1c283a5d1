#include <string.h>

#include "base/text/percent.h"
#include "base/utf8.h"
#include "front/wire/form.h"

/* Append the decoded text to out, which has the room.  False: it is not well-formed. */
static bool
decode(struct span s, struct buf *out, struct span *decoded)
{
	size_t begin = out->len;

	for (size_t i = 0; i < s.len;) {
		bool plus = s.p[i] == '+';
		int c = percent_next(s, &i);

		if (c < 0x20 || c == 0x7f) /* -1 too */
			return false;
		buf_byte(out, plus ? ' ' : (uint8_t)c);
	}
	*decoded = span_of(out->p + begin, out->len - begin);
	return utf8_valid(decoded->p, decoded->len);
}

/* Cut the next field off the text.  False if absent. */
static bool
next_field(struct span *text, struct span *name, struct span *value)
{
	const uint8_t *end, *equals;
	size_t n;

	if (text->len == 0)
		return false;
	end = memchr(text->p, '&', text->len);
	n = end == NULL ? text->len : (size_t)(end - text->p);
	equals = n == 0 ? NULL : memchr(text->p, '=', n);
	*name = span_of(text->p, equals == NULL ? n : (size_t)(equals - text->p));
	*value = equals == NULL ? span_of(text->p + n, 0) : span_of(equals + 1, n - name->len - 1);
	n += end != NULL;
	*text = span_of(text->p + n, text->len - n);
	return true;
}

static enum form_fault
take_field(struct form *f, struct span name, struct span value, const char *many)
{
	struct form_field field;

	if (!decode(name, &f->room, &field.name) || !decode(value, &f->room, &field.value) || field.name.len == 0)
		return FORM_SYNTAX;
	if (f->n >= FORM_FIELDS_MAX)
		return FORM_TOO_MUCH;
	for (size_t i = 0; i < f->n; i++)
		if (span_is(f->field[i].name, field.name) && (many == NULL || !span_is_str(field.name, many)))
			return FORM_REPEATED;
	f->field[f->n++] = field;
	return FORM_OK;
}

enum form_fault
form_read(struct span text, const char *many, struct form *out)
{
	struct span name, value;
	enum form_fault fault = FORM_OK;

	out->n = 0;
	out->room = (struct buf){ .max = 0 };
	if (text.len > FORM_MAX)
		return FORM_TOO_MUCH;
	buf_reserve(&out->room, text.len + 1); /* once: the fields borrow from it */
	while (fault == FORM_OK && next_field(&text, &name, &value))
		if (name.len + value.len > 0)
			fault = take_field(out, name, value, many);
	if (fault != FORM_OK)
		out->n = 0;
	return fault;
}

void
form_fini(struct form *f)
{
	buf_wipe(&f->room);
	f->n = 0;
}

struct span
form_get(const struct form *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (span_is_str(f->field[i].name, name))
			return f->field[i].value;
	return SPAN("");
}

const char *
form_fault_text(enum form_fault fault)
{
	switch (fault) {
	case FORM_OK:
		return "nothing is wrong";
	case FORM_SYNTAX:
		return "the parameters are not well-formed";
	case FORM_REPEATED:
		return "a parameter comes more than once";
	case FORM_TOO_MUCH:
		return "there are too many parameters";
	}
	return "the parameters are not well-formed";
}
