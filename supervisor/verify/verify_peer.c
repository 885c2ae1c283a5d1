#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "base/json/json_put.h"
#include "base/system/clock.h"
#include "base/mp.h"
#include "policy/proof.h"
#include "supervisor/verify/verify.h"
#include "supervisor/verify/verify_peer.h"
#include "ipc/control.h"
#include "policy/profiles.h"

#define ANSWER_NS	(5 * CLOCK_SECOND)	/* to be refused takes no longer */
#define CONNECTION	"verify"

/* The running process and what it said on its control channel. */
struct peer_session {
	struct trial	*t;
	struct buf	 tools;
	int		 also;		/* a descriptor that is waited for as well; -1: none */
	bool		 ready, gone;
	uint64_t	 complained;	/* the generation it complained about last; 0: none */
};

static bool
session_heard(void *arg, const struct ipc_frame *f, const union ipc_any *msg)
{
	struct peer_session *s = arg;

	switch (f->type) {
	case IPC_MSG_TOOLS:
		buf_reset(&s->tools, SIZE_MAX);
		buf_span(&s->tools, msg->tools.tools);
		break;
	case IPC_MSG_READY:
		s->ready = true;
		break;
	case IPC_MSG_UNABLE:
		snprintf(s->t->why, sizeof(s->t->why), "%.*s", SPAN_FMT(msg->unable.reason));
		break;
	case IPC_MSG_COMPLAINT:
		s->complained = msg->complaint.generation;
		break;
	default:
		break;
	}
	return true;
}

static const struct process_hooks session_hooks = { .frame = session_heard };

/* Wait a moment for the process's control channel, its log and fd (-1: none), and read the first two. */
static void
verify_peer_look(struct peer_session *s, int fd)
{
	s->gone = !process_look(&s->t->process, (const int[]){ fd, s->also }, 100) || s->gone;
}

static bool
start_once(struct peer_session *s)
{
	const uint64_t end = clock_ns() + CONTRACT_READY_MS * CLOCK_MS;

	s->ready = s->gone = false;
	if (trial_start(s->t, &session_hooks, s) != 0)
		return false;
	while (!s->ready && !s->gone && clock_ns() < end)
		verify_peer_look(s, -1);
	return s->ready;
}

/* Running and confined, if need be without its database. */
static bool
verify_peer_start(struct peer_session *s, const struct standins *standins)
{
	if (start_once(s))
		return true;
	trial_end(s->t);
	return trial_without_database(s->t, standins) && start_once(s);
}

/* Give the process a channel; returns our end, or -1. */
static int
give_channel(struct peer_session *s, const struct ipc_attach *attach)
{
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
		return -1;
	r = control_send(s->t->process.control, IPC_MSG_ATTACH, attach, ends[0]);
	close(ends[0]);
	if (r == 0)
		return ends[1];
	close(ends[1]);
	return -1;
}

struct peer_heard {
	bool		answered;	/* with FAIL and this code, or as honest words are: ERR_NONE */
	enum err_code	code;
	bool		cut;		/* the channel was closed */
};

static const char *
heard_text(const struct peer_heard *h)
{
	return h->answered ? h->code == ERR_NONE ? "served" : err_name(h->code) : h->cut ? "cut off" : "no answer";
}

/* The next frame with this id that ends something; others are passed over. */
static struct peer_heard
await(struct peer_session *s, struct channel *ch, uint64_t id)
{
	const uint64_t end = clock_ns() + ANSWER_NS;
	struct ipc_frame f;
	struct ipc_fail fail;

	while (clock_ns() < end && !s->gone) {
		enum channel_status status;

		(void)channel_flush(ch);
		verify_peer_look(s, ch->fd);
		(void)channel_read(ch);
		while ((status = channel_next(ch, &f)) == CHANNEL_FRAME) {
			if (f.id != id || f.type == IPC_MSG_PROGRESS || f.type == IPC_MSG_NOTICE)
				continue;
			if (f.type != IPC_MSG_FAIL || !channel_unpack(ch, &f, &fail, sizeof(fail)))
				return (struct peer_heard){ .answered = true, .code = ERR_NONE };
			return (struct peer_heard){ .answered = true, .code = (enum err_code)fail.code };
		}
		if (status != CHANNEL_MORE)
			return (struct peer_heard){ .cut = true };
	}
	return (struct peer_heard){ .cut = s->gone };
}

