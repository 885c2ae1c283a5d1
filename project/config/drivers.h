/* drivers - the database drivers and their properties: the rows of drivers.def. */
#ifndef PROJECT_CONFIG_DRIVERS_H
#define PROJECT_CONFIG_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

enum driver_place {
	DRIVER_NOT_SERVED,
	DRIVER_FILE,		/* a file here */
	DRIVER_SERVER		/* a server, over a socket */
};

/* How the tables of a manifest are divided into files. */
enum driver_shard { DRIVER_BY_SCHEMA, DRIVER_BY_DATABASE, DRIVER_BY_BOTH };

#define DRIVER_AFFINITY		1u	/* a column's declared type may be any words (project/scan/type_family.h) */
#define DRIVER_POOLS		2u	/* the server counts the connections of a pool */
#define DRIVER_FUNCTIONS	4u	/* functions may be allowed by the configuration */

/* Texts are never NULL but where it is said; of one that is not served only name, type and shard mean something. */
struct db_driver {
	const char		*name, *aliases, *display, *type;
	const char		*binary, *profile;
	const char		*dialect;
	enum driver_place	 place;
	const char		*schemes;	/* of its URLs, with a blank between */
	const char		*schema;	/* served when none is named; NULL: it has no schemas */
	unsigned		 spares, traits;
	enum driver_shard	 shard;
};

extern const struct db_driver drivers[];
extern const size_t ndrivers;

/* The driver with this name or alias; NULL: unknown. */
const struct db_driver *drivers_find(struct span name);

/* The same, only for served drivers; NULL for others. */
const struct db_driver *drivers_served(struct span name);

/* Whether databases of this driver have schemas; assumed for an unknown driver. */
bool drivers_has_schemas(struct span name);

/* The first driver that is configured in this way; the driver whose worker has this profile.  NULL: none. */
const struct db_driver *drivers_at(enum driver_place place);
const struct db_driver *drivers_of_profile(const char *profile);

/* The length of the driver's scheme that url begins with; 0: with none. */
size_t drivers_scheme(const struct db_driver *d, const char *url);

/* "sqlite and postgres": those that are served and have these traits, with word before the last. */
void drivers_put_names(struct buf *out, unsigned traits, const char *word);

#endif
