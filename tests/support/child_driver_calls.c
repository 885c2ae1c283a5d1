/* child_driver_calls.c - see child_driver.h: data channels, calls and sub-calls. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "tests/support/child_driver_parts.h"
#include "ipc/control.h"

/* --- JSON and msgpack --------------------------------------------------------------- */

static void
to_mp(const char *json, struct buf *out)
{
	size_t at;
	enum json_fault fault = json_read(span_str(json), out, &at);

	if (fault == JSON_OK)
		return;
	fprintf(stderr, "child_driver: the test's own JSON: %s at %zu in %s\n", json_fault_text(fault), at, json);
	abort();
}

void
driver_to_json(struct span raw, struct buf *out)
{
	struct mp_value v;

	if (mp_value(raw, &v))
		json_write(out, &v);
}

/* The members of a map, each followed by a comma. */
static void
put_members(struct span map, struct buf *out)
{
	struct mp_value v, member;
	struct mp_iter it;
	struct span key;

	if (!mp_value(map, &v))
		return;
	it = mp_iter(&v);
	while (mp_next_pair(&it, &key, &member)) {
		json_write_string(out, key);
		buf_byte(out, ':');
		json_write(out, &member);
		buf_byte(out, ',');
	}
}

/* Turn the last comma, or the lack of one, into the end of a container. */
static void
close_json(struct buf *out, char end)
{
	if (out->len > 0 && out->p[out->len - 1] == ',')
		out->len--;
	buf_byte(out, (uint8_t)end);
}

static void
put_rows(struct span rows, struct buf *out)
{
	struct mp_value v, row, cell;
	struct mp_iter it, cells;

	if (!mp_value(rows, &v))
		return;
	it = mp_iter(&v);
	while (mp_next(&it, &row)) {
		buf_byte(out, '[');
		cells = mp_iter(&row);
		while (mp_next(&cells, &cell)) {
			json_write_cell(out, &cell);
			buf_byte(out, ',');
		}
		close_json(out, ']');
		buf_byte(out, ',');
	}
}

/* --- calls ------------------------------------------------------------------------------ */

static struct waiting *
find_call(struct driver *d, uint64_t id)
{
	for (struct waiting *w = d->calls; w != NULL; w = w->next)
		if (w->id == id)
			return w;
	return NULL;
}

static const char *
finished(struct buf *b, char open, char end)
{
	struct buf out = { .max = 0 };

	if (open != '\0') {
		buf_byte(&out, (uint8_t)open);
		buf_span(&out, buf_view(b));
		close_json(&out, end);
		buf_fini(b);
		*b = out;
	}
	return buf_cstr(b);
}

/* Build the texts; further frames of the call are a fault the tests would see. */
static void
conclude(struct waiting *w, enum driver_kind kind)
{
	struct driver_answer *a = &w->answer;

	a->kind = kind;
	a->rows = finished(&w->rows, '[', ']');
	a->progress = finished(&w->progress, '[', ']');
	a->result = finished(&w->result, '\0', '\0');
	a->message = finished(&w->message, '\0', '\0');
	a->details = finished(&w->details, '\0', '\0');
	a->next = finished(&w->next_call, '\0', '\0');
}

static void
take_result(struct waiting *w, const struct ipc_result *msg)
{
	buf_byte(&w->result, '{');
	put_members(msg->head, &w->result);
	if (msg->rows_field.len > 0) {
		json_write_string(&w->result, msg->rows_field);
		buf_str(&w->result, ":[");
		buf_span(&w->result, buf_view(&w->rows));
		close_json(&w->result, ']');
		buf_byte(&w->result, ',');
	}
	put_members(msg->tail, &w->result);
	close_json(&w->result, '}');
	conclude(w, DRIVER_RESULT);
}

static void
take_continue(struct waiting *w, const struct ipc_continue_with *msg)
{
	struct buf *out = &w->next_call;

	buf_str(out, "{\"tool\":");
	json_write_string(out, msg->tool);
	buf_str(out, ",\"connection\":");
	json_write_string(out, msg->connection);
	buf_str(out, ",\"args\":");
	driver_to_json(msg->args, out);
	buf_str(out, ",\"head\":");
	driver_to_json(msg->head, out);
	buf_byte(out, '}');
	conclude(w, DRIVER_CONTINUE);
}

