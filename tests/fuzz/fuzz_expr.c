// libs: carrel_semantic carrel_project carrel_base
/*
 * fuzz_expr.c - the expression parser, and what the compiler makes of whatever
 * it accepts: a measure, a filter and a dimension of a small model.
 */
#include <stdlib.h>
#include <string.h>

#include "semantic/compile.h"
#include "tests/fuzz/fuzz.h"

static const char orders[] = "name: orders\ntable: orders\ngrain: [id]\n"
    "columns:\n  - {name: id, type: number}\n  - {name: customer_id, type: number}\n"
    "  - {name: amount, type: number}\n  - {name: status, type: string}\n"
    "  - {name: double, type: number, expr: amount * 2}\n"
    "joins:\n  - {to: customers, \"on\": customer_id = customers.id, relationship: many_to_one}\n"
    "measures:\n  - {name: gross, expr: sum(amount)}\n  - {name: n, expr: count(*), filter: status = 'paid'}\n"
    "  - {name: each, expr: gross / n}\nsegments:\n  - {name: big, expr: amount > 100}\n";
static const char customers[] = "name: customers\ntable: customers\ngrain: [id]\n"
    "columns:\n  - {name: id, type: number}\n  - {name: segment, type: string}\n"
    "  - {name: ssn, type: string, visibility: hidden}\n"
    "measures:\n  - {name: people, expr: count(id)}\n";

static struct source_set *set;
static struct sem_model *model;

static void
build(void)
{
	const struct source *list[2];
	struct err err;

	set = source_set_new();
	if (source_set_put(set, "orders.yaml", SPAN(orders), &err) == -1 ||
	    source_set_put(set, "customers.yaml", SPAN(customers), &err) == -1)
		abort();
	source_set_compose(set, NULL, NULL);
	list[0] = source_set_at(set, 0);
	list[1] = source_set_at(set, 1);
	model = sem_model_new(list, 2);
}

static void
compile(struct arena *a, const struct sem_query *q, const struct dialect *d)
{
	struct sem_compiled out;
	struct sem_problem p;

	if (sem_compile(model, d, q, a, &out, &p) == -1 && p.category == SEM_OK)
		abort(); /* refused, and nobody was told why */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a;
	struct sem_measure_item measure = { .expr = { data, size } }, plain = { .expr = SPAN("orders.gross") };
	struct sem_dimension_item segment = { .field = SPAN("customers.segment") }, field = { .field = { data, size } };
	struct span text = { data, size };
	struct sem_query q = { .limit = 10, .include_empty = true };

	if (size > 2048)
		return 0;
	if (model == NULL)
		build();
	a = arena_new((size_t)256 << 20);
	q.measures = &measure;
	q.nmeasures = 1;
	q.dimensions = &segment;
	q.ndimensions = 1;
	compile(a, &q, &dialect_sqlite);
	q.measures = &plain;
	q.filters = &text;
	q.nfilters = 1;
	compile(a, &q, &dialect_postgres);
	q.nfilters = 0;
	q.dimensions = &field;
	compile(a, &q, &dialect_sqlite);
	arena_free(a);
	return 0;
}
