/* assemble.c - puts the parts of an import together; see assemble.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "workers/memory/ingest/assemble.h"
#include "workers/shared/call.h"

/* Whose import it is, and what came of it. */
struct ingest_parts {
	struct buf	text, owner;
};

void
assemble_forget(struct memory *m)
{
	if (m->parts == NULL)
		return;
	buf_fini(&m->parts->text);
	buf_fini(&m->parts->owner);
	free(m->parts);
	m->parts = NULL;
}

static bool
refuse_part(struct memory *m, struct err *err, enum err_code code, const char *why)
{
	assemble_forget(m);
	err_set(err, code, "%s", why);
	return false;
}

bool
assemble_part(struct call *c, const struct mp_value *args, struct span *content, struct err *err)
{
	struct memory *m = call_state(c);
	struct span part = mp_get_str(args, "knowledge", SPAN(""));
	uint64_t offset = mp_get_uint(args, "offset", 0);
	struct buf owner = { 0 };
	bool fits;

	if (offset == 0) {
		assemble_forget(m);
		m->parts = mem_new(1, sizeof(*m->parts));
	}
	buf_printf(&owner, "%.*s\n%.*s", SPAN_FMT(call_principal(c)),
	    SPAN_FMT(mp_get_str(args, "connectionId", SPAN(""))));
	if (offset == 0)
		buf_span(&m->parts->owner, buf_view(&owner));
	fits =
	    m->parts != NULL && m->parts->text.len == offset && span_is(buf_view(&m->parts->owner), buf_view(&owner));
	buf_fini(&owner);
	if (!fits)
		return refuse_part(m, err, ERR_BUSY, "another import came between the parts of this one; try again");
	if (m->memory_max > 0 && m->parts->text.len + part.len > m->memory_max / ASSEMBLE_ROOM)
		return refuse_part(m, err, ERR_INVALID_ARGUMENTS,
		    "what is to be imported needs more memory than carrel-memory may have: raise "
		    "limits.memory_memory_mb in carrel.yaml to 100 times its size, or name the paths of a part of it, "
		    "the same each time");
	if (part.len > ASSEMBLE_MAX - m->parts->text.len)
		return refuse_part(m, err, ERR_INVALID_ARGUMENTS, "what is to be imported is larger than 24 MB");
	buf_span(&m->parts->text, part);
	*content = buf_view(&m->parts->text);
	return !mp_get_bool(args, "more", false);
}
