#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "policy/metrics.h"

enum metric_kind { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_PLAIN };

enum metric_rows {
	METRIC_ROWS_ONE, METRIC_ROWS_TOOL, METRIC_ROWS_TOOL_OUTCOME, METRIC_ROWS_CODE, METRIC_ROWS_ROLE,
	METRIC_ROWS_ROLE_REASON, METRIC_ROWS_POOL
};

static const struct metric_family {
	const char		*name, *unit, *help;
	enum metric_kind	 kind;
	enum metric_rows	 rows;
	enum metric_source	 source;
} families[METRICS] = {
#define METRIC(NAME, text, is, by, from, in, says)					\
	[METRIC_##NAME] = { .name = text, .unit = in, .help = says, .kind = METRIC_##is,	\
	    .rows = METRIC_ROWS_##by, .source = METRIC_BY_##from },
#include "policy/metrics.def"
#undef METRIC
};

static const struct metric_member {
	const char	*name;
	unsigned	 divisor;	/* 0: it is not reported */
} members[METRICS] = {
#define REPORTED(NAME, member, over)	[METRIC_##NAME] = { member, over },
#include "policy/metrics.def"
#undef REPORTED
};

static const char *const reasons[] = {
#define REASON(NAME, name)	name,
#include "policy/metrics.def"
#undef REASON
};

/* Upper bounds of the buckets, in microseconds; beyond the last is +Inf. */
static const uint64_t bounds[] = {
	1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, 30000000,
	60000000,
};

#define BOUNDS	(sizeof(bounds) / sizeof(bounds[0]))
#define CELLS	(BOUNDS + 2)	/* of a histogram's row: the buckets, +Inf, and the sum in microseconds */

struct metric_pool {
	enum ipc_role	 role;
	char		*connection;
	uint64_t	 values[METRICS];
};

struct metrics {
	size_t			 first[METRICS + 1];	/* where each family's cells begin */
	uint64_t		*cells;
	struct metric_pool	*pools;
	size_t			 npools, pools_cap;
};

static size_t
rows_of(const struct metric_family *f)
{
	switch (f->rows) {
	case METRIC_ROWS_TOOL:
		return policy_ntools;
	case METRIC_ROWS_TOOL_OUTCOME:
		return policy_ntools * AUDIT_OUTCOMES;
	case METRIC_ROWS_CODE:
		return ERR_CODE_MAX + 1;
	case METRIC_ROWS_ROLE:
		return IPC_ROLES;
	case METRIC_ROWS_ROLE_REASON:
		return (size_t)IPC_ROLES * METRIC_REASONS;
	case METRIC_ROWS_POOL:
		return 0;
	default:
		return 1;
	}
}

static size_t
cells_of(const struct metric_family *f)
{
	return rows_of(f) * (f->kind == METRIC_HISTOGRAM ? CELLS : 1);
}

struct metrics *
metrics_new(void)
{
	struct metrics *m = mem_new(1, sizeof(*m));

	for (size_t i = 0; i < METRICS; i++)
		m->first[i + 1] = m->first[i] + cells_of(&families[i]);
	m->cells = mem_new(m->first[METRICS], sizeof(*m->cells));
	return m;
}

/* Set all numbers to zero and forget the pools. */
static void
metrics_clear(struct metrics *m)
{
	memset(m->cells, 0, m->first[METRICS] * sizeof(*m->cells));
	while (m->npools > 0)
		free(m->pools[--m->npools].connection);
}

void
metrics_free(struct metrics *m)
{
	if (m == NULL)
		return;
	metrics_clear(m);
	free(m->pools);
	free(m->cells);
	free(m);
}

size_t
metric_row_of_tool(const struct policy_tool *tool)
{
	return (size_t)(tool - policy_tools);
}

size_t
metric_row_of_call(const struct policy_tool *tool, enum audit_outcome outcome)
{
	return metric_row_of_tool(tool) * AUDIT_OUTCOMES + outcome;
}

size_t
metric_row_of_code(enum err_code code)
{
	return (size_t)code <= ERR_CODE_MAX ? (size_t)code : ERR_INTERNAL;
}

size_t
metric_row_of_role(enum ipc_role role)
{
	return ipc_role_index(role);
}

size_t
metric_row_of_restart(enum ipc_role role, enum metric_reason reason)
{
	return metric_row_of_role(role) * METRIC_REASONS + reason;
}

size_t
metric_row_of_pool(struct metrics *m, enum ipc_role role, struct span connection)
{
	size_t i = 0;

	while (i < m->npools && (m->pools[i].role != role || !span_is_str(connection, m->pools[i].connection)))
		i++;
	if (i < m->npools || i >= METRICS_POOLS_MAX)
		return i;
	m->pools = mem_grow(m->pools, m->npools, &m->pools_cap, sizeof(*m->pools));
	m->pools[m->npools++] = (struct metric_pool){ .role = role, .connection = mem_text(connection) };
	return i;
}

/* The row's number; for a histogram its first. */
static uint64_t *
cell_of(struct metrics *m, enum metric metric, size_t row)
{
	const struct metric_family *f = &families[metric];

	if (f->rows == METRIC_ROWS_POOL)
		return row < m->npools ? &m->pools[row].values[metric] : NULL;
	return row < rows_of(f) ? &m->cells[m->first[metric] + row * (f->kind == METRIC_HISTOGRAM ? CELLS : 1)] : NULL;
}

void
metric_add(struct metrics *m, enum metric metric, size_t row, uint64_t n)
{
	uint64_t *cell = cell_of(m, metric, row);

	if (cell != NULL)
		*cell += n;
}

void
metric_set(struct metrics *m, enum metric metric, size_t row, uint64_t n)
{
	uint64_t *cell = cell_of(m, metric, row);

	if (cell != NULL)
		*cell = n;
}

void
metric_observe(struct metrics *m, enum metric metric, size_t row, uint64_t ns)
{
	uint64_t *cell = cell_of(m, metric, row), us = (ns + 999) / 1000;
	size_t bucket = 0;

	if (cell == NULL)
		return;
	while (bucket < BOUNDS && us > bounds[bucket])
		bucket++;
	cell[bucket]++;
	cell[BOUNDS + 1] += us;
}

/* {"cells": [place, number, …], "pools": [role, connection, metric, number, …]} */
void
metrics_pack(const struct metrics *m, struct buf *out)
{
	size_t mark, n = 0;
	size_t map = mp_open_map(out);

	mark = mp_pair_open_array(out, "cells");
	for (size_t i = 0; i < m->first[METRICS]; i++)
		if (m->cells[i] != 0) {
			mp_put_uint(out, i);
			mp_put_uint(out, m->cells[i]);
			n += 2;
		}
	mp_close(out, mark, n);
	n = 0;
	mark = mp_pair_open_array(out, "pools");
	for (size_t i = 0; i < m->npools; i++)
		for (unsigned k = 0; k < METRICS; k++)
			if (m->pools[i].values[k] != 0) {
				mp_put_uint(out, m->pools[i].role);
				mp_put_cstr(out, m->pools[i].connection);
				mp_put_uint(out, k);
				mp_put_uint(out, m->pools[i].values[k]);
				n += 4;
			}
	mp_close(out, mark, n);
	mp_end(out, map);
}

static bool
next_number(struct mp_iter *it, uint64_t *n)
{
	struct mp_value v;

	if (!mp_next(it, &v) || v.class != MP_UINT)
		return false;
	*n = v.u;
	return true;
}

static bool
is_taken(enum metric metric, unsigned sources, enum metric_part part)
{
	const struct metric_family *f = &families[metric];

	return (f->source & sources) != 0 && (part == METRIC_ALL || f->kind != METRIC_GAUGE);
}

static void
take_cells(struct metrics *m, const struct mp_value *cells, unsigned sources, enum metric_part part)
{
	struct mp_iter it = mp_iter(cells);
	uint64_t at, n;
	unsigned metric = 0;

	while (next_number(&it, &at) && next_number(&it, &n) && at < m->first[METRICS]) {
		if (at < m->first[metric])
			return; /* they come in order */
		while (at >= m->first[metric + 1])
			metric++;
		if (is_taken(metric, sources, part))
			m->cells[at] += n;
	}
}

static void
take_pools(struct metrics *m, const struct mp_value *pools, unsigned sources, enum metric_part part)
{
	struct mp_iter it = mp_iter(pools);
	struct mp_value connection;
	uint64_t role, metric, n;

	while (next_number(&it, &role) && mp_next(&it, &connection) && connection.class == MP_STR &&
	    next_number(&it, &metric) && next_number(&it, &n)) {
		if (metric >= METRICS || families[metric].rows != METRIC_ROWS_POOL || role == 0 ||
		    role > IPC_ROLE_ALL || (role & (role - 1)) != 0)
			return;
		if (is_taken((enum metric)metric, sources, part))
			metric_add(m, (enum metric)metric, metric_row_of_pool(m, (enum ipc_role)role, connection.s), n);
	}
}

void
metrics_take(struct metrics *m, struct span packed, unsigned sources, enum metric_part part)
{
	struct mp_value map, v;

	if (!mp_value(packed, &map) || map.class != MP_MAP)
		return;
	if (mp_get(&map, "cells", &v) && v.class == MP_ARRAY)
		take_cells(m, &v, sources, part);
	if (mp_get(&map, "pools", &v) && v.class == MP_ARRAY)
		take_pools(m, &v, sources, part);
}

void
metrics_take_report(struct metrics *m, enum metric_source source, struct span report)
{
	struct mp_value map;

	if (!mp_value(report, &map) || map.class != MP_MAP)
		return;
	for (unsigned i = 0; i < METRICS; i++)
		if (families[i].source == source && members[i].divisor != 0)
			metric_set(m, i, 0, mp_get_uint(&map, members[i].name, 0));
}

static void
put_label(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s%s=\"", out->p[out->len - 1] == '{' ? "" : ",", name);
	for (; *value != '\0'; value++)
		if (*value == '\n')
			buf_str(out, "\\n");
		else {
			if (*value == '"' || *value == '\\')
				buf_byte(out, '\\');
			buf_byte(out, (uint8_t)*value);
		}
	buf_byte(out, '"');
}

