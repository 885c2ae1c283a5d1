/*
 * keys - what is derived from .carrel/signing.key, the one secret a project
 * has of its own.
 *
 * The root stays with the supervisor, and with the command line of whoever can
 * read the file.  Every use has a key of its own by its purpose; none of them
 * tells another one or the root.
 */
#ifndef PROJECT_KEYS_H
#define PROJECT_KEYS_H

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

/* Of proofs that the owner asked (policy/proof.h), for workers of this role as tools.def names it. */
void keys_derive_local(const uint8_t root[KEYS_ROOT], const char *role, uint8_t *out, size_t len);

#endif
