#include "workers/sql/sqlite/sqlite_bounds.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define ARGS_KEPT	8	/* calls with more arguments are compiled each time */

/* One replaced function on our connection, and the connection with SQLite's own. */
struct bounded {
	const char	*name;
	double		 most;			/* limit: product of the first two arguments' bytes; 0: total_width() */
	sqlite3		*plain;			/* has SQLite's own functions, but no tables and no file */
	int		 longest;
	sqlite3_stmt	*stmts[ARGS_KEPT + 1];
};

/*
 * Limits for about half a second each: trim() compares every character with
 * each of the set, json_patch() every key with every key.
 */
static const struct {
	const char	*name;
	int		 nargs;			/* -1: any number */
	double		 most;
} functions[] = {
	{ "trim", 2, 3e7 }, { "ltrim", 2, 3e7 }, { "rtrim", 2, 3e7 },
	{ "json_patch", 2, 1e10 },
	{ "printf", -1, 0 }, { "format", -1, 0 },
};

#define NFUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

struct sqlite_bounds {
	sqlite3		*plain;
	struct bounded	 list[NFUNCTIONS];
};

/* The number at *p, or the next argument for '*'. */
static double
read_width(const char **p, int nargs, sqlite3_value **args, int *next)
{
	double n = 0;

	if (**p == '*') {
		++*p;
		n = *next < nargs ? sqlite3_value_double(args[*next]) : 0;
		++*next;
		return n < 0 ? -n : n;
	}
	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (**p - '0');
	return n;
}

/* The sum of all widths and precisions in a format: SQLite keeps formatting after the result is too long. */
static double
total_width(int nargs, sqlite3_value **args)
{
	const char *p = nargs > 0 ? (const char *)sqlite3_value_text(args[0]) : NULL;
	double total = 0;
	int next = 1;

	while (p != NULL && (p = strchr(p, '%')) != NULL) {
		for (p++; *p != '\0' && strchr("-+ 0#!,", *p) != NULL; p++)
			;
		total += read_width(&p, nargs, args, &next);
		if (*p == '.') {
			p++;
			total += read_width(&p, nargs, args, &next);
		}
		if (*p == '\0')
			break;
		next += *p != '%'; /* the conversion's own character; l and ll are skipped too */
		p++;
	}
	return total;
}

static bool
is_bearable(const struct bounded *f, int nargs, sqlite3_value **args)
{
	if (f->most > 0)
		return (double)sqlite3_value_bytes(args[0]) * sqlite3_value_bytes(args[1]) <= f->most;
	return total_width(nargs, args) <= f->longest;
}

