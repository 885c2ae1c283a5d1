// libs: carrel_base
/*
 * test_symbols.c - where the functions of the product are declared, defined and called.  Reads the sources as text: a
 * prototype begins at the beginning of a line of a header, a definition has its name there in a .c, below its type.
 *
 * What a room declares, it defines; a header is for its own file; a function is called as its file, or as the folder;
 * files do not call each other in large circles.  What breaks these rules today is counted below, and may only become
 * less.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/table.h"
#include "tests/unit/harness.h"

#define LEAKS_MAY	0	/* prototypes in a header of another room */
#define FOREIGN_MAY	0	/* prototypes in a header that is not their file's */
#define MISNAMED_MAY	239	/* functions that are not called as their file or its folder */
#define CIRCLE_MAY	8	/* files of the largest circle of calls */

#define UNITS_MAX	1200
#define FUNCTIONS_MAX	8000
#define CALLS_MAX	100000
#define SMALL		"abcdefghijklmnopqrstuvwxyz0123456789_"

static const char *const tops[] = { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "ask/", "workers/",
	"front/", "supervisor/", "demo/", "cli/" };

/* A .c and the .h of its name. */
static struct unit {
	char		path[120];	/* without the ending */
	unsigned	index, low;	/* of Tarjan's search; index 0: not visited */
	bool		open;
} units[UNITS_MAX];
static size_t nunits;

static struct function {
	char		name[64];
	int		declared, defined;	/* units; -1: nowhere */
} functions[FUNCTIONS_MAX];
static size_t nfunctions;
static struct table by_name;

static struct call {
	unsigned	from, to;	/* units */
} calls[CALLS_MAX];
static size_t ncalls;

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* The file without comments and the insides of texts; lines stay lines.  For the caller to free. */
static char *
read_code(const char *path)
{
	char whole[2048], *text, *to;
	long size;
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, path);
	f = fopen(whole, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), (size_t)size);
	fclose(f);
	to = text;
	for (const char *p = text; *p != '\0';) {
		if (strncmp(p, "/*", 2) == 0) {
			const char *end = strstr(p, "*/");

			for (end = end == NULL ? p + strlen(p) : end + 2; p < end; p++)
				if (*p == '\n')
					*to++ = '\n';
		} else if (*p == '"') {
			for (p++; *p != '"' && *p != '\n' && *p != '\0'; p++)
				p += *p == '\\' && p[1] != '\0';
			p += *p == '"';
			*to++ = '"', *to++ = '"';
		} else
			*to++ = *p++;
	}
	*to = '\0';
	return text;
}

static unsigned
unit_of(const char *path)
{
	size_t n = (size_t)(strrchr(path, '.') - path);

	for (size_t i = 0; i < nunits; i++)
		if (strlen(units[i].path) == n && strncmp(units[i].path, path, n) == 0)
			return (unsigned)i;
	assert_true(nunits < UNITS_MAX && n < sizeof(units[0].path));
	snprintf(units[nunits].path, sizeof(units[0].path), "%.*s", (int)n, path);
	return (unsigned)nunits++;
}

static struct function *
function_find(const char *name, size_t n)
{
	uint64_t hash = hash_more(HASH_START, name, n);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&by_name, hash, &at)) != TABLE_NONE;)
		if (strlen(functions[row].name) == n && memcmp(functions[row].name, name, n) == 0)
			return &functions[row];
	return NULL;
}

static struct function *
function_put(const char *name, size_t n)
{
	struct function *f = function_find(name, n);

	if (f != NULL)
		return f;
	assert_true(nfunctions < FUNCTIONS_MAX && n < sizeof(f->name));
	f = &functions[nfunctions];
	*f = (struct function){ .declared = -1, .defined = -1 };
	memcpy(f->name, name, n);
	table_add(&by_name, hash_more(HASH_START, name, n), (uint32_t)nfunctions++);
	return f;
}

static bool
starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

/* The name before the first '(' of a line that begins a prototype. */
static void
keep_prototype(const char *line, unsigned unit)
{
	const char *open = strchr(line, '('), *end = strchr(line, '\n'), *close = strpbrk(line, ";{"), *name;

	if (strchr(SMALL, line[0]) == NULL || starts_with(line, "static") || starts_with(line, "typedef") ||
	    open == NULL || (end != NULL && open > end) || close == NULL || *close != ';')
		return;
	for (name = open; name > line && strchr(SMALL, name[-1]) != NULL; name--)
		;
	if (name > line && name < open)
		function_put(name, (size_t)(open - name))->declared = (int)unit;
}

