// libs: carrel_base
/*
 * test_tree.c - how the source is written: line lengths, no function twice, no name for two structures, no bare word
 * as the name of two helpers.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "tests/unit/harness.h"

#define COLUMNS		120	/* of a line, where a tab ends at a multiple of 8 */
#define BODY_MIN	40	/* bytes of a function's body from which it counts as logic */
#define BODIES_MAX	30000
#define HELPERS_MAX	4000
#define STRUCTURES_MAX	4000

/*
 * How many lines of a folder are still longer than COLUMNS.  A number may only fall.  Tables (.def) are not read: a
 * row is one line.
 */
static struct {
	const char	*folder;
	unsigned	 may, has;
	bool		 product;	/* its functions are compared with all others of the product */
} folders[] = {
	{ .folder = "base/", .may = 0, .product = true },
	{ .folder = "words/", .may = 5, .product = true },
	{ .folder = "ipc/", .may = 0, .product = true },
	{ .folder = "policy/", .may = 0, .product = true },
	{ .folder = "project/", .may = 9, .product = true },
	{ .folder = "semantic/", .may = 13, .product = true },
	{ .folder = "ask/", .may = 0, .product = true },
	{ .folder = "workers/", .may = 52, .product = true },
	{ .folder = "front/", .may = 3, .product = true },
	{ .folder = "supervisor/", .may = 0, .product = true },
	{ .folder = "cli/", .may = 17, .product = true },
	{ .folder = "demo/", .may = 0, .product = true },
	{ .folder = "tests/", .may = 391 },
};

/* The body of a function, white space and comments apart. */
struct body {
	uint64_t	mark;
	size_t		len;
	unsigned	line;
	char		path[120];
};

#define MEMBER	"\\\":"

/*
 * JSON that the product composes by hand: members in a text of C, which base/json's writers are for, and maps of
 * msgpack whose members are counted by hand, which mp_map() counts itself; what the tree is free of; and turns of
 * English that readers had to learn.  The numbers may only fall.  Of the six members left five are marks that
 * a reader looks for in a line (two of them are written from the same text), and a message says one.
 */
static struct {
	const char	*what, *mark;
	unsigned	 may, has;
} by_hand[] = {
	{ "members of JSON in a text of C", MEMBER, 6, 0 },
	{ "maps counted by hand", "mp_put_map(", 170, 0 },
	{ "headers guarded by a macro, not by #pragma once", "_H\n", 0, 0 },
	{ "banners between functions", "/* --- ", 0, 0 },
	{ "`beside`: next to, besides", " beside ", 0, 0 },
	{ "`is none`: if none, is not one", "is none", 6, 0 },
	{ "`nobody`: no caller, no user", " nobody", 7, 0 },
	{ "`so many`: that many, n", " so many", 1, 0 },
	{ "`whoever`: any caller, the user who", "hoever", 0, 0 },
	{ "`stands in`: is in, replaces", " stands in", 2, 0 },
	{ "`stands before`: comes before, precedes", " stands before", 1, 0 },
};

static struct body bodies[BODIES_MAX];
static size_t nbodies;
static unsigned files;

/* A static function whose name is one word. */
static struct helper {
	char	name[32], path[120];
} helpers[HELPERS_MAX];
static size_t nhelpers;

/* A structure that is defined in the product. */
static struct structure {
	char	name[48], path[120];
} structures[STRUCTURES_MAX];
static size_t nstructures;

/* The structures that are defined in two files.  The list may only become shorter. */
static const char *const twice_defined[] = {
	"gram",
	"sql_db",	/* a connection, of each driver: workers/sql/driver.h */
	"stream",
	"walk",
	"word",
};

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* Columns of a line without its end. */
static unsigned
width(const char *line)
{
	unsigned column = 0;

	for (const unsigned char *p = (const unsigned char *)line; *p != '\0' && *p != '\n'; p++)
		if (*p == '\t')
			column += 8 - column % 8;
		else
			column += (*p & 0xc0) != 0x80;
	return column;
}

/* One more line of a body: white space counts as one space, comments as none. */
static void
body_add(struct buf *body, const char *line, bool *comment)
{
	for (const char *p = line; *p != '\0'; p++) {
		if (*comment) {
			if (p[0] == '*' && p[1] == '/')
				*comment = false, p++;
		} else if (p[0] == '/' && p[1] == '*')
			*comment = true, p++;
		else if (strchr(" \t\n", *p) == NULL)
			buf_append(body, p, 1);
		else if (body->len > 0 && body->p[body->len - 1] != ' ')
			buf_append(body, " ", 1);
	}
}

