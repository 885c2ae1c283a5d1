/* verify_parts - shared by the files of `carrel sandbox verify`; not for others. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "policy/acts.h"
#include "policy/hostile.h"
#include "supervisor/supervisor.h"
#include "supervisor/verify/verify_aim.h"

/* One process under test, in place of a configured child. */
struct trial {
	struct supervisor	*sup;
	const struct config	*cfg;		/* the project's, or a stand-in's */
	const char		*binary;	/* program of the configured child */
	const char		*connection;	/* "" except for an SQL worker */
	struct config		 stand_in;	/* used by cfg if the project has no configuration for it */
	struct config_connection only;		/* its one connection */
	const struct db_driver	*driver;	/* of an SQL worker; else NULL */
	bool			 unconnected;	/* an SQL worker without its database */
	const char		*note;		/* what the test replaces; NULL: nothing */
	char			 said[128];	/* storage of the note */
	struct aims		 aims;
	struct wildcards	 found;		/* storage of aims.files */
	unsigned		 part;		/* of PROBE */
	unsigned		 act;
	char			 path[PATH_MAX];	/* what the act is tried on */
	struct process		 process;
	struct policy_trial	 came;
	char			 why[256];	/* the reason why an act was not tried */
};
