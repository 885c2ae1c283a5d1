/* warehouse.c - the demo's database file: schema, one transaction, two years of days. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "demo/warehouse.h"
#include "demo/calendar.h"
#include "demo/care.h"
#include "demo/people.h"
#include "demo/sales.h"
#include "demo/traffic.h"

/* seconds < 0: the date alone. */
static void
bind_when(sqlite3_stmt *s, int at, int day, int seconds)
{
	char text[64];
	int year, month, mday, n;

	day_split(day, &year, &month, &mday);
	n = snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, mday);
	if (seconds >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %02d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
		    seconds % 60);
	sqlite3_bind_text(s, at, text, n, SQLITE_TRANSIENT);
}

static void
bind_one(struct world *w, sqlite3_stmt *s, int at, char kind, va_list *ap)
{
	const char *text;
	int64_t i;
	int day;

	switch (kind) {
	case 'i':
		sqlite3_bind_int64(s, at, va_arg(*ap, int64_t));
		break;
	case 'b':
		sqlite3_bind_int(s, at, va_arg(*ap, int));
		break;
	case 'o':
		if ((i = va_arg(*ap, int64_t)) != 0)
			sqlite3_bind_int64(s, at, i);
		break;
	case 't':
		if ((text = va_arg(*ap, const char *)) != NULL)
			sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
		break;
	case 'd':
		sqlite3_bind_double(s, at, va_arg(*ap, double));
		break;
	case 'm':
		if ((i = va_arg(*ap, int64_t)) != 0)
			bind_when(s, at, (int)(i / DAY_SECONDS), (int)(i % DAY_SECONDS));
		break;
	case 'y':
		if ((day = va_arg(*ap, int)) != 0)
			bind_when(s, at, day, -1);
		break;
	case 'n':
		break;
	default:
		w->failed = true;
	}
}

void
world_put(struct world *w, enum world_table table, const char *kinds, ...)
{
	sqlite3_stmt *s = w->insert[table];
	va_list ap;
	int at;

	if (w->failed)
		return;
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	va_start(ap, kinds);
	for (at = 1; kinds[at - 1] != '\0'; at++)
		bind_one(w, s, at, kinds[at - 1], &ap);
	va_end(ap);
	if (at - 1 != sqlite3_bind_parameter_count(s) || sqlite3_step(s) != SQLITE_DONE)
		w->failed = true;
}

static int
columns_of(sqlite3 *db, const char *table)
{
	sqlite3_stmt *s;
	char sql[96];
	int n = 0;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK)
		n = sqlite3_column_count(s);
	sqlite3_finalize(s);
	return n;
}

static int
warehouse_prepare(struct world *w)
{
	char sql[192];
	size_t len;
	int i, n;

	for (i = 0; i < NTABLES; i++) {
		len = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (", demo_tables[i]);
		for (n = columns_of(w->db, demo_tables[i]); n > 0; n--) {
			sql[len++] = '?';
			sql[len++] = n == 1 ? ')' : ',';
		}
		sql[len] = '\0';
		if (sqlite3_prepare_v2(w->db, sql, -1, &w->insert[i], NULL) != SQLITE_OK)
			return -1;
	}
	return 0;
}

static int
warehouse_run(struct world *w, const char *sql)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK && !w->failed ? 0 : -1;
}

static int
populate(struct world *w)
{
	int day;

	w->first = day_parse(DEMO_FIRST_DAY);
	w->last = day_parse(DEMO_AS_OF);
	w->dice = UINT64_C(0x4c6f64656e66656c);
	/* The file gets its name only by the link at the end, so a crash leaves nothing to recover. */
	if (warehouse_run(w, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096; BEGIN") !=
		0 ||
	    warehouse_run(w, demo_schema) != 0 || warehouse_prepare(w) != 0)
		return -1;
	people_found(w);
	sales_found(w);
	for (day = w->first; day <= w->last && !w->failed; day++) {
		people_day(w, day);
		sales_day(w, day);
		care_day(w, day);
		traffic_day(w, day);
	}
	people_finish(w);
	return warehouse_run(w,
	    "CREATE INDEX orders_customer ON orders (customer_id);"
	    "CREATE INDEX orders_when ON orders (ordered_at);"
	    "CREATE INDEX items_product ON order_items (product_id);"
	    "CREATE INDEX payments_order ON payments (order_id);"
	    "CREATE INDEX refunds_order ON refunds (order_id);"
	    "CREATE INDEX tickets_customer ON support_tickets (customer_id);"
	    "CREATE INDEX sessions_day ON web_sessions (session_date);"
	    "COMMIT; ANALYZE");
}

static int
sync_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0)
		return -1;
	/* SQLite makes files that everybody may read. */
	r = fstat(fd, &st) == 0 && fchmod(fd, st.st_mode & 0640) == 0 ? fsync(fd) : -1;
	close(fd);
	return r;
}

int
demo_warehouse(const char *path, struct err *err)
{
	struct world *w = mem_new(1, sizeof(*w));
	char *temp = mem_printf("%s.%ld.tmp", path, (long)getpid());
	int i, r = -1;

	if (sqlite3_open_v2(temp, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE, NULL) !=
		SQLITE_OK ||
	    populate(w) != 0) {
		err_set(err, ERR_INTERNAL, "the demo warehouse could not be written: %s", sqlite3_errmsg(w->db));
		goto out;
	}
	r = 0;
out:
	for (i = 0; i < NTABLES; i++)
		sqlite3_finalize(w->insert[i]);
	if (sqlite3_close(w->db) != SQLITE_OK && r == 0)
		r = err_set(err, ERR_INTERNAL, "the demo warehouse could not be closed");
	/* link() and not rename(): an existing file is never replaced. */
	if (r == 0 && (sync_file(temp) != 0 || link(temp, path) != 0))
		r = err_set(err, ERR_INTERNAL, "warehouse.db could not be put in place: %s", strerror(errno));
	unlink(temp);
	free(temp);
	free(w);
	return r;
}
