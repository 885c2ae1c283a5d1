/* places.c - the project's directories, made when something is to be written. */
#include <sys/stat.h>

#include "cli/cmd.h"

void
make_places(struct cli *cli)
{
	static const char *const places[] = { "wiki", "semantic-layer", "raw-sources" };
	const char *project = cli_project(cli), *path;

	/* One that cannot be made is missed by whoever needs it, who says so. */
	for (size_t i = 0; project != NULL && i < sizeof(places) / sizeof(places[0]); i++)
		if ((path = arena_printf(cli->arena, "%s/%s", project, places[i])) != NULL)
			(void)mkdir(path, 0777);
}
