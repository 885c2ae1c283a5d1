/*
 * child_driver - plays supervisor and front for one child binary, for tests.
 *
 *	struct ipc_configure_search conf = { .project_dir = …, … };
 *	struct driver *d = driver_spawn("/…/bin/carrel-search", IPC_SEARCH, NULL);
 *
 *	assert_true(driver_configure(d, IPC_MSG_CONFIGURE_SEARCH, &conf));
 *	driver_attach(d);
 *	const struct driver_answer *a =
 *	    driver_call(d, "wiki_search", "", "{\"query\": \"revenue\"}");
 *	assert_int_equal(a->kind, DRIVER_RESULT);
 *	assert_string_equal(a->result, "{\"results\":[…]}");
 *	driver_shutdown(d, 1000);
 *	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
 *	driver_free(d);
 *
 * The child gets what the contract promises: control channel, watch page, an
 * empty environment, a pipe for its log.  Whatever is waited for is waited for
 * at most DRIVER_PATIENCE_MS; a test that runs into that fails, it does not
 * hang.  Texts handed out live until driver_free() unless said otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"
#include "policy/proof.h"
#include "policy/tools.h"
#include "tests/support/peer.h"

#define DRIVER_PATIENCE_MS	60000
#define DRIVER_BUDGET_MS	30000	/* deadline of a call when nothing else is asked for */

struct driver;

enum driver_kind {
	DRIVER_OPEN,		/* no answer yet */
	DRIVER_RESULT, DRIVER_FAIL, DRIVER_CONTINUE,
	DRIVER_LOST		/* the channel ended first */
};

struct driver_answer {
	enum driver_kind kind;
	const char	*result;	/* RESULT: the object as the front would send it, rows in their place */
	/* Texts are there once the call has ended. */
	const char	*rows;		/* all rows, a JSON array of arrays */
	const char	*progress;	/* [[permille,"message"],…] */
	const char	*code;		/* FAIL: "query_timeout" */
	const char	*message;	/* FAIL */
	const char	*details;	/* FAIL: a JSON object */
	const char	*next;		/* CONTINUE: {"tool":…,"connection":…,"args":…,"head":…} */
	char		 snapshot[IPC_SNAPSHOT_MAX + 1];	/* RESULT, CONTINUE: the scans that it stands on */
	unsigned	 chunks;	/* ROWS frames seen, while it is open too */
	unsigned	 steps;		/* PROGRESS frames seen, likewise */
};

/* Start binary with the contract's descriptors.  options may be NULL. */
struct driver *driver_spawn(const char *binary, enum ipc_role role, const struct peer_options *options);

/*
 * Wait for HELLO (and TOOLS of a worker), send the configuration, wait for
 * READY.  False: UNABLE came or the child ended; see driver_reason() and
 * driver_exit_code().
 */
bool driver_configure(struct driver *d, unsigned type, const void *msg);

const char *driver_tools(struct driver *d);	/* what TOOLS said, as JSON; "" before */
const char *driver_reason(struct driver *d);	/* what UNABLE said; "" without one */
const char *driver_log(struct driver *d);	/* the child's stderr so far; until the next driver_*() */
const struct ipc_ready *driver_ready(struct driver *d);	/* note is readable text */
const struct contract_watch *driver_watch(struct driver *d);
pid_t driver_pid(struct driver *d);

/* --- data channels; the first is 0, and calls go to the latest attached ----- */

/* A new data channel with the next generation; its number. */
unsigned driver_attach(struct driver *d);
void driver_detach(struct driver *d, unsigned front, unsigned cause);
void driver_hang_up(struct driver *d, unsigned front);	/* the front dies */
bool driver_front_open(struct driver *d, unsigned front); /* the child still holds its end */
void driver_use(struct driver *d, unsigned front);	/* calls go there from now on */

