/* tools.c - carrel-auth's tools: what the owner's commands call. */
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "policy/scopes.h"
#include "workers/auth/admin.h"
#include "workers/auth/audit/audit_tools.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/tokens/concierge.h"
#include "workers/auth/tokens/tokens.h"

#define ENDED_LONG_AGO_MS	(UINT64_C(30) * 24 * 3600 * 1000)	/* token_list omits older ones */

/* --- arguments ---------------------------------------------------------------------- */

/* A label is shown in tables and logs: one line of text. */
int
tokens_read_label(const struct mp_value *args, struct store_token *t, struct err *err)
{
	struct span label = mp_get_str(args, "label", SPAN(""));

	if (label.len == 0 || label.len > STORE_LABEL_MAX || label.p[0] == ' ' || label.p[label.len - 1] == ' ')
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "a label is a line of 1 to %d bytes, without blanks around it", STORE_LABEL_MAX);
	for (size_t i = 0; i < label.len; i++)
		if (label.p[i] < ' ' || label.p[i] == 0x7f)
			return err_set(err, ERR_INVALID_ARGUMENTS, "a label holds no control characters");
	memcpy(t->label, label.p, label.len);
	t->label[label.len] = '\0';
	return 0;
}

int
tokens_read_scopes(const struct mp_value *args, struct store_token *t, struct err *err)
{
	struct mp_value list, item;
	struct mp_iter it;

	t->scopes = POLICY_SCOPES_EXT;
	if (!mp_get(args, "scopes", &list) || list.class == MP_NIL)
		return 0;
	t->scopes = 0;
	for (it = mp_iter(&list); mp_next(&it, &item);) {
		uint32_t scope = item.class == MP_STR ? policy_scope_named(item.s) & POLICY_SCOPES_TOKEN : 0;
		struct buf all = { 0 };

		if (scope != 0) {
			t->scopes |= scope;
			continue;
		}
		policy_scopes_text(POLICY_SCOPES_TOKEN, &all);
		err_set(err, ERR_INVALID_ARGUMENTS, "\"%.*s\" is no scope of a token; there are %s",
		    item.class == MP_STR ? (int)(item.s.len < 64 ? item.s.len : 64) : 0,
		    item.class == MP_STR ? (const char *)item.s.p : "", buf_cstr(&all));
		buf_fini(&all);
		return -1;
	}
	return t->scopes != 0 ? 0 : err_set(err, ERR_INVALID_ARGUMENTS, "a token without a scope is good for nothing");
}

static int
read_end(const struct mp_value *args, struct store_token *t)
{
	uint64_t seconds = mp_get_uint(args, "expires_s", 0);

	t->expires_ms = seconds == 0 ? 0 : clock_unix_ms() + seconds * 1000;
	return 0;
}

static int
find_token(struct auth *a, const struct mp_value *args, struct store_token *t, struct err *err)
{
	return tokens_find(a, mp_get_str(args, "id", SPAN("")), t, err);
}

/* --- tools ------------------------------------------------------------------------------ */

/* Answer with the secret, and wipe all copies. */
static void
answer_and_wipe(struct call *c, struct buf *out, char text[TOKEN_TEXT])
{
	call_result(c, buf_view(out));
	buf_wipe(out);
	sodium_memzero(text, TOKEN_TEXT);
}

static int
create_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_token t = { .has_secret = false };
	bool reveal = mp_get_bool(args, "reveal", true);
	char text[TOKEN_TEXT];
	struct buf out = { 0 };

	if (tokens_read_label(args, &t, err) != 0 || tokens_read_scopes(args, &t, err) != 0 ||
	    read_end(args, &t) != 0 || tokens_create(a, c, &t, reveal, text, err) != 0)
		return -1;
	mp_put_map(&out, reveal ? 2 : 1);
	mp_put_cstr(&out, "token");
	token_put(a, &t, clock_unix_ms(), &out);
	if (reveal)
		mp_pair_cstr(&out, "secret", text);
	answer_and_wipe(c, &out, text);
	return 0;
}

