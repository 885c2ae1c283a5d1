/* control - single messages, with descriptors, over SOCK_SEQPACKET: supervisor and child. */
#pragma once

#include "ipc/channel.h"

/*
 * Send one message, with descriptor pass (-1: none; a duplicate is sent, the
 * caller keeps its own).  Returns 0, -1 with errno: EAGAIN when the peer does
 * not read (a child that lets 160 KiB of control messages pile up is stuck),
 * EPIPE when it is gone, EMSGSIZE when the message breaks its own table or
 * packs to more than IPC_CONTROL_MAX, EINVAL when a descriptor is given with
 * anything but ATTACH, or none with it.
 */
int control_send(int fd, unsigned type, const void *msg, int pass);

/* The same of a message that ipc_pack() has packed. */
int control_send_packed(int fd, unsigned type, struct span body, int pass);

/*
 * Receive one message, at most IPC_CONTROL_MAX bytes, into buf, non-blocking.
 * frame->body borrows from buf; who sent it is ipc_unpack()'s to check.
 * *passed is the descriptor that came along (close-on-exec) or -1; the caller
 * owns it.  CHANNEL_BROKEN: fault says why, any descriptor was closed.
 */
enum channel_status control_recv(int fd, struct buf *buf, struct ipc_frame *frame,
    int *passed, enum ipc_fault *fault);
