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
 *
 * The texts of a column of the dataset are such a file, too: its source_file is "column:notes", its first line has
 * "column":"notes", and a chunk the row it stands in, "row":{"id":17}, or without a key "row_number":17, from 1.
 */
#ifndef PROJECT_PASSAGES_H
#define PROJECT_PASSAGES_H

#define PASSAGES_DIR		".carrel/documents"
#define PASSAGES_ENDING		".jsonl"
#define PASSAGES_COLUMN		"column:"	/* source_file of a column's texts, before its name */
#define PASSAGES_ROW_MAX	1024		/* bytes of "row"; a longer key is not told */
#define PASSAGES_CHUNKS_MAX	1000000u	/* of all documents together */
#define PASSAGES_CHARACTERS	2000		/* of one chunk */
#define PASSAGES_LINE_MAX	(16u << 10)	/* bytes of a line */

#endif
