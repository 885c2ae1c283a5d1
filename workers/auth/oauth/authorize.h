/* authorize - the decision of the authorization endpoint: whether a client gets a code. */
#pragma once

#include "workers/auth/oauth/oauth.h"

struct authorize_said {
	char	code[OAUTH_SECRET + 1], user[STORE_USER_MAX + 1], client[STORE_CLIENT_NAME + 1];
	char	resource[STORE_URI_MAX + 1];
	struct policy_named	offered;
};

void authorize_answer(struct auth *a, const struct ipc_authorize *m, uint64_t now_ms, uint64_t now_ns,
    struct authorize_said *said, struct ipc_authorized *out);
