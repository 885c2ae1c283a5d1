#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

static void __attribute__((format(printf, 3, 0)))
print_cut(char *out, size_t cap, const char *fmt, va_list ap)
{
	int n = vsnprintf(out, cap, fmt, ap);

	if (n >= 0 && (size_t)n >= cap)
		out[utf8_cut((const uint8_t *)out, cap - 1, cap - 1)] = '\0';
}

int
err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -1;
	e->code = code;
	e->detail[0] = '\0';
	va_start(ap, fmt);
	print_cut(e->message, sizeof(e->message), fmt, ap);
	va_end(ap);
	return -1;
}

int
err_detail(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	print_cut(e->detail, sizeof(e->detail), fmt, ap);
	va_end(ap);
	return -1;
}

static const struct err_row {
	const char	*name, *text;
	int		 http;
} rows[] = {
#define ERROR(NAME, number, code, http, text)	[number] = { code, text, http },
#include "base/err.def"
#undef ERROR
};

static const struct err_row *
row_of(enum err_code code)
{
	if ((size_t)code >= sizeof(rows) / sizeof(rows[0]) || rows[code].name == NULL)
		return &rows[ERR_INTERNAL];
	return &rows[code];
}

int
err_http(enum err_code code)
{
	return row_of(code)->http;
}

const char *
err_name(enum err_code code)
{
	return row_of(code)->name;
}

const char *
err_text(enum err_code code)
{
	return row_of(code)->text;
}

enum err_code
err_from_name(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].name != NULL && strcmp(rows[i].name, name) == 0)
			return (enum err_code)i;
	return ERR_NONE;
}
