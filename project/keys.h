/*
 * keys - derives keys from .carrel/signing.key, a project's only own secret.
 *
 * The root key stays with the supervisor, and with the command line of a user who can read the file.  Each purpose has
 * its own key, which reveals neither the root nor another key.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define KEYS_FILE	"signing.key"
#define KEYS_ROOT	32

#define KEYS_FRONT	"front: sessions, cursors and request states"
#define KEYS_COLUMNS	"column digests"
#define KEYS_TOKENS	"auth: secrets of connectivity tokens"
#define KEYS_REFRESH	"auth: refresh tokens"
#define KEYS_SEAL	"auth: what is kept encrypted in the state store"
#define KEYS_AUDIT_MAC	"auth: head of the audit"
#define KEYS_JOURNAL	"front and auth: records of the audit's journals"
#define KEYS_AUDIT_SEED	"auth: signatures of the audit's checkpoints"

/* out: 16 to 64 bytes. */
void keys_derive(const uint8_t root[KEYS_ROOT], const char *purpose, uint8_t *out, size_t len);

/* The key of the owner's proofs (policy/proof.h), for workers of this role, named as in tools.def. */
void keys_derive_local(const uint8_t root[KEYS_ROOT], const char *role, uint8_t *out, size_t len);
