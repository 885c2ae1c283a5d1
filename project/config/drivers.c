#include "project/config/drivers.h"

#include <string.h>

#include "project/config/config_value.h"

#define DRIVER(name)	extern const struct db_driver driver_##name;
#define LISTED(name, type, shard)
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED

const struct db_driver *const drivers[] = {
#define DRIVER(name)	&driver_##name,
#define LISTED(driver, types, by)                                                                                      \
	&(const struct db_driver){ .name = driver, .aliases = "", .display = driver, .type = types, .binary = "",      \
		.profile = "", .schemes = "", .shard = DRIVER_BY_##by },
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED
};
const size_t ndrivers = sizeof(drivers) / sizeof(drivers[0]);

/* The next of several words with blanks between; false after the last. */
static bool
next_word(const char **words, struct span *word)
{
	*words += strspn(*words, " ");
	*word = span_of(*words, strcspn(*words, " "));
	*words += word->len;
	return word->len > 0;
}

static bool
is_alias(const struct db_driver *d, struct span name)
{
	const char *words = d->aliases;
	struct span word;

	while (next_word(&words, &word))
		if (span_is(word, name))
			return true;
	return false;
}

const struct db_driver *
drivers_find(struct span name)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (span_is_str(name, drivers[i]->name) || is_alias(drivers[i], name))
			return drivers[i];
	return NULL;
}

const struct db_driver *
drivers_served(struct span name)
{
	const struct db_driver *d = drivers_find(name);

	return d != NULL && d->place != DRIVER_NOT_SERVED ? d : NULL;
}

bool
drivers_has_schemas(struct span name)
{
	const struct db_driver *d = drivers_served(name);

	return d == NULL || d->schema != NULL;
}

const struct db_driver *
drivers_at(enum driver_place place)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (drivers[i]->place == place)
			return drivers[i];
	return NULL;
}

const struct db_driver *
drivers_of_profile(const char *profile)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (drivers[i]->place != DRIVER_NOT_SERVED && strcmp(drivers[i]->profile, profile) == 0)
			return drivers[i];
	return NULL;
}

const struct db_driver *
drivers_of_url(const char *url)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (drivers_scheme(drivers[i], url) > 0)
			return drivers[i];
	return NULL;
}

const struct db_driver *
drivers_of_file(struct span head)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (drivers[i]->magic != NULL && head.len >= drivers[i]->magic_at &&
		    span_begins(span_of(head.p + drivers[i]->magic_at, head.len - drivers[i]->magic_at),
			drivers[i]->magic))
			return drivers[i];
	return NULL;
}

size_t
drivers_scheme(const struct db_driver *d, const char *url)
{
	const char *words = d->schemes;
	struct span word;

	while (next_word(&words, &word))
		if (strncmp(url, (const char *)word.p, word.len) == 0)
			return word.len;
	return 0;
}

const struct config_key *
drivers_key_of(const struct db_driver *d, struct span key)
{
	for (const struct config_key *k = d->keys; k != NULL && k->key != NULL; k++)
		if (span_is_str(key, k->key))
			return k;
	return NULL;
}

/* Whether a driver before the n-th has the key. */
static bool
is_before(size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (drivers_key_of(drivers[i], span_str(key)) != NULL)
			return true;
	return false;
}

const struct config_key *
drivers_key(size_t i)
{
	for (size_t d = 0; d < ndrivers; d++)
		for (const struct config_key *k = drivers[d]->keys; k != NULL && k->key != NULL; k++)
			if (!is_before(d, k->key) && i-- == 0)
				return k;
	return NULL;
}

static bool
drivers_has(const struct db_driver *d, unsigned traits)
{
	return d->place != DRIVER_NOT_SERVED && (d->traits & traits) == traits;
}

const struct db_driver *
drivers_with(unsigned traits)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (drivers_has(drivers[i], traits))
			return drivers[i];
	return NULL;
}

void
drivers_put_names(struct buf *out, unsigned traits, const char *word)
{
	const struct db_driver *last = NULL;
	bool first = true;

	for (size_t i = 0; i < ndrivers; i++)
		if (drivers_has(drivers[i], traits))
			last = drivers[i];
	for (size_t i = 0; i < ndrivers; i++) {
		if (!drivers_has(drivers[i], traits))
			continue;
		if (!first && drivers[i] == last)
			buf_printf(out, " %s ", word);
		else if (!first)
			buf_str(out, ", ");
		buf_str(out, drivers[i]->name);
		first = false;
	}
}