static void
take_subcall(struct driver *d, uint64_t id, const struct ipc_subcall *msg)
{
	struct buf tool = { .max = 0 }, connection = { .max = 0 }, args = { .max = 0 };

	buf_span(&tool, msg->tool);
	buf_span(&connection, msg->connection);
	driver_to_json(msg->args, &args);
	if (d->on_subcall != NULL)
		d->on_subcall(d, d->subcall_arg, id, buf_cstr(&tool), buf_cstr(&connection), buf_cstr(&args));
	else
		driver_sub_fail(d, id, ERR_SERVICE_UNAVAILABLE, "nobody answers sub-calls here");
	buf_fini(&tool);
	buf_fini(&connection);
	buf_fini(&args);
}

static void
take_changed(struct driver *d, const struct ipc_changed *msg)
{
	d->nchanges++;
	d->digest = msg->digest;
	buf_printf(&d->changes, "%llu%s", (unsigned long long)msg->lists, msg->everything ? " everything " : " ");
	driver_to_json(msg->uris, &d->changes);
	buf_byte(&d->changes, '\n');
}

static void
take_snapshot(struct waiting *w, struct span snapshot)
{
	memcpy(w->answer.snapshot, snapshot.p, snapshot.len);
	w->answer.snapshot[snapshot.len] = '\0';
}

static void
take_call_frame(struct driver *d, struct channel *ch, struct waiting *w, unsigned type, const union ipc_any *msg)
{
	switch (type) {
	case IPC_MSG_PROGRESS:
		buf_printf(&w->progress, "[%llu,", (unsigned long long)msg->progress.permille);
		json_write_string(&w->progress, msg->progress.message);
		buf_str(&w->progress, "],");
		w->answer.steps++;
		break;
	case IPC_MSG_ROWS:
		put_rows(msg->rows.rows, &w->rows);
		w->answer.chunks++;
		if (d->credit)
			(void)channel_send(ch, IPC_MSG_CREDIT, w->id, &(struct ipc_credit){ .chunks = 1 });
		break;
	case IPC_MSG_RESULT:
		take_snapshot(w, msg->result.snapshot);
		take_result(w, &msg->result);
		break;
	case IPC_MSG_FAIL:
		w->answer.code = err_name((enum err_code)msg->fail.code);
		buf_span(&w->message, msg->fail.message);
		driver_to_json(msg->fail.details, &w->details);
		conclude(w, DRIVER_FAIL);
		break;
	case IPC_MSG_CONTINUE:
		take_snapshot(w, msg->continue_with.snapshot);
		take_continue(w, &msg->continue_with);
		break;
	default:
		break;
	}
}

static bool
take_frame(struct driver *d, struct channel *ch, const struct ipc_frame *f)
{
	struct waiting *w;
	union ipc_any msg;

	if (!channel_unpack_any(ch, f, &msg))
		return false;
	if (f->type == IPC_MSG_SUBCALL)
		take_subcall(d, f->id, &msg.subcall);
	else if (f->type == IPC_MSG_CREDIT)
		d->sub_credit += (unsigned)msg.credit.chunks;
	else if (f->type == IPC_MSG_CANCEL)
		d->sub_cancelled = true;
	else if (f->type == IPC_MSG_CHANGED)
		take_changed(d, &msg.changed);
	else if (f->type == IPC_MSG_END)
		channel_send(ch, IPC_MSG_ENDED, f->id, &(struct ipc_ended){ .calls = 0 });
	else if (f->type == IPC_MSG_CONNECTIVITY)
		return true;
	else if ((w = find_call(d, f->id)) == NULL || w->answer.kind != DRIVER_OPEN)
		return false;
	else
		take_call_frame(d, ch, w, f->type, &msg);
	return true;
}

void
driver_lose(struct driver *d, unsigned front)
{
	channel_fini(&d->fronts[front]);
	for (struct waiting *w = d->calls; w != NULL; w = w->next)
		if (w->front == front && w->answer.kind == DRIVER_OPEN)
			conclude(w, DRIVER_LOST);
}

void
driver_read_front(struct driver *d, unsigned front)
{
	struct channel *ch = &d->fronts[front];
	enum channel_status status;
	struct ipc_frame f;

	(void)channel_read(ch);
	while ((status = channel_next(ch, &f)) == CHANNEL_FRAME)
		if (!take_frame(d, ch, &f)) {
			fprintf(stderr, "child_driver: the child sent a %s that makes no sense\n",
			    ipc_type_name(f.type));
			abort();
		}
	if (status == CHANNEL_BROKEN) {
		fprintf(stderr, "child_driver: the child broke the protocol: %s\n", ipc_fault_name(ch->fault));
		abort();
	}
	if (status == CHANNEL_CLOSED)
		driver_lose(d, front);
	else /* a child that no longer reads may still have written: its end is seen by reading */
		(void)channel_flush(ch);
}

