/*
 * passages - documents of datasets, cut into passages, as files: the contract between `carrel dataset document`, whose
 * carrel-import writes them, and the search worker, which indexes them.
 *
 * They stand in <project>/.carrel/documents/<dataset's id>/<name>.jsonl, one file each, written beside and moved
 * there, never changed in place.  The first line says what it is,
 *
 *	{"carrel_document":1,"source_file":"report.pdf","pages":12,"chunks":34,
 *	 "added_at":"2026-01-31T12:00:00Z"}
 *
 * and each of the following is a chunk: {"chunk_index":0,"page":1,"text":"..."}; pages and page may be null.
 */
#ifndef PROJECT_PASSAGES_H
#define PROJECT_PASSAGES_H

#define PASSAGES_DIR		".carrel/documents"
#define PASSAGES_ENDING		".jsonl"
#define PASSAGES_CHUNKS_MAX	1000000u	/* of all documents together */
#define PASSAGES_CHARACTERS	2000		/* of one chunk */
#define PASSAGES_LINE_MAX	(16u << 10)	/* bytes of a line */

#endif
