/* register - dynamic client registration, and the checks for clients of any kind. */
#pragma once

#include "workers/auth/oauth/oauth.h"

struct register_said {
	char		id[33];
	struct err	err;
};

void register_answer(struct auth *a, const struct ipc_register_client *m, uint64_t now_ms, uint64_t now_ns,
    struct register_said *said, struct ipc_registered *out);

/*
 * Write the redirects of a client (array of str) into out, one a line, replacing its content.  -1 with *err: one is
 * invalid.
 */
int register_redirects(struct auth *a, const struct mp_value *list, struct buf *out, struct err *err);

/* Make room for another client, in the open transaction.  -1 with *err: no room, or the store failed. */
int register_make_room(struct auth *a, uint64_t now_ms, struct err *err);

/* Whether the name is a line of text without hidden or deceptive characters. */
bool register_name_fine(struct span name);
