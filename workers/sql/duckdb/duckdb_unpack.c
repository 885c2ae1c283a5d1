#include "workers/sql/duckdb/duckdb_unpack.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/system/io.h"
#include "base/text/sqltext.h"
#include "project/import_stream.h"
#include "workers/shared/seccomp.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_errors.h"

#define TABLE		"unpacked"
#define FILE_AT		"/proc/self/fd/0"
#define WRITE_AT_ONCE	((size_t)256 << 10)
#define INTEGER_DIGITS	18u	/* a number of that many digits is a 64-bit integer */
#define EXACT_DIGITS	15u	/* a number of that many digits is a double that prints them again */

struct unpacking {
	struct sql_db	*db;
	struct buf	 out, value;
	uint64_t	 n;			/* columns */
	struct unpacked_column {
		char	*name;
		char	 type[24];		/* in the table */
		bool	 decimal, checked;	/* checked: its values decide whether the table has the type */
		bool	 cast;			/* by the library, as a text */
		bool	 narrowed;
	}		*columns;
};

static int
flush_stream(struct unpacking *u)
{
	int rc = io_write(STDOUT_FILENO, buf_view(&u->out));

	u->out.len = 0;
	return rc;
}

/* Completes the frame that begins at that place. */
static int
end_frame(struct unpacking *u, size_t at)
{
	size_t len = u->out.len - at - 4;

	for (size_t i = 0; i < 4; i++)
		u->out.p[at + i] = (uint8_t)(len >> 8 * i);
	return u->out.len < WRITE_AT_ONCE ? 0 : flush_stream(u);
}

static size_t
begin_frame(struct unpacking *u)
{
	size_t at = u->out.len;

	buf_append(&u->out, "\0\0\0\0", 4);
	return at;
}

/* The stream's last frame: why the file cannot be read.  -1. */
static int
say_failure(struct unpacking *u, const char *why)
{
	size_t at = begin_frame(u);

	mp_put_cstr(&u->out, why);
	if (end_frame(u, at) == 0)
		(void)flush_stream(u);
	return -1;
}

/* What the library said, without the file's directory. */
static int
say_library(struct unpacking *u, struct span message)
{
	struct span sentence = duckdb_errors_sentence(message);
	char *text = mem_text(sentence);
	struct buf why = BUF_MAX(1000);

	if (duckdb_errors_lacks_memory(message) || memmem(message.p, message.len, "Out of Memory", 13) != NULL)
		buf_printf(&why, "reading the file needs more than %llu MB of memory; write it with smaller row groups",
		    (unsigned long long)(IMPORT_STREAM_MEMORY >> 20));
	else {
		buf_str(&why, "the Parquet file cannot be read: ");
		duckdb_files_put_message(&u->db->files, text, &why);
	}
	free(text);
	(void)say_failure(u, buf_cstr(&why));
	buf_fini(&why);
	return -1;
}

static int
run_statement(struct unpacking *u, struct buf *sql)
{
	struct err err = { .message = "" };
	int rc = duckdb_session_run(u->db, buf_view(sql), false, &err);

	buf_fini(sql);
	return rc == 0 ? 0 : say_library(u, buf_view(&u->db->session.text));
}

static int
next_row(struct unpacking *u)
{
	struct err err = { .message = "" };
	int rc = duckdb_session_next(u->db, &err);

	return rc != -1 ? rc : say_library(u, buf_view(&u->db->session.text));
}

/* Legend: a type of the library, and what the table calls it; others are TEXT. */
static const struct {
	enum duck_type_id	 id;
	const char		*name;
	bool			 checked;
} table_types[] = {
	{ DUCK_BOOLEAN, "BOOLEAN", false },
	{ DUCK_TINYINT, "INTEGER", false },
	{ DUCK_SMALLINT, "INTEGER", false },
	{ DUCK_INTEGER, "INTEGER", false },
	{ DUCK_BIGINT, "INTEGER", false },
	{ DUCK_UTINYINT, "INTEGER", false },
	{ DUCK_USMALLINT, "INTEGER", false },
	{ DUCK_UINTEGER, "INTEGER", false },
	{ DUCK_UBIGINT, "INTEGER", true },
	{ DUCK_HUGEINT, "INTEGER", true },
	{ DUCK_UHUGEINT, "INTEGER", true },
	{ DUCK_FLOAT, "REAL", false },
	{ DUCK_DOUBLE, "REAL", false },
	{ DUCK_DATE, "DATE", true },
	{ DUCK_TIMESTAMP, "TIMESTAMP", true },
	{ DUCK_TIMESTAMP_S, "TIMESTAMP", true },
	{ DUCK_TIMESTAMP_MS, "TIMESTAMP", true },
	{ DUCK_TIMESTAMP_NS, "TIMESTAMP", true },
	{ DUCK_TIMESTAMP_TZ, "TIMESTAMP", true },
	{ DUCK_BLOB, "BLOB", false },
};

