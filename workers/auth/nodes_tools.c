#include <stdio.h>

#include "workers/auth/audit/audit.h"
#include "workers/auth/change.h"
#include "workers/auth/nodes_tools.h"
#include "workers/auth/rows_list.h"
#include "workers/auth/store/store_loss.h"
#include "workers/auth/store/store_node.h"
#include "workers/shared/call.h"

static void
put_node(void *arg, const struct store_node *n)
{
	struct list_rows *l = arg;

	mp_put_pairs(&l->out, mp_cstr("name", n->name), mp_bool("own", n->own), mp_bool("lease", n->lease_ms > 0),
	    mp_uint("lease_ms", n->lease_ms), mp_bool("current", n->confirmed == n->revision),
	    mp_uint("revision", n->revision), mp_uint("confirmed", n->confirmed), mp_bool("drained", n->drained),
	    mp_bool("writes", n->writes), mp_bool("behind", n->behind), mp_cstr("project", n->project),
	    mp_when(n->uncopied >= 0, mp_uint("uncopied", (uint64_t)n->uncopied)));
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

struct nodes_sought {
	struct span	name;		/* empty: this node */
	char		found[STORE_NODE + 1];
	unsigned	others;		/* that have a lease and are not drained */
};

static void
seek_node(void *arg, const struct store_node *n)
{
	struct nodes_sought *s = arg;

	if (s->name.len == 0 ? n->own : span_is_str(s->name, n->name))
		snprintf(s->found, sizeof(s->found), "%s", n->name);
	else if (n->lease_ms > 0 && !n->drained)
		s->others++;
}

static int
drain_node(struct auth *a, const struct call *c, const char *node, bool drain, struct err *err)
{
	if (store_begin(a->store, err) != 0)
		return -1;
	return change_end(a,
	    store_node_drain(a->store, span_str(node), drain, err) == 0 ?
		change_record(a, c, drain ? AUDIT_ACTION_NODE_DRAIN : AUDIT_ACTION_NODE_RESUME, node, err) :
		-1,
	    err);
}

int
nodes_drain(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct nodes_sought s = { .name = mp_get_str(args, "node", SPAN("")) };
	bool drain = !mp_get_bool(args, "end", false);
	struct buf out = { 0 };

	if (a->store == a->own)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the state store is this node's alone, and so there is no other to take its place: stop it, or "
		    "take "
		    "it out of the load balancer");
	if (store_nodes(a->store, seek_node, &s, err) != 0)
		return -1;
	if (s.found[0] == '\0')
		return err_set(err, ERR_INVALID_ARGUMENTS, "there is no such node; `carrel cluster status` shows them");
	if (drain_node(a, c, s.found, drain, err) != 0)
		return -1;
	mp_put_pairs(&out, mp_cstr("node", s.found), mp_bool("drained", drain), mp_uint("others", s.others));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
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
