/* verify_found - what the checks of an answer (verify_answer.h) share: outcomes, queries and the reading of figures. */
#pragma once

#include "workers/agent/data/caveats.h"
#include "workers/agent/verify/verify_answer.h"

enum { V1, V2, V3, V4, V5, V6, V7, V8, V9, V10 };

#define ARGS(...)	(const struct span[CAVEAT_ARGUMENTS_MAX]){ __VA_ARGS__ }

/* Record an outcome, unless a worse one is recorded already. */
void verify_note(struct answer_check *v, unsigned which, enum verify_outcome outcome);

/* The same with its reason; args as in caveat_text(). */
void verify_tell(struct answer_check *v, unsigned which, enum verify_outcome outcome, enum caveat text,
    const struct span args[CAVEAT_ARGUMENTS_MAX]);

/* Record that a figure of this label is no number, so that the check cannot be made. */
void verify_unreadable(struct answer_check *v, unsigned which, struct span label);

/* Arguments of a reason: "1,204"; "8.3 %" of a part between 0 and 1. */
struct span verify_count(struct answer_check *v, size_t n);
struct span verify_part(struct answer_check *v, double part);

/* Run a query for a check.  False: the check cannot be made; *stop: no further check can. */
bool verify_ask(struct answer_check *v, unsigned which, const struct ask_query *q, const struct brief_change *change,
    struct data_rows *out, struct err *err, bool *stop);

enum verify_figure { FIGURE_NONE, FIGURE_NUMBER, FIGURE_UNREADABLE };

/* Read a cell: *out is set only of a number. */
enum verify_figure verify_figure(const struct data_rows *r, size_t row, size_t column, double *out);

/* Whether no row has a figure. */
bool verify_is_empty(const struct ask_query *q, const struct data_rows *r);

/* The first n keys of a row as bytes. */
struct span verify_keys(const struct data_rows *r, size_t row, size_t n);

/* The filter of q that is a condition on groups; SIZE_MAX: none. */
size_t verify_group_filter(const struct ask_query *q);