static void
keep_definition(const char *line, const char *before, unsigned unit)
{
	size_t n = strspn(line, SMALL);

	if (n > 0 && line[n] == '(' && before != NULL && strchr(SMALL, before[0]) != NULL && before[0] != '\0' &&
	    !starts_with(before, "static"))
		function_put(line, n)->defined = (int)unit;
}

static void
read_declarations(const char *path)
{
	char *code = read_code(path);
	const char *before = NULL, *line = code;
	unsigned unit = unit_of(path);

	for (; *line != '\0'; before = line, line = strchr(line, '\n') + 1) {
		if (!ends_in(path, ".h"))
			keep_definition(line, before, unit);
		else if (before == NULL || !starts_with(before, "static"))
			keep_prototype(line, unit);
		if (strchr(line, '\n') == NULL)
			break;
	}
	free(code);
}

/* A static function of the file has the name of another file's. */
static bool
has_own(const char *code, const char *name)
{
	char line[72];

	snprintf(line, sizeof(line), "\n%s(", name);
	return strstr(code, line) != NULL;
}

static void
read_calls(const char *path)
{
	char *code = read_code(path);
	unsigned unit = unit_of(path);

	for (const char *p = code; *p != '\0';) {
		size_t n = strspn(p, SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		const struct function *f = n > 0 && p[n] == '(' ? function_find(p, n) : NULL;

		if (f != NULL && f->defined >= 0 && (unsigned)f->defined != unit && !has_own(code, f->name)) {
			assert_true(ncalls < CALLS_MAX);
			calls[ncalls++] = (struct call){ .from = unit, .to = (unsigned)f->defined };
		}
		p += n > 0 ? n : 1;
	}
	free(code);
}

static void
each_source(const char *folder, void (*fn)(const char *path))
{
	char whole[2048], path[1024];
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, folder);
	d = opendir(whole);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s%s", folder, e->d_name);
		snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, path);
		if (lstat(whole, &st) == -1)
			continue;
		if (S_ISDIR(st.st_mode)) {
			strncat(path, "/", sizeof(path) - strlen(path) - 1);
			each_source(path, fn);
		} else if (ends_in(path, ".c") || ends_in(path, ".h") || ends_in(path, ".cc"))
			fn(path);
	}
	closedir(d);
}

static int
read_product(void **state)
{
	(void)state;
	table_reserve(&by_name, FUNCTIONS_MAX);
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
		each_source(tops[i], read_declarations);
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
		each_source(tops[i], read_calls);
	return nunits > 500 && nfunctions > 2500 && ncalls > 10000 ? 0 : -1;
}

static bool
one_room(const char *a, const char *b)
{
	size_t n = (size_t)(strrchr(a, '/') - a), m = (size_t)(strrchr(b, '/') - b);

	return n == m && strncmp(a, b, n) == 0;
}

static void
complain(const char *what, unsigned has, unsigned may)
{
	if (has != may)
		fprintf(stderr, "%s: %u, %u may be\n", what, has, may);
	assert_true(has <= may);
}

static void
a_room_defines_what_it_declares(void **state)
{
	unsigned leaks = 0, foreign = 0;

	(void)state;
	for (size_t i = 0; i < nfunctions; i++) {
		const struct function *f = &functions[i];
		const char *in, *from;

		if (f->declared < 0 || f->defined < 0 || f->declared == f->defined)
			continue;
		in = units[f->declared].path;
		from = units[f->defined].path;
		foreign++;
		leaks += !one_room(in, from);
		if (getenv("CARREL_LEAKS") != NULL)
			fprintf(stderr, "%s() is declared in %s.h and defined in %s.c\n", f->name, in, from);
	}
	complain("prototypes in a header of another room (CARREL_LEAKS=1 names them)", leaks, LEAKS_MAY);
	complain("prototypes in a header that is not their file's", foreign, FOREIGN_MAY);
}

/* The first words of a and of b, up to '_', '/' or the end, of which one begins with the other: "conns" and "conn". */
static bool
one_word(const char *a, const char *b)
{
	size_t n = strcspn(a, "_/"), m = strcspn(b, "_/"), least = n < m ? n : m;

	return (n == m || least >= 3) && strncmp(a, b, least) == 0;
}

