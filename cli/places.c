#include <fcntl.h>
#include <unistd.h>

#include "cli/places.h"
#include "project/paths.h"
#include "cli/say.h"

void
make_places(struct cli *cli)
{
	static const struct {
		const char *name;
		mode_t mode;
	} places[] = { { "wiki", 0777 }, { "semantic-layer", 0777 }, { "raw-sources", 0750 } };
	const char *project = cli_project(cli);
	int top = project == NULL ? -1 : open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0)
		return;
	/* A missing directory is reported by the command that needs it. */
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		(void)paths_make(top, places[i].name, places[i].mode);
	close(top);
}
