#include "workers/sql/attack_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mp.h"
#include "workers/sql/value.h"

void
audit_row_begin(struct audit_row *row, const struct audit_input *input)
{
	memset(row, 0, sizeof(*row));
	row->input = input;
}

void
audit_say(struct audit_row *row, enum audit_layer layer, enum audit_verdict verdict, const char *fmt, ...)
{
	va_list args;

	row->layers[layer].verdict = verdict;
	va_start(args, fmt);
	vsnprintf(row->layers[layer].why, sizeof(row->layers[layer].why), fmt, args);
	va_end(args);
}

void
audit_know_session(struct audit_row *row, uint64_t timeout_ms)
{
	switch (row->input->session) {
	case AUDIT_TRY:
		break;
	case AUDIT_STOPS:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "a read-only transaction refuses it");
		break;
	case AUDIT_UNDOES:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNDONE, "taken back at the end of the call; not tried");
		break;
	case AUDIT_BOUNDS:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_BOUNDED, "ended after %llu ms; not tried",
		    (unsigned long long)timeout_ms);
		break;
	case AUDIT_READS:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_PASSED, "a read-only transaction lets it read");
		break;
	case AUDIT_OUTLIVES:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNTRIED, "its effect would outlive a rollback");
		break;
	}
}

static bool
is_held(const struct audit_row *row, enum audit_layer layer)
{
	enum audit_verdict v = row->layers[layer].verdict;

	return v == AUDIT_IS_STOPPED || v == AUDIT_IS_UNDONE || v == AUDIT_IS_BOUNDED;
}

/* The outcome with all layers in place. */
static const char *
outcome_of(const struct audit_row *row)
{
	if (is_held(row, AUDIT_PARSER) || is_held(row, AUDIT_FUNCTIONS))
		return "refused";
	if (is_held(row, AUDIT_SESSION))
		return "bounded";
	return is_held(row, AUDIT_ACCOUNT) ? "refused" : "allowed";
}

static bool
is_right(const struct audit_row *row)
{
	return (strcmp(outcome_of(row), "allowed") == 0) == (row->input->kind == AUDIT_HONEST);
}

int
audit_add(struct result *r, const struct audit_row *row, struct err *err)
{
	static const char *const words[] = {
		[AUDIT_IS_PASSED] = "passes", [AUDIT_IS_STOPPED] = "stops", [AUDIT_IS_UNDONE] = "undoes",
		[AUDIT_IS_BOUNDED] = "bounds", [AUDIT_IS_UNTRIED] = "not tried",
	};
	struct buf *out = row_stream_row(r, 5 + 2 * AUDIT_LAYERS);

	value_label(out, row->input->group);
	value_label(out, row->input->kind == AUDIT_HONEST ? "honest" : "hostile");
	value_label(out, row->input->sql);
	value_label(out, outcome_of(row));
	mp_put_bool(out, is_right(row));
	for (unsigned i = 0; i < AUDIT_LAYERS; i++) {
		value_label(out, words[row->layers[i].verdict]);
		value_label(out, row->layers[i].why);
	}
	return row_stream_row_done(r, err) == RESULT_GO_ON ? 0 : -1;
}