static void
body_keep(const struct buf *body, const char *path, unsigned line)
{
	if (body->len < BODY_MIN)
		return;
	assert_true(nbodies < BODIES_MAX);
	bodies[nbodies] = (struct body){ .mark = hash_of(buf_view(body)), .len = body->len, .line = line };
	snprintf(bodies[nbodies++].path, sizeof(bodies[0].path), "%s", path);
}

/* The line behind one that begins with `static` begins with the name of a function, or of something else. */
static void
helper_keep(const char *line, const char *path)
{
	size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789");

	if (n == 0 || line[n] != '(' || n >= sizeof(helpers[0].name))
		return;
	assert_true(nhelpers < HELPERS_MAX);
	snprintf(helpers[nhelpers].name, sizeof(helpers[0].name), "%.*s", (int)n, line);
	snprintf(helpers[nhelpers++].path, sizeof(helpers[0].path), "%s", path);
}

/* A line such as "static const struct name {". */
static void
structure_keep(const char *line, const char *path)
{
	const char *at = strstr(line, "struct ");
	size_t before = at == NULL ? 0 : (size_t)(at - line), n;

	if (at == NULL || strspn(line, " \tabcdefghijklmnopqrstuvwxyz") < before)
		return;
	at += strlen("struct ");
	n = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (n == 0 || strncmp(at + n, " {", 2) != 0)
		return;
	assert_true(nstructures < STRUCTURES_MAX && n < sizeof(structures[0].name));
	snprintf(structures[nstructures].name, sizeof(structures[0].name), "%.*s", (int)n, at);
	snprintf(structures[nstructures++].path, sizeof(structures[0].path), "%s", path);
}

/* Whether a line has the mark; that of a member is compact JSON: no blank follows. */
static bool
has_mark(const char *line, const char *mark)
{
	const char *at = strstr(line, mark);

	while (at != NULL && strcmp(mark, MEMBER) == 0 && at[strlen(mark)] == ' ')
		at = strstr(at + 1, mark);
	return at != NULL;
}

static void
read_file(const char *path, size_t folder)
{
	struct buf body = BUF_MAX(1 << 20);
	char whole[2048], text[8192];
	bool inside = false, comment = false, after_static = false;
	unsigned line = 0, start = 0;
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, path);
	f = fopen(whole, "r");
	assert_non_null(f);
	files++;
	while (fgets(text, sizeof(text), f) != NULL) {
		line++;
		if (width(text) > COLUMNS)
			folders[folder].has++;
		if (after_static && folders[folder].product)
			helper_keep(text, path);
		if (folders[folder].product)
			structure_keep(text, path);
		for (size_t i = 0; folders[folder].product && i < sizeof(by_hand) / sizeof(by_hand[0]); i++)
			by_hand[i].has += has_mark(text, by_hand[i].mark);
		after_static = strncmp(text, "static ", 7) == 0 && strchr(text, '(') == NULL;
		if (strcmp(text, "{\n") == 0) {
			inside = true, start = line;
			buf_reset(&body, 1 << 20);
		} else if (inside && strcmp(text, "}\n") == 0) {
			inside = false;
			if (folders[folder].product)
				body_keep(&body, path, start);
		} else if (inside)
			body_add(&body, text, &comment);
	}
	fclose(f);
	buf_fini(&body);
}

static void
read_folder(const char *path, size_t folder)
{
	char whole[2048], inner[1024];
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, path);
	d = opendir(whole);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || strcmp(e->d_name, "node_modules") == 0)
			continue;
		snprintf(inner, sizeof(inner), "%s%s", path, e->d_name);
		snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, inner);
		if (lstat(whole, &st) == -1)
			continue;
		if (S_ISDIR(st.st_mode)) {
			strncat(inner, "/", sizeof(inner) - strlen(inner) - 1);
			read_folder(inner, folder);
		} else if (ends_in(inner, ".c") || ends_in(inner, ".h"))
			read_file(inner, folder);
	}
	closedir(d);
}

static int
read_source(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		read_folder(folders[i].folder, i);
	return files > 400 && nbodies > 2000 && nstructures > 1000 ? 0 : -1;
}

