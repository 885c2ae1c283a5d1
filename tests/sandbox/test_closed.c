/*
 * test_closed.c - a worker that cannot be confined does not serve.
 *
 * The lack is made real: the child starts under a filter that answers for a
 * kernel without the feature.
 */
#include <errno.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "policy/acts.h"
#include "tests/sandbox/fixture.h"
#include "tests/support/child_driver.h"

static struct fixture fixture;

/* Test programs lie side by side. */
static const char *
worker(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);

	assert_true(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, "echo_worker");
	return path;
}

/* Answer what with error from here on, as a kernel without it does. */
static int
take_away(const char *what, int error, scmp_filter_ctx ctx)
{
	return seccomp_rule_add(ctx, SCMP_ACT_ERRNO((uint32_t)error), seccomp_syscall_resolve_name(what), 0);
}

static int
without(void *arg)
{
	const char *what = arg;
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r;

	if (strcmp(what, "landlock") == 0)
		r = take_away("landlock_create_ruleset", ENOSYS, ctx);
	else if (strcmp(what, "namespaces") == 0)
		r = take_away("unshare", EPERM, ctx);
	else
		r = take_away("seccomp", EINVAL, ctx) |
		    seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1,
			SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP, 0));
	if (r != 0 || seccomp_load(ctx) != 0)
		return EXIT_EXEC;
	seccomp_release(ctx);
	return 0;
}

static struct driver *
start(const char *lack, bool best_effort, uid_t uid)
{
	struct peer_options options = {
		.uid = uid, .before_exec = lack == NULL ? NULL : without, .arg = (void *)(uintptr_t)lack
	};
	struct ipc_configure_search conf = {
		.project_dir = span_str(fixture.project), .resource_scheme = SPAN("carrel"),
		.connections = SPAN("\x90"),
		.ontologies = SPAN("\x90"),
		.sql_ms = 10000, .sql_rows = 500, .sql_memory = 1 << 28, .sql_characters = 4096, .sql_threads = 2,
		.memory_max = 1 << 30, .best_effort = best_effort
	};
	struct driver *d = driver_spawn(worker(), IPC_SEARCH, &options);

	(void)driver_configure(d, IPC_MSG_CONFIGURE_SEARCH, &conf);
	return d;
}

static void
end(struct driver *d)
{
	driver_shutdown(d, 1000);
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

static int
make(void **state)
{
	(void)state;
	fixture_make(&fixture, 0);
	return 0;
}

static int
clean(void **state)
{
	(void)state;
	fixture_remove(&fixture);
	return 0;
}

static void
check_lack(const char *lack, const char *reason)
{
	struct driver *d = start(lack, false, 0);
	char note[1025];

	assert_int_equal(driver_exit_code(d), EXIT_CONFINEMENT);
	if (strstr(driver_reason(d), reason) == NULL)
		fail_msg("%s", driver_reason(d));
	driver_free(d);

	d = start(lack, true, 0);
	assert_int_equal(driver_ready(d)->degraded, 1);
	snprintf(note, sizeof(note), "%.*s", SPAN_FMT(driver_ready(d)->note));
	if (strstr(note, reason) == NULL)
		fail_msg("%s", note);
	(void)driver_attach(d);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	end(d);
}

static void
test_needs_landlock(void **state)
{
	(void)state;
	check_lack("landlock", "Landlock ABI 0");
}

static void
test_needs_seccomp(void **state)
{
	(void)state;
	check_lack("seccomp", "filter");
}

/* The one layer that may be absent: it is named, and nothing is degraded. */
static void
test_goes_without_namespaces(void **state)
{
	struct driver *d = start("namespaces", false, 0);
	char note[1025];

	(void)state;
	assert_int_equal(driver_ready(d)->degraded, 0);
	assert_int_equal(driver_ready(d)->namespaces, 0);
	snprintf(note, sizeof(note), "%.*s", SPAN_FMT(driver_ready(d)->note));
	assert_non_null(strstr(note, "no namespaces"));
	end(d);
}

/* The same worker as any user: nothing of confinement needs root. */
static void
test_serves_as_nobody(void **state)
{
	struct driver *d;

	(void)state;
	if (geteuid() != 0)
		skip();
	d = start(NULL, false, NOBODY);
	/* A build tree that nobody may enter is no failure of ours. */
	if (driver_ready(d)->landlock_abi == 0 && driver_exit_code(d) == EXIT_EXEC) {
		driver_free(d);
		skip();
	}
	assert_true(driver_ready(d)->landlock_abi >= 2);
	assert_int_equal(driver_ready(d)->degraded, 0);
	(void)driver_attach(d);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	end(d);
}

/* PROBE as `carrel sandbox verify` sends it: answers, and deaths instead of answers. */
static void
test_probes(void **state)
{
	struct driver *d = start(NULL, false, 0);

	(void)state;
	assert_int_equal(driver_probe(d, POLICY_ACT_READ_CONFIG, fixture_path(&fixture, "carrel.yaml")), EACCES);
	assert_int_equal(driver_probe(d, POLICY_ACT_READ_HOME, fixture.home), EACCES);
	assert_int_equal(driver_probe(d, POLICY_ACT_SOCKET_TCP, ""), EACCES);
	assert_int_equal(driver_probe(d, POLICY_ACT_EXECVE, ""), -1);
	assert_int_equal(driver_exit_code(d), -SIGSYS);
	driver_free(d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs_landlock),
		cmocka_unit_test(test_needs_seccomp),
		cmocka_unit_test(test_goes_without_namespaces),
		cmocka_unit_test(test_serves_as_nobody),
		cmocka_unit_test(test_probes),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
