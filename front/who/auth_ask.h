/*
 * auth_ask - questions to carrel-auth that are answered when the answer is ready: logins, codes, tokens, preferences.
 *
 * The caller is told from the event loop, once.  Nothing is asked twice: what was on its way when the channel was
 * lost may have been done.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

#define AUTH_ASK_MS	30000u	/* time for an answer; logins are checked one after another */
#define AUTH_ASKS_MAX	4096u	/* at one time */

struct auth_ask;
struct auth_asks;
struct front;

/* Send a message to carrel-auth.  False: no channel exists, or carrel-auth has not sent its greeting on it yet. */
bool auth_say(struct front *f, unsigned type, uint64_t id, const void *msg);

struct auth_asks *auth_asks_new(void);
void auth_asks_free(struct auth_asks *a);

/*
 * Ask by the message of this type, which is answered by one of type answered.  told() hears the answer, or NULL when
 * none can come any more.  Returns NULL when nothing can be asked now; told() is not called then.
 */
struct auth_ask *auth_ask(struct front *f, unsigned type, const void *msg, unsigned answered,
    void (*told)(void *arg, const union ipc_any *answer), void *arg);

/* Drop the question: told() will not be called. */
void auth_ask_forget(struct auth_ask *w);

/* Handle an answer.  False: the message breaks the protocol. */
bool auth_ask_take(struct front *f, unsigned type, uint64_t id, const union ipc_any *msg);

/* The channel to carrel-auth is lost. */
void auth_ask_lost(struct front *f);

void auth_ask_tick(struct front *f, uint64_t now);