static void
take_column(struct unpacked_column *c, const char *name, const struct duckdb_type *t)
{
	c->name = mem_text(span_str(name));
	c->cast = !duckdb_types_is_printed(t);
	snprintf(c->type, sizeof(c->type), "TEXT");
	for (size_t i = 0; i < sizeof(table_types) / sizeof(table_types[0]); i++)
		if (table_types[i].id == t->id) {
			snprintf(c->type, sizeof(c->type), "%s", table_types[i].name);
			c->checked = table_types[i].checked;
		}
	if (t->id != DUCK_DECIMAL)
		return;
	snprintf(c->type, sizeof(c->type), "DECIMAL(%u,%u)", t->width, t->scale);
	c->decimal = true;
	c->checked = t->width > (t->scale == 0 ? INTEGER_DIGITS : EXACT_DIGITS);
}

/* SELECT of the columns; checked: of those whose values decide on their type. */
static bool
put_select(const struct unpacking *u, bool checked, struct buf *sql)
{
	uint64_t n = 0;

	sql->max = DUCKDB_SQL_MAX;
	for (uint64_t i = 0; i < u->n; i++) {
		const struct unpacked_column *c = &u->columns[i];

		if (checked && !c->checked)
			continue;
		buf_str(sql, n++ == 0 ? "SELECT " : ", ");
		buf_str(sql, c->cast ? "CAST(" : "");
		sqltext_put_name(sql, span_str(c->name));
		buf_str(sql, c->cast ? " AS VARCHAR)" : "");
	}
	buf_str(sql, " FROM " TABLE);
	return n > 0;
}

static int
find_columns(struct unpacking *u)
{
	struct duckdb_session *s = &u->db->session;
	struct buf sql = { 0 };

	buf_str(&sql, "FROM " TABLE " LIMIT 0");
	if (run_statement(u, &sql) == -1)
		return -1;
	u->n = s->ntypes;
	u->columns = mem_new(u->n, sizeof(*u->columns));
	for (uint64_t i = 0; i < u->n; i++)
		take_column(&u->columns[i], duck.column_name(&s->result, i), s->types[i]);
	return 0;
}

/* The text of a value of the current row; false: it is NULL. */
static bool
read_value(struct unpacking *u, uint64_t column)
{
	const struct duckdb_session *s = &u->db->session;

	buf_reset(&u->value, WRITE_AT_ONCE);
	return duckdb_values_text(&u->value, s->types[column], duck.data_chunk_get_vector(s->chunk, column),
	    s->row - 1);
}

/* Whether a number of the table has all digits of the text: a double or, without a fraction, an integer of 64 bits. */
static bool
is_kept(struct span text)
{
	const uint8_t *point = memchr(text.p, '.', text.len);
	size_t sign = text.len > 0 && text.p[0] == '-';

	while (point != NULL && text.p[text.len - 1] == '0')
		text.len--;
	if (point != NULL && point == text.p + text.len - 1)
		text.len--;
	else if (point != NULL)
		return text.len - sign <= EXACT_DIGITS + 1;
	return text.len - sign <= INTEGER_DIGITS;
}

/* Whether the text of a date or timestamp is of the years 0000 to 9999, whose order is that of the texts. */
static bool
is_ordered(struct span text)
{
	return text.len > 4 && text.p[4] == '-' && memchr(text.p, '(', text.len) == NULL;
}

/* Whether the table's type has the value of the current row. */
static bool
is_value_kept(struct unpacking *u, const struct unpacked_column *c, uint64_t column)
{
	bool dated = strcmp(c->type, "DATE") == 0 || strcmp(c->type, "TIMESTAMP") == 0;

	return !read_value(u, column) || (dated ? is_ordered : is_kept)(buf_view(&u->value));
}

/* Decides the types that depend on values. */
static int
check_values(struct unpacking *u)
{
	struct buf sql = { 0 };
	int rc;

	if (!put_select(u, true, &sql)) {
		buf_fini(&sql);
		return 0;
	}
	if (run_statement(u, &sql) == -1)
		return -1;
	while ((rc = next_row(u)) == 1)
		for (uint64_t i = 0, k = 0; i < u->n; i++) {
			struct unpacked_column *c = &u->columns[i];

			if (c->checked && !c->narrowed && !is_value_kept(u, c, k)) {
				snprintf(c->type, sizeof(c->type), "TEXT");
				c->narrowed = true;
			}
			k += c->checked;
		}
	return rc;
}

