#include <stdio.h>
#include <string.h>

#include "project/config/config_typo.h"

#define NAME_MAX_LEN	40u	/* longer names are no misspelling of ours */
#define NEAR		2u	/* letters that are wrong, missing, too many or swapped */

/* Keys that restrict access: a file in which one of them is misspelt would serve more than was meant. */
static const struct {
	const char *section, *key;
} protecting[] = {
	{ "connections", "query_policy" }, { "connections", "columns" }, { "connections", "identity" },
	{ "auth", "loopback" }, { "auth", "token" },
	{ "connectivity", "enabled" }, { "audit", "on_failure" }, { "audit", "durability" }, { "audit", "key" },
	{ "memory", "review" }, { "", "auth" }, { "", "connectivity" }, { "", "audit" }, { "", "sandbox" },
	{ NULL, NULL }
};

/* Sections whose keys all limit access or write the audit: an unknown key there was meant to do the same. */
static const char *const closed_sections[] = { "auth", "auth.oidc", "oauth", "connectivity", "limits", "audit", NULL };

/* An unknown key of a connection with a word that begins like one of these was meant to restrict access. */
static const char *const closing_words[] = {
	"read", "only", "writ", "ssl", "tls", "cert", "verif", "reject", "secur", "polic", "guard", "allow",
	"deny", "denied", "block", "exclud", "restrict", "hide", "hidden", "mask", "redact", "hash", "permi",
	"privile", "identit", "tenant", "impersonat", NULL
};

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static uint8_t
plain(uint8_t c)
{
	return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* Optimal string alignment; case, and - for _, make no difference. */
static unsigned
distance(struct span a, const char *b)
{
	unsigned rows[3][NAME_MAX_LEN + 1], *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	size_t n = strlen(b);

	if (a.len > NAME_MAX_LEN || n > NAME_MAX_LEN)
		return UINT32_MAX;
	for (unsigned j = 0; j <= n; j++)
		before[j] = above[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			bool same = plain(a.p[i - 1]) == plain((uint8_t)b[j - 1]);

			row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && plain(a.p[i - 1]) == plain((uint8_t)b[j - 2]) &&
			    plain(a.p[i - 2]) == plain((uint8_t)b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		spare = before, before = above, above = row, row = spare;
	}
	return above[n];
}

/* Keep key if it is nearer than *best; of short names fewer letters may be wrong. */
static void
consider(struct span written, const char *key, const char **best, unsigned *best_distance)
{
	unsigned d = distance(written, key);

	if (d < *best_distance && d <= NEAR && d * 3 <= strlen(key)) {
		*best = key;
		*best_distance = d;
	}
}

const char *
config_meant(const struct config_key *table, const char *section, struct span written)
{
	const char *best = NULL;
	unsigned nearest = UINT32_MAX;

	for (const struct config_key *k = table; k->key != NULL; k++)
		if (strcmp(k->section, section) == 0)
			consider(written, k->key, &best, &nearest);
	for (size_t i = 0; table == config_connection_keys && drivers_key(i) != NULL; i++)
		consider(written, drivers_key(i)->key, &best, &nearest);
	if (*section != '\0')
		return best;
	consider(written, "connections", &best, &nearest);
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		consider(written, k->section, &best, &nearest);
	return best;
}

bool
config_protects(const char *section, const char *key)
{
	for (size_t i = 0; protecting[i].key != NULL; i++)
		if (strcmp(protecting[i].section, section) == 0 && strcmp(protecting[i].key, key) == 0)
			return true;
	return false;
}

/* The keys that section has: "loopback, token and proxy_header"; keys that do not fit are left out. */
static void
name_keys(const char *section, char *out, size_t n)
{
	size_t at = 0, left = 0;

	*out = '\0';
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		left += strcmp(k->section, section) == 0;
	for (const struct config_key *k = config_keys; k->key != NULL && at < n; k++)
		if (strcmp(k->section, section) == 0) {
			int len = snprintf(out + at, n - at, "%s%s", k->key,
			    left > 2      ? ", " :
				left == 2 ? " and " :
					    "");

			at += (size_t)len;
			left--;
		}
}

bool
config_closed_keys(const char *section, char *out, size_t n)
{
	for (size_t i = 0; closed_sections[i] != NULL; i++)
		if (strcmp(section, closed_sections[i]) == 0) {
			name_keys(section, out, n);
			return true;
		}
	return false;
}

/* Words end before a character that is not a letter, and begin at a capital. */
static bool
begins_word(struct span key, size_t i)
{
	return ascii_is_letter(key.p[i]) &&
	    (i == 0 || !ascii_is_letter(key.p[i - 1]) || (ascii_is_upper(key.p[i]) && ascii_is_lower(key.p[i - 1])));
}

bool
config_would_close(struct span key)
{
	if (span_is_word(key, "readonly") || span_is_word(key, "read_only"))
		return false; /* every connection is read-only */
	for (size_t i = 0; i < key.len; i++)
		for (size_t w = 0; begins_word(key, i) && closing_words[w] != NULL; w++)
			if (span_begins_word(span_of(key.p + i, key.len - i), closing_words[w]))
				return true;
	return false;
}
