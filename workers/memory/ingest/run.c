#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mem.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "workers/memory/ingest/run.h"
#include "workers/memory/read/signals.h"

#define ARENA_MAX	((size_t)64 << 20)	/* of a note's run, which keeps a file's text for each change */
#define LARGE_ARENA_MAX	((size_t)384 << 20)	/* of an import */
#define LARGE_RECORD	((size_t)24 << 20)	/* only an import's record is longer */
#define TEXTS_MAX	((size_t)5 << 20)	/* of an answer: one with more says what changes, without the texts */
#define LOG_CHANGES_MAX	100			/* of a run in a list of runs */
#define PREFIX		"mem-"
#define TIME_DIGITS	13
#define HASH_DIGITS	24

static const char *const stages[] = { "queued", "triage", "propose", "validate", "write", "commit", "done", "error" };
static const char *const kinds[] = { "wiki", "semantic_layer" };
static const char *const actions[] = { "created", "updated", "skipped", "removed" };
static const char *const steps[] = { "ingest", "approve", "revert" };
static const char *const reviews[] = { "none", "proposed", "approved" };

/* The index of s among n names; n: not among them. */
static unsigned
which(const char *const *names, unsigned n, struct span s)
{
	unsigned i = 0;

	while (i < n && !span_is_str(s, names[i]))
		i++;
	return i;
}

struct run *
run_new(bool large)
{
	struct run *r = mem_new(1, sizeof(*r));

	r->arena = arena_new(large ? LARGE_ARENA_MAX : ARENA_MAX);
	run_changes_begin(&r->changes, r->arena, RUN_CHANGES_MAX);
	run_changes_begin(&r->moves, r->arena, RUN_CHANGES_MAX);
	return r;
}

void
run_changes_begin(struct run_changes *list, struct arena *a, size_t max)
{
	*list = (struct run_changes){ .max = max, .v = mem_must(arena_array(a, max, sizeof(*list->v))) };
}

void
run_free(struct run *r)
{
	if (r == NULL)
		return;
	arena_free(r->arena);
	free(r);
}

void
run_identify(struct run *r)
{
	const struct span parts[] = { r->principal, r->connection, r->content };
	uint8_t digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state h;
	char hex[HASH_DIGITS + 1];

	crypto_hash_sha256_init(&h);
	for (size_t i = 0; i < 3; i++) {
		uint64_t n = parts[i].len;

		/* Lengths separate the parts. */
		crypto_hash_sha256_update(&h, (const uint8_t *)&n, sizeof(n));
		if (n > 0)
			crypto_hash_sha256_update(&h, parts[i].p, n);
	}
	crypto_hash_sha256_final(&h, digest);
	sodium_bin2hex(hex, sizeof(hex), digest, HASH_DIGITS / 2);
	snprintf(r->id, sizeof(r->id), PREFIX "%0*" PRIu64 "-%s", TIME_DIGITS, r->at_ms, hex);
}

static const char *
hash_of(const char *id)
{
	return strlen(id) == strlen(PREFIX) + TIME_DIGITS + 1 + HASH_DIGITS ? id + strlen(PREFIX) + TIME_DIGITS + 1 :
									      NULL;
}

bool
run_same(const char *a, const char *b)
{
	const char *x = hash_of(a), *y = hash_of(b);

	return x != NULL && y != NULL && strcmp(x, y) == 0;
}

uint64_t
run_time(const char *id)
{
	return strncmp(id, PREFIX, strlen(PREFIX)) == 0 && hash_of(id) != NULL ?
	    strtoull(id + strlen(PREFIX), NULL, 10) :
	    0;
}

static void
put_time(struct buf *out, const char *key, uint64_t ms)
{
	char at[25];

	mp_put_cstr(out, key);
	if (ms == 0) {
		mp_put_nil(out);
		return;
	}
	clock_iso8601(ms, at);
	mp_put_cstr(out, at);
}

/* The reason, and why there is no commit. */
static void
put_remarked(struct buf *out, struct span reason, struct span remark)
{
	struct buf b = { 0 };

	buf_printf(&b, "%.*s; not committed: %.*s", SPAN_FMT(reason), SPAN_FMT(remark));
	mp_pair_str(out, "reason", buf_view(&b));
	buf_fini(&b);
}

