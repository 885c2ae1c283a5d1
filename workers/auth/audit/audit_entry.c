#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/system/clock.h"
#include "policy/secrets.h"
#include "workers/auth/audit/audit_entry.h"
#include "workers/auth/audit/audit_memo.h"

/* Bytes that a member may take in the text, and that stay free behind the statement: names, quotes and prev. */
#define RECEIPT_MAX	64
#define ID_MAX		256
#define TARGET_MAX	384
#define CODE_MAX	64
#define CONNECTION_MAX	128
#define SNAPSHOT_MAX	256
#define POLICY_MAX	768
#define CROSS_MAX	3072	/* of a checkpoint, which has no statement: audit_cross.h */
#define CLIENT_MAX	160
#define ADDRESS_MAX	64
#define TRACE_MAX	64
/* The longest that follows the statement's text, its own quote included. */
#define BEHIND_MAX	(CONNECTION_MAX + SNAPSHOT_MAX + POLICY_MAX + CLIENT_MAX + ADDRESS_MAX + TRACE_MAX + 256)

struct audit_entry
audit_entry_of(enum audit_action action, enum audit_outcome outcome)
{
	return (struct audit_entry){
		.kind = AUDIT_KIND_NONE, .surface = AUDIT_SURFACE_DAEMON, .action = action, .outcome = outcome,
		.rows = AUDIT_NO_FIGURE, .truncated = AUDIT_NO_FIGURE,
	};
}

/* The type of a member of the map, and where it is stored. */
enum entry_type { ENTRY_TEXT, ENTRY_NUMBER, ENTRY_TRUTH, ENTRY_MAP, ENTRY_WORD };
enum entry_word { ENTRY_ACTION, ENTRY_OUTCOME, ENTRY_SURFACE, ENTRY_WORDS };

#define MEMBER(name, type, at)	{ { (const uint8_t *)(name), sizeof(name) - 1 }, type, at }

static const struct entry_member {
	struct span	 name;
	enum entry_type	 type;
	size_t		 at;	/* in struct audit_entry; WORD: enum entry_word */
} members[] = {
	/* In the order in which they come, so that each is found at once. */
	MEMBER("at", ENTRY_NUMBER, offsetof(struct audit_entry, at_unix_ms)),
	MEMBER("receipt", ENTRY_TEXT, offsetof(struct audit_entry, receipt)),
	MEMBER("principal", ENTRY_TEXT, offsetof(struct audit_entry, id)),
	MEMBER("surface", ENTRY_WORD, ENTRY_SURFACE),
	MEMBER("action", ENTRY_WORD, ENTRY_ACTION),
	MEMBER("target", ENTRY_TEXT, offsetof(struct audit_entry, target)),
	MEMBER("outcome", ENTRY_WORD, ENTRY_OUTCOME),
	MEMBER("code", ENTRY_TEXT, offsetof(struct audit_entry, code)),
	MEMBER("duration_ms", ENTRY_NUMBER, offsetof(struct audit_entry, duration_ms)),
	MEMBER("rows", ENTRY_NUMBER, offsetof(struct audit_entry, rows)),
	MEMBER("truncated", ENTRY_TRUTH, offsetof(struct audit_entry, truncated)),
	MEMBER("statement", ENTRY_TEXT, offsetof(struct audit_entry, statement)),
	MEMBER("connection", ENTRY_TEXT, offsetof(struct audit_entry, connection)),
	MEMBER("snapshot", ENTRY_TEXT, offsetof(struct audit_entry, snapshot)),
	MEMBER("policy", ENTRY_MAP, offsetof(struct audit_entry, policy)),
	MEMBER("client", ENTRY_TEXT, offsetof(struct audit_entry, client)),
	MEMBER("address", ENTRY_TEXT, offsetof(struct audit_entry, address)),
	MEMBER("trace_id", ENTRY_TEXT, offsetof(struct audit_entry, trace_id)),
};

#define MEMBERS	(sizeof(members) / sizeof(members[0]))

/* The member with this name, searched from *next on; NULL: none. */
static const struct entry_member *
entry_member(struct span name, size_t *next)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		const struct entry_member *m = &members[(*next + i) % MEMBERS];

		if (name.len == m->name.len && bytes_are(name.p, m->name.p, name.len)) {
			*next = (*next + i + 1) % MEMBERS;
			return m;
		}
	}
	return NULL;
}

