/* reading_question - reads a question with the engine, and gets the data that the engine needs. */
#pragma once

#include "workers/agent/answer/answer.h"
#include "workers/agent/data/brief_queries.h"
#include "workers/agent/model/model_endpoint.h"

enum reading_status { READING_ANSWER, READING_CATALOGUE, READING_CLARIFY, READING_REFUSE };

struct reading {
	enum reading_status	 status;
	struct answer_brief		 brief;		/* ANSWER */
	struct sheet		*sheet;		/* CATALOGUE: the rows, without a query */
	char			 today[11];	/* the asker's date */
	const char		*intent;	/* for the planner's artifact: "scalar", "ranking", … */
	struct span		 confidence;	/* high, medium, low */
};

/*
 * Read question for the caller of u->call: with u's language model if there is one, otherwise, or if that has no valid
 * reading, by the rules; why then says the reason.  The words, notes, questions and reasons go into *answer.  -1 with
 * *err.
 */
int reading_make(struct model_use *u, struct span ontology, struct span question, struct reading *out,
    struct answer *answer, char why[160], struct err *err);

/* At most n questions that the ontology can answer, into texts; returns their number, or -1 with *err. */
int reading_examples(struct call *c, struct span ontology, struct span *texts, size_t n, struct err *err);
