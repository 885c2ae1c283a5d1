/*
 * narrate - an answer in words, from templates (narrate.def).  Every figure is a cell of the rows, rounded for
 * display: nothing is computed here.
 */
#pragma once

#include "base/buf.h"
#include "workers/agent/data/sheet.h"

enum narrate_form {
	NARRATE_SCALAR,		/* one row of figures */
	NARRATE_GROUPS,		/* figures by keys */
	NARRATE_RANKING,	/* as GROUPS, in the order of the ranking */
	NARRATE_TIME,		/* figures over time */
	NARRATE_SHARE,		/* keys, part, total, percent; without keys one row of these */
	NARRATE_COMPARE,	/* label, value, difference, percent; one row for each side */
	NARRATE_LIST		/* values without figures */
};

struct narrate_about {
	enum narrate_form	 form;
	bool			 german;
	bool			 by_model;		/* a language model took part */
	struct span		 interpretation;	/* in words; empty: none */
	struct span		 uncovered;		/* why there are no data of the period; empty: there may be */
	struct span		 told;			/* a model's text that passed vouch.h; empty: none */
};

/* Append the narrative: markdown, without a line end. */
void narrate(struct buf *out, const struct narrate_about *about, const struct sheet *s);

/* A figure of the column as it is displayed: grouped, at most two decimals, with its unit. */
void narrate_figure(struct buf *out, const struct mp_value *cell, const struct sheet_column *column, bool german);
