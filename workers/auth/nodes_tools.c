#include "workers/auth/audit/audit.h"
#include "workers/auth/change.h"
#include "workers/auth/nodes_tools.h"
#include "workers/auth/rows_list.h"
#include "workers/auth/store/store_loss.h"
#include "workers/shared/call.h"

static void
put_node(void *arg, const struct store_node *n)
{
	struct list_rows *l = arg;

	mp_put_pairs(&l->out, mp_cstr("name", n->name), mp_bool("own", n->own), mp_bool("lease", n->lease_ms > 0),
	    mp_uint("lease_ms", n->lease_ms), mp_bool("current", n->confirmed == n->revision),
	    mp_uint("revision", n->revision), mp_uint("confirmed", n->confirmed));
	l->n++;
}

int
nodes_status(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct list_rows l;

	(void)args;
	rows_begin(&l, "nodes");
	return rows_end(&l, c, store_nodes(a->store, put_node, &l, err));
}

/* Only the node's own store is at hand: the other one is refused. */
int
nodes_accept_loss(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf out = { 0 };
	int result;

	(void)args;
	if (store_begin(a->own, err) != 0)
		return -1;
	if ((result = store_loss_accept(a->own, err)) == 0)
		result = change_record(a, c, AUDIT_ACTION_STORE_LOSS, "accepted", err);
	if (result != 0)
		store_rollback(a->own);
	if (result != 0 || store_commit(a->own, err) != 0) {
		audit_forget(a->audit);
		return -1;
	}
	mp_put_pairs(&out, mp_bool("accepted", true));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}
