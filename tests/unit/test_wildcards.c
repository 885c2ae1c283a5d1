// libs: carrel_base
/* test_wildcards.c - patterns of files: what each names, links, hidden names, bounds, and what the messages tell. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/system/wildcards.h"
#include "tests/unit/harness.h"

static char place[64];
static size_t spent_paths;	/* by the patterns before */

static void
shell(const char *command)
{
	char *line = mem_printf("cd '%s' && %s", place, command);

	assert_int_equal(system(line), 0);
	free(line);
}

static int
make_files(void **state)
{
	(void)state;
	strcpy(place, "/tmp/carrel-[w*?]-XXXXXX");
	if (mkdtemp(place) == NULL)
		return -1;
	shell("mkdir -p data/2024/q1 data/2025 data/.secret other && cd data && touch a.csv b.csv c.txt '[x].csv' "
	      "\"o'e.csv\" "
	      ".hidden.csv 2024/a.csv 2024/q1/deep.csv 2025/a.csv .secret/s.csv ../other/o.csv && mkfifo pipe.csv && "
	      "mkdir d.csv");
	return 0;
}

static int
remove_files(void **state)
{
	(void)state;
	shell("chmod -R u+rwx . && rm -rf data other && rmdir \"$PWD\"");
	return 0;
}

/* The files of a pattern below the place, with a blank between them, or the message. */
static const char *
finds(const char *pattern)
{
	static char got[1024];
	struct wildcards_spent spent = { .paths = spent_paths };
	struct wildcards w = { 0 };
	struct buf out = { 0 };
	struct err err;
	char *whole = mem_printf("%s/%s", place, pattern);

	if (wildcards_find(&w, whole, strlen(place), &spent, &err) == -1) {
		assert_int_equal(err.code, ERR_DATABASE_UNAVAILABLE);
		assert_null(strstr(err.message, place));
		buf_str(&out, err.message);
	}
	for (size_t i = 0; i < w.files.n; i++)
		buf_printf(&out, "%s%s", i > 0 ? " " : "", w.files.v[i] + strlen(place) + 1);
	snprintf(got, sizeof(got), "%s", buf_cstr(&out));
	buf_fini(&out);
	wildcards_fini(&w);
	free(whole);
	return got;
}

static void
names_what_a_shell_would(void **state)
{
	(void)state;
	assert_string_equal(finds("data/a.csv"), "data/a.csv");
	assert_string_equal(finds("data/?.csv"), "data/a.csv data/b.csv");
	assert_string_equal(finds("data/[ab].csv"), "data/a.csv data/b.csv");
	assert_string_equal(finds("data/[[]x].csv"), "data/[x].csv");
	assert_string_equal(finds("data/*'e.csv"), "data/o'e.csv");
	assert_string_equal(finds("data/*/a.csv"), "data/2024/a.csv data/2025/a.csv");
	assert_string_equal(finds("data/**/a.csv"), "data/2024/a.csv data/2025/a.csv data/a.csv");
	assert_string_equal(finds("data/**/q1/*.csv"), "data/2024/q1/deep.csv");
	assert_string_equal(finds("data/**/**/deep.csv"), "data/2024/q1/deep.csv");
	assert_string_equal(finds("d*/../other/*.csv"), "*.csv fits no file");
}

static void
passes_over_what_is_no_plain_file(void **state)
{
	(void)state;
	assert_string_equal(finds("data/p*.csv"), "p*.csv fits no file");
	assert_string_equal(finds("data/d*.csv"), "d*.csv fits no file");
	assert_string_equal(finds("data/.*.csv"), ".*.csv fits no file");
	assert_string_equal(finds("data/*/s.csv"), "s.csv fits no file");
	assert_string_equal(finds("nowhere/*.csv"), "*.csv fits no file");
	assert_string_equal(finds("data/nothing.csv"), "nothing.csv does not exist");
	assert_string_equal(finds("data/d.csv"), "d.csv is no file");
}

static void
follows_links_that_stay(void **state)
{
	(void)state;
	shell("ln -s b.csv data/link.csv && ln -s .. data/2025/up");
	assert_string_equal(finds("data/l*.csv"), "data/b.csv");
	assert_string_equal(finds("data/[bl]*.csv"), "data/b.csv");
	assert_string_equal(finds("data/**/deep.csv"), "data/2024/q1/deep.csv");
	shell("ln -s ../other/o.csv data/out.csv");
	assert_string_equal(finds("data/out.csv"), "other/o.csv");
	assert_non_null(strstr(finds("data/o*.csv"), "leads out of the directory"));
	shell("rm data/out.csv && ln -s .secret/s.csv data/out.csv");
	assert_non_null(strstr(finds("data/o*.csv"), "leads out of the directory"));
	shell("rm data/out.csv && ln -s nowhere data/out.csv");
	assert_string_equal(finds("data/out*.csv"), "out*.csv fits no file");
	shell("rm data/out.csv data/link.csv data/2025/up");
}

static void
is_bounded(void **state)
{
	(void)state;
	shell("mkdir data/many && cd data/many && seq -f 'f%g.csv' 4096 | xargs touch");
	assert_non_null(strstr(finds("data/many/f*.csv"), "data/many/f1.csv"));
	shell("touch data/many/more.csv");
	assert_non_null(strstr(finds("data/many/*.csv"), "more than 4096 files"));
	shell("rm -r data/many && mkdir -p data/$(seq -s / 40)");
	assert_non_null(strstr(finds("data/**/none.csv"), "too many files and directories"));
	shell("rm -r data/1");
	spent_paths = 16384;
	assert_non_null(strstr(finds("data/*.csv"), "too many files and directories"));
	spent_paths = 0;
}

/* No statement can say such a path: the file is left out, and the others are there. */
static void
leaves_out_what_is_not_in_utf8(void **state)
{
	struct wildcards_spent spent = { 0 };
	struct wildcards w = { 0 };
	struct err err;
	char *whole = mem_printf("%s/data/**/*.csv", place);

	(void)state;
	shell("touch \"$(printf 'data/z\\377.csv')\" && mkdir \"$(printf 'data/z\\377')\" && touch \"$(printf "
	      "'data/z\\377')/a.csv\"");
	assert_string_equal(finds("data/[az]*.csv"), "data/a.csv");
	assert_int_equal(wildcards_find(&w, whole, strlen(place), &spent, &err), 0);
	assert_int_equal(w.nameless, 2);
	assert_int_equal(w.root, strlen(place) + strlen("/data"));
	assert_non_null(strstr(finds("data/z*.csv"), "fits only files whose paths are not in UTF-8"));
	assert_non_null(strstr(finds("data/z\xff.csv"), "not in UTF-8"));
	shell("rm -r data/z*");
	wildcards_fini(&w);
	free(whole);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_a_shell_would),
		cmocka_unit_test(passes_over_what_is_no_plain_file),
		cmocka_unit_test(follows_links_that_stay),
		cmocka_unit_test(is_bounded),
		cmocka_unit_test(leaves_out_what_is_not_in_utf8),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
