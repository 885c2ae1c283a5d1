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
 * directory of Carrel's programs, else the system's.  Its code runs, in a process of its own; but a configured one is
 * only loaded if its build is known, for a stranger may have written the configuration.
 */
void engine_library_find(struct cli *cli, const struct config *cfg, const struct db_driver *d,
    struct engine_library *out);

/*
 * Copies the library out of from, the file itself or a package of npm, to the configured place, else to the directory
 * of Carrel's programs.  An unknown build only with trust, and not to a configured place.  CLI_OK with *out, or an exit
 * code after a message; then what is there is as it was.
 */
int engine_library_put(struct cli *cli, const struct config *cfg, const struct db_driver *d, const char *from,
    bool trust, struct engine_library *out);
