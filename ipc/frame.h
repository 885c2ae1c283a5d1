/*
 * frame - private to ipc/: the header in front of every body.
 *
 *	uint32_t body length, uint16_t type, uint16_t flags (0), uint64_t id
 */
#pragma once

#include <string.h>

#include "ipc/channel.h"

struct frame_head {
	uint32_t	len;
	uint16_t	type, flags;
	uint64_t	id;
};

_Static_assert(sizeof(struct frame_head) == IPC_HEAD_SIZE, "no padding on the wire");

static inline struct frame_head
frame_head_read(const uint8_t *p)
{
	struct frame_head h;

	memcpy(&h, p, sizeof(h));
	return h;
}

/* Append a head and the packed message; 0, or -1 and out is as before. */
static inline int
frame_append(struct buf *out, unsigned type, uint64_t id, const void *msg, size_t body_max)
{
	struct frame_head h = { .type = (uint16_t)type, .id = id };
	size_t at = out->len, len;

	buf_append(out, &h, sizeof(h));
	if (ipc_pack(type, msg, out) == -1)
		goto fail;
	len = out->len - at - sizeof(h);
	if (len > body_max)
		goto fail;
	h.len = (uint32_t)len;
	memcpy(out->p + at, &h, sizeof(h));
	return 0;
fail:
	out->len = at;
	out->full = false;
	return -1;
}
