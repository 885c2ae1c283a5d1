#include "workers/sql/mysql/mysql_pool.h"

#include <poll.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/pool.h"

#define SEEN_MAX	64u	/* the statement's LIMIT */
#define ENDING_MS	1500u	/* time for a statement that was told to end; checked repeatedly */
#define LOOK_MS		50u
#define ASK_NS		(10 * CLOCK_SECOND)

static bool
goes_on(void *unused)
{
	(void)unused;
	return true;
}

static int
read_left(struct sql_db *db, struct pool_process left[SEEN_MAX], size_t *n, struct err *err)
{
	MYSQL_RES *result;
	MYSQL_ROW row;

	*n = 0;
	if (mysql_session_ask(db->session, span_str(mysql_left_sql), clock_ns() + ASK_NS, goes_on, NULL, &result,
		err) == -1)
		return -1;
	while (mysql_num_fields(result) == 2 && *n < SEEN_MAX && (row = mysql_fetch_row(result)) != NULL)
		if (row[0] != NULL && row[1] != NULL)
			left[(*n)++] = (struct pool_process){ .pid = strtoull(row[0], NULL, 10),
				.since_unix_ms = strtoull(row[1], NULL, 10),
				.overdue = true };
	mysql_free_result(result);
	return 0;
}

int
mysql_pool_enter(struct sql_db *db, struct err *err)
{
	uint64_t until = clock_ns() + ENDING_MS * CLOCK_MS;
	struct pool_process left[SEEN_MAX];
	bool waited = false;
	size_t n;

	if (db->cfg->pool[0] == '\0' || db->cfg->pool_size == 0)
		return 0;
	if (read_left(db, left, &n, err) == -1)
		return -1;
	while (n > 0 && !waited) {
		poll(NULL, 0, LOOK_MS);
		waited = clock_ns() > until;
		if (read_left(db, left, &n, err) == -1)
			return -1;
	}
	pool_report(left, n, waited);
	return n < db->cfg->pool_size ?
	    0 :
	    pool_refuse(db->cfg, &left[0], "by restarting the server, since KILL does not", err);
}
