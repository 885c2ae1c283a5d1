// libs: carrel_semantic carrel_project carrel_base
/* A source file that may be anything: read, composed with sound ones, linted and queried. */
#include <stdint.h>
#include <stdlib.h>

#include "semantic/compile.h"
#include "semantic/validate.h"

static const char shard[] = "tables:\n  orders:\n    table: main.orders\n    columns:\n"
    "      - {name: id, type: number, pk: true}\n      - {name: customer_id, type: number}\n"
    "      - {name: status, type: string}\n";
static const char customers[] = "name: customers\ntable: customers\ngrain: [id]\ncolumns:\n"
    "  - {name: id, type: number}\n  - {name: segment, type: string}\n"
    "joins:\n  - {to: orders, on: id = orders.customer_id, relationship: one_to_many}\n"
    "measures:\n  - {name: n, expr: count(*)}\n";

static void
query(const struct sem_model *m, const struct sem_node *node)
{
	struct arena *a = arena_new((size_t)64 << 20);
	struct sem_measure_item measure = { .expr = SPAN("customers.n") };
	struct sem_dimension_item dimension = { .field = { NULL, 0 } };
	struct sem_query q = { .measures = &measure, .nmeasures = 1, .dimensions = &dimension, .ndimensions = 1,
		.limit = 10, .include_empty = true };
	struct sem_compiled out;
	struct sem_problem p;

	for (size_t i = 0; i < node->source->ncolumns && i < 4; i++) {
		dimension.field = span_str(node->source->columns[i].name);
		if (sem_compile(m, &dialect_postgres, &q, a, &out, &p) == -1 && p.category == SEM_OK)
			abort(); /* refused, and nobody was told why */
	}
	arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_set *set;
	const struct source *list[64];
	struct sem_model *m;
	struct arena *a;
	size_t n = 0, nfindings;

	if (size > 8192)
		return 0;
	set = source_set_new();
	a = arena_new((size_t)256 << 20);
	source_set_put(set, "_schema/public.yaml", SPAN(shard), NULL);
	source_set_put(set, "customers.yaml", SPAN(customers), NULL);
	source_set_put(set, "any.yaml", span_of(data, size), NULL);
	source_set_put(set, "_schema/any.yaml", span_of(data, size), NULL);
	source_set_compose(set, NULL, NULL);
	for (size_t i = 0; i < source_set_count(set) && n < sizeof(list) / sizeof(list[0]); i++)
		list[n++] = source_set_at(set, i);
	if ((m = sem_model_new(list, n)) != NULL) {
		sem_validate(m, &dialect_sqlite, a, &nfindings);
		for (uint32_t i = 0; i < sem_model_nodes(m); i++)
			query(m, sem_model_node(m, i));
	}
	sem_model_free(m);
	arena_free(a);
	source_set_free(set);
	return 0;
}
