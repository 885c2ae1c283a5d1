#include <string.h>

#include <sodium.h>

#include "workers/auth/nodes_key.h"
#include "workers/auth/store/store_token.h"

#define KEY		"nodes.key"	/* setting of the store */
#define DIGEST		16

/* Does not reveal the key. */
static void
key_digest(const struct auth *a, char hex[2 * DIGEST + 1])
{
	static const char purpose[] = "nodes: the key that they share";
	uint8_t digest[DIGEST];

	crypto_generichash(digest, sizeof(digest), (const uint8_t *)purpose, sizeof(purpose) - 1, a->conf.seal_key,
	    sizeof(a->conf.seal_key));
	sodium_bin2hex(hex, 2 * DIGEST + 1, digest, sizeof(digest));
}

/* In a transaction: two nodes may be the first. */
static int
settle_key(struct store *s, const char *own, struct buf *kept, struct err *err)
{
	int found;

	if (store_begin(s, err) != 0)
		return -1;
	if ((found = store_setting(s, KEY, kept, err)) == 0 &&
	    (found = store_set_setting(s, KEY, span_str(own), err)) == 0) {
		buf_str(kept, own);
		return store_commit(s, err);
	}
	store_rollback(s);
	return found < 0 ? -1 : 0;
}

int
nodes_key_check(struct auth *a, struct err *err)
{
	struct buf kept = BUF_MAX(256);
	char own[2 * DIGEST + 1];
	int found = store_setting(a->store, KEY, &kept, err), result;

	key_digest(a, own);
	result = found == 0 ? settle_key(a->store, own, &kept, err) : found < 0 ? -1 : 0;
	if (result == 0 && strcmp(buf_cstr(&kept), own) != 0)
		result = err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "this node's .carrel/signing.key is not that of the other nodes: stop carrel here, and give it "
		    "theirs with "
		    "`carrel cluster join --root-key-file FILE`");
	if (result != 0)
		store_give_up(a->store, err->message);
	buf_fini(&kept);
	return result;
}
