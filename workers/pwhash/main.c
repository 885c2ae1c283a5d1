/* main.c - carrel-pwhash: is this the password?  It knows no names, and forgets what it was asked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <sodium.h>

#include "base/system/log.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"

#define MEMORY	((size_t)64 << 20)	/* of Argon2id */
#define PASSES	2u
#define NICE	10	/* a tenth of a core when all are busy: a sign-in waits, calls do not */

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max, bool *best_effort,
    struct err *err)
{
	const struct ipc_configure_pwhash *m = msg;

	(void)places;
	*state = NULL;
	*memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	if (setpriority(PRIO_PROCESS, 0, NICE) != 0)
		log_warn("the priority of password hashing was not lowered: %s", strerror(errno));
	return sodium_init() < 0 ? err_set(err, ERR_INTERNAL, "libsodium cannot be set up") : 0;
}

/* Argon2 says the same of a wrong password, of a text that is no digest, and of memory that it does not get. */
static bool
is_right(struct span digest, struct span password)
{
	char text[crypto_pwhash_STRBYTES] = "";

	if (digest.len >= sizeof(text))
		return false;
	memcpy(text, digest.p, digest.len);
	return crypto_pwhash_str_verify(text, (const char *)password.p, password.len) == 0;
}

static enum ipc_fault
take_frame(void *state, uint64_t peer, uint64_t id, unsigned type, const union ipc_any *msg)
{
	const struct ipc_hash *m = &msg->hash;
	char made[crypto_pwhash_STRBYTES] = "";
	struct ipc_hashed answer = { .good = 0 };
	struct span password = m->password.p != NULL ? m->password : SPAN("");

	(void)state;
	if (type != IPC_MSG_HASH)
		return IPC_NOT_ALLOWED;
	if (m->digest.len > 0)
		answer.good = is_right(m->digest, password);
	else if (crypto_pwhash_str_alg(made, (const char *)password.p, password.len, PASSES, MEMORY,
		     crypto_pwhash_ALG_ARGON2ID13) == 0)
		answer = (struct ipc_hashed){ .good = 1, .digest = span_str(made) };
	(void)serve_send(peer, IPC_MSG_HASHED, id, &answer);
	sodium_memzero(made, sizeof(made));
	return IPC_OK;
}

static const struct role pwhash_role = {
	.role = IPC_PWHASH,
	.configure = IPC_MSG_CONFIGURE_PWHASH,
	.configure_size = sizeof(struct ipc_configure_pwhash),
	.configure_with = configure_with,
	.frame = take_frame,
};

int
main(void)
{
	return child_main(&pwhash_role);
}
