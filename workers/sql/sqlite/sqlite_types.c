#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "workers/sql/sqlite/sqlite_types.h"

struct type_word {
	const char	*begin;		/* prefix of the word, upper case */
	const char	*dimension;
};

/*
 * Legend: from the top, the first row that matches a word of the type.  Matching sub-strings would
 * turn POINT and INTERVAL into numbers.
 */
static const struct type_word words[] = {
	{ "INTERVAL", "string" },
	{ "POINT", "string" },
	{ "DATE", "time" },
	{ "TIME", "time" },
	{ "SMALLDATE", "time" },
	{ "BOOL", "boolean" },
	{ "INT", "number" },
	{ "BIGINT", "number" },
	{ "SMALLINT", "number" },
	{ "TINYINT", "number" },
	{ "MEDIUMINT", "number" },
	{ "UINT", "number" },
	{ "UNSIGNED", "number" },
	{ "SERIAL", "number" },
	{ "BIGSERIAL", "number" },
	{ "REAL", "number" },
	{ "FLOAT", "number" },
	{ "DOUBLE", "number" },
	{ "NUM", "number" },
	{ "DEC", "number" },
	{ "MONEY", "number" },
	{ "CURRENCY", "number" },
};

static bool
types_begins(const char *s, size_t len, const char *word)
{
	for (size_t i = 0; word[i] != '\0'; i++)
		if (i >= len || toupper((unsigned char)s[i]) != word[i])
			return false;
	return true;
}

/* Whether any word before "(" has this prefix. */
static bool
has_word(const char *type, const char *word)
{
	for (size_t i = 0; type[i] != '\0' && type[i] != '(';) {
		size_t n = 0;

		while (isalnum((unsigned char)type[i + n]) || type[i + n] == '_')
			n++;
		if (n > 0 && types_begins(type + i, n, word))
			return true;
		i += n == 0 ? 1 : n;
	}
	return false;
}

const char *
sqlite_dimension(const char *declared)
{
	if (strstr(declared, "[]") != NULL)
		return "string";
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(declared, words[i].begin))
			return words[i].dimension;
	return "string";
}
