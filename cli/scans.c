/* scans.c - which scans a project holds, read from its directories. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "project/files.h"

/* Scan ids begin with their time, so the greatest name is the last one. */
const char *
last_scan(struct cli *cli, const char *project_dir, const char *connection)
{
	const char *path = arena_printf(cli->arena, "%s/raw-sources/%s/live-database", project_dir, connection);
	const char *last = NULL;
	struct files_list list = { 0 };
	int fd = path == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (files_list(fd, cli->arena, &list) == FILES_OK)
		for (size_t i = 0; i < list.n; i++)
			if (list.entries[i].is_dir)
				last = list.entries[i].name;
	close(fd);
	return last;
}
