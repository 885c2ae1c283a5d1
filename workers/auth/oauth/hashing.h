/*
 * hashing - has carrel-pwhash check and digest passwords, one after another.  Answers come through a callback from the
 * loop, so that nothing else waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "ipc/messages.h"

#define HASHING_WAITING	16	/* in addition to the one in progress */

struct auth;
struct hashing;

enum hashing_answer { HASHING_YES, HASHING_NO, HASHING_LOST /* could not be checked in time */ };

typedef void hashing_done(struct auth *a, void *arg, enum hashing_answer answer, const char *digest);

struct hashing *hashing_new(void);

/* Answers all waiting jobs with HASHING_LOST. */
void hashing_free(struct auth *a);

/*
 * Check password against digest.  With an empty digest, make one; HASHING_YES carries it.  done is called once, unless
 * hashing_forget() comes first.  False: too many are waiting.
 */
bool hashing_ask(struct auth *a, struct span digest, struct span password, hashing_done *done, void *arg);
void hashing_forget(struct auth *a, const void *arg);

/* carrel-pwhash attached (its channel), detached, or answered.  False: an unexpected answer. */
void hashing_attached(struct auth *a, uint64_t peer);
void hashing_detached(struct auth *a, uint64_t peer);
bool hashing_take(struct auth *a, uint64_t id, const struct ipc_hashed *m);

/* Give up jobs that have waited too long. */
void hashing_tend(struct auth *a, uint64_t now_ns);
