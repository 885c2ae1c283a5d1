/* sqlite_types.c - what a declared column type means; SQLite itself accepts any words there. */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "workers/sql/sqlite/sqlite_db.h"

struct word {
	const char	*begin;		/* how the word begins, upper case */
	const char	*dimension;
};

/* Legend: the first row that fits any word of the type, from the top.  Sub-strings would make numbers of POINT and INTERVAL. */
static const struct word words[] = {
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
begins(const char *s, size_t len, const char *word)
{
	for (size_t i = 0; word[i] != '\0'; i++)
		if (i >= len || toupper((unsigned char)s[i]) != word[i])
			return false;
	return true;
}

/* Does any word before "(" begin like this? */
static bool
has_word(const char *type, const char *word)
{
	for (size_t i = 0; type[i] != '\0' && type[i] != '(';) {
		size_t n = 0;

		while (isalnum((unsigned char)type[i + n]) || type[i + n] == '_')
			n++;
		if (n > 0 && begins(type + i, n, word))
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
