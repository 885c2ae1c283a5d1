#include <stdio.h>

#include "workers/auth/audit/audit.h"
#include "workers/auth/change.h"
#include "workers/auth/nodes_tools.h"
#include "workers/auth/rows_list.h"
#include "workers/auth/store/store_loss.h"
#include "workers/auth/store/store_node.h"
#include "workers/auth/store/store_note.h"
#include "workers/shared/call.h"

static void
put_node(void *arg, const struct store_node *n)
{
	struct list_rows *l = arg;

	mp_put_pairs(&l->out, mp_cstr("name", n->name), mp_bool("own", n->own), mp_bool("lease", n->lease_ms > 0),
	    mp_uint("lease_ms", n->lease_ms), mp_bool("current", n->confirmed == n->revision),
	    mp_uint("revision", n->revision), mp_uint("confirmed", n->confirmed), mp_bool("drained", n->drained),
	    mp_bool("writes", n->writes), mp_bool("behind", n->behind), mp_cstr("project", n->project),
	    mp_uint("holds", n->holds), mp_when(n->uncopied >= 0, mp_uint("uncopied", (uint64_t)n->uncopied)),
	    mp_when(n->missing >= 0, mp_uint("missing", (uint64_t)n->missing)));
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
	bool		there;		/* it has a lease */
	unsigned	others;		/* that have a lease and are not drained */
};

static void
seek_node(void *arg, const struct store_node *n)
{
	struct nodes_sought *s = arg;

	if (s->name.len == 0 ? n->own : span_is_str(s->name, n->name)) {
		snprintf(s->found, sizeof(s->found), "%s", n->name);
		s->there = n->lease_ms > 0;
	} else if (n->lease_ms > 0 && !n->drained)
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

/* The entry names the node and what it held. */
static int
release_notes(struct auth *a, const struct call *c, struct span node, struct buf *said, struct err *err)
{
	int n, result = -1;

	if (store_begin(a->store, err) != 0)
		return -1;
	buf_span(said, node);
	if ((n = store_note_release(a->store, node, said, err)) > 0)
		result = change_record(a, c, AUDIT_ACTION_NODE_RELEASE, buf_cstr(said), err);
	else if (n == 0)
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "%.*s holds no note: one that was not begun there is written by the next writer without this",
		    SPAN_FMT(node));
	return change_end(a, result, err) == 0 ? n : -1;
}

int
nodes_release(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct nodes_sought s = { .name = mp_get_str(args, "node", SPAN("")) };
	struct buf said = { 0 }, out = { 0 };
	int n = -1;

	if (a->store == a->own)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the state store is this node's alone: what it has begun it finishes when it starts");
	if (store_nodes(a->store, seek_node, &s, err) != 0)
		return -1;
	if (s.there)
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s is there, and finishes itself what it has begun; stop carrel there if it does not", s.found);
	else
		n = release_notes(a, c, s.name, &said, err);
	if (n > 0) {
		mp_put_pairs(&out, mp_str("node", s.name), mp_uint("released", (uint64_t)n),
		    mp_str("runs", span_of(said.p + s.name.len + 1, said.len - s.name.len - 1)));
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	buf_fini(&said);
	return n > 0 ? 0 : -1;
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