static void
entry_set(struct audit_entry *e, struct span words[ENTRY_WORDS], const struct entry_member *m, const struct mp_value *v)
{
	void *at = m->type == ENTRY_WORD ? NULL : (char *)e + m->at;

	switch (m->type) {
	case ENTRY_TEXT:
		if (v->class == MP_STR)
			*(struct span *)at = v->s;
		break;
	case ENTRY_NUMBER:
		if (v->class == MP_UINT)
			*(uint64_t *)at = v->u;
		break;
	case ENTRY_TRUTH:
		if (v->class == MP_BOOL)
			*(uint64_t *)at = v->boolean;
		break;
	case ENTRY_MAP:
		if (v->class == MP_MAP && v->n > 0)
			*(struct span *)at = v->raw;
		break;
	case ENTRY_WORD:
		if (v->class == MP_STR)
			words[m->at] = v->s;
		break;
	}
}

bool
audit_entry_read(struct span bytes, unsigned tellers, struct audit_entry *e)
{
	struct span words[ENTRY_WORDS] = { { NULL, 0 } }, name;
	const struct entry_member *m;
	struct mp_value map, v;
	struct mp_iter it;
	size_t next = 0;

	if (!mp_value(bytes, &map) || map.class != MP_MAP)
		return false;
	*e = audit_entry_of(AUDIT_ACTION_AUTH, AUDIT_OUTCOME_ERROR);
	it = mp_iter(&map);
	while (mp_next_pair(&it, &name, &v))
		if ((m = entry_member(name, &next)) != NULL)
			entry_set(e, words, m, &v);
	e->action = audit_action_of(words[ENTRY_ACTION]);
	if (e->action == AUDIT_ACTIONS || (audit_action_teller(e->action) & tellers) == 0)
		return false;
	if ((e->outcome = audit_outcome_of(words[ENTRY_OUTCOME])) == AUDIT_OUTCOMES)
		e->outcome = AUDIT_OUTCOME_ERROR;
	if ((e->surface = audit_surface_of(words[ENTRY_SURFACE])) == AUDIT_SURFACES)
		e->surface = AUDIT_SURFACE_DAEMON;
	if ((e->kind = audit_kind_of_id(e->id)) == AUDIT_KINDS)
		e->kind = AUDIT_KIND_NONE;
	return true;
}

uint64_t
audit_receipt_number(struct span receipt)
{
	uint64_t halves[2] = { 0, 0 };
	unsigned half = 0, digits = 0;

	if (receipt.len < 12 || receipt.len > 19 || memcmp(receipt.p, "r-", 2) != 0 || receipt.p[10] != '-')
		return 0;
	for (size_t i = 2; i < receipt.len; i++) {
		int digit = ascii_hex(receipt.p[i]);

		if (i == 10) {
			half = 1;
			digits = 0;
			continue;
		}
		if (digit < 0 || ++digits > 8)
			return 0;
		halves[half] = halves[half] << 4 | (unsigned)digit;
	}
	return halves[0] << 32 | halves[1];
}

/* Bytes of a map's head. */
static size_t
head_size(uint8_t first)
{
	return (first & 0xf0) == 0x80 ? 1 : first == 0xde ? 3 : first == 0xdf ? 5 : 0;
}

struct span
audit_entry_told(struct span bytes, struct span *receipt)
{
	static const uint8_t key[] = "\xa7receipt";
	size_t head = bytes.len > 0 ? head_size(bytes.p[0]) : 0, at = head + sizeof(key) - 1;

	if (head == 0 || bytes.len <= at || memcmp(bytes.p + head, key, sizeof(key) - 1) != 0 ||
	    (bytes.p[at] & 0xe0) != 0xa0 || bytes.len - at - 1 < (bytes.p[at] & 0x1fu))
		return SPAN_NONE;
	*receipt = span_of(bytes.p + at + 1, bytes.p[at] & 0x1fu);
	at += 1 + receipt->len;
	return audit_receipt_number(*receipt) == 0 ? SPAN_NONE : span_of(bytes.p + at, bytes.len - at);
}

/* The texts of an entry, and how many bytes each may have there: the statement has what the others leave. */
enum entry_member_text {
	TEXT_RECEIPT,
	TEXT_ID,
	TEXT_TARGET,
	TEXT_CODE,
	TEXT_STATEMENT,
	TEXT_CONNECTION,
	TEXT_SNAPSHOT,
	TEXT_CLIENT,
	TEXT_ADDRESS,
	TEXT_TRACE,
	TEXTS,
	TEXT_POLICY = TEXTS, /* which is a map, and has a place in the memo */
	TEXT_MEMBERS
};

