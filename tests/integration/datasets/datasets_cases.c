/* datasets_cases.c - see datasets_cases.h. */
#include "tests/integration/datasets/datasets_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define CANARY	"CANARY"

static const struct {
	char		 sign;
	const char	*id, *table;
} published[] = {
	{ 'a', "1a1a1a1a-1a1a-4a1a-8a1a-1a1a1a1a1a1a", "people" },
	{ 'b', "2b2b2b2b-2b2b-4b2b-8b2b-2b2b2b2b2b2b", "orders" },
	{ 'v', "3c3c3c3c-3c3c-4c3c-8c3c-3c3c3c3c3c3c", "tall" },
	{ 'n', "9f9f9f9f-9f9f-4f9f-8f9f-9f9f9f9f9f9f", NULL },
};

#define PUBLISHED	(sizeof(published) / sizeof(published[0]))

/* The name that a sign stands for; false: it is no sign. */
static bool
put_name(char sign, struct buf *out)
{
	for (size_t i = 0; i < PUBLISHED; i++) {
		bool dashes = sign == published[i].sign - 'a' + 'A';

		if (sign != published[i].sign && !dashes)
			continue;
		buf_str(out, "dataset_");
		for (const char *p = published[i].id; *p != '\0'; p++)
			buf_byte(out, (uint8_t)(*p == '-' && !dashes ? '_' : *p));
		return true;
	}
	return false;
}

static void
expand(const char *sql, struct buf *out)
{
	for (; *sql != '\0'; sql++)
		if (*sql != '@' || !put_name(sql[1], out))
			buf_byte(out, (uint8_t)*sql);
		else
			sql++;
}

const struct driver_answer *
datasets_ask(struct driver *d, const char *schema, const char *sql, uint64_t rows, uint64_t ms, uint64_t memory)
{
	struct buf args = { 0 }, text = { 0 };
	const struct driver_answer *a;

	expand(sql, &text);
	buf_str(&args, "{\"sql\":");
	json_write_string(&args, buf_view(&text));
	buf_str(&args, ",\"datasets\":[");
	for (size_t i = 0; published[i].table != NULL; i++)
		buf_printf(&args, "%s{\"id\":\"%s\",\"db\":\"%s\",\"table\":\"%s\"}", i > 0 ? "," : "", published[i].id,
		    schema, published[i].table);
	buf_printf(&args, "],\"max_rows\":%llu,\"ms\":%llu,\"memory\":%llu,\"threads\":2}", (unsigned long long)rows,
	    (unsigned long long)ms, (unsigned long long)memory);
	a = driver_wait(d, driver_start(d, "dataset_execution", "db", buf_cstr(&args)));
	buf_fini(&args);
	buf_fini(&text);
	return a;
}

static void
assert_clean(struct driver *d, const char *sql, const struct driver_answer *a)
{
	const char *const texts[] = { a->result, a->rows, a->message, a->details, a->progress, driver_log(d) };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] != NULL && strstr(texts[i], CANARY) != NULL)
			fail_msg("a value that is not published came out (%zu) of: %s\n%.600s", i, sql, texts[i]);
}

static bool
run_case(struct driver *d, const char *schema, const char *verdict, const char *piece, const char *sql)
{
	const struct driver_answer *a = datasets_ask(d, schema, sql, 500, 10000, 256 << 20);
	bool allowed = a->kind == DRIVER_RESULT, wanted = strcmp(verdict, "allow") == 0;
	const char *text = allowed ? a->result : a->code;

	assert_clean(d, sql, a);
	if (allowed == wanted && text != NULL && (strcmp(piece, "*") == 0 || strstr(text, piece) != NULL))
		return true;
	print_error("%s [%s] %s\n  -> %s %.500s\n", verdict, piece, sql, a->code == NULL ? "" : a->code,
	    allowed ? a->result : a->message);
	return false;
}

size_t
datasets_run_cases(struct driver *d, const char *schema, const char *name)
{
	char path[4096], *line = NULL, *verdict, *piece, *rest;
	size_t cap = 0, n = 0, wrong = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/integration/datasets/%s", SOURCE_DIR, name);
	if ((f = fopen(path, "r")) == NULL)
		fail_msg("%s cannot be opened", path);
	for (; getline(&line, &cap, f) > 0; n++) {
		rest = line;
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || *line == '\0')
			continue;
		verdict = strsep(&rest, "\t");
		piece = strsep(&rest, "\t");
		if (rest == NULL)
			fail_msg("%s: no three parts: %s", name, verdict);
		wrong += !run_case(d, schema, verdict, piece, rest);
	}
	free(line);
	fclose(f);
	if (wrong > 0)
		fail_msg("%s: %zu of %zu statements went otherwise", name, wrong, n);
	return n;
}

void
datasets_expect(struct driver *d, const char *schema, const char *sql, const char *code, const char *piece)
{
	if (!run_case(d, schema, code == NULL ? "allow" : "deny", code == NULL ? piece : code, sql))
		fail_msg("it went otherwise: %s", sql);
}
