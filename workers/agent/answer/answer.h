/*
 * answer - the result of ask_question: the object of its output schema, and the same as content blocks for people and
 * models.
 */
#pragma once

#include "workers/agent/data/brief_queries.h"
#include "workers/agent/answer/chart.h"
#include "workers/agent/data/data.h"
#include "workers/agent/verify/verify_answer.h"

#define ANSWER_NOTES_MAX	40u
#define ANSWER_WORDS_MAX	400u
#define ANSWER_QUESTIONS_MAX	3u
#define ANSWER_CLOSEST_MAX	8u

enum answer_status { ANSWER_ANSWERED, ANSWER_CLARIFICATION, ANSWER_CANNOT };

struct answer_word {
	struct span	word, consumed_by;	/* consumed_by empty: not consumed */
};

struct answer_question {
	struct span	 question, assumption;
	struct span	 topic;		/* an answer may stand behind the question as "[topic: answer]"; may be empty */
	size_t		 nsuggestions;
	const struct span *suggestions;
};

struct answer {
	enum answer_status	 status;
	bool			 by_model;		/* a language model took part */
	struct span		 interpretation;	/* in words */
	size_t			 nwords;
	struct answer_word	 words[ANSWER_WORDS_MAX];
	size_t			 ncaveats, nassumptions;
	struct span		 caveats[ANSWER_NOTES_MAX], assumptions[ANSWER_NOTES_MAX];

	/* answered */
	const struct answer_brief	*brief;
	const struct data_rows	*rows;		/* one for each query of the brief */
	const struct sheet	*sheet;
	const struct answer_check	*verify;	/* NULL: nothing was read, so nothing was checked */
	struct span		 narrative;
	size_t			 ncharts;
	struct chart		 charts[CHART_MAX];
	struct span		 snapshot;	/* when the data were read, ISO 8601 */

	/* clarification */
	size_t			 nquestions;
	struct answer_question	 questions[ANSWER_QUESTIONS_MAX];

	/* cannot_answer */
	struct span		 code, message, understood;
	size_t			 nclosest;
	struct span		 closest[ANSWER_CLOSEST_MAX];
	size_t			 nmissing, navailable;
	struct span		 missing[ASK_CLOSEST_MAX], available[ASK_AVAILABLE_MAX];	/* of a refusal */
};

/* Add a text, which is borrowed; duplicates and texts beyond the maximum are dropped. */
void answer_caveat(struct answer *a, struct span text);
void answer_assumption(struct answer *a, struct span text);

/* Append the object. */
void answer_put(struct buf *out, const struct answer *a);

/* Append the blocks, an array. */
void answer_put_blocks(struct buf *out, const struct answer *a);

/* Append the pair "charts", an array. */
void answer_put_charts(struct buf *out, const struct answer *a);

/* Append the lineage, a map; only for answers that read data. */
void answer_put_lineage(struct buf *out, const struct answer *a);