static void
put_changes(const char *key, const struct run_changes *list, size_t max, bool texts, struct span remark,
    struct buf *out)
{
	mp_pair_array(out, key, list->n < max ? list->n : max);
	for (size_t i = 0; i < list->n && i < max; i++) {
		const struct run_change *c = &list->v[i];
		size_t mark = mp_open_map(out);

		mp_pair_str(out, "kind", span_str(kinds[c->kind]));
		mp_pair_str(out, "path", c->path);
		mp_pair_str(out, "action", span_str(actions[c->action]));
		mp_pair_str(out, "summary", c->summary);
		if (remark.len > 0 && c->action != RUN_SKIPPED)
			put_remarked(out, c->reason, remark);
		else
			mp_pair_str(out, "reason", c->reason);
		if (texts) {
			mp_pair_str(out, "name", c->name);
			mp_pair_str(out, "before", c->before);
			mp_pair_str(out, "after", c->after);
			mp_pair_bool(out, "joined", c->joined);
		}
		mp_end(out, mark);
	}
}

static void
put_signals(const struct run *r, struct buf *out)
{
	size_t mark;

	mark = mp_pair_open_array(out, "signals");
	for (unsigned i = 0; i < SIGNALS; i++) {
		if ((r->signals & 1u << i) == 0)
			continue;
		mp_put_pairs(out, mp_str("signal", span_str(signal_at(i)->name)),
		    mp_str("votes", span_str(signal_votes_name(signal_at(i)->votes))),
		    mp_str("reason", span_str(signal_at(i)->reason)));
	}
	mp_end(out, mark);
}

bool
run_has_ended(const struct run *r)
{
	return r->stage == RUN_DONE || r->stage == RUN_ERROR;
}

bool
run_owes_end(const struct run *r)
{
	return r->shared && r->step == RUN_STEP_INGEST && run_has_ended(r);
}

/* An ended run does not need its ticket. */
static void
put_ticket(const struct run *r, struct buf *out)
{
	char hex[2 * RUN_TICKET_MAX + 1] = "";

	if (!run_has_ended(r) && r->ticket.len <= RUN_TICKET_MAX)
		sodium_bin2hex(hex, sizeof(hex), r->ticket.p, r->ticket.len);
	mp_pair_cstr(out, "ticket", hex);
}

static void
put_consulted(const struct run *r, struct buf *out)
{
	mp_pair_array(out, "pages", r->npages);
	for (size_t i = 0; i < r->npages; i++) {
		mp_put_pairs(out, mp_str("key", r->pages[i].key), mp_uint("near", r->pages[i].near));
	}
	mp_pair_array(out, "trials", r->ntrials);
	for (size_t i = 0; i < r->ntrials; i++) {
		mp_put_pairs(out, mp_str("asked", r->trials[i].asked), mp_str("filter", r->trials[i].filter),
		    mp_str("refused", r->trials[i].refused));
	}
}

static void
put_record(const struct run *r, struct buf *out)
{
	size_t map = mp_open_pairs(out, mp_cstr("runId", r->id), mp_cstr("step", steps[r->step]),
	    mp_uint("steps", r->steps), mp_cstr("review", reviews[r->review]), mp_str("commit", r->commit),
	    mp_str("revertCommit", r->revert_commit), mp_str("uncommitted", r->uncommitted), mp_uint("at", r->at_ms),
	    mp_uint("finished", r->finished_ms), mp_str("principal", r->principal),
	    mp_str("connectionId", r->connection), mp_cstr("stage", stages[r->stage]), mp_uint("attempts", r->attempts),
	    mp_bool("reverted", r->reverted), mp_bool("shared", r->shared), mp_str("error", r->error));

	put_ticket(r, out);
	mp_add_pairs(out, mp_bool("consulted", r->consulted), mp_str("unasked", r->unasked));
	put_consulted(r, out);
	put_signals(r, out);
	put_changes("changes", &r->changes, SIZE_MAX, true, SPAN(""), out);
	put_changes("moves", &r->moves, SIZE_MAX, true, SPAN(""), out);
	/* What an import read is needed until it is written. */
	mp_add_pairs(out,
	    mp_str("content",
		r->report.len > 0 && r->stage == RUN_DONE && r->review != RUN_PROPOSED ? SPAN("") : r->content),
	    mp_str("report", r->report));
	mp_end(out, map);
}

