#include <stdlib.h>

#include "base/mem.h"
#include "front/mcp/legacy/batch.h"
#include "front/mcp/exchange.h"

struct batch *
batch_new(void)
{
	struct batch *b = mem_new(1, sizeof(*b));

	b->owed = 1;
	return b;
}

void
batch_add(struct batch *b, struct span id, const struct mcp_answer *a)
{
	size_t blob = a->blob == NULL ? 0 : a->blob->len;
	size_t size = a->result != NULL ? result_bytes(a->result) : a->before.len + blob + a->after.len;

	buf_byte(&b->out, b->out.len == 0 ? '[' : ',');
	if (b->out.len + size > BATCH_BYTES_MAX) {
		rpc_put_error(&b->out, id, RPC_INTERNAL, "the answers to this batch are too large; ask one by one",
		    SPAN_NONE);
		result_free(a->result);
		return;
	}
	if (a->result != NULL) {
		bool more;

		do
			more = result_fill(a->result, &b->out);
		while (more);
		result_free(a->result);
		return;
	}
	buf_span(&b->out, a->before);
	if (a->blob != NULL)
		buf_append(&b->out, a->blob->bytes, a->blob->len);
	buf_span(&b->out, a->after);
}

bool
batch_settle(struct batch *b)
{
	if (--b->owed > 0)
		return false;
	if (b->out.len > 0)
		buf_byte(&b->out, ']');
	return true;
}

void
batch_free(struct batch *b)
{
	buf_fini(&b->out);
	free(b);
}

const char *
batch_problem(const struct mp_value *messages, enum mcp_revision revision)
{
	struct mp_iter it = mp_iter(messages);
	struct mp_value message, params, meta;

	if (messages->n == 0)
		return "a batch must not be empty";
	if (messages->n > BATCH_MESSAGES_MAX)
		return "a batch may hold 100 messages";
	while (mp_next(&it, &message))
		if (mp_get(&message, "params", &params) && mp_get(&params, "_meta", &meta) && mcp_has_claim(&meta))
			return "batches are not part of this revision";
	return revision == MCP_2025_03_26 ? NULL : "batches are not part of this session's revision";
}
