// libs: carrel_test_peer carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/*
 * test_captured_front.c - a front that was taken over, or carrel-auth for carrel-pwhash, sends all of captured.h to
 * each real, confined process.  What the row of ipc/messages.def does not let it say ends that one channel, with a
 * complaint that names it; nothing it says has carrel-auth make a credential; calls and questions of another front are
 * untouched.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "policy/proof.h"
#include "policy/scopes.h"
#include "project/format/atomic.h"
#include "tests/unit/captured.h"
#include "workers/auth/store/store_user.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "ipc/control.h"

#define PATIENCE_MS	60000
#define SENTINEL	UINT64_C(0x5e)
#define GUESS		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"	/* the form of a session and of a link */

/* The process that listens, and what it said on its control channel. */
static struct {
	struct peer_child	 child;
	enum ipc_role		 role, peer;
	uint64_t		 generation, complained;
	unsigned		 complaints;
	struct buf		 packet;
	struct channel		 honest;	/* the other front's */
} hearer;

static char dir[64];
static unsigned sent, cut;
static char saying[96];		/* for a failure: what was said last */

/* --- its life --------------------------------------------------------------------------------------- */

/* A log that is not read would make the process wait. */
static void
read_log(void)
{
	char text[4096];

	while (read(hearer.child.log, text, sizeof(text)) > 0)
		continue;
}

static void
take_control(int ms)
{
	struct ipc_frame f;
	struct ipc_complaint m;
	int passed;

	read_log();
	while (peer_hear_control(hearer.child.control, &hearer.packet, &f, &passed, ms) == CHANNEL_FRAME) {
		if (f.type != IPC_MSG_COMPLAINT)
			continue;
		assert_int_equal(ipc_unpack(f.type, hearer.role, IPC_SUPERVISOR, f.body, &m, sizeof(m)), IPC_OK);
		assert_int_equal(m.reason, IPC_COMPLAINT_PROTOCOL);
		hearer.complaints++;
		hearer.complained = m.generation;
		ms = 0;
	}
}

static void
await(unsigned type)
{
	struct ipc_frame f;
	int passed;

	do
		if (peer_hear_control(hearer.child.control, &hearer.packet, &f, &passed, PATIENCE_MS) != CHANNEL_FRAME)
			fail_msg("%s did not say %s", ipc_role_name(hearer.role), ipc_type_name(type));
	while (f.type != type);
}

static void
attach(struct channel *ch)
{
	struct ipc_attach m = { .kind = IPC_ATTACH_DATA, .role = hearer.peer, .generation = ++hearer.generation,
		.pid = (uint64_t)getpid(), .connection = hearer.role == IPC_SQL ? SPAN("shop") : SPAN("") };
	int other = peer_channel(ch, hearer.peer, hearer.role, hearer.generation);

	assert_int_equal(control_send(hearer.child.control, IPC_MSG_ATTACH, &m, other), 0);
	close(other);
}

static void
start(const char *binary, enum ipc_role role, enum ipc_role peer, unsigned type, const void *conf)
{
	char path[4096];

	memset(&hearer, 0, sizeof(hearer));
	hearer.role = role;
	hearer.peer = peer;
	snprintf(path, sizeof(path), "%s/%s", BIN_DIR, binary);
	peer_spawn(&hearer.child, path, NULL);
	await(IPC_MSG_HELLO);
	assert_int_equal(control_send(hearer.child.control, type, conf, -1), 0);
	await(IPC_MSG_READY);
	attach(&hearer.honest);
}

static void
stop(void)
{
	int status;

	(void)control_send(hearer.child.control, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = 1000 }, -1);
	assert_int_equal(waitpid(hearer.child.pid, &status, 0), hearer.child.pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_STOPPED);
	channel_fini(&hearer.honest);
	close(hearer.child.control);
	close(hearer.child.log);
	peer_forget_watch(&hearer.child);
	buf_fini(&hearer.packet);
}

/* --- all that can be said --------------------------------------------------------------------------- */

