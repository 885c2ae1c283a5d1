/* front_auth.c - see front_auth.h. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json_write.h"
#include "base/mp.h"
#include "tests/support/peer.h"
#include "tests/unit/front_auth.h"

static const struct played_token *
token_of(const struct played_auth *a, struct span text)
{
	for (unsigned i = 0; i < a->ntokens; i++)
		if (span_is_str(text, a->tokens[i].text))
			return &a->tokens[i];
	return NULL;
}

static void
verify(struct played_auth *a, const struct ipc_frame *frame, const struct ipc_verify *m)
{
	const struct played_token *t = token_of(a, m->secret);
	struct ipc_verified answer = { .verdict = IPC_VERDICT_INVALID };
	char principal[64] = "";

	if (t != NULL) {
		if (t->principal != NULL)
			snprintf(principal, sizeof(principal), "%s", t->principal);
		else
			snprintf(principal, sizeof(principal), "token:%.8s", t->text + 7);
		answer = (struct ipc_verified){
			.verdict = t->verdict != 0 ? t->verdict : IPC_VERDICT_GOOD, .scopes = t->scopes,
			.may = t->may, .keep_ms = t->keep_ms, .expires_unix_ms = t->expires_unix_ms,
			.principal = span_str(principal),
		};
	}
	channel_send(&a->ch, IPC_MSG_VERIFIED, frame->id, &answer);
}

static void
admit(struct played_auth *a, const struct ipc_frame *frame)
{
	unsigned admission = a->admission;

	channel_send(&a->ch, IPC_MSG_ADMITTED, frame->id, &(struct ipc_admitted){
	    .admission = admission != 0 ? admission : IPC_ADMISSION_GRANTED, .retry_after_s = a->retry_after,
	    .limit = a->limit, .remaining = a->remaining, .reset_s = a->limit != 0 ? 42 : 0 });
}

static void
note_entry(struct played_auth *a, struct span entry)
{
	struct buf text = { .max = sizeof(a->entry) - 1 };
	struct mp_value v;

	if (mp_value(entry, &v))
		json_write(&text, &v);
	snprintf(a->entry, sizeof(a->entry), "%.*s", SPAN_FMT(buf_view(&text)));
	buf_fini(&text);
}

static void
auth_serve(struct played_auth *a, const struct ipc_frame *frame)
{
	union ipc_any m;

	if (!channel_unpack_any(&a->ch, frame, &m))
		return;
	switch (frame->type) {
	case IPC_MSG_VERIFY:
		a->last_id = frame->id;
		a->verifies++;
		if (!a->silent)
			verify(a, frame, &m.verify);
		break;
	case IPC_MSG_ADMIT:
		if (m.admit.held != 0) {
			a->held++;
			break;
		}
		a->last_id = frame->id;
		a->sql += m.admit.class == IPC_CLASS_SQL;
		a->admits++;
		if (!a->silent)
			admit(a, frame);
		break;
	case IPC_MSG_RELEASE:
		a->releases++;
		break;
	case IPC_MSG_FAILURE:
		snprintf(a->address, sizeof(a->address), "%.*s", SPAN_FMT(m.failure.address));
		a->failures++;
		break;
	case IPC_MSG_AUDIT:
		a->audits++;
		a->audits_again += m.audit.again != 0;
		note_entry(a, m.audit.entry);
		if (!a->unrecorded)
			channel_send(&a->ch, IPC_MSG_AUDITED, frame->id,
			    &(struct ipc_audited){
				.written = !a->unwritable, .reason = span_str(a->unwritable ? "full" : "") });
		break;
	case IPC_MSG_ENDED:
		a->last_ended = m.ended;
		a->ended++;
		break;
	default:
		if (a->other != NULL)
			a->other(a, frame, &m);
		break;
	}
}

static void *
auth_run(void *arg)
{
	struct played_auth *a = arg;
	struct ipc_frame frame;
	bool over = false;

	while (!over) {
		struct pollfd p = { a->ch.fd, POLLIN, 0 };

		poll(&p, 1, 20);
		pthread_mutex_lock(&a->lock);
		if ((p.revents & (POLLIN | POLLHUP)) != 0) {
			over = channel_read(&a->ch) == CHANNEL_CLOSED;
			while (channel_next(&a->ch, &frame) == CHANNEL_FRAME)
				auth_serve(a, &frame);
			peer_flush(&a->ch);
		}
		over |= a->stopping;
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

void
auth_start(struct rig *r)
{
	struct played_auth *a = r->auth;
	int other;

	if (a == NULL) {
		a = r->auth = calloc(1, sizeof(*a));
		pthread_mutex_init(&a->lock, NULL);
	}
	other = peer_channel(&a->ch, IPC_AUTH, IPC_FRONT, 1);
	rig_attach(r, IPC_AUTH, other);
	close(other);
	a->stopping = false;
	assert_int_equal(pthread_create(&a->thread, NULL, auth_run, a), 0);
	auth_say(r, IPC_MSG_CONNECTIVITY, 0, &(struct ipc_connectivity){ .enabled = 1 });
}

void
auth_token(struct rig *r, const struct played_token *t)
{
	struct played_auth *a = r->auth;

	pthread_mutex_lock(&a->lock);
	assert_true(a->ntokens < PLAYED_TOKENS);
	a->tokens[a->ntokens++] = *t;
	pthread_mutex_unlock(&a->lock);
}

const char *
auth_entry(struct rig *r, int wanted)
{
	static char copy[sizeof(r->auth->entry)];

	rig_until(r, &r->auth->audits, wanted);
	assert_int_equal(r->auth->audits, wanted);
	pthread_mutex_lock(&r->auth->lock);
	memcpy(copy, r->auth->entry, sizeof(copy));
	pthread_mutex_unlock(&r->auth->lock);
	return copy;
}

void
auth_set(struct rig *r, const char *text, unsigned verdict)
{
	struct played_auth *a = r->auth;

	pthread_mutex_lock(&a->lock);
	for (unsigned i = 0; i < a->ntokens; i++)
		if (strcmp(a->tokens[i].text, text) == 0)
			a->tokens[i].verdict = verdict;
	pthread_mutex_unlock(&a->lock);
}

void
auth_say(struct rig *r, unsigned type, uint64_t id, const void *msg)
{
	struct played_auth *a = r->auth;

	pthread_mutex_lock(&a->lock);
	assert_int_equal(peer_say(&a->ch, type, id, msg), 0);
	pthread_mutex_unlock(&a->lock);
	rig_sync(r);
}

void
auth_lose(struct rig *r)
{
	struct played_auth *a = r->auth;

	pthread_mutex_lock(&a->lock);
	a->stopping = true;
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	channel_fini(&a->ch);
	if (r->front > 0)
		rig_sync(r);
}

void
auth_stop(struct rig *r)
{
	if (r->auth == NULL)
		return;
	if (r->auth->ch.fd >= 0)
		auth_lose(r);
	pthread_mutex_destroy(&r->auth->lock);
	free(r->auth);
	r->auth = NULL;
}