static void
add_label(struct metric_point *p, const char *name, const char *value)
{
	p->labels[p->nlabels].name = name;
	p->labels[p->nlabels++].value = value;
}

static void
find_labels(const struct metrics *m, const struct metric_family *f, size_t row, struct metric_point *p)
{
	switch (f->rows) {
	case METRIC_ROWS_TOOL:
		add_label(p, "tool", policy_tools[row].name);
		break;
	case METRIC_ROWS_TOOL_OUTCOME:
		add_label(p, "tool", policy_tools[row / AUDIT_OUTCOMES].name);
		add_label(p, "outcome", audit_outcome_name((enum audit_outcome)(row % AUDIT_OUTCOMES)));
		break;
	case METRIC_ROWS_CODE:
		add_label(p, "code", err_name((enum err_code)row));
		break;
	case METRIC_ROWS_ROLE:
		add_label(p, "role", ipc_roles[row].name);
		break;
	case METRIC_ROWS_ROLE_REASON:
		add_label(p, "role", ipc_roles[row / METRIC_REASONS].name);
		add_label(p, "reason", reasons[row % METRIC_REASONS]);
		break;
	case METRIC_ROWS_POOL:
		add_label(p, "role", ipc_role_name(m->pools[row].role));
		add_label(p, "connection", m->pools[row].connection);
		break;
	default:
		break;
	}
}