/* No answer may hand out what it stands for. */
static void
hold_answer(const struct ipc_frame *f, const union ipc_any *m)
{
	uint64_t outcome = 0;

	switch (f->type) {
	case IPC_MSG_AUTHORIZED:
		outcome = m->authorized.outcome;
		break;
	case IPC_MSG_SIGNED_IN:
		outcome = m->signed_in.outcome;
		break;
	case IPC_MSG_PAGE_USER:
		outcome = m->page_user.outcome;
		break;
	case IPC_MSG_PROVED:
		outcome = m->proved.outcome;
		assert_int_equal(m->proved.proof.len, 0);
		break;
	case IPC_MSG_REDEEMED:
		outcome = m->redeemed.outcome;
		break;
	case IPC_MSG_VERIFIED:
		assert_int_equal(m->verified.verdict, IPC_VERDICT_INVALID);
		break;
	case IPC_MSG_RESULT:
		fail_msg("%s served a call that is nobody's", ipc_role_name(hearer.role));
	default:
		return;
	}
	assert_int_not_equal(outcome, IPC_OAUTH_DONE);
}

static void
say_sentinel(struct channel *ch)
{
	static const struct ipc_call m = { .tool = SPAN("no_such_tool"), .principal = SPAN("local:0"),
		.deadline_ns = UINT64_MAX, .request_id = SPAN("sentinel"), .answers = MP_EMPTY_MAP,
		.args = MP_EMPTY_MAP };

	assert_int_equal(peer_say(ch, IPC_MSG_CALL, SENTINEL, &m), 0);
}

/* Read the channel until the sentinel is answered, or for carrel-pwhash a digest was made.  False: it was cut. */
static bool
is_open(struct channel *ch)
{
	struct ipc_frame f;
	union ipc_any m;
	enum channel_status status;

	if (hearer.role != IPC_PWHASH)
		say_sentinel(ch);
	while ((status = peer_hear(ch, &f, PATIENCE_MS)) == CHANNEL_FRAME) {
		assert_true(channel_unpack_any(ch, &f, &m));
		hold_answer(&f, &m);
		if (f.id == SENTINEL || f.type == IPC_MSG_HASHED)
			return true;
	}
	if (status != CHANNEL_CLOSED)
		fail_msg("%s neither answers %s nor cuts the channel", ipc_role_name(hearer.role), saying);
	return false;
}

/* One frame on a channel that is open, and another channel where that one was cut.  may: it may stay open. */
static void
try_frame(struct channel *ch, unsigned type, unsigned flags, uint64_t id, struct span body, size_t promised, bool may,
    const char *what)
{
	unsigned before = hearer.complaints;
	uint64_t generation = ch->generation;

	snprintf(saying, sizeof(saying), "%s, %s", ipc_type_name(type), what);
	captured_write(ch, type, flags, id, body, promised);
	sent++;
	if (is_open(ch)) {
		if (!may)
			fail_msg("%s listens to %s", ipc_role_name(hearer.role), saying);
		return;
	}
	cut++;
	channel_fini(ch);
	take_control(PATIENCE_MS);
	if (hearer.complaints != before + 1 || hearer.complained != generation)
		fail_msg("%s does not complain of %s", ipc_role_name(hearer.role), saying);
	attach(ch);
}

static void
try_message(struct channel *ch, const struct ipc_schema *s)
{
	bool may = (s->from & hearer.peer) != 0 && (s->to & hearer.role) != 0;
	struct buf body = { 0 };
	char what[48];

	for (enum form form = 0; form < FORMS; form++) {
		/* A digest takes a tenth of a second. */
		if (!captured_body(s, form, &body) ||
		    (s->type == IPC_MSG_HASH && form > FORM_LEAST && form_is_good(form)))
			continue;
		for (size_t i = 0; i < (form_is_good(form) && s->type != IPC_MSG_HASH ? CAPTURED_IDS : 1); i++) {
			snprintf(what, sizeof(what), "form %d, id %zu", (int)form, i);
			try_frame(ch, s->type, 0, captured_ids[i], buf_view(&body), body.len, may && form_is_good(form),
			    what);
		}
	}
	buf_fini(&body);
}

