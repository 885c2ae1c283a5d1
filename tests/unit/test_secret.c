// libs: carrel_project carrel_base
/* test_secret.c - references to secrets, and the files and paths behind them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "project/config/secret.h"
#include "project/paths.h"

static char dir[] = "/tmp/carrel-test-secret-XXXXXX";
static struct buf out;
static struct err err;

static int
setup_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int
teardown_dir(void **state)
{
	char command[200];

	(void)state;
	buf_wipe(&out);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void
put_file(const char *name, const char *text, size_t len, mode_t mode)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
	assert_non_null(f = fopen(path, "w"));
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static const char *
environment(void *arg, const char *name)
{
	assert_ptr_equal(arg, &out);
	if (strcmp(name, "SET") == 0)
		return "from the environment";
	if (strcmp(name, "EMPTY") == 0)
		return "";
	if (strcmp(name, "ENDED") == 0)
		return "its line end is cut off\r\n";
	return strcmp(name, "HOME") == 0 ? dir : NULL;
}

static enum config_holds holds;

static int
resolve(const char *ref)
{
	buf_reset(&out, SIZE_MAX);
	memset(&err, 0, sizeof(err));
	return config_secret(ref, holds, dir, dir, environment, &out, &out, &err);
}

static void
resolves(const char *ref, const char *want)
{
	assert_int_equal(resolve(ref), 0);
	assert_string_equal(buf_cstr(&out), want);
}

static void
fails(const char *ref, const char *why)
{
	assert_int_equal(resolve(ref), -1);
	if (strstr(err.message, why) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", err.message, why);
	assert_null(strstr(err.message, "s3cret"));
}

static void
test_environment(void **state)
{
	(void)state;
	resolves("env:SET", "from the environment");
	resolves("env:ENDED", "its line end is cut off");
	resolves("env:EMPTY", "");
	assert_int_equal(resolve("env:UNSET"), 1);
	assert_int_equal(resolve("env:"), 1);
	resolves("a literal", "a literal");
	assert_true(config_is_reference("env:X"));
	assert_true(config_is_reference("cred:X"));
	assert_false(config_is_reference("environment"));
	assert_string_equal(config_env_name("env:X"), "X");
	assert_null(config_env_name("file:X"));
}

static void
test_files(void **state)
{
	static const char nul[] = "s3cret\0x";

	(void)state;
	put_file("plain", "s3cret", 6, 0600);
	resolves("file:plain", "s3cret");
	put_file("lines", " \t\n  s3cret word \r\n\n", 20, 0400);
	resolves("file:lines", "s3cret word");
	resolves("file:~/plain", "s3cret");
	put_file("group", "s3cret", 6, 0640);
	resolves("file:group", "s3cret");
	put_file("open", "s3cret", 6, 0644);
	fails("file:open", "is open to others (mode 0644)");
	put_file("url", "postgres://reader@db/shop\n", 26, 0644);
	fails("file:url", "is open to others");
	holds = CONFIG_HOLDS_URL;
	resolves("file:url", "postgres://reader@db/shop");
	put_file("url", "postgres://reader:s3cret@db/shop", 32, 0644);
	fails("file:url", "is open to others");
	put_file("url", "host=db password=s3cret", 23, 0644);
	fails("file:url", "is open to others");
	put_file("url", "postgres://reader:s3cret@db/shop", 32, 0640);
	resolves("file:url", "postgres://reader:s3cret@db/shop");
	put_file("url", "postgres://reader@db/shop", 25, 0646);
	fails("file:url", "can be written by everybody");
	holds = CONFIG_HOLDS_PLAIN;
	resolves("file:open", "s3cret");
	holds = CONFIG_HOLDS_SECRET;
	put_file("open", "s3cret", 6, 0660);
	fails("file:open", "is open to others");
	put_file("open", "s3cret", 6, 0602);
	fails("file:open", "can be written by everybody");
	fails("file:none", "cannot be opened: No such file");
	put_file("empty", " \n", 2, 0600);
	fails("file:empty", "is empty");
	put_file("nul", nul, sizeof(nul) - 1, 0600);
	fails("file:nul", "does not hold text");
	put_file("latin", "s3cret\xe9", 7, 0600);
	fails("file:latin", "does not hold text");
	fails("file:.", "not a regular file");
	if (geteuid() == 0) {
		char path[300];

		put_file("theirs", "s3cret", 6, 0600);
		snprintf(path, sizeof(path), "%s/theirs", dir);
		assert_int_equal(chown(path, 65534, 65534), 0);
		fails("file:theirs", "belongs to another user");
	}
}

static void
test_large_file(void **state)
{
	char *text = malloc(CONFIG_SECRET_MAX + 1);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', CONFIG_SECRET_MAX + 1);
	put_file("large", text, CONFIG_SECRET_MAX + 1, 0600);
	fails("file:large", "is larger than");
	free(text);
}

static void
test_credentials(void **state)
{
	(void)state;
	put_file("token", "s3cret\n", 7, 0400);
	resolves("cred:token", "s3cret");
	fails("cred:../token", "not a credential's name");
	fails("cred:/etc/passwd", "not a credential's name");
	fails("cred:.", "not a credential's name");
	fails("cred:", "not a credential's name");
	assert_int_equal(config_secret("cred:token", CONFIG_HOLDS_SECRET, dir, NULL, environment, &out, &out, &err),
	    -1);
	assert_non_null(strstr(err.message, "no credentials directory"));
}

static void
test_ids(void **state)
{
	char longest[PATHS_ID_MAX + 2];

	(void)state;
	assert_true(paths_is_id(SPAN("a")));
	assert_true(paths_is_id(SPAN("0-_Z")));
	assert_false(paths_is_id(SPAN("")));
	assert_false(paths_is_id(SPAN("-a")));
	assert_false(paths_is_id(SPAN("_a")));
	assert_false(paths_is_id(SPAN("a/b")));
	assert_false(paths_is_id(SPAN("a.b")));
	assert_false(paths_is_id(SPAN("..")));
	assert_false(paths_is_id(SPAN("a\0b")));
	assert_false(paths_is_id(SPAN("\xc3\xa9")));
	memset(longest, 'a', sizeof(longest));
	assert_true(paths_is_id(span_of(longest, PATHS_ID_MAX)));
	assert_false(paths_is_id(span_of(longest, PATHS_ID_MAX + 1)));
}

static void
test_open_below(void **state)
{
	static const char *const bad[] = { "", "/etc/passwd", "sub//file", "./sub", "sub/.", "../x",
	    "sub/../../x", "sub/" };
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char path[300];

	(void)state;
	assert_true(at >= 0);
	snprintf(path, sizeof(path), "%s/sub", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	put_file("sub/file", "x", 1, 0600);
	assert_int_equal(symlinkat("/etc", at, "way-out"), 0);
	assert_int_equal(symlinkat("sub", at, "sideways"), 0);
	assert_int_equal(symlinkat("/etc/passwd", at, "sub/link"), 0);
	assert_true((fd = paths_open(at, "sub/file", O_RDONLY, 0)) >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(paths_open(at, bad[i], O_RDONLY, 0), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(paths_open(at, "way-out/passwd", O_RDONLY, 0), -1);
	assert_int_equal(paths_open(at, "sideways/file", O_RDONLY, 0), -1);
	assert_int_equal(paths_open(at, "sub/link", O_RDONLY, 0), -1);
	assert_int_equal(errno, ELOOP);
	close(at);
}

static void
test_replace(void **state)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	(void)state;
	assert_int_equal(paths_replace(at, "f", 0640, SPAN("one"), &err), 0);
	assert_int_equal(paths_replace(at, "f", 0600, SPAN("two"), &err), 0);
	assert_int_equal(fstatat(at, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	buf_reset(&out, SIZE_MAX);
	assert_int_equal(paths_read(at, "f", PATHS_SECRET, 100, &out, &err), 0);
	assert_string_equal(buf_cstr(&out), "two");
	assert_int_equal(paths_replace_fleeting(at, "f", 0600, SPAN("three"), &err), 0);
	buf_reset(&out, SIZE_MAX);
	assert_int_equal(paths_read(at, "f", PATHS_SECRET, 100, &out, &err), 0);
	assert_string_equal(buf_cstr(&out), "three");
	/* A directory in its place: refused, and nothing is left lying about. */
	assert_int_equal(mkdirat(at, "d", 0700), 0);
	assert_int_equal(paths_replace(at, "d", 0600, SPAN("x"), &err), -1);
	assert_int_equal(faccessat(at, ".d.tmp", F_OK, 0), -1);
	close(at);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment), cmocka_unit_test(test_files), cmocka_unit_test(test_large_file),
		cmocka_unit_test(test_credentials), cmocka_unit_test(test_ids), cmocka_unit_test(test_open_below),
		cmocka_unit_test(test_replace),
	};

	return cmocka_run_group_tests(tests, setup_dir, teardown_dir);
}
