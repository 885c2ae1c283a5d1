// libs: carrel_front_rig
/* test_front_basic.c - carrel-front as a whole: what a client meets on the ordinary way. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"

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

static struct reply
ask(int fd, const char *path)
{
	char text[128];

	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	rig_send(fd, text);
	return rig_read(fd);
}

/* A connection without a worker is told of, and no reason to take the node out of service. */
static void
test_ready_without_a_connection(void **state)
{
	struct rig *r = rig_start(&(struct rig_options){ .token = NULL });
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	a = ask(fd, "/health/ready");
	assert_int_equal(a.status, 503);
	assert_non_null(strstr(a.body, "\"ready\":false"));
	assert_non_null(strstr(ask(fd, "/health").body, "\"status\":\"degraded\""));
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_MEMORY, "");
	rig_worker(r, IPC_AGENT, "");
	rig_worker(r, IPC_AUTH, "");
	rig_worker(r, IPC_SQL, "warehouse");
	rig_state(r, "warehouse", 1, "");
	rig_state(r, "other", 3, "driver mysql is not served");
	rig_sync(r);
	a = ask(fd, "/health/ready");
	assert_int_equal(a.status, 200);
	assert_non_null(strstr(a.body, "\"ready\":true"));
	assert_non_null(strstr(a.body,
	    "{\"name\":\"other\",\"role\":\"sql\",\"state\":\"unavailable\",\"workers\":0}"));
	assert_non_null(strstr(a.body, "{\"name\":\"warehouse\",\"role\":\"sql\",\"state\":\"ready\",\"workers\":1}"));
	assert_non_null(strstr(ask(fd, "/health").body, "\"status\":\"ok\""));
	close(fd);
	rig_stop(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_ready_without_a_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