static void
try_all(void)
{
	struct channel ch;

	attach(&ch);
	for (size_t i = 0; i < ipc_schema_count(); i++)
		try_message(&ch, ipc_schema_at(i));
	for (size_t i = 0; i < CAPTURED_HEADS; i++)
		try_frame(&ch, captured_heads[i].type, captured_heads[i].flags, 7, SPAN("\x90"),
		    captured_heads[i].promised, false, "no message");
	channel_fini(&ch);
	assert_true(cut > 500);
	print_message("%s: %u frames, %u channels cut\n", ipc_role_name(hearer.role), sent, cut);
	sent = cut = 0;
}

/* What the other front says is heard: the first frame of that type for it. */
static void
hear_honest(unsigned type, uint64_t id, struct ipc_frame *f, union ipc_any *m)
{
	do {
		if (peer_hear(&hearer.honest, f, PATIENCE_MS) != CHANNEL_FRAME)
			fail_msg("the other front hears no %s", ipc_type_name(type));
		assert_true(channel_unpack_any(&hearer.honest, f, m));
	} while (f->type != type || (id != 0 && f->id != id));
}

static void
call_honest(const char *tool, struct span args, unsigned answer)
{
	struct ipc_call m = { .tool = span_str(tool), .principal = SPAN("local:0"), .scopes = UINT32_MAX,
		.connection = hearer.role == IPC_SQL ? SPAN("shop") : SPAN(""), .request_id = SPAN("honest"),
		.deadline_ns = clock_ns() + 60 * CLOCK_SECOND, .answers = MP_EMPTY_MAP, .args = args };
	struct ipc_frame f;
	union ipc_any a;

	assert_int_equal(peer_say(&hearer.honest, IPC_MSG_CALL, 1, &m), 0);
	hear_honest(answer, answer == IPC_MSG_SUBCALL ? 0 : 1, &f, &a);
}

/* --- each of them ---------------------------------------------------------------------------------- */

static void
make_file(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_true((fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) >= 0);
	close(fd);
}