static int
reveal_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_token t;
	char text[TOKEN_TEXT];
	struct buf out = { 0 };

	if (find_token(a, args, &t, err) != 0 || tokens_reveal(a, c, &t, text, err) != 0)
		return -1;
	mp_put_map(&out, 2);
	mp_pair_cstr(&out, "id", t.id);
	mp_pair_cstr(&out, "secret", text);
	answer_and_wipe(c, &out, text);
	return 0;
}

static int
revoke_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct store_token t;

	return find_token(call_state(c), args, &t, err) != 0 ? -1 : tokens_revoke_and_tell(c, &t, err);
}

int
tokens_revoke_and_tell(struct call *c, struct store_token *t, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf out = { 0 };
	char principal[32];

	if (tokens_revoke(a, c, t, err) != 0)
		return -1;
	snprintf(principal, sizeof(principal), "token:%s", t->id);
	fronts_end_and_wait(&a->fronts, c, principal, IPC_VERDICT_REVOKED);
	mp_put_map(&out, 4);
	mp_pair_bool(&out, "revoked", true);
	mp_pair_cstr(&out, "id", t->id);
	mp_pair_cstr(&out, "label", t->label);
	put_ended(&a->fronts.total, 0, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

struct token_listing {
	const struct auth	*a;
	uint64_t		 now_ms;
	bool			 all;
	struct buf		*out;
	size_t			 n, active;
};

static bool
list_one(void *arg, const struct store_token *t)
{
	struct token_listing *l = arg;
	enum token_state state = token_state(t, l->now_ms);
	uint64_t ended = state == TOKEN_REVOKED ? t->revoked_ms :
	    state == TOKEN_EXPIRED ? (t->expires_ms != 0 ? t->expires_ms : t->created_ms + TOKEN_LAPSE_MS) :
				     l->now_ms;

	l->active += state == TOKEN_ACTIVE;
	if (!l->all && ended + ENDED_LONG_AGO_MS < l->now_ms)
		return true;
	token_put(l->a, t, l->now_ms, l->out);
	l->n++;
	return true;
}

static int
list_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf out = { 0 };
	struct token_listing l = {
		.a = a, .now_ms = clock_unix_ms(), .all = mp_get_bool(args, "all", false), .out = &out
	};
	size_t mark;
	int result;

	mp_put_map(&out, 3);
	mp_put_cstr(&out, "tokens");
	mark = mp_open_array(&out);
	if ((result = store_tokens(a->store, list_one, &l, err)) == 0) {
		mp_close(&out, mark, l.n);
		mp_pair_uint(&out, "active", l.active);
		mp_pair_uint(&out, "max", a->conf.max_tokens);
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	return result;
}

#define NOTHING_IN	"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{}}"
#define OBJECT_OF(needed)	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"" needed "\"],"
#define TOKEN_IN	OBJECT_OF("id") "\"properties\":{"	\
    "\"id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,\"description\":\"The token's id, or its label.\"}}}"

#define USER_IN	"\"user\":{\"type\":\"string\",\"maxLength\":64,\"description\":\"The user's name.\"}"

#define DATASET_IN	OBJECT_OF("id") "\"properties\":{"	\
    "\"id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,"	\
    "\"description\":\"The dataset's id, or its name.\"}}}"

#define TEXT_IN(name, what)	\
	"\"" name "\":{\"type\":\"string\",\"maxLength\":1024,\"description\":\"" what "\"}"

#define STRING_IN(name, max, what)	\
	"\"" name "\":{\"type\":\"string\",\"maxLength\":" #max ",\"description\":\"" what "\"}"
#define FLAG_IN(name, what)	"\"" name "\":{\"type\":\"boolean\",\"description\":\"" what "\"}"
#define NAME_IN		STRING_IN("name", 256, "The user's name.")
#define ROLE_IN		"\"role\":{\"type\":\"string\",\"enum\":[\"viewer\",\"contributor\",\"admin\"]," \
			"\"description\":\"What it may do.\"}"
#define PASSWORD_IN	STRING_IN("password", 4096, "It is never shown or logged.")
#define CLIENT_IN	STRING_IN("client_id", 2048, "The client's id.")

static const char user_add_in[] = "{\"type\":\"object\",\"additionalProperties\":false,"
    "\"required\":[\"name\",\"role\",\"password\"],\"properties\":{" NAME_IN "," ROLE_IN "," PASSWORD_IN "}}";
static const char user_set_in[] = OBJECT_OF("name") "\"properties\":{" NAME_IN "," ROLE_IN "," PASSWORD_IN ","
    FLAG_IN("disabled", "true: the user cannot sign in any more.") ","
    FLAG_IN("sign_out", "End every session and grant of the user.") "}}";
static const char client_add_in[] = OBJECT_OF("name") "\"properties\":{"
    STRING_IN("name", 256, "What users are shown.") "," CLIENT_IN ","
    "\"redirects\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":10,"
    "\"items\":{\"type\":\"string\",\"maxLength\":2048},"
    "\"description\":\"Where users are sent back to.\"}}}";

static const char create_in[] = OBJECT_OF("label") "\"properties\":{"
    "\"label\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,\"description\":\"What it is for.\"},"
    "\"scopes\":{\"type\":\"array\",\"maxItems\":16,\"items\":{\"type\":\"string\",\"maxLength\":64},"
    "\"description\":\"What it may do; the four ext:* when left out.\"},"
    "\"expires_s\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":3155760000,"
    "\"description\":\"Seconds it is good for.\"},"
    "\"reveal\":{\"type\":\"boolean\",\"description\":\"false: without a secret, until it is revealed.\"}}}";

static const char publish_in[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"connection\",\"table\",\"type\"],"
    "\"properties\":{"
    TEXT_IN("connection", "Its connection.") "," TEXT_IN("db", "Its schema.") "," TEXT_IN("table", "Its name.") ","
    "\"type\":{\"enum\":[\"table\",\"view\",\"import\"]},"
    TEXT_IN("name", "The table's when left out.") "," TEXT_IN("description", "What it holds.") "}}";

const struct tool auth_tools[] = {
	{
		.name = "token_create", .title = "Token Create",
		.description = "Makes a connectivity token, whose secret is shown in the answer and never again.",
		.input_schema = create_in,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = create_run,
	},
	{
		.name = "token_list", .title = "Token List",
		.description = "The connectivity tokens, without their secrets.",
		.input_schema = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		    "\"all\":{\"type\":\"boolean\",\"description\":\"Also those that ended more than 30 days ago.\"}}}",
		.hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = list_run,
	},
	{
		.name = "token_reveal", .title = "Token Reveal",
		.description = "Draws the secret of a pending token and shows it, once.",
		.input_schema = TOKEN_IN,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = reveal_run,
	},
	{
		.name = "token_revoke", .title = "Token Revoke",
		.description = "Ends a token at once: its calls are cancelled, its streams and sessions closed.",
		.input_schema = TOKEN_IN,
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = revoke_run,
	},
	{
		.name = "connectivity_set", .title = "Connectivity Set",
		.description = "Whether connectivity tokens are taken.",
		.input_schema = OBJECT_OF("enabled") "\"properties\":{"
		    "\"enabled\":{\"type\":\"boolean\","
		    "\"description\":\"false also closes what their holders have open.\"}}}",
		.hints = TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = connectivity_set,
	},
	{
		.name = "connectivity_state", .title = "Connectivity State",
		.description = "Whether connectivity tokens are taken, where, and which there are.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = connectivity_state,
	},
	{
		.name = "connectivity_guide", .title = "Connectivity Guide",
		.description = "How a program is set up to use what is published.",
		.input_schema = concierge_setup_in,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = concierge_guide,
	},
	{
		.name = "connectivity_check", .title = "Connectivity Check",
		.description = "Whether a token can be used, and what to do if not.",
		.input_schema = concierge_token_in,
		.hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = concierge_check,
	},
	{
		.name = "connectivity_status", .title = "Connectivity Status",
		.description = "Whether others may come with tokens for what is published, where, which tokens there "
		    "are, how much "
		    "they are used, and the last five calls. Never a secret. Example: connectivity_status({})",
		.input_schema = NOTHING_IN, .output_schema = concierge_status_out,
		.hints = TOOL_READ_ONLY | TOOL_IDEMPOTENT, .budget_ms = 10000, .run = concierge_status,
	},
	{
		.name = "connectivity_enable", .title = "Connectivity Enable",
		.description = "Turns connectivity on: tokens are taken from now on. Example: connectivity_enable({})",
		.input_schema = NOTHING_IN, .output_schema = concierge_switch_out,
		.hints = TOOL_IDEMPOTENT, .budget_ms = 30000, .run = concierge_enable,
	},
	{
		.name = "connectivity_disable", .title = "Connectivity Disable",
		.description = "Turns connectivity off: calls with tokens are cancelled, their streams closed; the "
		    "tokens stay. "
		    "Example: connectivity_disable({})",
		.input_schema = NOTHING_IN, .output_schema = concierge_switch_out,
		.hints = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true,
		.run = concierge_disable,
	},
	{
		.name = "connectivity_create_token", .title = "Connectivity Create Token",
		.description = "Makes a pending token. The secret is never in the answer: the server's owner reveals "
		    "it once with "
		    "the command in `reveal`, within a day. Example: connectivity_create_token({\"label\": "
		    "\"dashboard\"})",
		.input_schema = concierge_create_in, .output_schema = concierge_create_out,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = concierge_create,
	},
	{
		.name = "connectivity_revoke_token", .title = "Connectivity Revoke Token",
		.description = "Ends a token at once and for good: its calls are cancelled, its streams and sessions "
		    "closed. "
		    "Example: connectivity_revoke_token({\"token_id\": \"7fKq2LmX\"})",
		.input_schema = concierge_token_in, .output_schema = concierge_revoke_out,
		.hints = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = concierge_revoke,
	},
	{
		.name = "connectivity_generate_setup", .title = "Connectivity Setup",
		.description = "The steps that set a program up to use what is published, with its configuration, "
		    "where that goes on "
		    "Linux, macOS and Windows, how to see that each step worked, and what usually goes wrong. The "
		    "configuration "
		    "refers to the token and never holds it. Example: connectivity_generate_setup({\"platform\": "
		    "\"cursor\"})",
		.input_schema = concierge_setup_in, .output_schema = concierge_setup_out,
		.hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = concierge_setup,
	},
	{
		.name = "connectivity_test", .title = "Connectivity Test",
		.description = "Whether a token can be used now and what it opens, what is wrong, and what to do "
		    "about it. "
		    "Example: connectivity_test({\"token_id\": \"7fKq2LmX\"})",
		.input_schema = concierge_token_in, .output_schema = concierge_test_out,
		.hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = concierge_test,
	},
	{
		.name = "audit_page", .title = "Audit Page",
		.description = "Entries of the audit with their hashes, in order, one page.",
		.input_schema = "{\"type\":\"object\",\"additionalProperties\":false," "\"properties\":{"
			    "\"from\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Begin here.\"},"
			    "\"down\":{\"type\":\"boolean\",\"default\":false,\"description\":\"Towards the oldest.\"},"
			    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":500,\"default\":200,"
			    "\"description\":\"How many at most.\"}," TEXT_IN("since", "Not older, as `at` is.") ","
			    TEXT_IN("until", "Older than this.") "," TEXT_IN("principal", "Of this principal.") ","
			    TEXT_IN("action", "Of this action.") "," TEXT_IN("target", "On this.") ","
			    TEXT_IN("outcome", "That ended so.") "," TEXT_IN("code", "With this code.") ","
			    TEXT_IN("text", "That hold this text.") "}}",
		.hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = run_audit_page,
	},
	{
		.name = "audit_find", .title = "Audit Find",
		.description = "The entry with a receipt.",
		.input_schema = OBJECT_OF("receipt") "\"properties\":{"
			    TEXT_IN("receipt", "As an answer bears it.") "}}",
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = run_audit_find,
	},
	{
		.name = "audit_state", .title = "Audit State",
		.description = "The audit's head, its first entry and its public key.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = run_audit_state,
	},
	{
		.name = "user_add", .title = "User Add",
		.description = "Makes a user, who signs in with a name and a password.",
		.input_schema = user_add_in,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = user_add_run,
	},
	{
		.name = "user_list", .title = "User List",
		.description = "The users.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = user_list_run,
	},
	{
		.name = "user_set", .title = "User Set",
		.description = "Changes a user's role or password, or whether it may sign in; at once.",
		.input_schema = user_set_in,
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = user_set_run,
	},
	{
		.name = "user_remove", .title = "User Remove",
		.description = "Removes a user, and ends what it has open.",
		.input_schema = OBJECT_OF("name") "\"properties\":{" NAME_IN "}}",
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = user_remove_run,
	},
	{
		.name = "client_add", .title = "Client Add",
		.description = "Makes a client known that does not register itself.",
		.input_schema = client_add_in,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = client_add_run,
	},
	{
		.name = "client_list", .title = "Client List",
		.description = "The clients.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = client_list_run,
	},
	{
		.name = "client_remove", .title = "Client Remove",
		.description = "Removes a client, and ends what users granted it.",
		.input_schema = OBJECT_OF("client_id") "\"properties\":{" CLIENT_IN "}}",
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = client_remove_run,
	},
	{
		.name = "client_grants", .title = "Client Grants",
		.description = "Who allowed what to whom.",
		.input_schema = "{\"type\":\"object\",\"additionalProperties\":false,"
			    "\"properties\":{" USER_IN "," CLIENT_IN "}}",
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = client_grants_run,
	},
	{
		.name = "client_revoke", .title = "Client Revoke",
		.description = "Ends one grant at once: its tokens, calls and streams.",
		.input_schema = OBJECT_OF("grant_id") "\"properties\":{"
			    STRING_IN("grant_id", 64, "The grant's id.") "}}",
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = client_revoke_run,
	},
	{
		.name = "key_list", .title = "Key List",
		.description = "The keys that access tokens are signed with.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = key_list_run,
	},
	{
		.name = "key_rotate", .title = "Key Rotate",
		.description = "Signs with a new key from now on; the one before verifies what it signed.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = key_rotate_run,
	},
	{
		.name = "setup_link", .title = "Setup Link",
		.description = "The link for the first administrator, until there is an administrator.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = setup_link_run,
	},
	{
		.name = "admin_link", .title = "Admin Link",
		.description = "A link that opens the administration page, once and within five minutes.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = admin_link_run,
	},
	{
		.name = "preferences", .title = "Preferences",
		.description = "What is understood of a question that does not say: the caller's, else the project's.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = preferences_run,
	},
	{
		.name = "preferences_get", .title = "Preferences Get",
		.description = "The preferences of a user, or your own.",
		.input_schema = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" USER_IN "}}",
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = preferences_get_run,
	},
	{
		.name = "preferences_set", .title = "Preferences Set",
		.description = "Sets preferences of a user, or your own; an empty value is the project's again.",
		.input_schema = OBJECT_OF("set") "\"properties\":{" USER_IN ","
			    "\"set\":{\"type\":\"array\",\"maxItems\":100,"
			    "\"items\":{\"type\":\"string\",\"maxLength\":512},"
			    "\"description\":\"KEY=VALUE, as in weekStart=sunday or thresholds.large=1000.\"}}}",
		.hints = TOOL_IDEMPOTENT, .budget_ms = 10000, .run = preferences_set_run,
	},
	{
		.name = "datasets", .title = "Datasets",
		.description = "What is published, for the worker that serves it.",
		.input_schema = NOTHING_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = datasets_run,
	},
	{
		.name = "dataset_publish", .title = "Dataset Publish",
		.description = "Publishes a table; one that was published before has the id that it had.",
		.input_schema = publish_in,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = datasets_publish_run,
	},
	{
		.name = "dataset_unpublish", .title = "Dataset Unpublish",
		.description = "Ends the publishing of a dataset at once: calls that read it are cancelled.",
		.input_schema = DATASET_IN,
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = datasets_unpublish_run,
	},
	{
		.name = "dataset_remove", .title = "Dataset Remove",
		.description = "The same, and forgets an imported one, whose table is about to go.",
		.input_schema = DATASET_IN,
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = datasets_remove_run,
	},
	{
		.name = "dataset_documented", .title = "Dataset Documented",
		.description = "Notes in the audit that the documents of a dataset changed.",
		.input_schema = DATASET_IN,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = datasets_documented_run,
	},
	{
		.name = "dataset_imported", .title = "Dataset Imported",
		.description = "Notes in the audit that a file became a table.",
		.input_schema = OBJECT_OF("table") "\"properties\":{" TEXT_IN("table", "The table.") "}}",
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = datasets_imported_run,
	},
	{ .name = NULL },
};
