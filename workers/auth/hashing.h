/*
 * hashing - passwords are checked and digested by carrel-pwhash, one after the other; whoever asks is told from the
 * loop, so that nothing else waits for it.
 */
#ifndef WORKERS_AUTH_HASHING_H
#define WORKERS_AUTH_HASHING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "ipc/ipc.h"

#define HASHING_WAITING	16	/* beside the one under way */

struct auth;
struct hashing;

enum hashing_answer { HASHING_YES, HASHING_NO, HASHING_LOST /* nobody could tell in time */ };

typedef void hashing_done(struct auth *a, void *arg, enum hashing_answer answer, const char *digest);

struct hashing *hashing_new(void);

/* Whoever waits is told that it is lost. */
void hashing_free(struct auth *a);

/*
 * Does password have this digest?  With an empty one: make it; HASHING_YES has it.  done hears it once, unless
 * hashing_forget() comes first.  False: too many wait already.
 */
bool hashing_ask(struct auth *a, struct span digest, struct span password, hashing_done *done, void *arg);
void hashing_forget(struct auth *a, const void *arg);

/* carrel-pwhash came (its channel), or is gone; it answered.  False: that was not asked for. */
void hashing_attached(struct auth *a, uint64_t peer);
void hashing_detached(struct auth *a, uint64_t peer);
bool hashing_take(struct auth *a, uint64_t id, const struct ipc_hashed *m);

/* Give up on what waits too long. */
void hashing_tend(struct auth *a, uint64_t now_ns);

#endif