static void
make_folder(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int
set_up(void **state)
{
	static const char *const folders[] = { "wiki", "wiki/global", "semantic-layer", "raw-sources", ".carrel",
		".carrel/memory" };

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/carrel-captured-XXXXXX");
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(folders[i]);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	return atomic_remove(AT_FDCWD, dir, NULL);
}

static void
search_holds(void **state)
{
	struct ipc_configure_search conf = { .project_dir = span_str(dir), .resource_scheme = SPAN("carrel"),
		.connections = SPAN("\x90"), .ontologies = SPAN("\x90"), .sql_ms = 10000, .sql_rows = 500,
		.sql_memory = 1 << 28, .sql_characters = 4096, .sql_threads = 2, .memory_max = UINT64_C(8) << 30 };

	(void)state;
	start("carrel-search", IPC_SEARCH, IPC_FRONT, IPC_MSG_CONFIGURE_SEARCH, &conf);
	try_all();
	call_honest("connection_list", MP_EMPTY_MAP, IPC_MSG_RESULT);
	stop();
}

static void
memory_holds(void **state)
{
	struct ipc_configure_memory conf = { .project_dir = span_str(dir), .connections = SPAN("\x90"),
		.memory_max = UINT64_C(8) << 30 };

	(void)state;
	start("carrel-memory", IPC_MEMORY, IPC_FRONT, IPC_MSG_CONFIGURE_MEMORY, &conf);
	try_all();
	call_honest("memory_ingest_status", SPAN("\x81\xa5runId\xa1x"), IPC_MSG_FAIL);
	stop();
}

/* A question of the other front is under way: its sub-call is answered by nobody else. */
static void
agent_holds(void **state)
{
	struct ipc_configure_agent conf = { .timeout_ms = 60000, .model_timeout_ms = 1000, .model_calls_max = 1,
		.model_tokens_max = 1, .memory_max = UINT64_C(8) << 30 };
	static const struct span question = SPAN("\x81\xa8question\xa7revenue");
	struct ipc_call call = { .tool = SPAN("ask_question"), .principal = SPAN("local:0"), .scopes = UINT32_MAX,
		.request_id = SPAN("honest"), .answers = MP_EMPTY_MAP, .args = question };
	const struct ipc_fail said = { .code = ERR_SCOPE_DENIED, .message = SPAN("by the front"),
		.details = MP_EMPTY_MAP };
	struct ipc_frame f, sub;
	union ipc_any m;
	struct channel ch;

	(void)state;
	start("carrel-agent", IPC_AGENT, IPC_FRONT, IPC_MSG_CONFIGURE_AGENT, &conf);
	try_all();
	call.deadline_ns = clock_ns() + 60 * CLOCK_SECOND;
	assert_int_equal(peer_say(&hearer.honest, IPC_MSG_CALL, 1, &call), 0);
	hear_honest(IPC_MSG_SUBCALL, 0, &sub, &m);
	attach(&ch);
	assert_int_equal(peer_say(&ch, IPC_MSG_RESULT, sub.id,
			     &(struct ipc_result){
				 .head = MP_EMPTY_MAP, .tail = MP_EMPTY_MAP, .content = SPAN("\x90") }),
	    0);
	assert_false(is_open(&ch));
	channel_fini(&ch);
	attach(&ch);
	assert_int_equal(peer_say(&ch, IPC_MSG_CANCEL, 1, &(struct ipc_cancel){ .queued = 0 }), 0);
	assert_true(is_open(&ch));
	channel_fini(&ch);
	for (unsigned type = IPC_MSG_SUBCALL; type == IPC_MSG_SUBCALL; sub.id = f.id) {
		assert_int_equal(peer_say(&hearer.honest, IPC_MSG_FAIL, sub.id, &said), 0);
		assert_int_equal(peer_hear(&hearer.honest, &f, PATIENCE_MS), CHANNEL_FRAME);
		assert_true(channel_unpack_any(&hearer.honest, &f, &m));
		type = f.type;
	}
	assert_int_equal(f.type, IPC_MSG_FAIL);
	assert_int_equal(f.id, 1);
	assert_int_equal(m.fail.code, ERR_SCOPE_DENIED);
	stop();
}

static void
sql_holds(void **state)
{
	char path[128], command[256];
	struct ipc_configure_sql conf = { .connection = SPAN("shop"), .driver = SPAN("sqlite"),
		.team = SPAN("\x90"), .schemas = SPAN("\x90"),
		.enabled_tables = SPAN("\x90"), .functions = SPAN("\x90"), .columns = SPAN("\x90"), .timeout_ms = 10000,
		.max_rows = 100, .result_bytes = 1 << 20, .memory_max = UINT64_C(1) << 30, .max_requests = 100000 };

	(void)state;
	snprintf(path, sizeof(path), "%s/shop.db", dir);
	snprintf(command, sizeof(command), "sqlite3 %s 'CREATE TABLE t (a); INSERT INTO t VALUES (7)'", path);
	assert_int_equal(system(command), 0);
	conf.path = span_str(path);
	start("carrel-sql-sqlite", IPC_SQL, IPC_FRONT, IPC_MSG_CONFIGURE_SQL, &conf);
	try_all();
	call_honest("sql_execution", SPAN("\x81\xa3sql\xafSELECT a FROM t"), IPC_MSG_RESULT);
	call_honest("sql_execution", SPAN("\x81\xa3sql\xb2UPDATE t SET a = 1"), IPC_MSG_FAIL);
	stop();
}

static void
pwhash_holds(void **state)
{
	struct ipc_configure_pwhash conf = { .memory_max = UINT64_C(1) << 30 };
	struct ipc_frame f;
	union ipc_any m;

	(void)state;
	start("carrel-pwhash", IPC_PWHASH, IPC_AUTH, IPC_MSG_CONFIGURE_PWHASH, &conf);
	try_all();
	assert_int_equal(peer_say(&hearer.honest, IPC_MSG_HASH, 1,
			     &(struct ipc_hash){ .password = SPAN("a password") }),
	    0);
	hear_honest(IPC_MSG_HASHED, 1, &f, &m);
	assert_true(m.hashed.digest.len > 0);
	stop();
}

static void
add_user(const char *path)
{
	struct store_user u = { .created_ms = 1, .name = "anna", .role = "admin" };
	struct err err;
	struct store *s = store_open(path, false, &err);

	if (s == NULL || store_user_add(s, &u, &err) != 0)
		fail_msg("%s", err.message);
	store_close(s);
}

/* What a captured front knows is how everything looks: names, forms, issuers.  No credential is made of it. */
static void
try_to_enter(void)
{
	static const struct span issuer = SPAN("http://127.0.0.1:7878"), args = SPAN("\x80");
	const struct ipc_login by_name = { .owner = 1, .asserted = SPAN("anna") };
	const struct ipc_setup set_up = {
		.link = SPAN(GUESS), .name = SPAN("mallory"), .password = SPAN("four odd words here")
	};
	const struct ipc_page_session page = { .session = SPAN(GUESS), .asserted = SPAN("anna") };
	const struct ipc_enter enter = { .link = SPAN(GUESS) };
	const struct ipc_prove prove = { .local = SPAN(GUESS), .session = SPAN(GUESS), .asserted = SPAN("anna"),
		.tool = SPAN("token_create"), .args = args };
	const struct ipc_redeem redeem = { .issuer = issuer, .client_id = SPAN("x"),
		.grant_type = SPAN("refresh_token"),
		.refresh_token = SPAN("crlrt_AAAAAAAAAAAAAAAAAAAAAAAA_1_" GUESS) };
	const struct ipc_authorize authorize = { .issuer = issuer, .session = SPAN(GUESS), .asserted = SPAN("anna"),
		.client_id = SPAN("x"), .redirect_uri = SPAN("http://127.0.0.1/"), .response_type = SPAN("code"),
		.decision = IPC_DECISION_ALLOW, .ticked = POLICY_SCOPES_ALL };
	const struct ipc_verify token = { .kind = IPC_CREDENTIAL_TOKEN,
		.secret = SPAN("crlmcp_AAAAAAAA_00000000000000000000000000000000") };
	const struct ipc_verify grant = { .kind = IPC_CREDENTIAL_GRANT, .secret = SPAN("AAAAAAAAAAAAAAAAAAAAAAAA") };
	const struct {
		unsigned type, answer;
		const void *msg;
	} rows[] = {
		{ IPC_MSG_LOGIN, IPC_MSG_SIGNED_IN, &by_name },
		{ IPC_MSG_SETUP, IPC_MSG_SIGNED_IN, &set_up },
		{ IPC_MSG_PAGE_SESSION, IPC_MSG_PAGE_USER, &page },
		{ IPC_MSG_ENTER, IPC_MSG_SIGNED_IN, &enter },
		{ IPC_MSG_PROVE, IPC_MSG_PROVED, &prove },
		{ IPC_MSG_REDEEM, IPC_MSG_REDEEMED, &redeem },
		{ IPC_MSG_AUTHORIZE, IPC_MSG_AUTHORIZED, &authorize },
		{ IPC_MSG_VERIFY, IPC_MSG_VERIFIED, &token },
		{ IPC_MSG_VERIFY, IPC_MSG_VERIFIED, &grant },
	};
	struct ipc_frame f;
	union ipc_any m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(peer_say(&hearer.honest, rows[i].type, 100 + i, rows[i].msg), 0);
		hear_honest(rows[i].answer, 100 + i, &f, &m);
		hold_answer(&f, &m);
	}
}

