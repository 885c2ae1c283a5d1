/* drivers.c - see drivers.h. */
#include "project/config/drivers.h"

#include <string.h>

const struct db_driver drivers[] = {
#define DRIVER(name, aliases, display, type, binary, profile, dialect, place, schemes, schema, spares, traits, shard) \
	{ name, aliases, display, type, binary, profile, #dialect, DRIVER_##place, schemes, schema, spares, traits,   \
		DRIVER_BY_##shard },
#define LISTED(name, type, shard) \
	{ name, "", name, type, "", "", "", DRIVER_NOT_SERVED, "", NULL, 0, 0, DRIVER_BY_##shard },
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
		if (span_is_str(name, drivers[i].name) || is_alias(&drivers[i], name))
			return &drivers[i];
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
		if (drivers[i].place == place)
			return &drivers[i];
	return NULL;
}

const struct db_driver *
drivers_of_profile(const char *profile)
{
	for (size_t i = 0; i < ndrivers; i++)
		if (drivers[i].place != DRIVER_NOT_SERVED && strcmp(drivers[i].profile, profile) == 0)
			return &drivers[i];
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

static bool
drivers_has(const struct db_driver *d, unsigned traits)
{
	return d->place != DRIVER_NOT_SERVED && (d->traits & traits) == traits;
}

void
drivers_put_names(struct buf *out, unsigned traits, const char *word)
{
	const struct db_driver *last = NULL;
	bool first = true;

	for (size_t i = 0; i < ndrivers; i++)
		if (drivers_has(&drivers[i], traits))
			last = &drivers[i];
	for (size_t i = 0; i < ndrivers; i++) {
		if (!drivers_has(&drivers[i], traits))
			continue;
		if (!first && &drivers[i] == last)
			buf_printf(out, " %s ", word);
		else if (!first)
			buf_str(out, ", ");
		buf_str(out, drivers[i].name);
		first = false;
	}
}