/* Whether the function is called as a word of its file's name, or of its folder's. */
static bool
is_called_as_its_file(const char *name, const char *path)
{
	const char *word = strrchr(path, '/');

	while (word > path && word[-1] != '/')
		word--;
	for (; word != NULL; word = strpbrk(word, "_/"))
		if (word += *word == '_' || *word == '/', one_word(name, word))
			return true;
	return false;
}

static void
functions_are_called_as_their_file(void **state)
{
	unsigned misnamed = 0;

	(void)state;
	for (size_t i = 0; i < nfunctions; i++) {
		const struct function *f = &functions[i];

		if (f->declared < 0 || f->defined < 0 || is_called_as_its_file(f->name, units[f->defined].path))
			continue;
		misnamed++;
		if (getenv("CARREL_MISNAMED") != NULL)
			fprintf(stderr, "%s() is defined in %s.c\n", f->name, units[f->defined].path);
	}
	complain("functions that are not called as their file (CARREL_MISNAMED=1 names them)", misnamed, MISNAMED_MAY);
}

static unsigned stack[UNITS_MAX], nstack, visited, largest;

/* Tarjan's strongly connected components; depth is bounded by the number of files. */
static void
visit(unsigned v)
{
	unsigned first = nstack, members = 0;

	units[v].index = units[v].low = ++visited;
	units[v].open = true;
	stack[nstack++] = v;
	for (size_t i = 0; i < ncalls; i++) {
		unsigned w = calls[i].to;

		if (calls[i].from != v)
			continue;
		if (units[w].index == 0) {
			visit(w);
			units[v].low = units[w].low < units[v].low ? units[w].low : units[v].low;
		} else if (units[w].open && units[w].index < units[v].low)
			units[v].low = units[w].index;
	}
	if (units[v].low != units[v].index)
		return;
	for (members = nstack - first; nstack > first; nstack--) {
		units[stack[nstack - 1]].open = false;
		if (members >= 8 && getenv("CARREL_CIRCLES") != NULL)
			fprintf(stderr, "in a circle of %u: %s\n", members, units[stack[nstack - 1]].path);
	}
	largest = members > largest ? members : largest;
}

static void
no_large_circle_of_calls(void **state)
{
	(void)state;
	for (unsigned v = 0; v < nunits; v++)
		if (units[v].index == 0)
			visit(v);
	complain("files in the largest circle of calls (CARREL_CIRCLES=1 names them)", largest, CIRCLE_MAY);
}

/* A folder of sources says in README.md what it is, who may use it, and where to begin. */
static void
each_room_has_a_readme(void **state)
{
	unsigned missing = 0;

	(void)state;
	for (size_t i = 0; i < nunits; i++) {
		char path[2048];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%.*sREADME.md", SOURCE_DIR,
		    (int)(strrchr(units[i].path, '/') + 1 - units[i].path), units[i].path);
		if (stat(path, &st) == 0)
			continue;
		fprintf(stderr, "%s is missing\n", path);
		missing++;
	}
	assert_int_equal(missing, 0);
}

/* The test itself: what it takes for code, a prototype and a definition. */
static void
functions_are_seen(void **state)
{
	const struct function *f = function_find("arena_alloc", strlen("arena_alloc"));

	(void)state;
	assert_non_null(f);
	assert_string_equal(units[f->declared].path, "base/arena");
	assert_string_equal(units[f->defined].path, "base/arena");
	assert_true(one_room("base/buf", "base/span"));
	assert_false(one_room("base/buf", "base/json/json_read"));
	assert_true(is_called_as_its_file("conns_tick", "front/http/conn"));
	assert_true(is_called_as_its_file("compile_step", "semantic/fast_compile"));
	assert_false(is_called_as_its_file("plan_groups", "ask/groups"));
	assert_false(is_called_as_its_file("connect", "front/http/co_read"));
	assert_null(function_find("each_source", strlen("each_source")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_seen),
		cmocka_unit_test(a_room_defines_what_it_declares),
		cmocka_unit_test(functions_are_called_as_their_file),
		cmocka_unit_test(no_large_circle_of_calls),
		cmocka_unit_test(each_room_has_a_readme),
	};

	return cmocka_run_group_tests(tests, read_product, NULL);
}
