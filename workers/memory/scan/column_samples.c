#include <stdio.h>

#include "base/mem.h"
#include "workers/memory/scan/pace.h"
#include "workers/memory/scan/column_samples.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define RESULTS_BYTES	((size_t)128 << 20)	/* total size of results; further tables are left out */
#define LOST_MOST	3			/* failures in a row that mean the database is gone */

/* A table that is being sampled. */
struct sample_job {
	struct sampling		*s;
	struct profile_table	*t;		/* NULL: free */
	struct buf		 columns;
	size_t			 ncolumns;
};

struct sampling {
	struct profile	*p;
	const struct deep *deep;
	struct sample_job	 jobs[CALL_SUBS_MAX];
	size_t		 next;		/* the next table to begin */
	unsigned	 lost;
	struct pace	 pace;
};

static struct span
arguments(const struct profile *p, const struct profile_table *t)
{
	return span_of(p->plans.p + t->at, t->len);
}

static struct span
version(const struct profile *p, const struct profile_table *t)
{
	return span_of(p->plans.p + t->version_at, t->version_len);
}

static void
keep_value(struct profile *p, struct profile_table *t, struct span value)
{
	t->state = PROFILE_DONE;
	t->result_at = p->results.len;
	t->result_len = value.len;
	buf_span(&p->results, value);
}

/* Each row has one cell: the statistics of a column. */
static int
take_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	struct sample_job *j = arg;
	struct mp_value row, column;
	struct mp_iter it, cells;

	for (it = mp_iter(rows); mp_next(&it, &row); j->ncolumns++) {
		cells = mp_iter(&row);
		if (row.class != MP_ARRAY || !mp_next(&cells, &column) || column.class != MP_MAP ||
		    mp_get_str(&column, "column", SPAN("")).len == 0)
			return err_set(err, ERR_INTERNAL, "the profile of a table has a row without a column");
		buf_span(&j->columns, column.raw);
	}
	return 0;
}

/* The next table to query; NULL: none, or no time or room left. */
static struct profile_table *
next_table(struct sampling *s)
{
	struct profile *p = s->p;
	uint8_t key[RECALL_KEY];
	struct span value;

	for (; s->next < p->n; s->next++) {
		struct profile_table *t = &p->v[s->next];

		recall_key(key, "profile", arguments(p, t), version(p, t));
		if (p->results.len > RESULTS_BYTES)
			continue;
		if (recall_find(s->deep->recall, key, &value)) {
			keep_value(p, t, value);
			p->nreused++;
		} else if (!pace_is_up(&s->pace)) {
			s->next++;
			return t;
		}
	}
	return NULL;
}

static bool
column_samples_next(void *arg, struct call_ask *ask)
{
	struct sampling *s = arg;
	struct profile_table *t = next_table(s);
	struct sample_job *j = s->jobs;

	if (t == NULL)
		return false;
	while (j->t != NULL)
		j++;
	buf_reset(&j->columns, 65536);
	j->ncolumns = 0;
	j->t = t;
	j->s = s;
	s->p->nqueries++;
	*ask = (struct call_ask){ .tool = "profile", .connection = span_str(s->deep->connection),
		.args = arguments(s->p, t), .on_rows = take_rows, .arg = j };
	return true;
}

static void
take_result(struct sampling *s, struct sample_job *j, const struct mp_value *head)
{
	struct buf value = { 0 };
	struct mp_value failures;
	uint8_t key[RECALL_KEY];
	bool whole = !mp_get(head, "failures", &failures) || failures.class != MP_ARRAY || failures.n == 0;

	mp_put_map(&value, 3);
	mp_pair_uint(&value, "sampledRows", mp_get_uint(head, "sampledRows", 0));
	mp_put_cstr(&value, "failures");
	if (whole)
		mp_put_array(&value, 0);
	else
		buf_span(&value, failures.raw);
	mp_pair_array(&value, "columns", j->ncolumns);
	buf_span(&value, buf_view(&j->columns));
	/* Failures are not kept: the next attempt may succeed, after a grant or without a lock. */
	if (whole) {
		recall_key(key, "profile", arguments(s->p, j->t), version(s->p, j->t));
		recall_add(s->deep->recall, key, j->t->version_len > 0, buf_view(&value));
	}
	keep_value(s->p, j->t, buf_view(&value));
	buf_fini(&value);
}

static bool
is_gone(const struct err *err)
{
	return err->code == ERR_DATABASE_UNAVAILABLE || err->code == ERR_WORKER_LOST ||
	    err->code == ERR_SERVICE_UNAVAILABLE;
}

static int
column_samples_done(void *arg, const struct call_ask *ask, const struct mp_value *head, const struct err *why,
    struct err *err)
{
	struct sampling *s = arg;
	struct sample_job *j = ask->arg;
	struct profile_table *t = j->t;

	if (head != NULL) {
		take_result(s, j, head);
		s->lost = 0;
	} else {
		t->state = PROFILE_FAILED;
		t->why = mem_text(span_str(why->message));
		s->p->nfailed++;
		s->lost = is_gone(why) ? s->lost + 1 : 0;
	}
	j->t = NULL;
	pace_step(&s->pace, s->deep->call, "Profiled", "tables", s->next);
	if (s->lost < LOST_MOST)
		return 0;
	*err = *why;
	return -1;
}

static void
warn_failure(void *arg, struct span table, struct span column, struct span message)
{
	char name[256];

	/* The cut may fall inside a character. */
	snprintf(name, sizeof(name), "%.*s", SPAN_FMT(table));
	warnings_add(arg, "statistics_failed", table.len < sizeof(name) ? name : NULL,
	    "no values of %.*s%s%.*s were looked at: %.*s", SPAN_FMT(table), column.len > 0 ? "." : "",
	    SPAN_FMT(column), SPAN_FMT(message));
}

static void
warn(const struct profile *p, struct warnings *w)
{
	profile_failures(p, warn_failure, w);
	if (p->nleft_out > 0)
		warnings_add(w, "sampling_failed", NULL, "%zu tables were not profiled: %s", p->nleft_out,
		    p->results.len > RESULTS_BYTES ? "the profile is as large as it may be" :
						     "the time was up; the next deep scan continues there");
}

int
profile_sample(struct profile *p, const struct deep *d, unsigned from, unsigned to, struct err *err)
{
	struct sampling s = { .p = p, .deep = d };
	int r;

	pace_begin(&s.pace, d->call, p->n, from, to);
	r = call_sub_many(d->call, d->width, column_samples_next, column_samples_done, &s, err);
	for (size_t i = 0; i < CALL_SUBS_MAX; i++)
		buf_fini(&s.jobs[i].columns);
	if (r == -1)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		p->nleft_out += p->v[i].state == PROFILE_LEFT_OUT;
	warn(p, d->warnings);
	return 0;
}