static enum policy_judgement
say_line(const struct trial *t, const char *process, const char *at, const struct hostile *h, const char *tool,
    const struct peer_heard *heard)
{
	bool held = h->end == HOSTILE_CUT ? heard->cut : heard->answered && heard->code == ERR_SCOPE_DENIED;
	enum policy_judgement judgement = held ? POLICY_REFUSED : POLICY_FAILED;
	struct buf what = { 0 };
	const char *gap = strstr(h->what, "%s");

	buf_append(&what, h->what, gap != NULL ? (size_t)(gap - h->what) : strlen(h->what));
	if (gap != NULL) {
		buf_str(&what, tool);
		buf_str(&what, gap + 2);
	}
	verify_print(&(struct verify_line){ .process = process, .act = h->name, .what = buf_cstr(&what), .at = at,
	    .expected = hostile_end_name(h->end), .outcome = heard_text(heard), .note = t->note,
	    .judgement = judgement });
	buf_fini(&what);
	return judgement;
}

/* Prints that no message was sent, because their receiver did not start. */
static void
say_unheard(const struct trial *t, const char *process, const char *at, const char *why,
    enum policy_judgement judgement)
{
	char outcome[320];

	snprintf(outcome, sizeof(outcome), "%s%s", judgement == POLICY_FAILED ? "it could not be started: " : "", why);
	verify_print(&(struct verify_line){ .process = process, .act = "WORDS",
	    .what = "say anything hostile to its peers", .at = at, .expected = "", .outcome = outcome,
	    .note = t->note, .judgement = judgement });
}

static const uint8_t other_map[] = { 0x81, 0xa1, 'x', 0x01 };

struct peer_words {
	struct peer_session		*s;
	struct channel		 ch;
	enum ipc_role		 role;		/* the worker's */
	uint64_t		 id;
	uint8_t			 proof[PROOF_SIZE];
};

static struct peer_heard
verify_peer_call(struct peer_words *w, const struct policy_tool *tool, uint64_t scopes, unsigned asker, bool proved)
{
	struct ipc_call m = {
		.tool = span_str(tool->name), .connection = span_str(w->s->t->connection), .principal = SPAN("verify"),
		.scopes = scopes, .asker = asker, .deadline_ns = clock_ns() + ANSWER_NS, .request_id = SPAN("verify"),
		.proof = proved ? span_of(w->proof, sizeof(w->proof)) : SPAN_NONE,
		.answers = MP_EMPTY_MAP, .args = MP_EMPTY_MAP,
	};

	if (channel_send(&w->ch, IPC_MSG_CALL, ++w->id, &m) != 0)
		return (struct peer_heard){ .answered = false };
	return await(w->s, &w->ch, w->id);
}

enum proof_by { BY_OWNER, BY_FRONT, BY_OTHER };

static void
verify_peer_prove(struct peer_words *w, enum proof_by by, const char *tool, struct span args, uint64_t at_ns)
{
	const struct supervisor *sup = w->s->t->sup;
	const enum ipc_role other = w->role == IPC_SEARCH ? IPC_MEMORY : IPC_SEARCH;
	uint8_t key[PROOF_KEY], nonce[PROOF_NONCE];

	if (by == BY_FRONT)
		keys_derive(sup->root_key, KEYS_FRONT, key, sizeof(key));
	else
		keys_derive_local(sup->local_root, ipc_role_name(by == BY_OWNER ? w->role : other), key, sizeof(key));
	randombytes_buf(nonce, sizeof(nonce));
	proof_make(key, &(struct proof_call){ span_str(tool), span_str(w->s->t->connection), args }, at_ns, nonce,
	    w->proof);
	sodium_memzero(key, sizeof(key));
}

/* Tries every role without permission for the tool; returns the first that is not refused. */
static struct peer_heard
call_for_strangers(struct peer_words *w, const struct policy_tool *tool)
{
	struct peer_heard heard = { .answered = true, .code = ERR_SCOPE_DENIED };

	for (unsigned asker = IPC_FRONT; asker < IPC_ROLE_ALL && heard.answered && heard.code == ERR_SCOPE_DENIED;
	     asker <<= 1)
		if (!policy_tool_askable(tool, (enum ipc_role)asker, UINT32_MAX))
			heard = verify_peer_call(w, tool, UINT32_MAX, asker, false);
	return heard;
}

