/* drivers - the database drivers, a row of drivers.def each; what a driver says of itself is in its folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

struct config;
struct config_connection;
struct config_key;
struct config_reader;
struct driver_target;
struct err;
struct wildcards;

enum driver_place {
	DRIVER_NOT_SERVED,
	DRIVER_FILE,		/* a file here: config_connection.path */
	DRIVER_SERVER		/* a server, over a socket */
};

/* How the tables of a manifest are divided into files, and what a table without one belongs to. */
enum driver_shard {
	DRIVER_BY_SCHEMA,	/* "public", "main" */
	DRIVER_BY_DATABASE,	/* its db, else its catalog; "default" */
	DRIVER_BY_BOTH		/* "default.public" */
};

#define DRIVER_AFFINITY		1u	/* a column's declared type may be any words (project/scan/type_family.h) */
#define DRIVER_POOLS		2u	/* the server counts the connections of a pool */
#define DRIVER_FUNCTIONS	4u	/* functions may be allowed by the configuration */
#define DRIVER_IMPORTS		8u	/* reads the file that carrel-import writes */
#define DRIVER_EMPTY		16u	/* an empty file is an empty database */
#define DRIVER_SETTINGS		32u	/* statements run with settings and a role of who asks */
#define DRIVER_VARIABLES	64u	/* statements run with variables of who asks */

/* A build of a library that is known: its version, its SHA-256 in hexadecimal, and which files it opens, for people. */
struct driver_build {
	const char	*version, *digest, *reads;
};

/* The library of an engine that its worker loads when it starts, because no distribution has a package to link with. */
struct driver_library {
	const char		*file;		/* its name: "libduckdb.so" */
	const char		*version;	/* name of its function without arguments that returns its version */
	const char		*reads;		/* which files an unknown build opens, for people */
	const char		*package;	/* where builds are published, for people */
	const struct driver_build *builds;	/* ends with a NULL version */
};

/*
 * Data and pure functions, linked into every program that reads the configuration; no library of the database is.
 * Texts are never NULL but where it is said; of a driver that is not served only name, type and shard mean something.
 */
struct db_driver {
	const char		*name, *aliases;	/* "postgres", "postgresql"; aliases with a blank between */
	const char		*display, *type;	/* as people write it; as connection_list says it */
	const char		*binary, *profile;	/* the worker's program, and its row in policy/profiles.c */
	enum driver_place	 place;
	enum driver_shard	 shard;
	unsigned		 spares;	/* workers that connect ahead of time, besides the configured ones */
	unsigned		 traits;
	const char		*schemes;	/* of its URLs, with a blank between */
	const char		*schema;	/* served when none is named; NULL: it has no schemas */
	const char		*magic;		/* of a file: its bytes by which it is recognised; else NULL */
	size_t			 magic_at;	/* where they stand */
	const char		*unanswered;	/* the server's words for a missing password; else NULL */
	const char		*const *notes;	/* for those who write SQL, a line each; ends with NULL */
	const struct driver_library *library;	/* loaded at run time; NULL: linked */

	/* The keys of connections.<name> besides config.def's; offsets are into config_connection.settings. */
	const struct config_key	*keys;		/* ends with a NULL key */
	size_t			 settings_size;

	/* Check and complete what was read; issues are noted with config_issue(). */
	void	(*finish)(struct config_reader *r, struct config_connection *c, const struct config *cfg,
		    const char *name);

	/* Where the database is, for people, without secrets; NULL: a full arena. */
	const char *(*where)(const struct config_connection *c, struct arena *a);

	/* Why the files of a connection without a path cannot be read, for people; NULL: they can, or it has none. */
	const char *(*fault)(const struct config_connection *c, struct arena *a);

	/* Whether it reads a file of that name without a database.  NULL: it reads none. */
	bool	(*takes)(const char *path);

	/* Add the real paths of the files that a connection without a path reads to all->files.  NULL: it has none. */
	void	(*files)(const struct config_connection *c, struct wildcards *all);

	/* Write to t->out what the worker connects with (sql_config.target).  NULL: path is all that it needs. */
	int	(*target)(const struct config_connection *c, struct driver_target *t, struct err *err);
};

/* For target(): the settings as values, references resolved. */
struct driver_target {
	struct buf	 out;		/* a secret */
	const char	*library;	/* path of the engine's library as configured, or NULL */
	/* The value of a text, valid until the next call; 1: it is not set, or its variable is not; -1 with *err. */
	int		(*value)(struct driver_target *t, const char *key, struct span *value, struct err *err);
	void		*arg;
};

/* The rows, in their order. */
extern const struct db_driver *const drivers[];
extern const size_t ndrivers;

/* The driver with this name or alias; NULL: unknown. */
const struct db_driver *drivers_find(struct span name);

/* The same, only for served drivers; NULL for others. */
const struct db_driver *drivers_served(struct span name);

/* Whether databases of this driver have schemas; assumed for an unknown driver. */
bool drivers_has_schemas(struct span name);

/*
 * The first driver that is configured in this way; the first with these traits; the driver whose worker has this
 * profile; that of the URL's scheme; that of a file with these first bytes.  NULL: none.
 */
const struct db_driver *drivers_at(enum driver_place place);
const struct db_driver *drivers_with(unsigned traits);
const struct db_driver *drivers_of_profile(const char *profile);
const struct db_driver *drivers_of_url(const char *url);
const struct db_driver *drivers_of_file(struct span head);

#define DRIVERS_MAGIC_MAX	16u	/* first bytes of a file that drivers_of_file() looks at */

/* The length of the driver's scheme that url begins with; 0: with none. */
size_t drivers_scheme(const struct db_driver *d, const char *url);

/* The i-th of all drivers' keys, each once though several drivers have it; NULL after the last. */
const struct config_key *drivers_key(size_t i);

/* The driver's key of this name; NULL: it has none. */
const struct config_key *drivers_key_of(const struct db_driver *d, struct span key);

/* "sqlite and postgres": those that are served and have these traits, with word before the last. */
void drivers_put_names(struct buf *out, unsigned traits, const char *word);