static int
save(const struct run *r, int state, int (*write)(int, const char *, struct span, struct err *), struct err *err)
{
	struct buf mp = { 0 }, text = { 0 };
	struct mp_value v;
	char name[RUN_ID_MAX + 8];
	int dir = atomic_open_dir(state, run_has_ended(r) ? "runs" : "queue", err), result;

	if (dir < 0)
		return -1;
	put_record(r, &mp);
	mp_value(buf_view(&mp), &v);
	json_write(&text, &v);
	buf_byte(&text, '\n');
	snprintf(name, sizeof(name), "%s.json", r->id);
	result = write(dir, name, buf_view(&text), err);
	buf_fini(&mp);
	buf_fini(&text);
	close(dir);
	return result;
}

int
run_save(const struct run *r, int state, struct err *err)
{
	return save(r, state, atomic_replace_lazily, err);
}

int
run_accept(const struct run *r, int state, struct err *err)
{
	return save(r, state, atomic_create, err);
}

void
run_dequeue(const struct run *r, int state)
{
	char name[RUN_ID_MAX + 16];

	snprintf(name, sizeof(name), "queue/%s.json", r->id);
	(void)unlinkat(state, name, 0);
}

static struct span
read_text(struct run *r, const struct mp_value *v, const char *key)
{
	return arena_span(r->arena, mp_get_str(v, key, SPAN("")));
}

/* Records of earlier releases have no such list, nor steps or reviews. */
static int
take_changes(struct run *r, const struct mp_value *v, const char *key, struct run_changes *out)
{
	struct mp_value list, each;
	struct mp_iter it;

	if (!mp_get(v, key, &list))
		return 0;
	if (list.class != MP_ARRAY)
		return -1;
	if (list.n > out->max)
		run_changes_begin(out, r->arena, list.n);
	for (it = mp_iter(&list); mp_next(&it, &each);) {
		unsigned kind = which(kinds, 2, mp_get_str(&each, "kind", SPAN("")));
		unsigned action = which(actions, 4, mp_get_str(&each, "action", SPAN("")));
		struct run_change *c;

		if (kind == 2 || action == 4 ||
		    (c = run_change(out, (enum run_kind)kind, (enum run_action)action)) == NULL)
			return -1;
		c->path = read_text(r, &each, "path");
		c->name = read_text(r, &each, "name");
		c->summary = read_text(r, &each, "summary");
		c->reason = read_text(r, &each, "reason");
		c->before = read_text(r, &each, "before");
		c->after = read_text(r, &each, "after");
		c->joined = mp_get_bool(&each, "joined", false);
	}
	return 0;
}

static void
take_ticket(struct run *r, struct span hex)
{
	uint8_t raw[RUN_TICKET_MAX];
	size_t len = 0;

	if (hex.len > 0 && sodium_hex2bin(raw, sizeof(raw), (const char *)hex.p, hex.len, NULL, &len, NULL) == 0)
		r->ticket = arena_span(r->arena, span_of(raw, len));
}

static int
take_record(struct run *r, const struct mp_value *v)
{
	struct span id = mp_get_str(v, "runId", SPAN(""));
	struct mp_value list, each;
	unsigned stage = which(stages, 8, mp_get_str(v, "stage", SPAN("")));
	unsigned step = which(steps, 3, mp_get_str(v, "step", SPAN("ingest")));
	unsigned review = which(reviews, 3, mp_get_str(v, "review", SPAN("none")));

	if (v->class != MP_MAP || id.len == 0 || id.len >= sizeof(r->id) || stage == 8 || step == 3 || review == 3)
		return -1;
	r->step = (enum run_step)step;
	r->steps = (unsigned)mp_get_uint(v, "steps", 1);
	r->review = (enum run_review)review;
	r->commit = read_text(r, v, "commit");
	r->revert_commit = read_text(r, v, "revertCommit");
	r->uncommitted = read_text(r, v, "uncommitted");
	memcpy(r->id, id.p, id.len);
	r->stage = (enum run_stage)stage;
	r->at_ms = mp_get_uint(v, "at", 0);
	r->finished_ms = mp_get_uint(v, "finished", 0);
	r->attempts = (unsigned)mp_get_uint(v, "attempts", 0);
	r->principal = read_text(r, v, "principal");
	r->connection = read_text(r, v, "connectionId");
	r->reverted = mp_get_bool(v, "reverted", false);
	r->shared = mp_get_bool(v, "shared", false);
	r->error = read_text(r, v, "error");
	r->consulted = mp_get_bool(v, "consulted", false);
	r->unasked = read_text(r, v, "unasked");
	take_ticket(r, mp_get_str(v, "ticket", SPAN("")));
	r->content = read_text(r, v, "content");
	r->report = read_text(r, v, "report");
	if (mp_get(v, "signals", &list) && list.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &each);)
			r->signals |= signal_called(mp_get_str(&each, "signal", SPAN("")));
	/* In records of an earlier release, pages are stored as keys. */
	if (mp_get(v, "pages", &list) && list.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &each);)
			if (each.class == MP_MAP && r->npages < RUN_PAGES_MAX)
				r->pages[r->npages++] = (struct run_page){ read_text(r, &each, "key"),
					(unsigned)mp_get_uint(&each, "near", 0) };
	if (mp_get(v, "trials", &list) && list.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &each);)
			if (each.class == MP_MAP && r->ntrials < RUN_TRIALS_MAX)
				r->trials[r->ntrials++] = (struct run_trial){ read_text(r, &each, "asked"),
					read_text(r, &each, "filter"), read_text(r, &each, "refused") };
	return take_changes(r, v, "changes", &r->changes) == 0 ? take_changes(r, v, "moves", &r->moves) : -1;
}

