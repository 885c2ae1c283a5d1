/* output - a file that a command was asked to write. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"

/* 0, or the errno. */
static int
output_take(int fd, struct span text)
{
	size_t done = 0;

	while (done < text.len) {
		ssize_t n = write(fd, text.p + done, text.len - done);

		if (n < 0 && errno != EINTR)
			return errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int
output_write(const char *path, struct span text)
{
	/* Rows and statements may hold what not everybody is to read. */
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600), error;

	if (fd < 0)
		return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
	error = output_take(fd, text);
	if (close(fd) != 0 && error == 0)
		error = errno;
	return error == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s: not all could be written: %s", path, strerror(error));
}
