/*
 * ask_model_tools - what questions in words are answered from: the INNER tools ask_model and ask_values,
 * which carrel-agent calls for the principal of its own call.
 *
 * ask_model {ontologyId?: text, have?: text}
 *	ontologyId may be left out when there is one ontology.  No ontology has that id, or none
 *	at all: ontology_not_found, with details {asked, candidates: [id]}.  One that is not ready:
 *	the same code, details {asked, notReady: true}.
 * answers
 *	{version: text, unchanged: true}	when `have` is the version of now
 * or the catalogue
 *	{version, ontology, sources, nodes, words, unusable}
 *
 *	version		text; another one when anything below is another
 *	ontology	{id, name, description | nil, connection, dialect: "sqlite" | "postgres" | …,
 *			semanticOnly: bool, of the connection's query_policy}
 *	sources		array of
 *		name		text
 *		label		text | nil
 *		synonyms	[text]: those of `synonyms:`, then those of "Also called a, b, c."
 *		description	text | nil, without the sentence "Also called …"
 *		written		bool: by people, wholly or as an overlay; false: by a scan alone
 *		coveredBy	text | nil: the hand-written source of the same table; this one is then no second meaning
 *		table		text | nil: nil when the source is a statement
 *		grain		[text], columns that identify a row; may name columns that are not shown
 *		timeDimension	text | nil: the dimension of `default_time_dimension`
 *		measures	array of
 *			name, label, synonyms, description	as above
 *			expr		text, as written
 *			filter		text | nil
 *			segments	[text]
 *			aggregate	"sum" | "count" | "count_distinct" | "avg" | "min" | "max" | "median" |
 *					"percentile" | "other": the expression is that one aggregate, bare or
 *					times a constant; "derived": it is anything else
 *			column		text | nil: what is aggregated when that is one column of the source
 *			unit		text | nil
 *			additive	"full" | "none" | [text]: as written, else full for sum and count, none for
 *					others
 *			noneOver	[text]
 *		dimensions	array of the columns that may be shown
 *			name, label, synonyms, description	as above
 *			type		text | nil, as written; string, number, time and boolean where people wrote it
 *			time		bool: `role: time`
 *			granularity	text | nil
 *			computed	bool: it has an expression
 *			internal	bool: `visibility: internal`: a key and the like, not for people
 *			masked		bool: a column policy keeps its values from somebody
 *			values		[text]: those that the database allows, where a scan knows them; else empty
 *		segments	array of {name, label, synonyms, description, expr}
 *	nodes		array of what a field may be qualified by, sources first: node i is source i, then the
 *			aliases of joins
 *		name		text: the source's name, or the alias
 *		source		uint, index into sources
 *		owner		uint | nil, node that declares the alias; nil: a source
 *		edges		array of joins that multiply no row, walked away from this node
 *			to		uint, node
 *			relationship	"many_to_one" | "one_to_one", as walked
 *			inverse		bool: declared by the other end
 *			verbs		[text], what rows of one side do with those of the other
 *			on		array of [column here, column there]
 *	words		array of what tables `| word | means |` of the wiki declare
 *		word		text
 *		kind		"measure" | "dimension" | "segment" | "source" | "join"
 *		means		text: "invoices.net_revenue", "accounts", "owner" (a join's alias)
 *		page		text, the page's key
 *		agent		bool: an agent wrote it, no person approved it; replaces no other meaning
 *	unusable	[text], names of sources that are left out because their files are wrong
 *
 * Left out for everybody are columns that are hidden, by the model or by a column policy, whomever
 * it binds; sources outside the ontology; joins to either.
 *
 * ask_values {connection: text, words: [text]}
 * answers {values: array of {source, column, value, exact: bool}, sampled: bool}
 *	sampled values of columns of that connection which equal one of the words when case is folded;
 *	exact: also letter by letter.  source is the semantic source whose dimension the column is;
 *	columns that are none are left out.  sampled: false: there is no sample, so that nothing found
 *	says nothing.  At most ASK_VALUES_MAX of all words.
 */
#pragma once

#include "base/err.h"
#include "base/mp.h"
#include "workers/shared/tool.h"

struct library;

#define ASK_VALUES_MAX	200u
#define ASK_WORDS_MAX	256u

int tool_ask_model(struct call *c, const struct mp_value *args, struct err *err);

/* ontology_not_found, with those that are ready in details.  known: there is one, and it is not ready.  Returns -1. */
int search_no_ontology(const struct library *l, struct call *c, struct span asked, bool known, struct err *err);
