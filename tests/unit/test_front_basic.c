// libs: carrel_front_rig
/* test_front_basic.c - carrel-front as a whole: what a client meets on the ordinary way. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

static void
test_health(void **state)
{
	struct rig *r = rig_start(&(struct rig_options){ .token = NULL });
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	rig_send(fd, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_non_null(strstr(a.body, "\"projectDir\":\"/somewhere/shop\""));
	close(fd);
	rig_stop(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_health),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
