/*
 * attack_rows - the rows of audit_sql's answer: for each input of policy/attacks.h,
 * the verdict of each layer with the others switched off.
 */
#pragma once

#include "policy/attacks.h"
#include "workers/sql/row_stream.h"

enum audit_layer { AUDIT_PARSER, AUDIT_FUNCTIONS, AUDIT_SESSION, AUDIT_ACCOUNT, AUDIT_LAYERS };

enum audit_verdict {
	AUDIT_IS_PASSED,	/* the layer does not stop the input */
	AUDIT_IS_STOPPED,	/* refused */
	AUDIT_IS_UNDONE,	/* it ran, and the rollback left nothing of it */
	AUDIT_IS_BOUNDED,	/* a limit ends it */
	AUDIT_IS_UNTRIED	/* unknown without running it: counts as passed */
};

struct audit_row {
	const struct audit_input	*input;
	struct {
		enum audit_verdict	 verdict;
		char			 why[256];
	}				 layers[AUDIT_LAYERS];
};

/* Begins a row in which every layer passes the input. */
void audit_row_begin(struct audit_row *row, const struct audit_input *input);

void audit_say(struct audit_row *row, enum audit_layer layer, enum audit_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The session's verdict that the table of attacks states, without running the input.  AUDIT_TRY: none. */
void audit_know_session(struct audit_row *row, uint64_t timeout_ms);

/* Adds the row to the result: [group, kind, sql, outcome, right, then verdict and why of each layer]. */
int audit_add(struct result *r, const struct audit_row *row, struct err *err);
