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
	bool			 model;		/* there is a language model, and the asker lets it take part */
};

/*
 * Read question for the caller of u->call, by the rules; if they leave words that nothing knows, u's language model is
 * asked what these mean.  why: the reason for which it gave them no meaning, empty where it was not needed.  The words,
 * notes, questions and reasons go into *answer.  -1 with *err.
 */
int reading_make(struct model_use *u, struct span ontology, struct span question, struct reading *out,
    struct answer *answer, char why[160], struct err *err);

/* At most n questions that the ontology can answer, into texts; returns their number, or -1 with *err. */
int reading_examples(struct call *c, struct span ontology, struct span *texts, size_t n, struct err *err);