static struct peer_heard
say_to_worker(struct peer_words *w, const struct hostile *h, const struct policy_tool *tool)
{
	const uint64_t now = clock_ns();
	struct peer_heard heard;

	switch (h->number) {
	case HOSTILE_NO_PROOF:
		return verify_peer_call(w, tool, UINT32_MAX, 0, false);
	case HOSTILE_FRONTS_PROOF:
		verify_peer_prove(w, BY_FRONT, tool->name, MP_EMPTY_MAP, now);
		break;
	case HOSTILE_OTHERS_PROOF:
		verify_peer_prove(w, BY_OTHER, tool->name, MP_EMPTY_MAP, now);
		break;
	case HOSTILE_MOVED_PROOF:
		verify_peer_prove(w, BY_OWNER, "another_tool", MP_EMPTY_MAP, now);
		break;
	case HOSTILE_ARGS_CHANGED:
		verify_peer_prove(w, BY_OWNER, tool->name, span_of(other_map, sizeof(other_map)), now);
		break;
	case HOSTILE_OLD_PROOF:
		verify_peer_prove(w, BY_OWNER, tool->name, MP_EMPTY_MAP,
		    now > PROOF_AGE_NS ? now - PROOF_AGE_NS - 1 : 0);
		break;
	case HOSTILE_USED_PROOF:
		verify_peer_prove(w, BY_OWNER, tool->name, MP_EMPTY_MAP, now);
		heard = verify_peer_call(w, tool, UINT32_MAX, 0, true);
		/* A proof that is refused at first shows nothing when it is refused again. */
		if (!heard.answered || heard.code == ERR_SCOPE_DENIED)
			return (struct peer_heard){
				.answered = heard.answered, .code = ERR_INTERNAL, .cut = heard.cut
			};
		break;
	case HOSTILE_NO_SCOPE:
		return verify_peer_call(w, tool, 0, 0, false);
	case HOSTILE_INNER_TOOL:
		return verify_peer_call(w, tool, UINT32_MAX, 0, false);
	default:
		return call_for_strangers(w, tool);
	}
	return verify_peer_call(w, tool, UINT32_MAX, 0, true);
}

static bool
say_all_to_worker(struct peer_words *w, const struct policy_profile *p)
{
	const struct trial *t = w->s->t;
	bool all = true;

	for (const struct hostile *h = hostile_rows; h->number != 0; h++)
		for (size_t i = 0; h->hearer == HOSTILE_TO_WORKER && i < policy_ntools; i++) {
			const struct policy_tool *tool = &policy_tools[i];
			struct peer_heard heard;

			if (!hostile_concerns(h, tool, w->role))
				continue;
			/* The tool would run, and has nothing to run on. */
			if (h->number == HOSTILE_USED_PROOF && t->unconnected) {
				verify_print(&(struct verify_line){ .process = "front", .act = h->name,
				    .what = "use a proof twice", .at = p->name, .expected = hostile_end_name(h->end),
				    .outcome = "no database is connected", .note = t->note,
				    .judgement = POLICY_NOT_TRIED });
				continue;
			}
			heard = say_to_worker(w, h, tool);
			all = say_line(t, "front", p->name, h, tool->name, &heard) != POLICY_FAILED && all;
		}
	return all;
}

bool
verify_worker(struct trial *t, const struct policy_profile *p, const struct standins *standins,
    struct verify_tools *tools)
{
	struct peer_session s = { .t = t, .also = -1 };
	struct peer_words w = { .s = &s, .role = hostile_role(p) };
	struct buf *announced = &tools->of[ipc_role_index(t->process.role)];
	bool all = false;
	const struct ipc_attach attach = { .kind = IPC_ATTACH_DATA, .role = IPC_FRONT, .generation = 1,
		.pid = (uint64_t)getpid(), .connection = span_str(t->connection) };
	int fd;

	if (verify_peer_start(&s, standins) && (fd = give_channel(&s, &attach)) >= 0) {
		channel_init(&w.ch, fd, IPC_FRONT, t->process.role, 1);
		buf_reset(announced, SIZE_MAX);
		buf_span(announced, buf_view(&s.tools));
		all = say_all_to_worker(&w, p);
		channel_fini(&w.ch);
	} else
		say_unheard(t, "front", p->name, t->why, POLICY_FAILED);
	trial_end(t);
	buf_fini(&s.tools);
	return all;
}

static const char *
process_name(unsigned peer)
{
	return hostile_profile(hostile_peers[peer].role)->name;
}

/* The first peer of those that may have tools called, or of those that may not. */
static unsigned
peer_that(bool asks)
{
	unsigned i = 0;

	while ((hostile_peers[i].tool != NULL) != asks)
		i++;
	return i;
}