/* --- channels ------------------------------------------------------------------------------ */

unsigned
driver_attach(struct driver *d)
{
	struct ipc_attach msg = {
		.kind = 2, .role = IPC_FRONT, .generation = d->nfronts + 1, .pid = (uint64_t)getpid()
	};
	int other;

	peer_must(d->nfronts < FRONTS_MAX, "fronts");
	other = peer_channel(&d->fronts[d->nfronts], IPC_FRONT, d->role, msg.generation);
	peer_must(control_send(d->child.control, IPC_MSG_ATTACH, &msg, other) == 0, "attach");
	close(other);
	d->current = d->nfronts++;
	return d->current;
}

void
driver_detach(struct driver *d, unsigned front, unsigned cause)
{
	driver_control(d, IPC_MSG_DETACH, &(struct ipc_detach){
	    .generation = d->fronts[front].generation, .cause = cause });
}

void
driver_hang_up(struct driver *d, unsigned front)
{
	driver_lose(d, front);
}

bool
driver_front_open(struct driver *d, unsigned front)
{
	return d->fronts[front].fd != -1;
}

void
driver_use(struct driver *d, unsigned front)
{
	d->current = front;
}

static void
flush(struct driver *d)
{
	struct channel *ch = &d->fronts[d->current];

	if (ch->fd != -1)
		(void)channel_flush(ch);
}

int
driver_send(struct driver *d, unsigned type, uint64_t id, const void *msg)
{
	int r = channel_send(&d->fronts[d->current], type, id, msg);

	flush(d);
	return r;
}

void
driver_send_bytes(struct driver *d, struct span bytes)
{
	buf_span(&d->fronts[d->current].out, bytes);
	flush(d);
}

uint64_t
driver_start(struct driver *d, const char *tool, const char *connection, const char *args_json)
{
	const struct policy_tool *row = policy_tool(span_str(tool));
	struct waiting *w = calloc(1, sizeof(*w));
	struct buf args = { .max = 0 };
	uint8_t proof[PROOF_SIZE];
	struct ipc_call msg = {
		.tool = span_str(tool), .connection = span_str(connection),
		.principal = span_str(d->principal != NULL ? d->principal : "test"),
		.scopes = d->scopes, .deadline_ns = clock_ns() + d->budget_ms * CLOCK_MS,
		.progress = d->progress, .request_id = SPAN("test-request"), .answers = SPAN("\x80")
	};

	/* What clients cannot call is asked for by the first worker that may. */
	if (d->asker_set)
		msg.asker = d->asker;
	else if (row != NULL && row->toolset == POLICY_TOOLSET_INNER)
		msg.asker = (row->askers & POLICY_ASKER_MEMORY) != 0 ? IPC_MEMORY :
		    (row->askers & POLICY_ASKER_SEARCH) != 0         ? IPC_SEARCH :
								       IPC_AGENT;
	/* As the front does; what is in it is nobody's business but the front's. */
	if (row != NULL && policy_tool_goes_on(row))
		msg.ticket = SPAN("a ticket");
	peer_must(w != NULL && d->nfronts > 0, "attach first");
	to_mp(args_json, &args);
	msg.args = buf_view(&args);
	if (d->proof.len > 0)
		msg.proof = d->proof;
	else if (row == NULL || row->toolset == POLICY_TOOLSET_LOCAL) {
		uint64_t nonce[2] = { ++d->nonce, (uint64_t)getpid() };

		proof_make(driver_local_key, &(struct proof_call){ msg.tool, msg.connection, msg.args }, clock_ns(),
		    (const uint8_t *)nonce, proof);
		msg.proof = span_of(proof, sizeof(proof));
	}
	w->id = ++d->next_id;
	w->front = d->current;
	w->next = d->calls;
	d->calls = w;
	if (d->fronts[d->current].fd == -1)
		conclude(w, DRIVER_LOST);
	else
		peer_must(driver_send(d, IPC_MSG_CALL, w->id, &msg) == 0, "the call breaks its own table");
	buf_fini(&args);
	return w->id;
}

