#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/system/io.h"
#include "cli/input.h"

const char *
input_name(const char *name)
{
	return strcmp(name, "-") == 0 ? "standard input" : name;
}

int
input_read(const char *name, size_t max, struct buf *text)
{
	bool standard = strcmp(name, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC), error;

	if (fd < 0)
		return errno;
	error = io_read(fd, 0, max, text) == 0 ? 0 : errno;
	if (!standard)
		close(fd);
	return error;
}