/* The record at path; NULL with *err, ERR_PAGE_NOT_FOUND if it is missing. */
static struct run *
load_journal(int state, const char *path, struct err *err)
{
	struct buf text = { 0 }, mp = { 0 };
	enum files_fault fault = files_read(state, path, RUN_FILE_MAX, &text, NULL);
	struct run *r = NULL;
	struct mp_value v;
	size_t at;

	if (fault == FILES_MISSING)
		err_set(err, ERR_PAGE_NOT_FOUND, "no such record");
	else {
		r = run_new(text.len > LARGE_RECORD);
		if (fault != FILES_OK || json_read(buf_view(&text), &mp, &at) != JSON_OK ||
		    !mp_value(buf_view(&mp), &v) || take_record(r, &v) != 0) {
			err_set(err, ERR_SERVICE_UNAVAILABLE, "the record .carrel/memory/%s cannot be read", path);
			run_free(r);
			r = NULL;
		}
	}
	buf_fini(&text);
	buf_fini(&mp);
	return r;
}

int
run_refuse_unknown(struct span id, struct err *err)
{
	return err_set(err, ERR_PAGE_NOT_FOUND,
	    "There is no memory run \"%.*s\"; memory_ingest returns the runId to ask for.",
	    (int)(id.len < 100 ? id.len : 100), (const char *)id.p);
}

struct run *
run_load(int state, struct span id, struct err *err)
{
	static const char *const places[] = { "queue", "runs" };
	struct run *found[2] = { NULL, NULL }, *r;
	struct err why = { .code = ERR_PAGE_NOT_FOUND }, each;
	char path[RUN_ID_MAX + 16];

	for (size_t i = 0; i < 2 && files_is_id(id) && id.len < RUN_ID_MAX; i++) {
		snprintf(path, sizeof(path), "%s/%.*s.json", places[i], SPAN_FMT(id));
		if ((found[i] = load_journal(state, path, &each)) == NULL && each.code != ERR_PAGE_NOT_FOUND)
			why = each;
	}
	/* Between the two writes at the end of a step both exist: take the newer. */
	r = found[0] == NULL || (found[1] != NULL && found[1]->steps >= found[0]->steps) ? found[1] : found[0];
	run_free(r == found[0] ? found[1] : found[0]);
	if (r == NULL && why.code == ERR_PAGE_NOT_FOUND)
		run_refuse_unknown(id, err);
	else if (r == NULL && err != NULL)
		*err = why;
	return r;
}

const struct run_changes *
run_moves(const struct run *r)
{
	return r->step == RUN_STEP_APPROVE ? &r->moves : &r->changes;
}

void
run_sides(const struct run_change *c, bool back, struct run_side *before, struct run_side *after)
{
	const struct run_side was = { c->action != RUN_CREATED, c->before },
			      is = { c->action != RUN_REMOVED, c->after };

	*before = back ? is : was;
	*after = back ? was : is;
}

bool
run_writes(const struct run_change *c)
{
	return c->action != RUN_SKIPPED && !c->joined;
}

