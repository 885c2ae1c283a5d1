/* tool.c - a worker's tool table as the message that announces it. */

#include "base/json/json_read.h"
#include "base/json/json_schema_self.h"
#include "workers/shared/tool.h"

static int
put_schema(struct buf *out, const struct tool *t, const char *which, const char *text, struct err *err)
{
	struct mp_value schema;
	enum json_fault fault;
	size_t start = out->len, at;
	char why[128];

	if ((fault = json_read(span_str(text), out, &at)) != JSON_OK)
		return err_set(err, ERR_INTERNAL, "%s: the %s schema is no JSON at byte %zu: %s", t->name, which, at,
		    json_fault_text(fault));
	if (!mp_value(span_of(out->p + start, out->len - start), &schema) ||
	    !schema_check_self(&schema, why, sizeof(why)))
		return err_set(err, ERR_INTERNAL, "%s: the %s schema uses what is not enforced: %s", t->name, which,
		    why);
	return 0;
}

static int
put_tool(struct buf *out, const struct tool *t, struct err *err)
{
	size_t members = 7;

	members += t->output_schema != NULL;
	members += t->aliases != NULL;
	mp_put_map(out, members);
	mp_pair_cstr(out, "name", t->name);
	mp_pair_cstr(out, "title", t->title);
	mp_pair_cstr(out, "description", t->description);
	mp_put_cstr(out, "inputSchema");
	if (put_schema(out, t, "input", t->input_schema, err) == -1)
		return -1;
	if (t->output_schema != NULL) {
		mp_put_cstr(out, "outputSchema");
		if (put_schema(out, t, "output", t->output_schema, err) == -1)
			return -1;
	}
	if (t->aliases != NULL) {
		mp_pair_cstr(out, "aliases", t->aliases);
	}
	mp_pair_uint(out, "hints", t->hints);
	mp_pair_uint(out, "budgetMs", t->budget_ms);
	mp_pair_bool(out, "waits", t->waits);
	return 0;
}

int
tool_announce(const struct tool *tools, struct buf *out, struct err *err)
{
	size_t mark = mp_open_array(out), n = 0;

	for (; tools[n].name != NULL; n++)
		if (put_tool(out, &tools[n], err) == -1)
			return -1;
	mp_close(out, mark, n);
	if (out->full)
		return err_set(err, ERR_INTERNAL, "the tool table does not fit its message");
	return 0;
}
