/* datasets_cases.c - see datasets_cases.h. */
#include "tests/integration/datasets/datasets_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_write.h"
#include "base/mem.h"

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

/* --- drawn by lot ------------------------------------------------------------------------- */

static const char *const others[] = {
	"vault", "main.vault", "public.vault", "tall", "vault_view", "people", "(SELECT * FROM vault)", "\"vault\"",
	"sqlite_schema", "pg_class", "vault AS x", "(SELECT pin AS name, pin AS id FROM vault)",
	"(WITH vault AS (SELECT 1 AS pin) SELECT * FROM vault)", "@v", "@n", "peek_all()", "pragma_table_list",
};

struct drawing {
	char		**texts;
	size_t		n, cap;
	uint64_t	state;
};

static size_t
draw(struct drawing *w, size_t below)
{
	w->state = w->state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(w->state >> 33) % below;
}

static void
read_texts(struct drawing *w, const char *name)
{
	char path[4096], *line = NULL, *rest;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/integration/datasets/%s", SOURCE_DIR, name);
	if ((f = fopen(path, "r")) == NULL)
		fail_msg("%s cannot be opened", path);
	while (getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || (rest = strrchr(line, '\t')) == NULL)
			continue;
		w->texts = mem_grow(w->texts, w->n, &w->cap, sizeof(*w->texts));
		w->texts[w->n++] = mem_text(span_str(rest + 1));
	}
	free(line);
	fclose(f);
}

/* The place of some blank in text, or its end. */
static size_t
some_blank(struct drawing *w, const char *text)
{
	size_t n = strlen(text), at = draw(w, n + 1);

	while (at < n && text[at] != ' ')
		at++;
	return at;
}

static void
put_drawn(struct drawing *w, struct buf *out)
{
	const char *first = w->texts[draw(w, w->n)], *second = w->texts[draw(w, w->n)], *sign;
	size_t at = some_blank(w, first);

	switch (draw(w, 3)) {
	case 0: /* something else for a dataset */
		if ((sign = strchr(first, '@')) == NULL || sign[1] == '\0')
			sign = first + strlen(first);
		buf_append(out, first, (size_t)(sign - first));
		buf_str(out, others[draw(w, sizeof(others) / sizeof(others[0]))]);
		buf_str(out, *sign == '\0' ? "" : sign + 2);
		return;
	case 1: /* the beginning of one, the end of another */
		buf_append(out, first, at);
		buf_str(out, second + some_blank(w, second));
		return;
	default: /* one within another */
		buf_append(out, first, at);
		buf_printf(out, " (%s) ", second);
		buf_str(out, first + at);
	}
}

void
datasets_run_drawn(struct driver *d, const char *schema, const char *name, uint64_t n)
{
	struct drawing w = { .state = 20240229 };
	struct buf sql = { 0 };
	uint64_t answered = 0;

	read_texts(&w, "honest.cases");
	read_texts(&w, name);
	for (uint64_t i = 0; i < n; i++) {
		const struct driver_answer *a;

		buf_reset(&sql, SIZE_MAX);
		put_drawn(&w, &sql);
		a = datasets_ask(d, schema, buf_cstr(&sql), 500, 500, 64 << 20);
		assert_clean(d, buf_cstr(&sql), a);
		answered += a->kind == DRIVER_RESULT;
	}
	assert_true(answered > n / 50);
	for (size_t i = 0; i < w.n; i++)
		free(w.texts[i]);
	free(w.texts);
	buf_fini(&sql);
}

void
datasets_expect(struct driver *d, const char *schema, const char *sql, const char *code, const char *piece)
{
	if (!run_case(d, schema, code == NULL ? "allow" : "deny", code == NULL ? piece : code, sql))
		fail_msg("it went otherwise: %s", sql);
}
