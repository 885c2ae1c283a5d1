/*
 * main.c - carrel-import: imports one file as a table, or as a document of a dataset, then exits.
 *
 * carrel-import /DIRECTORY/DATABASE TABLE FORMAT [replace] [strict] [best-effort] [delimiter=C] [decimal=C]
 *	[header=yes|no] [sheet=NAME] [encoding=NAME] [type=COLUMN=TYPE]... [size=BYTES]
 * carrel-import /DIRECTORY/DATABASE TABLE drop [best-effort]
 * carrel-import /DIRECTORY/DATABASE - recover [best-effort]
 * carrel-import /DIRECTORY/DOCUMENT SOURCE document FORMAT CHUNKS [best-effort]
 * carrel-import / - knowledge KIND [best-effort] [text=DIALECT] [project=NAME] [place=NAME]
 *
 * FORMAT "parquet": descriptor 0 is what carrel-sql-duckdb sends of a Parquet file of size= bytes.
 * FORMAT "rows": the texts of a column, in the lines that document_import.h describes, up to their end line.
 *
 * text=DIALECT: how statements are cut into tokens, as a number (base/text/sqltext.h).
 * knowledge: descriptor 0 is a pack of files, 3 a manifest or empty (knowledge/knowledge.h); no directory is given.
 *
 * The owner's command line starts it (`carrel dataset import`, `document`, `carrel import-knowledge`).  Descriptor 0
 * is the file: strangers' data, read in a process that can reach only the one directory.  Descriptor 1 gets lines of
 * JSON with the progress and at last the report or the error; 3 gets every reject.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/io.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "policy/profiles.h"
#include "workers/import/document_import.h"
#include "workers/import/import.h"
#include "workers/import/knowledge/knowledge.h"
#include "workers/import/target.h"
#include "workers/shared/seccomp.h"
#include "workers/import/pdf_start.h"

#define REJECTS_FD	3
#define MEMORY_MAX	((uint64_t)2 << 30)

static void
say(struct buf *line)
{
	buf_byte(line, '\n');
	io_write(STDOUT_FILENO, buf_view(line)); /* a reader that is gone needs no lines */
	buf_fini(line);
}

static void
say_progress(void *arg, unsigned permille, const char *what)
{
	struct buf line = { .max = 0 };

	(void)arg;
	json_put_object(&line, NULL);
	json_put_uint(&line, "permille", permille);
	json_put_cstr(&line, "message", what);
	json_end_object(&line);
	say(&line);
}

static void
say_kept(void *arg, struct span report)
{
	struct buf line = { .max = 0 };

	(void)arg;
	buf_byte(&line, '{');
	buf_span(&line, report);
	buf_byte(&line, '}');
	say(&line);
}

static int
say_error(const struct err *err)
{
	struct buf line = { .max = 0 };

	json_put_object(&line, NULL);
	json_put_object(&line, "error");
	json_put_cstr(&line, "code", err_name(err->code));
	json_put_cstr(&line, "message", err->message);
	json_end_object(&line);
	json_end_object(&line);
	say(&line);
	return EXIT_FAILURE;
}

/* Import a file as a document of a dataset. */
static int
run_document(char **argv, const struct pdf *pdf, struct err *err)
{
	char *temporary = mem_printf("%.*s/.tmp-%ld", (int)(strrchr(argv[1], '/') - argv[1]), argv[1], (long)getpid());
	const struct document_import job = {
		.fd = STDIN_FILENO, .path = argv[1], .temporary = temporary, .source_file = argv[2],
		.format = document_format_named(argv[4]), .chunks_max = strtoull(argv[5], NULL, 10),
		.pdf = pdf->text >= 0 ? pdf : NULL,
	};
	struct buf line = { .max = 0 };
	struct document_report report;
	int result = document_write_file(&job, &report, err);

	free(temporary);
	if (result != 0)
		return say_error(err);
	json_put_object(&line, NULL);
	json_put_object(&line, "document");
	json_put_known(&line, "pages", report.pages > 0, report.pages);
	json_put_uint(&line, "chunks", report.chunks);
	json_end_object(&line);
	json_end_object(&line);
	say(&line);
	return EXIT_SUCCESS;
}

