// libs: carrel_project
/* test_sync_record.c - what `carrel sync` leaves for the daemon is read as it was written, and nothing else is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "project/sync_record.h"
#include "tests/unit/harness.h"

#define OID	"0123456789abcdef0123456789abcdef01234567"

static int
scratch(void)
{
	char path[] = "/tmp/carrel-record-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static void
test_written_and_read(void **state)
{
	static const struct sync_record all[] = {
		{ 0, 0, "", "" },
		{ 7, 6, OID, OID },
		{ UINT64_MAX, 1, "", OID },
		{ 9, 9, OID "0123456789abcdef01234567", "" }, /* SHA-256 */
	};
	struct sync_record r, got;
	int fd = scratch();
	off_t length = 0;

	(void)state;
	assert_false(sync_record_read(fd, &got));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		r = all[i];
		assert_true(sync_record_write(fd, &r));
		assert_true(i == 0 || lseek(fd, 0, SEEK_END) == length);
		length = lseek(fd, 0, SEEK_END);
		assert_true(sync_record_read(fd, &got));
		assert_true(got.begun == r.begun && got.done == r.done);
		assert_string_equal(got.served, r.served);
		assert_string_equal(got.remote, r.remote);
	}
	close(fd);
}

/* Each byte that is another one: another record, or none; never one whose rounds contradict each other. */
static void
test_damaged(void **state)
{
	struct sync_record r = { 7, 7, OID, OID }, got;
	int fd = scratch();
	char was;

	(void)state;
	assert_true(sync_record_write(fd, &r));
	for (off_t at = 0, n = lseek(fd, 0, SEEK_END); at < n; at++) {
		assert_int_equal(pread(fd, &was, 1, at), 1);
		assert_int_equal(pwrite(fd, "x", 1, at), 1);
		if (sync_record_read(fd, &got))
			assert_true(got.begun == 7 && got.done == 7 && strcmp(got.served, OID) == 0);
		else
			assert_true(got.begun == 0 && got.served[0] == '\0');
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	r.done = 8;
	assert_true(sync_record_write(fd, &r));
	assert_false(sync_record_read(fd, &got));
	r.done = 7;
	assert_true(sync_record_write(fd, &r));
	assert_true(sync_record_read(fd, &got));
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
	assert_false(sync_record_read(fd, &got));
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_written_and_read), cmocka_unit_test(test_damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
