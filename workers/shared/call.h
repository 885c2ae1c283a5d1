/* call - what a tool may do with the call it serves. */
#pragma once

#include "workers/shared/child.h"

/*
 * Sleep until fd (-1: none) is ready for events, the channels have something,
 * until or the deadline; or serve another call in between.  False: stop.
 */
bool call_wait_until(struct call *c, int fd, short events, uint64_t until, bool *ready, struct err *err);

/* Lives until the call ends; ceiling 64 MiB. */
struct arena *call_arena(struct call *c);

/* The role's own state, as given to child_main(). */
void *call_state(struct call *c);

/* The principal, its scopes, and the deadline (CLOCK_MONOTONIC). */
struct span call_principal(const struct call *c);
uint32_t call_scopes(const struct call *c);
uint64_t call_deadline(const struct call *c);
uint64_t call_export_rows(const struct call *c);	/* most rows of an export; 0: no export */
bool call_export_parquet(const struct call *c);	/* the export is to be a Parquet file */
struct span call_request(const struct call *c);	/* its id, which is its receipt */

/* As which tool it was called, of which connection, and the proof that came with it (policy/proof.h). */
struct span call_tool(const struct call *c);
struct span call_connection(const struct call *c);
struct span call_proof(const struct call *c);

/*
 * In serve_ask_for(), where the work is what a call would do: append the map of call_result() to out, which is kept
 * until the work has ended.  Meanwhile tools that read are served by their meanwhile().
 */
void call_keep(struct call *c, struct buf *out);

/* What is known of the principal, as CALL has it: only a worker of a database is told. */
struct span call_claims(const struct call *c);

/* Whether a worker asks, for a call that it serves: the answer goes to that worker, not to a client. */
bool call_is_inner(const struct call *c);

/* Leave to ask for the caller after the call, for serve_ask_for(); empty: the front gave none.  Dies with the call. */
struct span call_ticket(const struct call *c);

/*
 * Look at the channels without blocking: answers pings, notes CANCEL and
 * CREDIT.  False when the call should stop: cancelled, its front gone, or its
 * deadline passed; *err (may be NULL) then says which.  Call it at least
 * every CONTRACT_STEP_MS.
 */
bool call_poll(struct call *c, struct err *err);

/* Also wait up to timeout_ms for fd to become readable (or writable): for libpq. */
bool call_wait(struct call *c, int fd, bool write, unsigned timeout_ms, struct err *err);

/* Tell the client how far it is; dropped when not wanted.  0..1000. */
void call_progress(struct call *c, unsigned permille, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A msgpack map to be filled with error details before returning -1. */
struct buf *call_details(struct call *c);

/* Send a chunk: rows is one msgpack array.  Waits for credit.  -1 as call_poll(). */
int call_rows(struct call *c, struct span rows, struct err *err);

/*
 * The answer will stand on this scan of connection, for the audit; once more for each further one.  Either may be
 * empty.  What sub-calls stand on is added by itself.
 */
void call_stands_on(struct call *c, struct span connection, struct span snapshot);

/* SHA-256 of the steps that led to the result, 64 hex digits, for the audit. */
void call_artifacts(struct call *c, const char *sha256);

/* An export of the answer has that many rows at most (0: as any export), and can be a Parquet file. */
void call_exports(struct call *c, uint64_t rows, bool parquet);

/* As whom a statement of the call runs, for the audit; text is cut. */
void call_ran_as(struct call *c, const char *text);

/* head and tail are msgpack maps; see RESULT in ipc/messages.def. */
void call_result(struct call *c, struct span head);
void call_result_rows(struct call *c, struct span head, const char *rows_field, struct span tail);

/* The same; texts: the columns whose numbers are strings in JSON, as in RESULT. */
void call_result_texts(struct call *c, struct span head, const char *rows_field, struct span tail, struct span texts);

/*
 * What a client is to show, as an array of MCP content blocks (text, image,
 * audio, resource, resource_link; bytes as base64 text), besides or, when head
 * has no members, instead of the object.
 */
void call_result_content(struct call *c, struct span head, struct span content);

/* A line for the client's log, when it wants that level; data is any msgpack value. */
void call_notice(struct call *c, enum ipc_level level, const char *logger, struct span data);

/* Let the front call another tool and answer with that (FIELDS_CONTINUE). */
void call_continue(struct call *c, const char *tool, struct span connection,
    struct span args, struct span head);

/*
 * Let the front ask the client, then serve the same call again with its
 * answers: see ASK in ipc/messages.def.  requests is a map of key -> {method,
 * params}, state whatever this worker must know again then.  Asking for what
 * call_can() does not have makes the call fail, naming the capability.
 */
void call_ask(struct call *c, struct span requests, struct span state);

/*
 * Say that this takes long, before anything else: a client that can is given a
 * task to come back for, and asked through that.  required: others are refused.
 */
void call_lasts(struct call *c, bool required);

/* What the client may be asked: a mask of IPC_CAN_*. */
unsigned call_can(const struct call *c);

/* The state given to call_ask(); empty at first.  Only this project's fronts can have made it. */
struct span call_asked_state(const struct call *c);

/* The client's result for this key: a map, from a stranger.  False: it has not answered that. */
bool call_asked_answer(const struct call *c, const char *key, struct mp_value *result);