static const struct {
	const char	*name;
	size_t		 bytes;
} entry_texts[TEXTS] = {
	[TEXT_RECEIPT] = { "receipt", RECEIPT_MAX },
	[TEXT_ID] = { "id", ID_MAX },
	[TEXT_TARGET] = { "target", TARGET_MAX },
	[TEXT_CODE] = { "code", CODE_MAX },
	[TEXT_STATEMENT] = { "statement", 0 },
	[TEXT_CONNECTION] = { "connection", CONNECTION_MAX },
	[TEXT_SNAPSHOT] = { "snapshot", SNAPSHOT_MAX },
	[TEXT_CLIENT] = { "client", CLIENT_MAX },
	[TEXT_ADDRESS] = { "address", ADDRESS_MAX },
	[TEXT_TRACE] = { "trace_id", TRACE_MAX },
};

_Static_assert(TEXT_MEMBERS <= AUDIT_MEMO_MEMBERS, "each text has its place in the memo");

/* Append s as the inside of a JSON string: at most `characters` of it, in at most `bytes` of text.  True: all of it. */
static bool
entry_put_inside(struct buf *out, struct span s, size_t characters, size_t bytes)
{
	uint8_t c[JSON_ESCAPE_MAX];
	size_t end = out->len + bytes;

	while (s.len > 0 && characters > 0) {
		size_t most = characters < end - out->len ? characters : end - out->len, took;
		size_t n = json_plain_ascii(span_of(s.p, s.len < most ? s.len : most));

		buf_append(out, s.p, n);
		characters -= n;
		s = span_of(s.p + n, s.len - n);
		if (s.len == 0 || characters == 0)
			break;
		n = json_escape_character(s, c, &took);
		if (out->len + n > end)
			break;
		buf_append(out, c, n);
		characters--;
		s = span_of(s.p + took, s.len - took);
	}
	return s.len == 0;
}

/* What comes with nearly each entry in a form of its own is not worth a memo. */
static bool
is_single(enum entry_member_text which)
{
	return which == TEXT_RECEIPT || which == TEXT_TRACE;
}

/* A receipt of Carrel's form has no form of a secret, and nothing to decode or to escape. */
static bool
is_plain_receipt(const struct audit_entry *e)
{
	return audit_receipt_number(e->receipt) != 0 &&
	    (e->secret.len == 0 || memmem(e->receipt.p, e->receipt.len, e->secret.p, e->secret.len) == NULL);
}

/* A text while it is composed. */
struct entry_text {
	struct buf			*out;
	const struct audit_entry	*e;
	bool				 hides;	/* something of the entry is not put there as it was told */
};

/* A caller's text may contain a secret, by mistake or on purpose: it is not recorded. */
static void
entry_write_text(struct entry_text *t, enum entry_member_text which, struct span s, size_t characters, size_t bytes)
{
	struct buf hidden = { .max = 0 }, *out = t->out;
	struct span shown = s;
	size_t start = out->len;
	bool whole;

	json_put_key(out, entry_texts[which].name);
	if (policy_secrets_hide(s, t->e->secret, &hidden)) {
		shown = buf_view(&hidden);
		t->hides = true;
	}
	buf_byte(out, '"');
	whole = entry_put_inside(out, shown, characters, bytes);
	buf_byte(out, '"');
	if (whole && shown.p == s.p && !is_single(which))
		audit_memo_keep(t->e->memo, which, s, span_of(out->p + start, out->len - start));
	buf_fini(&hidden);
}

static void
entry_put_text(struct entry_text *t, enum entry_member_text which, struct span s, size_t characters, size_t bytes)
{
	struct span known;

	if (s.len == 0) {
		json_put_cstr(t->out, entry_texts[which].name, NULL);
		return;
	}
	known = is_single(which) ? SPAN_NONE : audit_memo_find(t->e->memo, which, s);
	if (known.p != NULL && known.len <= bytes)
		buf_span(t->out, known);
	else
		entry_write_text(t, which, s, characters, bytes);
}

/* A text of this member's own length. */
static void
entry_put_own(struct entry_text *t, enum entry_member_text which, struct span s)
{
	entry_put_text(t, which, s, SIZE_MAX, entry_texts[which].bytes);
}

static void
entry_put_truth(struct buf *out, const char *name, uint64_t n)
{
	if (n == AUDIT_NO_FIGURE)
		json_put_cstr(out, name, NULL);
	else
		json_put_bool(out, name, n != 0);
}

