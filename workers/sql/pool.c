#include "workers/sql/pool.h"

#include "base/mp.h"
#include "base/system/clock.h"
#include "ipc/print.h"
#include "workers/shared/serve.h"

void
pool_note(struct pool_asked *asked, struct span statement)
{
	buf_reset(&asked->text, SIZE_MAX);
	buf_span(&asked->text, statement);
	asked->unix_ms = clock_unix_ms();
}

void
pool_leave(const struct sql_config *cfg, const struct pool_asked *asked, uint64_t pid)
{
	struct ipc_left_behind msg = { .since_unix_ms = asked->unix_ms, .pid = pid };
	struct print print;

	if (cfg->pool[0] == '\0' || asked->text.len == 0)
		return;
	statement_print(span_str(cfg->connection), buf_view(&asked->text), &print);
	msg.print = span_of(print.bytes, sizeof(print.bytes));
	serve_left_behind(&msg);
}

void
pool_report(const struct pool_process *v, size_t n, bool waited)
{
	struct buf list = { 0 };
	struct ipc_pool_seen msg = { .waited = waited };

	mp_put_array(&list, n);
	for (size_t i = 0; i < n; i++)
		mp_put_pairs(&list, mp_uint("pid", v[i].pid), mp_uint("sinceMs", v[i].since_unix_ms),
		    mp_bool("overdue", v[i].overdue));
	msg.list = buf_view(&list);
	serve_pool_seen(&msg);
	buf_fini(&list);
}

int
pool_refuse(const struct sql_config *cfg, const struct pool_process *longest, const char *end, struct err *err)
{
	char since[25];

	clock_iso8601(longest->since_unix_ms, since);
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the server still runs statements that were stopped (process %llu "
	    "since %s); with these the connection has all of its %llu server processes, and answers again when they "
	    "end. The owner can look up with `carrel status` which do not end by themselves, and end them: %s",
	    (unsigned long long)longest->pid, since, (unsigned long long)cfg->pool_size, end);
}
