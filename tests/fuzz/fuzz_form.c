// libs: carrel_front
/* fuzz_form.c - any bytes: fields that are well-formed, each name once, and read back the same; or a refusal. */
#include <stdlib.h>

#include "base/text/percent.h"
#include "base/utf8.h"
#include "front/wire/form.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct form f, again;
	struct buf text = { .max = 0 };

	if (form_read(span_of(data, size), NULL, &f) != FORM_OK) {
		if (f.n != 0)
			abort();
		form_fini(&f);
		return 0;
	}
	for (size_t i = 0; i < f.n; i++) {
		struct form_field *field = &f.field[i];

		if (field->name.len == 0 || !utf8_valid(field->value.p, field->value.len))
			abort();
		for (size_t j = 0; j < field->value.len; j++)
			if (field->value.p[j] < 0x20)
				abort();
		percent_put(&text, field->name, percent_is_unreserved);
		buf_byte(&text, '=');
		percent_put(&text, field->value, percent_is_unreserved);
		buf_byte(&text, '&');
	}
	if (text.len <= FORM_MAX) {
		if (form_read(buf_view(&text), NULL, &again) != FORM_OK || again.n != f.n)
			abort();
		for (size_t i = 0; i < f.n; i++)
			if (!span_is(again.field[i].name, f.field[i].name) ||
			    !span_is(again.field[i].value, f.field[i].value))
				abort();
		form_fini(&again);
	}
	form_fini(&f);
	buf_fini(&text);
	return 0;
}
