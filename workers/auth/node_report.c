#include "workers/auth/node_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mp.h"
#include "base/system/clock.h"
#include "workers/auth/audit/audit_copies.h"
#include "workers/auth/auth.h"
#include "workers/auth/files/files.h"
#include "workers/auth/nodes.h"
#include "workers/auth/store/store_note.h"
#include "workers/shared/serve.h"

#define REPORT_NS	CLOCK_SECOND
#define LOOK_NS		(5 * CLOCK_SECOND)	/* between looks at the server; a report repeats what was seen */
#define AHEAD_MS	30000	/* people are told of more; nothing depends on it */

static void
put_problem(struct buf *out, const char *path, const char *reason)
{
	mp_put_pairs(out, mp_cstr("path", path), mp_cstr("reason", reason));
}

/* The clock of this machine and that of the server. */
static void
put_clock(int64_t ahead_ms, struct buf *out)
{
	uint64_t apart = (uint64_t)(ahead_ms < 0 ? -ahead_ms : ahead_ms);
	char text[120];

	if (apart <= AHEAD_MS)
		return;
	snprintf(text, sizeof(text), "this machine's clock is %" PRIu64 " s %s the store's, whose time decides",
	    apart / 1000, ahead_ms < 0 ? "behind" : "ahead of");
	put_problem(out, "clock", text);
}

/* What would be lost with the primary. */
static void
put_risks(const struct store_server *s, struct buf *out)
{
	if (strcmp(s->commit, "off") == 0 || strcmp(s->commit, "local") == 0)
		put_problem(out, "synchronous_commit",
		    "the server does not wait for its disk or its standby: after a crash or a failover the last "
		    "changes "
		    "are undone, and what was revoked last is good again; set synchronous_commit to on");
	if (s->version[0] != '\0' && s->standbys[0] == '\0')
		put_problem(out, "synchronous_standby_names",
		    "no standby has each commit: if the primary is lost, so are its last changes, and what was revoked "
		    "last is good again");
}

/* Entries that wait for long to be copied, while the store is there: if it is away, that is said. */
static void
put_uncopied(const struct auth *a, struct buf *out)
{
	struct audit_copies_lag lag = audit_copies_lag(a->copies);
	char text[200];

	if (audit_copies_misdated(a->copies))
		put_problem(out, "audit",
		    "the state store dates the copies of this node's audit wrongly: look at its table audit_chain, for "
		    "a "
		    "trigger or the server's clock; until that is mended, other nodes may take this one for gone");
	if (lag.ms < AUDIT_COPIES_LATE_S * UINT64_C(1000))
		return;
	snprintf(text, sizeof(text),
	    "%" PRIu64 " entries of this node's audit are not copied into the state store, for %" PRIu64
	    " s: they are safe here, and searched here alone; .carrel/logs/mcp.log says why",
	    lag.entries, lag.ms / 1000);
	put_problem(out, "audit", text);
}

static void
put_problems(const struct auth *a, const struct files_state *files, struct buf *out)
{
	char text[200];
	size_t mark;

	mp_put_cstr(out, "problems");
	mark = mp_open_array(out);
	if (a->away[0] != '\0')
		put_problem(out, "store", a->away);
	if (store_writer(a->store).drained)
		put_problem(out, "node",
		    "this node is drained, so that /health/ready is false: `carrel cluster drain --end` has the load "
		    "balancer use it again");
	if (behind_is(a)) {
		snprintf(text, sizeof(text),
		    "the project here has been older for %" PRIu64 " s than what the other nodes have, so that "
		    "/health/ready is false: `carrel sync` says why",
		    behind_s(a));
		put_problem(out, "sync", text);
	}
	if (files->trouble[0] != '\0')
		put_problem(out, "files", files->trouble);
	put_uncopied(a, out);
	put_risks(&a->report.server, out);
	put_clock(a->report.server.ahead_ms, out);
	mp_end(out, mark);
}

/* Since the newest answer. */
static uint64_t
lease_age_ms(const struct auth *a, uint64_t now)
{
	uint64_t lease = a->conf.lease_ms * CLOCK_MS, began = a->told_until_ns > lease ? a->told_until_ns - lease : now;

	return (now - (began < now ? began : now)) / CLOCK_MS;
}

static void
send_report(const struct auth *a, uint64_t now)
{
	const struct store_server *s = &a->report.server;
	struct store_writer w = store_writer(a->store);
	struct audit_copies_lag lag = audit_copies_lag(a->copies);
	struct files_state files = { .files = 0 };
	struct buf out = { 0 };
	size_t map;

	if (a->files != NULL) {
		files_say(a->files, &files);
		store_missing(a->store, files.missing);
	}
	map = mp_open_pairs(&out, mp_cstr("node", a->conf.node),
	    mp_cstr("store", a->away[0] == '\0' ? "there" : "away"), mp_uint("leaseAgeMs", lease_age_ms(a, now)),
	    mp_uint("roundTripUs", s->round_trip_us), mp_uint("auditUncopied", lag.entries),
	    mp_uint("auditUncopiedMs", lag.ms), mp_uint("drained", w.drained), mp_uint("behindS", behind_s(a)),
	    mp_uint("notesWaiting", store_notes_open(a->store)), mp_uint("files", files.files),
	    mp_uint("filesMissing", files.missing), mp_uint("filesMissingBytes", files.missing_bytes),
	    mp_uint("filesUnsent", files.unsent), mp_uint("writes", nodes_may_write(a)),
	    mp_cstr("writer", w.own || w.there ? w.name : ""), mp_cstr("server", s->version),
	    mp_cstr("synchronousCommit", s->commit), mp_cstr("synchronousStandbys", s->standbys));
	put_problems(a, &files, &out);
	mp_end(&out, map);
	serve_report(buf_view(&out));
	buf_fini(&out);
}

void
node_report_tend(struct auth *a)
{
	struct node_report *r = &a->report;
	uint64_t now = clock_boot_ns();

	if (store_lease_ms(a->store) == STORE_OWN || now - r->reported_ns < REPORT_NS)
		return;
	r->reported_ns = now;
	if (now - r->looked_ns >= LOOK_NS) {
		r->looked_ns = now;
		(void)store_node_server(a->store, &r->server, NULL); /* else what was seen before stays */
	}
	send_report(a, now);
}