static void
little_is_composed_by_hand(void **state)
{
	unsigned worse = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		worse += by_hand[i].has > by_hand[i].may;
		if (by_hand[i].has != by_hand[i].may)
			fprintf(stderr, "%s: %u, %u may be\n", by_hand[i].what, by_hand[i].has, by_hand[i].may);
	}
	assert_int_equal(worse, 0);
}

static void
no_folder_has_more_long_lines(void **state)
{
	unsigned worse = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (folders[i].has > folders[i].may)
			worse++;
		if (folders[i].has != folders[i].may)
			fprintf(stderr, "%s: %u lines are longer than %d columns, %u may be\n", folders[i].folder,
			    folders[i].has, COLUMNS, folders[i].may);
	}
	assert_int_equal(worse, 0);
}

static int
body_order(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return x->mark != y->mark ? (x->mark > y->mark) - (x->mark < y->mark) : strcmp(x->path, y->path);
}

/* In two files: rows of a table within one file may well do the same. */
static void
no_function_is_written_twice(void **state)
{
	unsigned twice = 0;

	(void)state;
	qsort(bodies, nbodies, sizeof(bodies[0]), body_order);
	for (size_t i = 1; i < nbodies; i++)
		if (bodies[i].mark == bodies[i - 1].mark && bodies[i].len == bodies[i - 1].len &&
		    strcmp(bodies[i].path, bodies[i - 1].path) != 0) {
			fprintf(stderr, "%s:%u and %s:%u are one function\n", bodies[i - 1].path, bodies[i - 1].line,
			    bodies[i].path, bodies[i].line);
			twice++;
		}
	assert_int_equal(twice, 0);
}

/* The test itself: what it takes for the same, and what for a long line. */
static void
sameness_and_width(void **state)
{
	struct buf a = BUF_MAX(1000), b = BUF_MAX(1000);
	bool comment = false;

	(void)state;
	body_add(&a, "\treturn x;  /* of the first\n", &comment);
	body_add(&a, "\t* line */\n", &comment);
	body_add(&b, "    return\tx;\n", &comment);
	assert_false(comment);
	assert_int_equal(width("\t1234567\t8\n"), 17);
	assert_int_equal(width("\xc3\xa4 b"), 3);
	assert_true(a.len >= b.len && memcmp(a.p, b.p, strlen("return x;")) == 0);
	buf_fini(&a);
	buf_fini(&b);
}

static void
no_two_helpers_share_a_bare_word(void **state)
{
	unsigned twice = 0;

	(void)state;
	for (size_t i = 0; i < nhelpers; i++)
		for (size_t j = i + 1; j < nhelpers; j++)
			if (strcmp(helpers[i].name, helpers[j].name) == 0 &&
			    strcmp(helpers[i].path, helpers[j].path) != 0) {
				fprintf(stderr,
				    "%s() is a helper of %s and of %s: module_verb, or a verb with its object\n",
				    helpers[i].name, helpers[i].path, helpers[j].path);
				twice++;
			}
	assert_int_equal(twice, 0);
}

static int
structure_order(const void *a, const void *b)
{
	const struct structure *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : strcmp(x->path, y->path);
}

static void
no_two_structures_share_a_name(void **state)
{
	const size_t n = sizeof(twice_defined) / sizeof(twice_defined[0]);
	unsigned worse = 0;
	size_t found = 0;

	(void)state;
	qsort(structures, nstructures, sizeof(structures[0]), structure_order);
	for (size_t i = 1; i < nstructures; i++) {
		const struct structure *x = &structures[i - 1], *y = &structures[i];
		size_t k = 0;

		if (strcmp(x->name, y->name) != 0 || strcmp(x->path, y->path) == 0)
			continue;
		while (k < n && strcmp(twice_defined[k], x->name) != 0)
			k++;
		found += k < n;
		if (k == n) {
			fprintf(stderr, "struct %s is of %s and of %s: say whose it is\n", x->name, x->path, y->path);
			worse++;
		}
	}
	if (found < n)
		fprintf(stderr, "%zu structures are defined twice, %zu may be\n", found, n);
	assert_int_equal(worse, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sameness_and_width),
		cmocka_unit_test(no_folder_has_more_long_lines),
		cmocka_unit_test(little_is_composed_by_hand),
		cmocka_unit_test(no_function_is_written_twice),
		cmocka_unit_test(no_two_helpers_share_a_bare_word),
		cmocka_unit_test(no_two_structures_share_a_name),
	};

	return cmocka_run_group_tests(tests, read_source, NULL);
}