static bool
has_word(int argc, char **argv, const char *word)
{
	for (int i = 4; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return true;
	return false;
}

/* The value of word if it is NAME=VALUE; NULL: it is not. */
static char *
value_of(char *word, const char *name)
{
	size_t n = strlen(name);

	return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* Read what a team wrote for another tool. */
static int
run_knowledge(int argc, char **argv, struct err *err)
{
	struct knowledge_job job = { .pack = STDIN_FILENO, .manifest = -1, .kind = span_str(argv[4]) };
	struct buf line = { .max = 0 };
	char *value;

	if (lseek(REJECTS_FD, 0, SEEK_END) > 0 && lseek(REJECTS_FD, 0, SEEK_SET) == 0)
		job.manifest = REJECTS_FD;
	for (int i = 5; i < argc; i++)
		if ((value = value_of(argv[i], "text")) != NULL)
			job.text = (enum sqltext_dialect)strtoul(value, NULL, 10);
		else if ((value = value_of(argv[i], "project")) != NULL)
			job.project = span_str(value);
		else if ((value = value_of(argv[i], "place")) != NULL)
			job.place = span_str(value);

	json_put_object(&line, NULL);
	json_put_key(&line, "knowledge");
	if (knowledge_read(&job, &line, err) != 0) {
		buf_fini(&line);
		return say_error(err);
	}
	line.max = 0;
	json_end_object(&line);
	say(&line);
	return EXIT_SUCCESS;
}

/* The user's words about the file, from the fourth on; types take the place of words that were read.  -1: *err. */
static int
read_wishes(int argc, char **argv, struct import *job, struct encoding_choice *encoding, struct err *err)
{
	char *value;

	job->types = (const char *const *)argv + 4;
	for (int i = 4; i < argc; i++)
		if ((value = value_of(argv[i], "type")) != NULL)
			argv[4 + job->ntypes++] = value;
		else if ((value = value_of(argv[i], "delimiter")) != NULL)
			job->wishes.delimiter = (uint8_t)*value;
		else if ((value = value_of(argv[i], "decimal")) != NULL)
			job->wishes.decimal = (uint8_t)*value;
		else if ((value = value_of(argv[i], "header")) != NULL)
			job->wishes.header = strcmp(value, "yes") == 0 ? HEADER_YES : HEADER_NO;
		else if ((value = value_of(argv[i], "size")) != NULL)
			job->size = strtoull(value, NULL, 10);
		else if ((value = value_of(argv[i], "sheet")) != NULL)
			job->wishes.sheet = value;
		else if ((value = value_of(argv[i], "encoding")) != NULL) {
			if (encoding_named(value, encoding, err) != 0)
				return -1;
			job->encoding = encoding;
		}
	return 0;
}

int
main(int argc, char **argv)
{
	struct encoding_choice encoding;
	const struct policy_profile *profile = policy_profile("import");
	struct import job = { .fd = STDIN_FILENO, .rejects_fd = -1, .progress = say_progress, .kept = say_kept };
	struct confine_places places = { 0 };
	struct confine_report report;
	struct pdf pdf = PDF_NONE;
	struct err err;
	struct buf rows = { .max = 0 };
	char *directory, *name, reason[sizeof(err.message)];
	bool best_effort, is_document, is_knowledge;
	int rc;

	if (argc < 4 || argv[1][0] != '/') {
		fprintf(stderr, "carrel-import is started by `carrel dataset import FILE`\n");
		return 2;
	}
	umask(077);
	directory = mem_text(span_str(argv[1]));
	name = strrchr(directory, '/');
	*name = '\0';
	job.database = argv[1];
	job.table = argv[2];
	job.format = import_format_named(argv[3]);
	job.replace = has_word(argc, argv, "replace");
	job.strict = has_word(argc, argv, "strict");
	best_effort = has_word(argc, argv, "best-effort");
	if (fcntl(REJECTS_FD, F_GETFD) >= 0)
		job.rejects_fd = REJECTS_FD;
	is_document = strcmp(argv[3], "document") == 0 && argc >= 6;
	is_knowledge = strcmp(argv[3], "knowledge") == 0 && argc >= 5;
	/* Before the confinement, which forbids loading libraries and starting processes. */
	encoding_prepare();
	if (!is_document && !is_knowledge && read_wishes(argc, argv, &job, &encoding, &err) != 0) {
		free(directory);
		return say_error(&err);
	}
	if (is_document && pdf_is(STDIN_FILENO) && pdf_start(&pdf, PDF_PROGRAM, STDIN_FILENO, best_effort, &err) != 0) {
		free(directory);
		return say_error(&err);
	}
	places.import_dir = is_knowledge ? NULL : directory;
	rc = confine_files(profile, &places, MEMORY_MAX, best_effort, 0, &report, &err);
	if (rc == 0)
		rc = confine_calls(profile, best_effort, &report, &err);
	free(directory);
	if (rc != 0) {
		memcpy(reason, err.message, sizeof(reason));
		err_set(&err, ERR_SERVICE_UNAVAILABLE,
		    "carrel-import cannot confine itself: %.900s; see `carrel doctor`", reason);
		return say_error(&err);
	}
	if (is_knowledge)
		return run_knowledge(argc, argv, &err);
	if (is_document)
		return run_document(argv, &pdf, &err);
	if (strcmp(argv[3], "drop") == 0 || strcmp(argv[3], "recover") == 0) {
		if ((argv[3][0] == 'd' ? target_drop(job.database, job.table, &err) :
					 target_recover(job.database, &err)) != 0)
			return say_error(&err);
		json_put_raw(&rows, "rows", SPAN("{}"));
		say_kept(NULL, buf_view(&rows));
		buf_fini(&rows);
		return EXIT_SUCCESS;
	}
	return import_run(&job, &err) == 0 ? EXIT_SUCCESS : say_error(&err);
}