/* A tool that the role may have called. */
static const char *
tool_for(enum ipc_role role)
{
	size_t i = 0;

	while (i + 1 < policy_ntools && !policy_tool_askable(&policy_tools[i], role, UINT32_MAX))
		i++;
	return policy_tools[i].name;
}

struct play {
	struct peer_session	*s;
	struct channel	 ch[HOSTILE_PEERS];
	struct channel	 auth;		/* carrel-auth, which is honest here */
	int		 client;
	struct buf	 in;		/* lines for the client */
	uint64_t	 request, sub;
};

static bool
client_says(struct play *p, const char *method, struct span params)
{
	struct buf line = { 0 };
	bool sent;

	json_put_object(&line, NULL);
	json_put_cstr(&line, "jsonrpc", "2.0");
	json_put_uint(&line, "id", ++p->request);
	json_put_cstr(&line, "method", method);
	json_put_object(&line, "params");
	json_put_members(&line, params);
	json_end_object(&line);
	json_end_object(&line);
	buf_byte(&line, '\n');
	sent = send(p->client, line.p, line.len, MSG_NOSIGNAL) == (ssize_t)line.len;
	buf_fini(&line);
	return sent;
}

static bool
client_greets(struct play *p)
{
	struct buf params = { 0 };
	bool sent;

	json_put_cstr(&params, "client", "cli");
	sent = client_says(p, "carrel/hello", buf_view(&params));
	buf_fini(&params);
	return sent;
}

static bool
client_calls(struct play *p, unsigned peer)
{
	struct buf params = { 0 };
	bool sent;

	json_put_cstr(&params, "name", hostile_peers[peer].tool);
	json_put_object(&params, "arguments");
	if (hostile_peers[peer].ontology != NULL)
		json_put_cstr(&params, "ontologyId", hostile_peers[peer].ontology);
	if (hostile_peers[peer].question != NULL)
		json_put_cstr(&params, "question", hostile_peers[peer].question);
	json_end_object(&params);
	json_put_object(&params, "_meta");
	json_put_cstr(&params, "io.modelcontextprotocol/protocolVersion", "2026-07-28");
	json_put_object(&params, "io.modelcontextprotocol/clientCapabilities");
	json_end_object(&params);
	json_put_object(&params, "io.modelcontextprotocol/clientInfo");
	json_put_cstr(&params, "name", "verify");
	json_put_cstr(&params, "version", "1");
	json_end_object(&params);
	json_end_object(&params);
	sent = client_says(p, "tools/call", buf_view(&params));
	buf_fini(&params);
	return sent;
}

/* The front answers after the entry is on record. */
static void
put_on_record(struct play *p)
{
	static const struct ipc_audited written = { .written = 1 };
	static const struct ipc_admitted granted = { .admission = IPC_ADMISSION_GRANTED };
	struct ipc_frame f;

	(void)channel_read(&p->auth);
	while (channel_next(&p->auth, &f) == CHANNEL_FRAME)
		if (f.type == IPC_MSG_AUDIT)
			(void)channel_send(&p->auth, IPC_MSG_AUDITED, f.id, &written);
		else if (f.type == IPC_MSG_ADMIT)
			(void)channel_send(&p->auth, IPC_MSG_ADMITTED, f.id, &granted);
	(void)channel_flush(&p->auth);
}

/* The id of the CALL that comes to this peer; 0: none does. */
static uint64_t
await_call(struct play *p, unsigned peer)
{
	const uint64_t end = clock_ns() + ANSWER_NS;
	struct channel *ch = &p->ch[peer];
	struct ipc_frame f;

	while (clock_ns() < end && !p->s->gone) {
		verify_peer_look(p->s, ch->fd);
		put_on_record(p);
		(void)channel_read(ch);
		while (channel_next(ch, &f) == CHANNEL_FRAME)
			if (f.type == IPC_MSG_CALL)
				return f.id;
	}
	return 0;
}