/* A call of one front is in flight until that front releases it. */
static void
try_to_release(void)
{
	const struct ipc_admit admit = { .class = IPC_CLASS_CALL, .principal = SPAN("token:AAAAAAAA") };
	const struct ipc_admit held = { .class = IPC_CLASS_CALL, .principal = SPAN("token:AAAAAAAA"), .held = 1 };
	struct ipc_frame f;
	union ipc_any m;
	struct channel ch;

	assert_int_equal(peer_say(&hearer.honest, IPC_MSG_ADMIT, 50, &held), 0);
	attach(&ch);
	assert_int_equal(peer_say(&ch, IPC_MSG_RELEASE, 50, &(struct ipc_release){ .unused = 0 }), 0);
	assert_true(is_open(&ch));
	assert_int_equal(peer_say(&hearer.honest, IPC_MSG_ADMIT, 51, &admit), 0);
	hear_honest(IPC_MSG_ADMITTED, 51, &f, &m);
	assert_int_equal(m.admitted.admission, IPC_ADMISSION_IN_FLIGHT);
	/* An id that is in flight is no other call's. */
	assert_int_equal(peer_say(&ch, IPC_MSG_ADMIT, 60, &held), 0);
	assert_int_equal(peer_say(&ch, IPC_MSG_ADMIT, 60, &held), 0);
	assert_false(is_open(&ch));
	channel_fini(&ch);
}

