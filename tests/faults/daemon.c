/* daemon.c - see daemon.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/daemon.h"

pid_t daemon_pid;

void
pause_us(unsigned us)
{
	const struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

unsigned
daemon_start(const char *carreld, const char *project)
{
	char line[4096], number[16], *at;
	size_t len = 0;
	int status[2];

	if (pipe(status) == -1)
		return 0;
	fflush(NULL);
	if ((daemon_pid = fork()) == 0) {
		close(status[0]);
		snprintf(number, sizeof(number), "%d", status[1]);
		execl(carreld, carreld, "--project-dir", project, "--status-fd", number, (char *)NULL);
		_exit(127);
	}
	close(status[1]);
	while (len < sizeof(line) - 1 && memchr(line, '\n', len) == NULL) {
		ssize_t n = read(status[0], line + len, sizeof(line) - 1 - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	line[len] = '\0';
	close(status[0]);
	if (strncmp(line, "ok ", 3) != 0 || (at = strstr(line, "\"port\":")) == NULL) {
		fprintf(stderr, "the daemon did not start: %s\n", line);
		return 0;
	}
	return (unsigned)strtoul(at + 7, NULL, 10);
}

size_t
daemon_children(struct child *list)
{
	char path[64], text[4096];
	size_t n = 0, len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", daemon_pid, daemon_pid);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
	for (char *p = text; n < CHILDREN_MAX; n++) {
		char *end;
		FILE *c;

		list[n].pid = (pid_t)strtol(p, &end, 10);
		if (end == p)
			break;
		p = end;
		snprintf(path, sizeof(path), "/proc/%d/comm", list[n].pid);
		list[n].name[0] = '\0';
		if ((c = fopen(path, "r")) != NULL) {
			if (fgets(list[n].name, sizeof(list[n].name), c) != NULL)
				list[n].name[strcspn(list[n].name, "\n")] = '\0';
			fclose(c);
		}
	}
	return n;
}

size_t
answer_length(const char *in)
{
	static const char last[] = "\r\n0\r\n\r\n";
	const char *body = strstr(in, "\r\n\r\n"), *length, *end;
	size_t whole;

	if (body == NULL)
		return 0;
	body += 4;
	if ((length = strcasestr(in, "content-length:")) == NULL || length > body) {
		end = strstr(body - 2, last);
		return end == NULL ? 0 : (size_t)(end - in) + sizeof(last) - 1;
	}
	whole = (size_t)(body - in) + strtoul(length + 15, NULL, 10);
	return strlen(in) < whole ? 0 : whole;
}
