#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system/log.h"
#include "base/mem.h"
#include "supervisor/children.h"
#include "supervisor/post.h"
#include "ipc/control.h"

static void
drop_outgoing(struct child *c, struct outgoing *o)
{
	TAILQ_REMOVE(&c->out, o, entry);
	c->nout--;
	c->out_bytes -= o->body.len;
	if (o->pass >= 0)
		close(o->pass);
	buf_wipe(&o->body);
	free(o);
}

void
post_drop(struct child *c)
{
	struct outgoing *o;

	while ((o = TAILQ_FIRST(&c->out)) != NULL)
		drop_outgoing(c, o);
}

static void
post_enqueue(struct child *c, unsigned type, struct span body, int pass)
{
	struct outgoing *o;

	if (c->nout == SUPERVISOR_OUT_MAX || c->out_bytes + body.len > SUPERVISOR_OUT_BYTES) {
		log_error("%s does not read its control channel", c->label);
		child_kill(c, DEATH_BY_WATCHDOG);
		return;
	}
	o = mem_new(1, sizeof(*o));
	o->type = type;
	o->pass = pass >= 0 ? fcntl(pass, F_DUPFD_CLOEXEC, 3) : -1;
	buf_span(&o->body, body);
	TAILQ_INSERT_TAIL(&c->out, o, entry);
	c->nout++;
	c->out_bytes += body.len;
	event_add(c->on_writable, NULL);
}

static void
post_packed(struct child *c, unsigned type, struct span body, int pass)
{
	if (c->process.pid < 0 || c->process.killed_by != DEATH_BY_OTHERS || c->process.hung_up)
		return; /* its end is on the way */
	if (c->nout == 0 && control_send_packed(c->process.control, type, body, pass) == 0)
		return;
	if (c->nout > 0 || errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS)
		post_enqueue(c, type, body, pass);
	else if (errno != EPIPE && errno != ECONNRESET)
		log_error("%s cannot be sent %s: error %d", c->label, ipc_type_name(type), errno);
}

void
post(struct child *c, unsigned type, const void *msg, int pass)
{
	struct buf body = BUF_MAX(IPC_CONTROL_MAX);

	if (ipc_pack(type, msg, &body) == 0)
		post_packed(c, type, buf_view(&body), pass);
	else
		log_error("a %s for %s breaks its own table", ipc_type_name(type), c->label);
	buf_wipe(&body);
}

void
post_continue(struct child *c)
{
	struct outgoing *o;

	while ((o = TAILQ_FIRST(&c->out)) != NULL) {
		if (control_send_packed(c->process.control, o->type, buf_view(&o->body), o->pass) != 0 &&
		    errno == EAGAIN) {
			event_add(c->on_writable, NULL);
			return;
		}
		drop_outgoing(c, o);
	}
}
