/*
 * captured.h - what a process that was taken over can write to a channel: each message of ipc/messages.def, well formed
 * at both ends of its bounds and malformed in every way, and frames that are no messages.
 */
#pragma once

#include "base/mp.h"
#include "ipc/frame.h"
#include "tests/support/peer.h"
#include "tests/unit/harness.h"

#define CAPTURED_TEXT	4000u	/* the longest text that is sent as a well-formed one */

/* How a body is made; up to FORM_NILS it is well formed, and a RAW is the value that the name says. */
enum form {
	FORM_LEAST, FORM_MOST, FORM_ARRAYS, FORM_NILS,
	FORM_OVER,		/* a field beyond its bound */
	FORM_TYPE,		/* a field of another type */
	FORM_FEW, FORM_MANY,	/* a field less, a field more */
	FORM_CUT,		/* the last byte is missing */
	FORM_TRAILING,		/* a value after the message */
	FORM_DEEP, FORM_EXT, FORM_UTF8,
	FORMS
};

static inline bool
form_is_good(enum form form)
{
	return form <= FORM_NILS;
}

static inline void
captured_put_text(struct buf *out, enum ipc_kind kind, size_t n)
{
	struct buf text = { 0 };

	memset(buf_reserve(&text, n + 1), 'a', n);
	text.len = n;
	if (kind == IPC_KIND_BIN)
		mp_put_bin(out, buf_view(&text));
	else
		mp_put_str(out, buf_view(&text));
	buf_fini(&text);
}

/* The field as a well-formed message has it. */
static inline void
captured_put_good(struct buf *out, const struct ipc_field *f, enum form form)
{
	bool most = form == FORM_MOST;

	if (f->kind == IPC_KIND_U64)
		mp_put_uint(out, most ? f->high : f->low);
	else if (f->kind != IPC_KIND_RAW)
		captured_put_text(out, f->kind, !most ? f->low : f->high < CAPTURED_TEXT ? f->high : CAPTURED_TEXT);
	else if (form == FORM_ARRAYS)
		mp_put_array(out, 0);
	else if (form == FORM_NILS)
		mp_put_nil(out);
	else {
		mp_put_map(out, most && f->high > 16);
		if (most && f->high > 16)
			mp_pair_uint(out, "entry", UINT64_MAX);
	}
}

/* Append the field as form wants it.  False: the form changes nothing of such a field. */
static inline bool
captured_put_bad(struct buf *out, const struct ipc_field *f, enum form form)
{
	size_t at = out->len;

	switch (form) {
	case FORM_OVER:
		if (f->kind == IPC_KIND_U64 && f->high < UINT64_MAX)
			mp_put_uint(out, f->high + 1);
		else if (f->kind == IPC_KIND_U64 && f->low > 0)
			mp_put_uint(out, f->low - 1);
		else if (f->kind != IPC_KIND_U64 && f->high < 1 << 20)
			captured_put_text(out, f->kind, f->high + 1);
		break;
	case FORM_TYPE:
		if (f->kind != IPC_KIND_RAW)
			mp_put_nil(out);
		break;
	case FORM_DEEP:
		if (f->kind == IPC_KIND_RAW && f->high > 200) {
			memset(buf_reserve(out, 200), 0x91, 200);
			out->len += 200;
			mp_put_nil(out);
		}
		break;
	case FORM_EXT:
		if (f->kind == IPC_KIND_RAW)
			buf_append(out, "\xd4\x01\x00", 3);
		break;
	case FORM_UTF8:
		if (f->kind == IPC_KIND_STR && f->high > 0)
			buf_append(out, "\xa1\xff", 2);
		break;
	default:
		break;
	}
	return out->len > at;
}

/* The message in that form.  False: no message of this row can be so. */
static inline bool
captured_body(const struct ipc_schema *s, enum form form, struct buf *out)
{
	bool done = form_is_good(form) || (form >= FORM_FEW && form <= FORM_TRAILING);
	size_t n = s->nfields - (form == FORM_FEW);

	buf_reset(out, SIZE_MAX);
	mp_put_array(out, s->nfields - (form == FORM_FEW) + (form == FORM_MANY));
	for (size_t i = 0; i < n; i++)
		if (done || !captured_put_bad(out, &s->fields[i], form))
			captured_put_good(out, &s->fields[i], form);
		else
			done = true;
	if (form == FORM_MANY || form == FORM_TRAILING)
		mp_put_nil(out);
	out->len -= form == FORM_CUT;
	return done;
}

/* Write a frame, whatever is in it.  promised: the length that its head says. */
static inline void
captured_write(struct channel *ch, unsigned type, unsigned flags, uint64_t id, struct span body, size_t promised)
{
	const struct frame_head h = { .len = (uint32_t)promised, .type = (uint16_t)type, .flags = (uint16_t)flags,
		.id = id };

	buf_append(&ch->out, &h, sizeof(h));
	buf_span(&ch->out, body);
	peer_flush(ch);
}

/* The ids that are tried with well-formed messages; nothing is under way under any. */
static const uint64_t captured_ids[] = { 7, 0, IPC_SUB | 7, UINT64_MAX };
#define CAPTURED_IDS	(sizeof(captured_ids) / sizeof(captured_ids[0]))

/* What is no message at all: the type, flags and length of its head. */
static const struct {
	unsigned	type, flags;
	size_t		promised;
} captured_heads[] = {
	{ 0, 0, 1 }, { 200, 0, 1 }, { UINT16_MAX, 0, 1 }, { IPC_MSG_CANCEL, 1, 1 }, { IPC_MSG_CANCEL, UINT16_MAX, 1 },
	{ IPC_MSG_CANCEL, 0, IPC_BODY_MAX + 1 }, { IPC_MSG_CANCEL, 0, UINT32_MAX }, { IPC_MSG_CANCEL, 0, 0 },
};
#define CAPTURED_HEADS	(sizeof(captured_heads) / sizeof(captured_heads[0]))
