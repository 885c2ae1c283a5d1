/*
 * peer - what every played process does: it says and hears messages of ipc/messages.def, and starts a child with what
 * ipc/contract.h promises.
 *
 *	struct peer_child c;
 *
 *	peer_spawn(&c, "/…/bin/carrel-search", NULL);
 *	if (peer_hear_control(c.control, &packet, &frame, &fd, 60000) == CHANNEL_FRAME)
 *		…
 *	other = peer_channel(&ch, IPC_FRONT, IPC_SEARCH, 1);
 *	peer_say(&ch, IPC_MSG_CALL, 1, &call);
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "ipc/channel.h"
#include "ipc/contract.h"

/* A broken test machine, or a test's own mistake, not a broken child: ends the program unless ok. */
void peer_must(bool ok, const char *what);

/* Write all that is queued, however long the other end takes. */
void peer_flush(struct channel *ch);

/* Queue a message and flush.  -1: it breaks its own table. */
int peer_say(struct channel *ch, unsigned type, uint64_t id, const void *msg);

/* The next frame.  CHANNEL_MORE: nothing came for so long; -1: for ever. */
enum channel_status peer_hear(struct channel *ch, struct ipc_frame *frame, int ms);
enum channel_status peer_hear_control(int fd, struct buf *packet, struct ipc_frame *frame, int *passed, int ms);

/* A data channel: ch is the end of self; the descriptor of the other is returned. */
int peer_channel(struct channel *ch, enum ipc_role self, enum ipc_role other, uint64_t generation);

struct peer_options {
	uid_t		 uid;		/* 0: as the test itself */
	const char	*faults;	/* CARREL_FAULTS for the child; NULL: none */
	/* Runs in the child just before exec; may be NULL.  Non-zero: the child exits with it. */
	int		(*before_exec)(void *arg);
	void		*arg;
};

struct peer_child {
	pid_t			 pid;
	int			 control, log, watch_fd;	/* log: its standard error, non-blocking */
	struct contract_watch	*watch;
};

/* Start binary with the contract's descriptors.  options may be NULL. */
void peer_spawn(struct peer_child *c, const char *binary, const struct peer_options *options);

void peer_forget_watch(struct peer_child *c);
