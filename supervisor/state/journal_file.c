#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/log.h"
#include "ipc/journal.h"
#include "policy/profile.h"
#include "supervisor/state/journal_file.h"

#define BOOT_ID	"/proc/sys/kernel/random/boot_id"

/* The id of the kernel's boot; empty: unknown. */
static void
read_boot(char out[sizeof(((struct journal_page *)0)->boot)])
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, out, sizeof(((struct journal_page *)0)->boot) - 1);

	out[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Makes an empty journal of full size, discarding any other content of the file. */
static int
file_begin(int fd, const char *boot)
{
	struct journal_page page = { .magic = JOURNAL_MAGIC };
	int code;

	randombytes_buf(page.id, sizeof(page.id));
	snprintf(page.boot, sizeof(page.boot), "%s", boot);
	if (ftruncate(fd, 0) != 0)
		return -1;
	if ((code = posix_fallocate(fd, 0, JOURNAL_FILE_BYTES)) != 0) {
		errno = code;
		return -1;
	}
	return pwrite(fd, &page, sizeof(page), 0) == (ssize_t)sizeof(page) ? 0 : -1;
}

/* After the machine stopped, pages of the file may be of different moments. */
static int
file_continue(int fd, struct journal_page *page, const char *boot)
{
	size_t from = offsetof(struct journal_page, boot), to = offsetof(struct journal_page, taking);

	if (strncmp(page->boot, boot, sizeof(page->boot)) == 0)
		return 0;
	snprintf(page->boot, sizeof(page->boot), "%s", boot);
	page->restarted = 1;
	return pwrite(fd, (const char *)page + from, to - from, (off_t)from) == (ssize_t)(to - from) ? 0 : -1;
}

static int
file_prepare(int fd)
{
	struct journal_page page;
	char boot[sizeof(page.boot)] = "";
	struct stat st;

	read_boot(boot);
	if (fstat(fd, &st) != 0)
		return -1;
	if (st.st_size == JOURNAL_FILE_BYTES && pread(fd, &page, sizeof(page), 0) == (ssize_t)sizeof(page) &&
	    memcmp(page.magic, JOURNAL_MAGIC, sizeof(page.magic)) == 0)
		return file_continue(fd, &page, boot);
	if (st.st_size != 0)
		log_warn("a journal file of the audit was damaged; its content is discarded and it starts empty");
	return file_begin(fd, boot);
}

int
journal_file_take(const char *path, unsigned *number)
{
	static const char *const suffixes[] = { POLICY_STATE_JOURNALS };

	for (unsigned i = 0; i < POLICY_JOURNAL_FILES; i++) {
		char name[PATH_MAX];
		int fd, n = snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);

		if (n < 0 || (size_t)n >= sizeof(name) || (fd = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)) < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			if (file_prepare(fd) == 0) {
				*number = i;
				return fd;
			}
			log_warn("the audit's journal %s cannot be used: %s", name, strerror(errno));
		}
		close(fd);
	}
	return -1;
}
