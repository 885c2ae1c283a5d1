/*
 * prefetch - asks for memory before it is used, where many places far from each other are used one after the other.
 * The results are the same without.  A place stands here for what it gained in the processor time of carrel-search's
 * cold start (bench-search, 400,000 columns); what gained nothing measurable has gone.
 *
 *	postings, in the order of entries (builder_finish.c)		a tenth
 *	the terms of a table's columns (builder.c)			6 %
 *	slots of exact terms (base/table.h, table_soon())		5 %
 *	texts that are added together (words/names.c)			2 %
 *	recent words (vocab.c)						1 %
 *
 * and in that of a question over a million columns
 *
 *	parents of documents (rank/match.c)				a tenth
 */
#pragma once

static inline void
prefetch(const void *p)
{
	__builtin_prefetch(p);
}

/* The same, of what is written to. */
static inline void
prefetch_write(const void *p)
{
	__builtin_prefetch(p, 1);
}
