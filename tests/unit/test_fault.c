// libs: carrel_base
/* test_fault.c - named fault points act at the passing they are told to; releases have none. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/fault.h"
#include "tests/unit/harness.h"

#ifdef CARREL_FAULT_POINTS
/* Run act in a child with that setting; its wait status. */
static int
in_child(const char *setting, int (*act)(void))
{
	int status = -1;
	pid_t pid = fork();

	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		/* A crash here is expected; keep the sanitizer's report to itself. */
		(void)signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		setenv("CARREL_FAULTS", setting, 1);
		_exit(act());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* What three passings return, as digits to base four. */
static int
three(void)
{
	int n = 0;

	for (int i = 0; i < 3; i++)
		n = n * 4 + (int)fault_point("a.point");
	return n;
}

static int
other(void)
{
	return (int)fault_point("other.point") == FAULT_NONE && fault_point("a.poin") == FAULT_NONE ? 0 : 1;
}

static void
assert_exit(const char *setting, int (*act)(void), int code)
{
	int status = in_child(setting, act);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void
returned(void **state)
{
	(void)state;
	assert_exit("", three, 0);
	assert_exit("a.point", three, FAULT_EIO * 16);
	assert_exit("a.point=enospc", three, FAULT_ENOSPC * 16);
	assert_exit("a.point=short@2", three, FAULT_SHORT * 4);
	assert_exit("a.point=short@2*", three, FAULT_SHORT * 4 + FAULT_SHORT);
	assert_exit("a.point@3", three, FAULT_EIO);
	assert_exit("a.point*", three, 21 * FAULT_EIO);
	assert_exit("b.point=crash,a.point=short@3", three, FAULT_SHORT);
	assert_exit("a.point=crash*", other, 0);
}

static void
deaths(void **state)
{
	int status;

	(void)state;
	status = in_child("a.point=crash@2", three);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	status = in_child("a.point=kill", three);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_exit("a.point=exit@3", three, 1);
	/* A typing mistake is no quiet success. */
	status = in_child("a.point=explode", three);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#else
static void
none_in_this_build(void **state)
{
	(void)state;
	setenv("CARREL_FAULTS", "a.point=crash*", 1);
	assert_int_equal(fault_point("a.point"), FAULT_NONE);
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef CARREL_FAULT_POINTS
		cmocka_unit_test(returned),
		cmocka_unit_test(deaths),
#else
		cmocka_unit_test(none_in_this_build),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
