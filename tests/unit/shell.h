/* shell - a command in a directory of a test's own, away from the user's settings of git. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

/* Its output, without the end of the last line, until the next call. */
__attribute__((format(printf, 2, 3))) static inline const char *
shell_in(const char *dir, const char *fmt, ...)
{
	static char out[8192];
	char command[2048], line[2300];
	va_list ap;
	size_t n;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line),
	    "cd %s && HOME=%s GIT_CONFIG_NOSYSTEM=1 && export HOME GIT_CONFIG_NOSYSTEM && { %s; } 2>&1", dir, dir,
	    command);
	f = popen(line, "r");
	assert_non_null(f);
	n = fread(out, 1, sizeof(out) - 1, f);
	pclose(f);
	while (n > 0 && out[n - 1] == '\n')
		n--;
	out[n] = '\0';
	return out;
}