/* How calls are made from now on. */
void driver_set_budget(struct driver *d, unsigned ms);
void driver_set_scopes(struct driver *d, uint32_t scopes);
void driver_set_principal(struct driver *d, const char *principal);	/* borrowed; "test" at first */
/* enum ipc_role; default: 0, a client, but for tools that only workers may ask for. */
void driver_set_asker(struct driver *d, unsigned asker);
/* Calls of LOCAL tools carry a good proof; or this one, until it is empty again.  Borrowed. */
void driver_set_proof(struct driver *d, struct span proof);
extern const uint8_t driver_local_key[PROOF_KEY];
void driver_set_progress(struct driver *d, bool wanted);	/* default: true */
void driver_set_credit(struct driver *d, bool automatic);	/* default: true, one per chunk */

/* Call and wait for the end. */
const struct driver_answer *driver_call(struct driver *d, const char *tool, const char *connection,
    const char *args_json);

/* Call without waiting: the id.  Then driver_wait(), or driver_peek() at what is there. */
uint64_t driver_start(struct driver *d, const char *tool, const char *connection, const char *args_json);
const struct driver_answer *driver_wait(struct driver *d, uint64_t id);
const struct driver_answer *driver_peek(struct driver *d, uint64_t id);
void driver_cancel(struct driver *d, uint64_t id);
void driver_take_back(struct driver *d, uint64_t id);	/* unless it has begun */
void driver_credit(struct driver *d, uint64_t id, unsigned chunks);

/* Anything as a frame on the channel, and bytes that need not be one. */
int driver_send(struct driver *d, unsigned type, uint64_t id, const void *msg);
void driver_send_bytes(struct driver *d, struct span bytes);

/* --- sub-calls the child makes ---------------------------------------------- */

/*
 * Called for each SUBCALL.  It answers with driver_sub_*() at once or later,
 * by the id.  Without a handler every sub-call fails `service_unavailable`.
 */
typedef void driver_on_subcall(struct driver *d, void *arg, uint64_t id, const char *tool,
    const char *connection, const char *args_json);
void driver_set_subcall(struct driver *d, driver_on_subcall *handler, void *arg);
void driver_sub_rows(struct driver *d, uint64_t id, const char *rows_json);
void driver_sub_progress(struct driver *d, uint64_t id, unsigned permille, const char *message);
void driver_sub_result(struct driver *d, uint64_t id, const char *head_json);
void driver_sub_fail(struct driver *d, uint64_t id, enum err_code code, const char *message);
unsigned driver_sub_credit(struct driver *d);	/* chunks granted by the child so far, all sub-calls */
bool driver_sub_cancelled(struct driver *d);	/* the child cancelled one */

/* --- control --------------------------------------------------------------- */

void driver_ping(struct driver *d);
unsigned driver_pongs(struct driver *d);
unsigned driver_complaints(struct driver *d);
/* All CHANGED messages since they were forgotten, one a line: lists, "everything", URIs as JSON; the last digest. */
const char *driver_changes(struct driver *d, unsigned *n, uint64_t *digest);
void driver_forget_changes(struct driver *d);
const char *driver_report(struct driver *d);	/* the last REPORT as JSON; "" */
void driver_state(struct driver *d, const char *connection, unsigned state, const char *reason);
void driver_control(struct driver *d, unsigned type, const void *msg);	/* anything else */
void driver_shutdown(struct driver *d, unsigned grace_ms);

/*
 * Let the child try one act (policy/acts.def) on path, which may be empty.  The errno it met, 0 when it
 * succeeded, -1 when there was no answer because the child died.
 */
int driver_probe(struct driver *d, unsigned act, const char *path);

/* Take in what has come, waiting at most ms for something. */
void driver_pump(struct driver *d, int ms);

/* Pump until done(arg) or patience ends; done's last word. */
bool driver_until(struct driver *d, bool (*done)(struct driver *d, void *arg), void *arg);

/* --- the end ----------------------------------------------------------------- */

void driver_kill(struct driver *d, int signal);
void driver_orphan(struct driver *d);		/* close the control channel: the supervisor dies */

/* Wait for the end: the exit code, or minus the signal. */
int driver_exit_code(struct driver *d);

/* Kills the child if it still runs. */
void driver_free(struct driver *d);