/* Reads the client's next line other than progress: whether the line says that a scope is missing. */
static struct peer_heard
await_line(struct play *p)
{
	const uint64_t end = clock_ns() + ANSWER_NS;
	uint8_t *newline;

	while (clock_ns() < end && !p->s->gone) {
		while ((newline = p->in.len > 0 ? memchr(p->in.p, '\n', p->in.len) : NULL) != NULL) {
			size_t len = (size_t)(newline - p->in.p) + 1;
			bool is_answer = memmem(p->in.p, len, "\"id\":", 5) != NULL;
			bool denied = memmem(p->in.p, len, "scope_denied", 12) != NULL;

			buf_consume(&p->in, len);
			if (is_answer)
				return (struct peer_heard){ .answered = true,
					.code = denied ? ERR_SCOPE_DENIED : ERR_NONE };
		}
		verify_peer_look(p->s, p->client);
		put_on_record(p);
		{
			ssize_t n = recv(p->client, buf_reserve(&p->in, 65536), 65536, MSG_DONTWAIT);

			if (n == 0)
				return (struct peer_heard){ .cut = true };
			p->in.len += n > 0 ? (size_t)n : 0;
		}
	}
	return (struct peer_heard){ .cut = p->s->gone };
}

static void
end_call(struct play *p, unsigned peer, uint64_t id)
{
	struct ipc_fail fail = {
		.code = ERR_BUSY, .message = SPAN("verify"), .details = MP_EMPTY_MAP
	};

	(void)channel_send(&p->ch[peer], IPC_MSG_FAIL, id, &fail);
	(void)channel_flush(&p->ch[peer]);
	(void)await_line(p);
}

static struct peer_heard
subcall(struct play *p, unsigned peer, uint64_t parent, struct span ticket, const char *tool)
{
	struct ipc_subcall m = { .parent = parent, .ticket = ticket, .tool = span_str(tool),
		.connection = SPAN(CONNECTION), .deadline_ns = clock_ns() + ANSWER_NS,
		.args = MP_EMPTY_MAP };
	uint64_t id = IPC_SUB | ++p->sub;

	if (channel_send(&p->ch[peer], IPC_MSG_SUBCALL, id, &m) != 0)
		return (struct peer_heard){ .answered = false };
	return await(p->s, &p->ch[peer], id);
}

/* Each continuation ends its call, so each needs a call of its own. */
static struct peer_heard
continue_with(struct play *p, unsigned peer, const char *tool)
{
	struct ipc_continue_with m = { .tool = span_str(tool), .connection = SPAN(CONNECTION),
		.args = MP_EMPTY_MAP, .head = MP_EMPTY_MAP };
	uint64_t id;

	if (!client_calls(p, peer) || (id = await_call(p, peer)) == 0 ||
	    channel_send(&p->ch[peer], IPC_MSG_CONTINUE, id, &m) != 0)
		return (struct peer_heard){ .answered = false };
	(void)channel_flush(&p->ch[peer]);
	return await_line(p);
}

/* The front ends that channel, complains about that worker, and takes the next call as before. */
static struct peer_heard
ask_as_nobody(struct play *p)
{
	const uint64_t end = clock_ns() + ANSWER_NS;
	const unsigned nobody = peer_that(false), other = peer_that(true);
	struct peer_heard heard;
	uint64_t id;

	/* Under its own role the table of messages would refuse to send it. */
	p->ch[nobody].self = hostile_peers[other].role;
	heard = subcall(p, nobody, 1, SPAN_NONE, tool_for(hostile_peers[other].role));
	while (heard.cut && p->s->complained != nobody + 1 && clock_ns() < end && !p->s->gone)
		verify_peer_look(p->s, -1);
	if (!heard.cut || p->s->complained != nobody + 1)
		return (struct peer_heard){ .answered = heard.answered, .code = heard.code };
	if (!client_calls(p, other) || (id = await_call(p, other)) == 0)
		return (struct peer_heard){ .answered = false };
	end_call(p, other, id);
	return heard;
}

static bool
say_subcalls(struct play *p, unsigned peer, const struct hostile *h)
{
	const enum ipc_role role = hostile_peers[peer].role;
	uint64_t parent = client_calls(p, peer) ? await_call(p, peer) : 0;
	bool all = true;

	for (size_t i = 0; i < policy_ntools; i++) {
		struct peer_heard heard = { .answered = false };

		if (!hostile_concerns(h, &policy_tools[i], role))
			continue;
		if (parent != 0)
			heard = subcall(p, peer, parent, SPAN_NONE, policy_tools[i].name);
		all =
		    say_line(p->s->t, process_name(peer), "front", h, policy_tools[i].name, &heard) != POLICY_FAILED &&
		    all;
	}
	end_call(p, peer, parent);
	return all;
}

