/*
 * device - the device grant (RFC 8628): a client without a browser asks for a code, its user types it into the page
 * /device of this server, in any browser, and allows or denies it there; meanwhile the device polls.
 *
 * Of both codes only digests are kept; that of the user's short one is keyed.  A code is decided once and taken once.
 * The page has to be told from a trap: who sends somebody a code gets what that person allows.  So the code is typed,
 * never part of a link, and the page says where and when it was asked for.
 */
#pragma once

#include "workers/auth/oauth/oauth.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/store/store_device.h"

#define DEVICE_GRANT	"urn:ietf:params:oauth:grant-type:device_code"
#define DEVICE_PAUSE_S	5u	/* between two polls; five more after each that came too early */
#define DEVICE_PAUSE_MAX_S	60u

struct device_said {
	char	code[OAUTH_SECRET + 1], word[10];
	char	user[STORE_USER_MAX + 1], name[STORE_CLIENT_NAME + 1];
	struct store_device	device;
	struct role_share	offered;
};

/* Answer DEVICE_BEGIN and DEVICE_LOOK. */
void device_begin(struct auth *a, const struct ipc_device_begin *m, uint64_t now_ms, uint64_t now_ns,
    struct device_said *said, struct ipc_device_begun *out);
void device_look(struct auth *a, const struct ipc_device_look *m, uint64_t now_ms, uint64_t now_ns,
    struct device_said *said, struct ipc_device_shown *out);
