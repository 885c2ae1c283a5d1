#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/system/io.h"
#include "cli/output.h"
#include "cli/say.h"

int
output_write(const char *path, struct span text)
{
	/* Rows and statements may hold what not everybody is to read. */
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600), error;

	if (fd < 0)
		return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
	error = io_write(fd, text) == 0 ? 0 : errno;
	if (close(fd) != 0 && error == 0)
		error = errno;
	return error == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s: not all could be written: %s", path, strerror(error));
}