static int
send_head(struct unpacking *u)
{
	struct buf sql = { 0 };
	size_t at;

	buf_str(&sql, "SELECT count(*) FROM " TABLE);
	if (run_statement(u, &sql) == -1 || next_row(u) != 1 || !read_value(u, 0))
		return -1;
	at = begin_frame(u);
	mp_put_array(&u->out, 1 + 3 * (size_t)u->n);
	mp_put_uint(&u->out, strtoull(buf_cstr(&u->value), NULL, 10));
	for (uint64_t i = 0; i < u->n; i++) {
		mp_put_cstr(&u->out, u->columns[i].name);
		mp_put_cstr(&u->out, u->columns[i].type);
		mp_put_bool(&u->out, u->columns[i].narrowed);
	}
	return end_frame(u, at);
}

static void
put_value(struct unpacking *u, uint64_t column)
{
	const struct duckdb_type *t = u->db->session.types[column];

	if (!read_value(u, column)) {
		mp_put_nil(&u->out);
		return;
	}
	/* The zone of the engines of imports, whose functions do not read "+00". */
	if (t->id == DUCK_TIMESTAMP_TZ && u->value.len > 3 && memcmp(u->value.p + u->value.len - 3, "+00", 3) == 0) {
		u->value.len -= 3;
		buf_byte(&u->value, 'Z');
	}
	if (t->id == DUCK_BLOB)
		mp_put_bin(&u->out, buf_view(&u->value));
	else
		mp_put_str(&u->out, buf_view(&u->value));
}

static int
send_rows(struct unpacking *u)
{
	struct buf sql = { 0 };
	int rc;

	(void)put_select(u, false, &sql);
	if (run_statement(u, &sql) == -1)
		return -1;
	while ((rc = next_row(u)) == 1) {
		size_t at = begin_frame(u);

		mp_put_array(&u->out, u->n);
		for (uint64_t i = 0; i < u->n && u->out.len - at <= IMPORT_STREAM_ROW_MAX; i++)
			put_value(u, i);
		if (u->out.len - at > IMPORT_STREAM_ROW_MAX) {
			u->out.len = at + 4;
			mp_put_nil(&u->out);
		}
		if (end_frame(u, at) != 0)
			return -1;
	}
	return rc == 0 ? flush_stream(u) : -1;
}

/* Limits processor time, unless a narrower limit is in force. */
static void
limit_time(void)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_CPU, &now) == 0 && now.rlim_cur > IMPORT_STREAM_SECONDS) {
		now.rlim_cur = IMPORT_STREAM_SECONDS;
		(void)setrlimit(RLIMIT_CPU, &now);
	}
}

/* Confined, with the library open on the one file. */
static int
open_file(struct sql_db *db, bool best_effort, struct err *err)
{
	const struct policy_profile *profile = policy_profile(sql_driver.profile);
	const struct confine_places places = { .database_files = db->files.all };
	struct confine_report report;

	if (db->files.v[0].fault != NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a Parquet file has to be a file of its own: %s",
		    db->files.v[0].fault);
	if (sql_driver.connect(db, err) == -1)
		return -1;
	limit_time();
	if (confine_files(profile, &places, IMPORT_STREAM_MEMORY, best_effort, 0, &report, err) == -1 ||
	    sql_driver.open(db, err) == -1)
		return -1;
	return confine_calls(profile, best_effort, &report, err);
}

static int
unpack_file(struct unpacking *u)
{
	const char *fault = u->db->files.v[0].fault;

	if (fault != NULL)
		return say_library(u, span_str(fault));
	return find_columns(u) == 0 && check_values(u) == 0 && send_head(u) == 0 && send_rows(u) == 0 ? 0 : -1;
}

int
duckdb_unpack(char **argv)
{
	struct sql_config cfg = { .connection = (char[]){ "import" }, .path = (char[]){ "" },
		.memory_max = IMPORT_STREAM_MEMORY };
	bool best_effort = argv[2] != NULL && argv[3] != NULL && strcmp(argv[3], "best-effort") == 0;
	struct unpacking u = { .db = NULL };
	struct err err;
	int rc;

	if (strcmp(argv[1], "parquet") != 0 || argv[2] == NULL || isatty(STDIN_FILENO))
		return 2;
	(void)signal(SIGPIPE, SIG_IGN);
	cfg.target = mem_printf("%s%s%sfiles=read_parquet\t0\t" TABLE "\t" FILE_AT,
	    strcmp(argv[2], "-") == 0 ? "" : "library=", strcmp(argv[2], "-") == 0 ? "" : argv[2],
	    strcmp(argv[2], "-") == 0 ? "" : "\n");
	rc = sql_driver.init(&cfg, &u.db, &err);
	free(cfg.target);
	if (rc == 0)
		rc = open_file(u.db, best_effort, &err);
	rc = rc == 0 ? unpack_file(&u) : say_failure(&u, err.message);
	for (uint64_t i = 0; i < u.n; i++)
		free(u.columns[i].name);
	free(u.columns);
	buf_fini(&u.out);
	buf_fini(&u.value);
	if (u.db->runner != NULL)
		duckdb_session_end(u.db);
	sql_driver.close(u.db);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