/* Policy facts that do not fit, or are JSON no longer without their secrets, are omitted as a whole. */
static void
entry_write_policy(struct entry_text *t)
{
	struct buf json = { .max = 0 }, hidden = { .max = 0 }, packed = { .max = 0 }, *out = t->out;
	const struct audit_entry *e = t->e;
	struct mp_value map;
	struct span text = SPAN_NONE;
	size_t at, start = out->len;
	bool omitted = false;

	if (e->policy.len > 0 && mp_value(e->policy, &map)) {
		json_write(&json, &map);
		text = buf_view(&json);
		if (policy_secrets_hide(text, e->secret, &hidden))
			text = json_read(buf_view(&hidden), &packed, &at) == JSON_OK ? buf_view(&hidden) : SPAN("");
		omitted = text.len == 0 || text.len > (e->action == AUDIT_ACTION_CHECKPOINT ? CROSS_MAX : POLICY_MAX);
	}
	if (omitted) {
		json_put_object(out, "policy");
		json_put_bool(out, "omitted", true);
		json_end_object(out);
	} else
		json_put_raw(out, "policy", text.p != NULL ? text : SPAN("null"));
	t->hides = t->hides || omitted || hidden.len > 0;
	if (!omitted && hidden.len == 0 && text.len <= POLICY_MAX)
		audit_memo_keep(e->memo, TEXT_POLICY, e->policy, span_of(out->p + start, out->len - start));
	buf_fini(&json);
	buf_fini(&hidden);
	buf_fini(&packed);
}

static void
entry_put_policy(struct entry_text *t)
{
	struct span known = audit_memo_find(t->e->memo, TEXT_POLICY, t->e->policy);

	if (known.p != NULL)
		buf_span(t->out, known);
	else
		entry_write_policy(t);
}

/* All that fronts tell but the receipt. */
static void
entry_put_told(struct entry_text *t, size_t used)
{
	const struct audit_entry *e = t->e;
	size_t start = t->out->len;

	json_put_object(t->out, "principal");
	json_put_cstr(t->out, "kind", audit_kind_name(e->kind));
	entry_put_own(t, TEXT_ID, e->id);
	json_end_object(t->out);
	json_put_cstr(t->out, "surface", audit_surface_name(e->surface));
	json_put_cstr(t->out, "action", audit_action_name(e->action));
	entry_put_own(t, TEXT_TARGET, e->target);
	json_put_cstr(t->out, "outcome", audit_outcome_name(e->outcome));
	entry_put_own(t, TEXT_CODE, e->code);
	json_put_uint(t->out, "duration_ms", e->duration_ms);
	json_put_known(t->out, "rows", e->rows != AUDIT_NO_FIGURE, e->rows);
	entry_put_truth(t->out, "truncated", e->truncated);
	used += t->out->len - start;
	entry_put_text(t, TEXT_STATEMENT, e->statement, AUDIT_STATEMENT_CHARACTERS,
	    AUDIT_ENTRY_MAX - BEHIND_MAX - used);
	entry_put_own(t, TEXT_CONNECTION, e->connection);
	entry_put_own(t, TEXT_SNAPSHOT, e->snapshot);
	entry_put_policy(t);
	entry_put_own(t, TEXT_CLIENT, e->client);
	entry_put_own(t, TEXT_ADDRESS, e->address);
	entry_put_own(t, TEXT_TRACE, e->trace_id);
}

void
audit_entry_put(struct buf *out, const struct audit_entry *e)
{
	struct entry_text t = { .out = out, .e = e };
	size_t start = out->len, told;
	char at[25];

	clock_iso8601(e->at_unix_ms, at);
	json_put_object(out, NULL);
	json_put_uint(out, "seq", e->seq);
	json_put_str(out, "at", span_of(at, sizeof(at) - 1));
	if (is_plain_receipt(e))
		json_put_str(out, entry_texts[TEXT_RECEIPT].name, e->receipt);
	else
		entry_put_own(&t, TEXT_RECEIPT, e->receipt);
	told = out->len;
	if (e->known.len > 0)
		buf_span(out, e->known);
	else {
		entry_put_told(&t, told - start);
		if (!t.hides)
			audit_memo_keep_entry(e->memo, e, span_of(out->p + told, out->len - told));
	}
	json_put_key(out, "prev");
	buf_byte(out, '"');
	audit_hex(out, e->prev, AUDIT_HASH);
	buf_byte(out, '"');
	json_end_object(out);
}
