/*
 * front_worker - workers that do what the call says, for tests of the front.
 *
 * sql_execution's statement is a command:
 *	one			one row
 *	rows N SIZE		N rows of a number and SIZE letters, 100 a chunk
 *	cells			one row with every kind of cell
 *	wait			until fake_shared->let counts it, unless cancelled; then as "one"
 *	hang			never answers, never reads
 *	fail CODE		fails so
 *	progress		three steps, one of them backwards
 *	crash			ends the process while fake_shared->crashes > 0, then as "one"
 *	crash late		the same, once another call waits behind it, or 50 ms later
 *	stray, garbage, twice	break the protocol
 * memory_ingest's content "wait" waits as well; or it says what is done with the leave to ask that comes
 * with the call, once it is answered; fake_shared->asked tells how it went:
 *	later			asks with it
 *	kept			asks with the one of the call before, whichever front gave it
 *	forged N		asks with that, its Nth byte changed
 *	none			asks without
 * discover_data's query "kept" asks with it as well, as another kind of worker.
 * Else discover_data's query is a statement run as a sub-call, with its rows
 * counted; sl_query's filter one to continue with.  resources_list gives
 * three pages of one; resource_read's URI is a command as well:
 *	fake:fail/CODE		fails so
 *	fake:nothing		a result without members
 *	fake:changed-map	breaks the protocol
 *	fake:changed/LISTS/EVERYTHING/DIGEST/URI	says so first; URI - for none
 * They are there when a test offers them.  So are the dataset tools and
 * ask_question: carrel_sql's statement, carrel_search's query and the question
 * are commands as above, and so is a dataset_id that begins with "fail ".  So is
 * wiki_read, whose key says
 * what is wanted of the client:
 *	ask KIND N		asks N questions (elicit, url, sample, roots, odd) until all
 *				are answered, then gives back answers and state
 *	ask KIND N again	asks for ever
 *	long			says that it takes long, then as content
 *	long wait		the same, and waits as sql_execution does before
 *	only			as long, and that nobody should wait for it
 *	long ask		the same, then asks two questions
 *	long fail CODE		the same, then fails so
 *	long rows N SIZE	the same, then as sql_execution's
 *	log			a notice of every level, then as content
 *	content			own content blocks without an object
 *	both			own content blocks beside an object
 */
#pragma once

#include <stdatomic.h>

#include "ipc/messages.h"

/* Seen by the test and by all its workers. */
struct fake_shared {
	_Atomic int	crashes;	/* still to come */
	_Atomic int	cancels;	/* heard by workers */
	_Atomic int	late;		/* of these, for calls that were begun by then */
	_Atomic int	ingested;	/* runs finished */
	_Atomic int	begun;		/* calls heard */
	_Atomic int	queued;		/* calls heard while another ran */
	_Atomic int	let;		/* calls that wait, or will, and may end */
	_Atomic int	asked;		/* how a run's own question ended: an err_code, ERR_NONE: answered, -1: not yet */
	unsigned	ticket_len;
	unsigned char	ticket[IPC_TICKET_MAX];	/* the last that memory_ingest came with */
};

extern struct fake_shared *fake_shared;

extern const char fake_sql_tools[], fake_search_tools[], fake_memory_tools[];

/* Serve the data channel until it ends. */
void fake_worker(int fd, enum ipc_role role) __attribute__((noreturn));