static bool
answered(struct driver *d, void *arg)
{
	(void)d;
	return ((struct waiting *)arg)->answer.kind != DRIVER_OPEN;
}

const struct driver_answer *
driver_wait(struct driver *d, uint64_t id)
{
	struct waiting *w = find_call(d, id);

	(void)driver_until(d, answered, w);
	return &w->answer;
}

const struct driver_answer *
driver_peek(struct driver *d, uint64_t id)
{
	driver_pump(d, 0);
	return &find_call(d, id)->answer;
}

const struct driver_answer *
driver_call(struct driver *d, const char *tool, const char *connection, const char *args_json)
{
	return driver_wait(d, driver_start(d, tool, connection, args_json));
}

void
driver_cancel(struct driver *d, uint64_t id)
{
	(void)driver_send(d, IPC_MSG_CANCEL, id, &(struct ipc_cancel){ .queued = 0 });
}

void
driver_take_back(struct driver *d, uint64_t id)
{
	(void)driver_send(d, IPC_MSG_CANCEL, id, &(struct ipc_cancel){ .queued = 1 });
}

void
driver_credit(struct driver *d, uint64_t id, unsigned chunks)
{
	(void)driver_send(d, IPC_MSG_CREDIT, id, &(struct ipc_credit){ .chunks = chunks });
}

/* --- sub-calls -------------------------------------------------------------------------------- */

void
driver_set_subcall(struct driver *d, driver_on_subcall *handler, void *arg)
{
	d->on_subcall = handler;
	d->subcall_arg = arg;
}

void
driver_sub_rows(struct driver *d, uint64_t id, const char *rows_json)
{
	struct buf rows = { .max = 0 };

	to_mp(rows_json, &rows);
	(void)driver_send(d, IPC_MSG_ROWS, id, &(struct ipc_rows){ .rows = buf_view(&rows) });
	buf_fini(&rows);
}

void
driver_sub_progress(struct driver *d, uint64_t id, unsigned permille, const char *message)
{
	(void)driver_send(d, IPC_MSG_PROGRESS, id,
	    &(struct ipc_progress){ .permille = permille, .message = span_str(message) });
}

void
driver_sub_result(struct driver *d, uint64_t id, const char *head_json)
{
	struct buf head = { .max = 0 };

	to_mp(head_json, &head);
	(void)driver_send(d, IPC_MSG_RESULT, id,
	    &(struct ipc_result){ .head = buf_view(&head), .tail = SPAN("\x80"), .content = SPAN("\x90") });
	buf_fini(&head);
}

void
driver_sub_fail(struct driver *d, uint64_t id, enum err_code code, const char *message)
{
	(void)driver_send(d, IPC_MSG_FAIL, id,
	    &(struct ipc_fail){ .code = code, .message = span_str(message), .details = SPAN("\x80") });
}

unsigned
driver_sub_credit(struct driver *d)
{
	return d->sub_credit;
}

bool
driver_sub_cancelled(struct driver *d)
{
	return d->sub_cancelled;
}

void
driver_set_budget(struct driver *d, unsigned ms)
{
	d->budget_ms = ms;
}

const uint8_t driver_local_key[PROOF_KEY] = "the owner's key";

void
driver_set_proof(struct driver *d, struct span proof)
{
	d->proof = proof;
}

void
driver_set_asker(struct driver *d, unsigned asker)
{
	d->asker = asker;
	d->asker_set = true;
}

void
driver_set_principal(struct driver *d, const char *principal)
{
	d->principal = principal;
}

void
driver_set_scopes(struct driver *d, uint32_t scopes)
{
	d->scopes = scopes;
}

void
driver_set_progress(struct driver *d, bool wanted)
{
	d->progress = wanted;
}

void
driver_set_credit(struct driver *d, bool automatic)
{
	d->credit = automatic;
}

void
driver_free_calls(struct driver *d)
{
	struct waiting *w;

	while ((w = d->calls) != NULL) {
		d->calls = w->next;
		buf_fini(&w->rows);
		buf_fini(&w->progress);
		buf_fini(&w->result);
		buf_fini(&w->message);
		buf_fini(&w->details);
		buf_fini(&w->next_call);
		free(w);
	}
	for (unsigned i = 0; i < d->nfronts; i++)
		channel_fini(&d->fronts[i]);
}
