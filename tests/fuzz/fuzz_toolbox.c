// libs: carrel_cli carrel_project carrel_base
/*
 * fuzz_toolbox.c - any bytes as a configuration of MCP Toolbox: a refusal with a message, or tools of which each has a
 * reason against it or everything that a row of carrel.yaml needs, its names and values within their types.
 */
#include "base/arena.h"
#include "cli/research/toolbox.h"
#include "tests/fuzz/fuzz.h"

static void
check_parameter(const struct toolbox_parameter *p)
{
	require(parameter_is_name(span_str(p->name)) && p->type < PARAMETER_TYPES);
	require(p->preset == NULL || parameter_fits(p->type, span_str(p->preset)));
	require(p->minimum == NULL || parameter_fits(p->type, span_str(p->minimum)));
	require(p->maximum == NULL || parameter_fits(p->type, span_str(p->maximum)));
}

static void
check_tool(const struct toolbox_tool *t)
{
	require(t->called != NULL);
	if (t->reason != NULL) {
		require(t->reason[0] != '\0');
		return;
	}
	require(parameter_is_name(span_str(t->name)) && t->nparameters <= PARAMETERS_MOST);
	require(t->source != NULL && t->description != NULL && t->driver != NULL && t->sql != NULL);
	for (size_t i = 0; i < t->nparameters; i++)
		check_parameter(&t->parameters[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)64 << 20);
	struct err err = { .code = ERR_NONE };
	size_t n = 0;
	const struct toolbox_tool *v = toolbox_read(a, span_of(data, size), &n, &err);

	require(v != NULL || (err.code != ERR_NONE && err.message[0] != '\0'));
	for (size_t i = 0; v != NULL && i < n; i++)
		check_tool(&v[i]);
	arena_free(a);
	return 0;
}
