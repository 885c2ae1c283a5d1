/* jose_key - one public key of a key set (RFC 7517, 7518 6, 8037 2) as a key of libcrypto. */
#pragma once

#include <openssl/types.h>

#include "base/mp.h"
#include "workers/jose/jose.h"

/* Whether the key's type and curve are the algorithm's; what else it says is not looked at. */
bool jose_key_fits(const struct mp_value *key, enum jose_algorithm algorithm);

/*
 * The key, for signatures with this algorithm.  NULL: it is weak, malformed, for another use or algorithm, or contains
 * a secret.
 */
EVP_PKEY *jose_key(const struct mp_value *key, enum jose_algorithm algorithm);

/* "RS256" */
const char *jose_algorithm_name(enum jose_algorithm algorithm);