struct run_change *
run_change(struct run_changes *list, enum run_kind kind, enum run_action action)
{
	struct run_change *c;

	if (list->n == list->max)
		return NULL;
	c = &list->v[list->n++];
	*c = (struct run_change){ .kind = kind, .action = action };
	return c;
}

static bool
writes_semantic(const struct run *r)
{
	for (size_t i = 0; i < r->changes.n; i++)
		if (r->changes.v[i].kind == RUN_SEMANTIC && r->changes.v[i].action != RUN_SKIPPED)
			return true;
	return false;
}

/* Whether an earlier change captured the same name. */
static bool
is_repeated(const struct run *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (r->changes.v[k].kind == r->changes.v[i].kind && r->changes.v[k].action != RUN_SKIPPED &&
		    span_is(r->changes.v[k].name, r->changes.v[i].name))
			return true;
	return false;
}

/* The names of what was written, except failed and reverted changes. */
static void
put_captured(const struct run *r, struct buf *out)
{
	static const char *const lists[] = { "wiki", "sl", "xrefs" };
	size_t n, mark;

	mp_put_cstr(out, "captured");
	mp_put_map(out, 3);
	for (unsigned k = 0; k < 3; k++) {
		mark = mp_pair_open_array(out, lists[k]);
		n = 0;
		for (size_t i = 0; i < r->changes.n && r->stage == RUN_DONE && !r->reverted; i++) {
			const struct run_change *c = &r->changes.v[i];

			if (c->action == RUN_SKIPPED ||
			    (k == 2 ? c->kind != RUN_WIKI || !writes_semantic(r) : c->kind != k))
				continue;
			if (is_repeated(r, i))
				continue;
			mp_put_str(out, c->name);
			n++;
		}
		mp_close(out, mark, n);
	}
}

/* A text as it is; of an import its report, which is far shorter than what was read. */
static void
put_content(const struct run *r, struct buf *out)
{
	struct buf report = { 0 };
	size_t at;

	if (r->report.len > 0 && json_read(r->report, &report, &at) == JSON_OK)
		mp_add_pairs(out, mp_str("content", SPAN("")), mp_raw("report", buf_view(&report)));
	else
		mp_pair_str(out, "content", r->content);
	buf_fini(&report);
}

/* The changes of an answer, which holds so much. */
static void
put_shown_changes(const struct run *r, enum run_detail detail, struct buf *out)
{
	size_t max = detail == RUN_ALL ? SIZE_MAX : LOG_CHANGES_MAX, texts = 0;

	for (size_t i = 0; i < r->changes.n; i++)
		texts += r->changes.v[i].before.len + r->changes.v[i].after.len;
	put_changes("changes", &r->changes, max, detail == RUN_ALL && texts <= TEXTS_MAX, r->uncommitted, out);
	if (r->changes.n > max)
		mp_pair_uint(out, "changesLeftOut", r->changes.n - max);
	if (detail == RUN_ALL && texts > TEXTS_MAX)
		mp_pair_uint(out, "textsLeftOut", texts);
}

void
run_put(const struct run *r, enum run_detail detail, struct buf *out)
{
	const char *status = r->stage == RUN_DONE ? "done" : r->stage == RUN_ERROR ? "error" : "running";
	size_t mark = mp_open_map(out);

	mp_pair_str(out, "runId", span_str(r->id));
	mp_pair_str(out, "status", span_str(status));
	mp_pair_str(out, "stage", span_str(stages[r->stage]));
	mp_pair_bool(out, "done", run_has_ended(r));
	put_captured(r, out);
	mp_pair_some(out, "error", r->error);
	mp_pair_some(out, "commitHash", r->commit);
	mp_pair_bool(out, "signalDetected", r->signals != 0);
	put_time(out, "startedAt", r->at_ms);
	put_time(out, "finishedAt", r->finished_ms);
	put_shown_changes(r, detail, out);
	if (detail != RUN_STATUS) {
		mp_pair_str(out, "review", span_str(reviews[r->review]));
		mp_pair_some(out, "revertCommit", r->revert_commit);
		mp_pair_str(out, "principal", r->principal);
		mp_pair_bool(out, "reverted", r->reverted);
	}
	if (detail == RUN_ALL) {
		mp_pair_some(out, "connectionId", r->connection);
		put_signals(r, out);
		put_content(r, out);
	}
	mp_end(out, mark);
}
