// libs: carrel_cli
/* test_cli_term.c - the progress line says what it has to say on a terminal of 80 columns. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/unit/harness.h"

#include "cli/show/term.h"

/* What a terminal so wide gets to see. */
static const char *
shown(unsigned short columns, double fraction, const char *message)
{
	static char text[1024];
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	int far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), near, keep = dup(STDERR_FILENO);
	ssize_t n;

	assert_true(far >= 0 && grantpt(far) == 0 && unlockpt(far) == 0);
	near = open(ptsname(far), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(near >= 0 && ioctl(near, TIOCSWINSZ, &size) == 0);
	assert_true(dup2(near, STDERR_FILENO) >= 0);
	term_progress(fraction, message);
	assert_true(dup2(keep, STDERR_FILENO) >= 0);
	n = read(far, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	close(near);
	close(far);
	close(keep);
	return text;
}

static void
the_time_left_is_seen(void **state)
{
	static const char message[] = "warehouse: Profiled 12345 of 20000 tables, about 12 min left";

	(void)state;
	assert_non_null(strstr(shown(80, 0.25, message), message));
	assert_non_null(strstr(shown(200, 0.25, message), message));
	assert_non_null(strstr(shown(80, 0.25, message), " 25% "));
}

static void
a_narrow_terminal_is_not_overrun(void **state)
{
	(void)state;
	for (unsigned short columns = 1; columns < 80; columns++)
		assert_null(strstr(shown(columns, 1,
				       "a message of more than eighty columns, which is cut where the "
				       "terminal ends, wherever that is"),
		    "is cut where the terminal ends, wherever"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_left_is_seen),
		cmocka_unit_test(a_narrow_terminal_is_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