static void
put_labels(struct buf *out, const struct metrics *m, const struct metric_family *f, size_t row)
{
	struct metric_point p = { .nlabels = 0 };

	find_labels(m, f, row, &p);
	for (size_t i = 0; i < p.nlabels; i++)
		put_label(out, p.labels[i].name, p.labels[i].value);
}

/* n / 10^digits, without what ends in zeroes but for one: 2.5, 1000.0. */
static void
put_decimal(struct buf *out, uint64_t n, unsigned digits)
{
	uint64_t unit = 1;
	size_t end;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	buf_printf(out, "%" PRIu64 ".%0*" PRIu64, n / unit, (int)digits, n % unit);
	for (end = out->len; out->p[end - 1] == '0' && out->p[end - 2] != '.'; end--)
		;
	out->len = end;
}

/* The beginning of a line: its name, its labels, and a bucket's bound. */
static void
put_line(struct buf *out, const struct metrics *m, const struct metric_family *f, size_t row, const char *suffix,
    const char *bound)
{
	size_t open;

	buf_printf(out, "%s%s{", f->name, suffix);
	open = out->len;
	put_labels(out, m, f, row);
	if (bound != NULL)
		put_label(out, "le", bound);
	if (out->len == open)
		out->len--; /* no labels, no braces */
	else
		buf_byte(out, '}');
	buf_byte(out, ' ');
}

