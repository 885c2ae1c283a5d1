/* engine_library - libraries of database engines that are loaded at run time: found, identified, and put in place. */
#pragma once

#include "cli/cmd.h"
#include "project/config/drivers.h"

struct engine_library {
	const char	*path;		/* the file that is loaded; NULL: there is no library */
	const char	*version;	/* as it says of itself; NULL: it cannot be loaded */
	const char	*digest;	/* SHA-256, hexadecimal */
	const char	*reads;		/* which files it opens, for people */
	bool		 known;		/* its digest is that of a known build */
	const char	*reason;	/* without a version: why */
};

/*
 * The library that the workers of this driver load: as configured (cfg NULL: outside of a project), else in the
 * directory of Carrel's programs, else the system's.  Its code runs, in a process of its own.
 */
void engine_library_find(struct cli *cli, const struct config *cfg, const struct db_driver *d,
    struct engine_library *out);

/* Where `carrel engine add` puts it. */
const char *engine_library_place(struct cli *cli, const struct config *cfg, const struct db_driver *d);

/*
 * Copies the library out of from, the file itself or a package of npm, to place.  An unknown build only with trust.
 * CLI_OK with *out, or an exit code after a message; then place is as it was.
 */
int engine_library_put(struct cli *cli, const struct db_driver *d, const char *from, const char *place, bool trust,
    struct engine_library *out);
