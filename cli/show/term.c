#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/show/table_text.h"
#include "cli/show/term.h"

/* Width of the bar; the rest of an ordinary terminal is for the text after it. */
#define BAR_WIDE	30
#define BAR_NARROW	12
#define WIDE		112

bool
term_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && (no == NULL || *no == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
}

unsigned
term_width(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

bool
term_ask_secret(const char *question, struct buf *out)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	struct termios before, quiet;
	bool ok = false;
	char c;

	if (fd < 0 || tcgetattr(fd, &before) != 0)
		goto out;
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	if (tcsetattr(fd, TCSAFLUSH, &quiet) != 0 || dprintf(fd, "%s", question) < 0)
		goto out;
	while (read(fd, &c, 1) == 1) {
		if (c == '\n') {
			ok = true;
			break;
		}
		buf_byte(out, (uint8_t)c);
	}
	tcsetattr(fd, TCSAFLUSH, &before);
	dprintf(fd, "\n");
out:
	if (fd >= 0)
		close(fd);
	return ok;
}

void
term_progress(double fraction, const char *message)
{
	struct buf line = { 0 };
	unsigned width = term_width(STDERR_FILENO), bar = width >= WIDE ? BAR_WIDE : BAR_NARROW, filled;

	if (width == 0)
		return;
	if (!(fraction >= 0))
		fraction = 0;
	if (fraction > 1)
		fraction = 1;
	filled = (unsigned)(fraction * bar);
	buf_str(&line, "\r\033[K");
	for (unsigned i = 0; i < bar; i++)
		buf_str(&line, i < filled ? "█" : "░");
	buf_printf(&line, " %3.0f%% ", fraction * 100);
	if (width > bar + 8) {
		struct buf safe = { 0 };
		size_t room = width - bar - 8, n;

		table_safe(span_str(message), false, &safe);
		n = table_fit(buf_view(&safe), room);
		buf_append(&line, safe.p, n);
		buf_fini(&safe);
	}
	fwrite(line.p, 1, line.len, stderr);
	fflush(stderr);
	buf_fini(&line);
}

void
term_progress_end(void)
{
	if (isatty(STDERR_FILENO)) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
}