static sqlite3_stmt *
bounds_compile(const struct bounded *f, int nargs)
{
	struct buf sql = { 0 };
	sqlite3_stmt *stmt = NULL;

	buf_printf(&sql, "SELECT %s(", f->name);
	for (int i = 0; i < nargs; i++)
		buf_str(&sql, i == 0 ? "?" : ",?");
	buf_byte(&sql, ')');
	(void)sqlite3_prepare_v3(f->plain, buf_cstr(&sql), -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
	buf_fini(&sql);
	return stmt;
}

static void
ask_plain(const struct bounded *f, sqlite3_stmt *stmt, sqlite3_context *ctx, int nargs, sqlite3_value **args)
{
	int rc = SQLITE_OK;

	for (int i = 0; i < nargs && rc == SQLITE_OK; i++)
		rc = sqlite3_bind_value(stmt, i + 1, args[i]);
	if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		sqlite3_result_value(ctx, sqlite3_column_value(stmt, 0));
		if (strncmp(f->name, "json", 4) == 0)
			sqlite3_result_subtype(ctx, 'J');
	} else if (rc == SQLITE_TOOBIG)
		sqlite3_result_error_toobig(ctx);
	else if (rc == SQLITE_NOMEM)
		sqlite3_result_error_nomem(ctx);
	else
		sqlite3_result_error(ctx, sqlite3_errmsg(f->plain), -1);
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

static void
bounds_call(sqlite3_context *ctx, int nargs, sqlite3_value **args)
{
	struct bounded *f = sqlite3_user_data(ctx);
	sqlite3_stmt *stmt;
	char text[160];

	if (!is_bearable(f, nargs, args)) {
		snprintf(text, sizeof(text),
		    "%s() " SQLITE_BOUNDS_SAYS
		    " with arguments as long as these; shorten them, for example with substr()",
		    f->name);
		sqlite3_result_error(ctx, text, -1);
		return;
	}
	if (nargs > ARGS_KEPT)
		stmt = bounds_compile(f, nargs);
	else if ((stmt = f->stmts[nargs]) == NULL)
		stmt = f->stmts[nargs] = bounds_compile(f, nargs);
	if (stmt == NULL)
		sqlite3_result_error(ctx, sqlite3_errmsg(f->plain), -1);
	else
		ask_plain(f, stmt, ctx, nargs, args);
	if (nargs > ARGS_KEPT)
		sqlite3_finalize(stmt);
}

static struct span
bytes_of(sqlite3_value *v, bool text)
{
	const void *p = text ? (const void *)sqlite3_value_text(v) : sqlite3_value_blob(v);

	return span_of(p, (size_t)sqlite3_value_bytes(v));
}

static bool
is_inside_character(uint8_t byte)
{
	return (byte & 0xC0) == 0x80;
}

/* The position of needle in s, or SIZE_MAX.  In text it must be at the start of a character. */
static size_t
find_needle(struct span s, struct span needle, bool text)
{
	const uint8_t *at;

	if (needle.len == 0)
		return 0;
	if (text && is_inside_character(needle.p[0]))
		return needle.len <= s.len && memcmp(s.p, needle.p, needle.len) == 0 ? 0 : SIZE_MAX;
	at = s.len == 0 ? NULL : memmem(s.p, s.len, needle.p, needle.len);
	return at == NULL ? SIZE_MAX : (size_t)(at - s.p);
}

static bool
has_null(int nargs, sqlite3_value **args)
{
	for (int i = 0; i < nargs; i++)
		if (sqlite3_value_type(args[i]) == SQLITE_NULL)
			return true;
	return false;
}

/* instr(x, y) counts characters, or bytes if both are blobs. */
static void
call_instr(sqlite3_context *ctx, int nargs, sqlite3_value **args)
{
	bool text = sqlite3_value_type(args[0]) != SQLITE_BLOB || sqlite3_value_type(args[1]) != SQLITE_BLOB;
	sqlite3_int64 n = 1;
	struct span s;
	size_t at;

	if (has_null(nargs, args))
		return;
	s = bytes_of(args[0], text);
	at = find_needle(s, bytes_of(args[1], text), text);
	if (at == SIZE_MAX) {
		sqlite3_result_int(ctx, 0);
		return;
	}
	for (size_t i = 0; i < at; i++)
		n += !text || i == 0 || !is_inside_character(s.p[i]);
	sqlite3_result_int64(ctx, n);
}

static void
call_replace(sqlite3_context *ctx, int nargs, sqlite3_value **args)
{
	size_t longest = (size_t)sqlite3_limit(sqlite3_context_db_handle(ctx), SQLITE_LIMIT_LENGTH, -1), at;
	struct span s, pattern, by;
	struct buf out = { 0 };

	if (has_null(nargs - 1, args))
		return;
	s = bytes_of(args[0], true);
	pattern = bytes_of(args[1], true);
	/* As in SQLite: a pattern that is empty or begins with a NUL is never found. */
	if (pattern.len == 0 || pattern.p[0] == '\0') {
		sqlite3_result_value(ctx, args[0]);
		return;
	}
	if (has_null(nargs, args))
		return;
	by = bytes_of(args[2], true);
	if (find_needle(s, pattern, false) == SIZE_MAX) {
		sqlite3_result_text64(ctx, (const char *)s.p, s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
		return;
	}
	while ((at = find_needle(s, pattern, false)) != SIZE_MAX && out.len <= longest) {
		buf_append(&out, s.p, at);
		buf_span(&out, by);
		s = span_of(s.p + at + pattern.len, s.len - at - pattern.len);
	}
	buf_span(&out, s);
	if (out.len > longest)
		sqlite3_result_error_toobig(ctx);
	else
		sqlite3_result_text64(ctx, buf_cstr(&out), out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	buf_fini(&out);
}

struct sqlite_bounds *
sqlite_bounds_install(sqlite3 *db, int longest)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	struct sqlite_bounds *b = mem_new(1, sizeof(*b));
	int rc;

	rc = sqlite3_open_v2(":memory:", &b->plain,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
	if (rc == SQLITE_OK)
		sqlite3_limit(b->plain, SQLITE_LIMIT_LENGTH, longest);
	for (size_t i = 0; i < NFUNCTIONS && rc == SQLITE_OK; i++) {
		b->list[i] = (struct bounded){ .name = functions[i].name, .most = functions[i].most, .plain = b->plain,
			.longest = longest };
		rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].nargs, flags, &b->list[i],
		    bounds_call, NULL, NULL, NULL);
	}
	if (rc == SQLITE_OK)
		rc = sqlite3_create_function_v2(db, "instr", 2, flags, NULL, call_instr, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_function_v2(db, "replace", 3, flags, NULL, call_replace, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		return b;
	sqlite_bounds_free(b);
	return NULL;
}

void
sqlite_bounds_free(struct sqlite_bounds *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < NFUNCTIONS; i++)
		for (int n = 0; n <= ARGS_KEPT; n++)
			sqlite3_finalize(b->list[i].stmts[n]);
	sqlite3_close(b->plain);
	free(b);
}