/* A front reports what fronts see; of users and tokens carrel-auth alone does. */
static void
try_to_report(void)
{
	static const char *const actions[] = { "token.create", "user.set", "login", "daemon.start", "checkpoint", "x" };
	struct channel ch;

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		struct buf entry = { 0 };

		mp_put_map(&entry, 4);
		mp_pair_cstr(&entry, "action", actions[i]);
		mp_pair_cstr(&entry, "surface", "mcp");
		mp_pair_cstr(&entry, "outcome", "ok");
		mp_pair_cstr(&entry, "receipt", "r");
		attach(&ch);
		assert_int_equal(peer_say(&ch, IPC_MSG_AUDIT, 1, &(struct ipc_audit){ .entry = buf_view(&entry) }), 0);
		assert_false(is_open(&ch));
		channel_fini(&ch);
		buf_fini(&entry);
	}
}

static void
auth_holds(void **state)
{
	static const char *const files[] = { "state.db", "state.db-wal", "state.db-shm", "state.db-before",
		"state.db-head" };
	static const uint8_t key[32] = { 1, 2, 3 };
	char path[128];
	struct ipc_configure_auth conf = { .project_dir = span_str(dir), .token_key = { key, 32 },
		.audit_mac_key = { key, 32 }, .audit_sign_seed = { key, 32 }, .refresh_key = { key, 32 },
		.seal_key = { key, 32 }, .audit_retention_days = 10, .token_prefix = SPAN("crlmcp"),
		.connectivity = IPC_CONNECTIVITY_ON, .bind_host = SPAN("127.0.0.1"), .port = 7878, .max_tokens = 3,
		.in_flight = 1, .auth_failures_per_min = 5, .block_s = 300, .oauth = 1, .code_ttl_s = 60,
		.access_ttl_s = 900, .refresh_ttl_days = 14, .refresh_max_days = 90, .registration = 1,
		.register_per_min = 1000, .authorize_per_min = 1000, .session_h = 12, .redirect_schemes = SPAN("\x90"),
		.unregistered_loopback = 1, .preferences = SPAN("\x80"), .page_keys = SPAN("\x80"),
		.oidc_roles = SPAN("\x80"), .roles = SPAN("\x80"), .team = SPAN("\x80"), .issuers = SPAN("\x90"),
		.local_key = { key, PROOF_KEY }, .memory_max = UINT64_C(8) << 30 };

	(void)state;
	snprintf(path, sizeof(path), "%s/state.db", dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(files[i]);
	conf.state = span_str(path);
	add_user(path);
	start("carrel-auth", IPC_AUTH, IPC_FRONT, IPC_MSG_CONFIGURE_AUTH, &conf);
	try_all();
	try_to_enter();
	try_to_release();
	try_to_report();
	stop();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(search_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(agent_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sql_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pwhash_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(auth_holds, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