static void
put_histogram(struct buf *out, const struct metrics *m, const struct metric_family *f, size_t row,
    const uint64_t *cells)
{
	unsigned digits = strcmp(f->unit, "ms") == 0 ? 3 : 6;
	struct buf bound = { .max = 0 };
	uint64_t n = 0;

	for (size_t i = 0; i <= BOUNDS; i++) {
		buf_reset(&bound, SIZE_MAX);
		if (i < BOUNDS)
			put_decimal(&bound, bounds[i], digits);
		n += cells[i];
		put_line(out, m, f, row, "_bucket", i < BOUNDS ? buf_cstr(&bound) : "+Inf");
		buf_printf(out, "%" PRIu64 "\n", n);
	}
	put_line(out, m, f, row, "_sum", NULL);
	put_decimal(out, cells[BOUNDS + 1], digits);
	buf_byte(out, '\n');
	put_line(out, m, f, row, "_count", NULL);
	buf_printf(out, "%" PRIu64 "\n", n);
	buf_fini(&bound);
}

static bool
is_used(const uint64_t *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cells[i] != 0)
			return true;
	return false;
}

/* A line of one that was never seen is left out; what has no labels is always told. */
static void
put_row(struct buf *out, const struct metrics *m, enum metric metric, size_t row)
{
	const struct metric_family *f = &families[metric];
	size_t size = f->kind == METRIC_HISTOGRAM ? CELLS : 1;
	const uint64_t *cells =
	    f->rows == METRIC_ROWS_POOL ? &m->pools[row].values[metric] : &m->cells[m->first[metric] + row * size];

	if (f->rows != METRIC_ROWS_ONE && f->rows != METRIC_ROWS_POOL && !is_used(cells, size))
		return;
	if (f->kind == METRIC_HISTOGRAM) {
		put_histogram(out, m, f, row, cells);
		return;
	}
	put_line(out, m, f, row, f->kind == METRIC_COUNTER ? "_total" : "", NULL);
	if (members[metric].divisor > 1)
		put_decimal(out, *cells, members[metric].divisor == 1000 ? 3 : 6);
	else
		buf_printf(out, "%" PRIu64, *cells);
	buf_byte(out, '\n');
}

void
metrics_each(const struct metrics *m, void (*fn)(void *arg, const struct metric_point *p), void *arg)
{
	double limits[BOUNDS];

	for (unsigned i = 0; i < METRICS; i++) {
		const struct metric_family *f = &families[i];
		const size_t size = f->kind == METRIC_HISTOGRAM ? CELLS : 1;
		const double unit = strcmp(f->unit, "ms") == 0 ? 1e3 : 1e6;
		const double divisor = members[i].divisor > 1 ? (double)members[i].divisor : 1;

		for (size_t row = 0; row < (f->rows == METRIC_ROWS_POOL ? m->npools : rows_of(f)); row++) {
			const uint64_t *cells = f->rows == METRIC_ROWS_POOL ? &m->pools[row].values[i] :
									      &m->cells[m->first[i] + row * size];
			const uint64_t *sum = size > 1 ? cells + BOUNDS + 1 : cells;
			struct metric_point p = { .name = f->name, .unit = f->unit, .help = f->help,
				.counts = f->kind != METRIC_GAUGE };

			if (f->rows != METRIC_ROWS_ONE && f->rows != METRIC_ROWS_POOL && !is_used(cells, size))
				continue;
			find_labels(m, f, row, &p);
			for (size_t k = 0; size > 1 && k < BOUNDS; k++)
				limits[k] = (double)bounds[k] / unit;
			p.value = size > 1 ? (double)*sum / unit : (double)*cells / divisor;
			p.nbounds = size > 1 ? BOUNDS : 0;
			p.bounds = limits;
			p.buckets = cells;
			fn(arg, &p);
		}
	}
}

static const char *
type_of(const struct metric_family *f, bool open)
{
	switch (f->kind) {
	case METRIC_COUNTER:
		return "counter";
	case METRIC_GAUGE:
		return "gauge";
	case METRIC_HISTOGRAM:
		return "histogram";
	default:
		return open ? "unknown" : "untyped";
	}
}

void
metrics_text(const struct metrics *m, bool open, struct buf *out)
{
	for (unsigned i = 0; i < METRICS; i++) {
		const struct metric_family *f = &families[i];
		const char *suffix = !open && f->kind == METRIC_COUNTER ? "_total" : "";
		size_t rows = f->rows == METRIC_ROWS_POOL ? m->npools : rows_of(f);

		buf_printf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, suffix, f->help, f->name, suffix,
		    type_of(f, open));
		if (open && f->unit[0] != '\0')
			buf_printf(out, "# UNIT %s %s\n", f->name, f->unit);
		for (size_t row = 0; row < rows; row++)
			put_row(out, m, i, row);
	}
	if (open)
		buf_str(out, "# EOF\n");
}