static bool
say_row(struct play *p, unsigned peer, const struct hostile *h)
{
	const enum ipc_role role = hostile_peers[peer].role;
	uint8_t forged[64];
	struct peer_heard heard;
	bool all = true;

	if (h->number == HOSTILE_SUBCALL)
		return hostile_peers[peer].tool == NULL || say_subcalls(p, peer, h);
	for (size_t i = 0; h->number == HOSTILE_CONTINUE && i < policy_ntools; i++) {
		if (!hostile_concerns(h, &policy_tools[i], role))
			continue;
		heard = continue_with(p, peer, policy_tools[i].name);
		all =
		    say_line(p->s->t, process_name(peer), "front", h, policy_tools[i].name, &heard) != POLICY_FAILED &&
		    all;
	}
	if (h->number == HOSTILE_CONTINUE || !hostile_concerns(h, NULL, role))
		return all;
	if (h->number == HOSTILE_TICKET) {
		randombytes_buf(forged, sizeof(forged));
		heard = subcall(p, peer, 0, span_of(forged, sizeof(forged)), tool_for(role));
	} else
		heard = ask_as_nobody(p);
	return say_line(p->s->t, process_name(peer), "front", h, "", &heard) != POLICY_FAILED;
}

/* Send what the supervisor would: tools, peers, and a client of the owner's. */
static bool
furnish(struct play *p, const struct verify_tools *tools)
{
	int control = p->s->t->process.control;

	for (unsigned i = 0; i < HOSTILE_PEERS; i++) {
		struct ipc_attach attach = { .kind = IPC_ATTACH_DATA, .role = hostile_peers[i].role,
			.generation = i + 1, .pid = (uint64_t)getpid(),
			.connection = ipc_role_is_pooled(hostile_peers[i].role) ? SPAN(CONNECTION) : SPAN("") };
		const struct buf *offer = &tools->of[ipc_role_index(hostile_peers[i].role)];
		int fd;

		if (offer->len == 0 ||
		    control_send(control, IPC_MSG_OFFER,
			&(struct ipc_offer){ .role = hostile_peers[i].role, .tools = buf_view(offer) }, -1) != 0 ||
		    (fd = give_channel(p->s, &attach)) < 0)
			return false;
		channel_init(&p->ch[i], fd, hostile_peers[i].role, IPC_FRONT, i + 1);
	}
	if ((p->s->also = give_channel(p->s, &(struct ipc_attach){ .kind = IPC_ATTACH_DATA, .role = IPC_AUTH,
	    .generation = HOSTILE_PEERS + 2, .pid = (uint64_t)getpid() })) < 0)
		return false;
	channel_init(&p->auth, p->s->also, IPC_AUTH, IPC_FRONT, HOSTILE_PEERS + 2);
	p->client = give_channel(p->s,
	    &(struct ipc_attach){ .kind = IPC_ATTACH_CLIENT, .generation = HOSTILE_PEERS + 1, .uid = geteuid() });
	return p->client >= 0 && control_send(control, IPC_MSG_SERVE, &(struct ipc_serve){ .unused = 0 }, -1) == 0 &&
	    client_greets(p) && await_line(p).answered;
}

bool
verify_front(struct trial *t, const struct standins *standins, const struct verify_tools *tools)
{
	struct peer_session s = { .t = t, .also = -1 };
	struct play p = {
		.s = &s, .client = -1, .auth = { .fd = -1 }
	};
	bool all = true;

	for (unsigned i = 0; i < HOSTILE_PEERS; i++)
		p.ch[i].fd = -1;
	/* A connection that needs no database: who answers for it is played. */
	t->stand_in = *t->sup->cfg;
	t->only = standin_connection(standins, drivers_at(DRIVER_FILE));
	t->stand_in.nconnections = 1;
	t->stand_in.connections = &t->only;
	t->cfg = &t->stand_in;
	if (start_once(&s) && furnish(&p, tools)) {
		for (const struct hostile *h = hostile_rows; h->number != 0; h++)
			for (unsigned i = 0; h->hearer == HOSTILE_TO_FRONT && i < HOSTILE_PEERS; i++)
				all = say_row(&p, i, h) && all;
	} else {
		say_unheard(t, process_name(0), "front",
		    s.ready ? "a worker announced no tools, or the front took no client" : t->why,
		    s.ready ? POLICY_NOT_TRIED : POLICY_FAILED);
		all = s.ready;
	}
	for (unsigned i = 0; i < HOSTILE_PEERS; i++)
		if (p.ch[i].fd >= 0)
			channel_fini(&p.ch[i]);
	if (p.auth.fd >= 0)
		channel_fini(&p.auth);
	if (p.client >= 0)
		close(p.client);
	trial_end(t);
	buf_fini(&p.in);
	buf_fini(&s.tools);
	return all;
}
