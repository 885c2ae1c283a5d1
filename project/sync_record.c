#include "project/sync_record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"

#define NUMBER	20	/* digits */
#define LENGTH	(2 * (NUMBER + 1) + 2 * (REPOSITORY_COMMIT + 1))
#define NONE	'-'	/* pads a commit; alone: none */

static bool
read_number(const char *p, uint64_t *n)
{
	char text[NUMBER + 1];

	for (size_t i = 0; i < NUMBER; i++)
		if (!ascii_is_digit((unsigned char)p[i]))
			return false;
	memcpy(text, p, NUMBER);
	text[NUMBER] = '\0';
	*n = strtoull(text, NULL, 10);
	return true;
}

static bool
read_name(const char *p, char out[REPOSITORY_COMMIT + 1])
{
	size_t n = 0, i;

	while (n < REPOSITORY_COMMIT && strchr("0123456789abcdef", p[n]) != NULL && p[n] != '\0')
		n++;
	for (i = n; i < REPOSITORY_COMMIT && p[i] == NONE; i++)
		;
	memcpy(out, p, n);
	out[n] = '\0';
	return i == REPOSITORY_COMMIT && (n == 0 || n == 40 || n == REPOSITORY_COMMIT);
}

bool
sync_record_read(int fd, struct sync_record *out)
{
	char text[LENGTH + 1];
	const char *names = text + 2 * (NUMBER + 1);

	memset(out, 0, sizeof(*out));
	if (pread(fd, text, sizeof(text), 0) == LENGTH && read_number(text, &out->begun) &&
	    read_number(text + NUMBER + 1, &out->done) && read_name(names, out->served) &&
	    read_name(names + REPOSITORY_COMMIT + 1, out->remote) && out->done <= out->begun)
		return true;
	memset(out, 0, sizeof(*out));
	return false;
}

bool
sync_record_find(const char *git_dir, struct sync_record *out)
{
	char path[PATH_MAX + sizeof(SYNC_RECORD) + 1];
	bool found = false;
	int fd;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "%s/" SYNC_RECORD, git_dir);
	if ((fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) >= 0) {
		found = sync_record_read(fd, out);
		close(fd);
	}
	return found;
}

static void
put_name(char *text, const char *name)
{
	size_t len = strlen(text), n = strlen(name);

	memcpy(text + len, name, n);
	memset(text + len + n, NONE, REPOSITORY_COMMIT - n);
	text[len + REPOSITORY_COMMIT] = '\n';
	text[len + REPOSITORY_COMMIT + 1] = '\0';
}

bool
sync_record_write(int fd, const struct sync_record *r)
{
	char text[LENGTH + 1];

	snprintf(text, sizeof(text), "%0*" PRIu64 " %0*" PRIu64 "\n", NUMBER, r->begun, NUMBER, r->done);
	put_name(text, r->served);
	put_name(text, r->remote);
	return pwrite(fd, text, LENGTH, 0) == LENGTH;
}
