#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor/port_owner.h"

#define TCP_LISTEN_STATE	0x0a	/* as /proc/net/tcp prints TCP_LISTEN */

/* The inode of the socket that listens on port; 0: none found. */
static unsigned long
listening_inode(const char *table, unsigned port)
{
	unsigned long inode = 0, found = 0;
	unsigned local, state;
	char line[512];
	FILE *f = fopen(table, "re");

	while (f != NULL && found == 0 && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %lu", &local, &state,
			&inode) == 3 &&
		    local == port && state == TCP_LISTEN_STATE)
			found = inode;
	if (f != NULL)
		fclose(f);
	return found;
}

static int
process_holds(int proc, const char *pid, const char *target)
{
	char path[64], link[64];
	struct dirent *entry;
	int fd, found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%.20s/fd", pid);
	if ((fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 0;
	if ((dir = fdopendir(fd)) == NULL) {
		close(fd);
		return 0;
	}
	while (!found && (entry = readdir(dir)) != NULL) {
		ssize_t n = readlinkat(fd, entry->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		found = strcmp(link, target) == 0;
	}
	closedir(dir);
	return found;
}

static void
port_owner_describe(int proc, const char *pid, char *out, size_t cap)
{
	char path[64], name[64] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%.20s/comm", pid);
	if ((fd = openat(proc, path, O_RDONLY | O_CLOEXEC)) >= 0) {
		n = read(fd, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = '\0';
		name[strcspn(name, "\n")] = '\0';
		close(fd);
	}
	snprintf(out, cap, "%s (pid %.20s)", name[0] != '\0' ? name : "a process", pid);
}

void
port_owner(int family, unsigned port, char *out, size_t cap)
{
	unsigned long inode = listening_inode(family == AF_INET6 ? "/proc/net/tcp6" : "/proc/net/tcp", port);
	struct dirent *entry;
	char target[64];
	DIR *dir;

	out[0] = '\0';
	if (inode == 0)
		inode = listening_inode(family == AF_INET6 ? "/proc/net/tcp" : "/proc/net/tcp6", port);
	if (inode == 0 || (dir = opendir("/proc")) == NULL)
		return;
	snprintf(target, sizeof(target), "socket:[%lu]", inode);
	while (out[0] == '\0' && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    process_holds(dirfd(dir), entry->d_name, target))
			port_owner_describe(dirfd(dir), entry->d_name, out, cap);
	closedir(dir);
}
