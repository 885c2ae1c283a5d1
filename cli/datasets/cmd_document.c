/* cmd_document.c - carrel dataset document: texts whose passages are found with a dataset. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/json/document.h"
#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/text/uuid.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/datasets/cmd_document.h"
#include "cli/datasets/importer.h"
#include "cli/datasets/share.h"
#include "cli/datasets/document_column.h"
#include "cli/datasets/document_vectors.h"
#include "project/passages.h"
#include "cli/args.h"
#include "cli/say.h"

#define HEAD_MAX	((size_t)16 << 10)
#define NAME_BYTES	8		/* of the digest that a document's file is called by */

void
document_add(struct documents *d, struct document one)
{
	d->v = mem_grow(d->v, d->n, &d->cap, sizeof(*d->v));
	d->v[d->n++] = one;
}

/* The directory below at, made if make is set.  -1: errno says why not. */
static int
open_below(int at, const char *name, bool make)
{
	if (make && mkdirat(at, name, 0700) != 0 && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* <project>/.carrel/documents; -1: errno says why not. */
static int
open_all(const char *project, bool make)
{
	int state, all, top = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0)
		return -1;
	state = open_below(top, ".carrel", make);
	close(top);
	if (state < 0)
		return -1;
	all = open_below(state, "documents", make);
	close(state);
	return all;
}

/* Opens the dataset's own directory into d->dir.  False: after a message. */
static bool
open_own(struct documents *d, bool make)
{
	int all = open_all(d->project, make);

	d->path = arena_printf(d->cli->arena, "%s/" PASSAGES_DIR "/%s", d->project, d->id);
	d->dir = all < 0 ? -1 : open_below(all, d->id, make);
	if (d->dir < 0 && (make || errno != ENOENT)) {
		(void)cli_fail(CLI_FAILED, "%s cannot be opened: %s", d->path, strerror(errno));
		make = false;
	} else
		make = true;
	if (all >= 0)
		close(all);
	return make;
}

static DIR *
entries_of(int dir)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = own < 0 ? NULL : fdopendir(own);

	if (entries == NULL && own >= 0)
		close(own);
	return entries;
}

static bool
is_document(const char *name)
{
	return span_ends(span_str(name), PASSAGES_ENDING) && name[0] != '.';
}

struct span
document_first_line(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size);
	const char *end = n <= 0 ? NULL : memchr(text, '\n', (size_t)n);

	if (fd >= 0)
		close(fd);
	return span_of(text, end == NULL ? 0 : (size_t)(end - text));
}

/* Reads the first line of a document's file; false: not a document of Carrel. */
static bool
read_head(struct cli *cli, int dir, const char *name, struct document *out)
{
	char text[HEAD_MAX];
	struct span line = document_first_line(dir, name, text, sizeof(text));
	cJSON *head = line.len == 0 ? NULL : document_read(line);

	if (head == NULL)
		return false;
	*out = (struct document){
		.file = arena_printf(cli->arena, "%s", document_text(head, "source_file", "")),
		.name = arena_printf(cli->arena, "%s", name), .pages = document_uint(head, "pages", 0),
		.chunks = document_uint(head, "chunks", 0),
	};
	document_free(head);
	return out->file[0] != '\0';
}

/* The passages of the documents in a directory; with d they are added to it. */
static uint64_t
look_into(struct cli *cli, int dir, struct documents *d)
{
	DIR *entries = entries_of(dir);
	struct document one;
	struct dirent *e;
	uint64_t chunks = 0;

	while (entries != NULL && (e = readdir(entries)) != NULL) {
		if (!is_document(e->d_name) || !read_head(cli, dir, e->d_name, &one))
			continue;
		chunks += one.chunks;
		if (d == NULL)
			continue;
		if (d->model != NULL)
			one.vectors = document_vectors(d, dir, &one);
		document_add(d, one);
	}
	if (entries != NULL)
		closedir(entries);
	return chunks;
}

/* The passages of all datasets' documents. */
static uint64_t
count_all(const struct documents *d)
{
	int all = open_all(d->project, false), one;
	DIR *entries = all < 0 ? NULL : entries_of(all);
	struct dirent *e;
	uint64_t n = 0;

	while (entries != NULL && (e = readdir(entries)) != NULL)
		if (e->d_name[0] != '.' && (one = open_below(all, e->d_name, false)) >= 0) {
			n += look_into(d->cli, one, NULL);
			close(one);
		}
	if (entries != NULL)
		closedir(entries);
	if (all >= 0)
		close(all);
	return n;
}

/* The passages of the document called name in the dataset, which goes when there is another. */
static uint64_t
count_old(const struct documents *d, const char *name)
{
	struct document old;

	return read_head(d->cli, d->dir, name, &old) ? old.chunks : 0;
}

/* Removes partial files of ended processes. */
static void
remove_temporaries(int dir)
{
	DIR *entries = entries_of(dir);
	struct dirent *e;

	while (entries != NULL && (e = readdir(entries)) != NULL) {
		bool temporary = span_begins(span_str(e->d_name), DOCUMENT_TEMPORARY);
		long pid = temporary ? strtol(e->d_name + strlen(DOCUMENT_TEMPORARY), NULL, 10) : 0;

		if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
			(void)unlinkat(dir, e->d_name, 0);
	}
	if (entries != NULL)
		closedir(entries);
}

/* Names of files are any bytes. */
static void
put_name(struct buf *out, struct span name)
{
	uint8_t text[JSON_ESCAPE_MAX];
	size_t took, n;

	buf_byte(out, '"');
	while (name.len > 0) {
		n = json_escape_character(name, text, &took);
		buf_append(out, text, n);
		name = span_of(name.p + took, name.len - took);
	}
	buf_byte(out, '"');
}

static int
put_documents(const struct documents *d, struct span dataset)
{
	struct buf out = { 0 };
	int code;

	json_put_object(&out, NULL);
	json_put_raw(&out, "dataset", dataset);
	json_put_list(&out, "documents");
	for (size_t i = 0; i < d->n; i++) {
		const struct document *one = &d->v[i];

		json_put_object(&out, NULL);
		json_put_key(&out, "file");
		put_name(&out, span_str(one->file));
		json_put_known(&out, "pages", one->pages > 0, one->pages);
		json_put_uint(&out, "chunks", one->chunks);
		if (d->model != NULL)
			json_put_uint(&out, "vectors", one->vectors);
		json_put_cstr(&out, "skipped", one->skipped);
		json_end_object(&out);
	}
	json_end_list(&out);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
show_documents(const struct documents *d)
{
	static const char *const heads[] = { "FILE", "PAGES", "CHUNKS", "SKIPPED", NULL },
				 *const with_vectors[] = { "FILE", "PAGES", "CHUNKS", "VECTORS", "SKIPPED", NULL };
	struct text_table *t = table_new(d->cli->arena, d->model != NULL ? with_vectors : heads);

	for (size_t i = 0; i < d->n; i++) {
		const struct document *one = &d->v[i];
		const char *pages =
		    one->pages == 0 ? "-" : arena_printf(d->cli->arena, "%llu", (unsigned long long)one->pages);

		table_row(t);
		table_cell(t, span_str(one->file));
		table_cell(t, span_str(pages));
		table_cell(t, span_str(arena_printf(d->cli->arena, "%llu", (unsigned long long)one->chunks)));
		if (d->model != NULL)
			table_cell(t, span_str(arena_printf(d->cli->arena, "%llu", (unsigned long long)one->vectors)));
		table_cell(t, span_str(one->skipped != NULL ? one->skipped : "-"));
	}
	return d->n > 0 ? cli_table(t) :
			  cli_print("It has no documents; `carrel dataset document ID FILE` adds one.\n");
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

const char *
document_name(struct cli *cli, const char *file)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	char hex[2 * NAME_BYTES + 1];

	crypto_hash_sha256(digest, (const uint8_t *)file, strlen(file));
	sodium_bin2hex(hex, sizeof(hex), digest, NAME_BYTES);
	return arena_printf(cli->arena, "%s" PASSAGES_ENDING, hex);
}

static const char *
format_of(const char *file)
{
	static const char *const endings[] = { ".md", ".markdown", ".mdown", ".mkd", NULL };

	for (size_t i = 0; endings[i] != NULL; i++)
		if (span_ends(span_str(file), endings[i]))
			return "markdown";
	return "guess";
}

int
document_read_into(struct documents *d, const struct config *cfg, int file, const char *format,
    int (*feed)(void *arg), void *arg, struct document *one)
{
	struct cli *cli = d->cli;
	uint64_t old = count_old(d, one->name), others = d->chunks < old ? 0 : d->chunks - old,
		 room = others < PASSAGES_CHUNKS_MAX ? PASSAGES_CHUNKS_MAX - others : 0;
	const char *const words[] = { "carrel-import", arena_printf(cli->arena, "%s/%s", d->path, one->name), one->file,
		"document", format,
		arena_printf(cli->arena, "%llu", (unsigned long long)room),
		cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT ? "best-effort" : "-", NULL };
	struct importer im = { .pid = -1 };
	struct buf report = { 0 }, why = { 0 };
	struct view said;
	int code, none = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool fed;

	if (none < 0)
		return cli_fail(CLI_FAILED, "/dev/null: %s", strerror(errno));
	if ((code = importer_start(cli, &im, file, none, words)) == CLI_OK) {
		fed = feed == NULL || feed(arg) == 0;
		importer_follow(&im, &report);
		said = view_of(buf_view(&report));
		if (importer_end(&im, said, "document", &why)) {
			one->pages = view_uint(view_get(said, "document.pages"), 0);
			one->chunks = view_uint(view_get(said, "document.chunks"), 0);
			d->taken++;
			d->chunks = others + one->chunks;
		} else if (fed)
			one->skipped = arena_printf(cli->arena, "%s", buf_cstr(&why));
		(void)unlinkat(d->dir, arena_printf(cli->arena, DOCUMENT_TEMPORARY "%ld", (long)im.pid), 0);
	}
	close(none);
	buf_fini(&why);
	buf_fini(&report);
	return code;
}

/* Why a file cannot even be given to carrel-import; NULL: it is open. */
static const char *
open_file(struct documents *d, const char *path, const struct document *one, int *file)
{
	struct stat st;

	if (!dataset_is_text(one->file) || one->file[0] == '\0')
		return "its name is no UTF-8; rename it";
	if (span_begins(span_str(one->file), PASSAGES_COLUMN))
		return "its name is that of a column's texts; rename it";
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].skipped == NULL && strcmp(d->v[i].file, one->file) == 0)
			return "another file of this name was given before it; rename one of them";
	/* A pipe without a writer is not waited for. */
	if ((*file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
		return arena_printf(d->cli->arena, "it cannot be opened: %s", strerror(errno));
	if (fstat(*file, &st) == 0 && S_ISREG(st.st_mode))
		return NULL;
	close(*file);
	return "it is no file";
}

static int
take_files(struct documents *d, const struct config *cfg)
{
	const char *path;
	int file, code = CLI_OK;

	for (size_t i = 1; code == CLI_OK && (path = cli_operand(d->cli, i)) != NULL; i++) {
		struct document one = { .file = base_name(path), .name = document_name(d->cli, base_name(path)) };

		if ((one.skipped = open_file(d, path, &one, &file)) == NULL) {
			code = document_read_into(d, cfg, file, format_of(one.file), NULL, NULL, &one);
			close(file);
		}
		document_add(d, one);
	}
	return code;
}

static int
compare_files(const void *a, const void *b)
{
	return strcmp(((const struct document *)a)->file, ((const struct document *)b)->file);
}

static void
list_documents(struct documents *d)
{
	if (d->dir >= 0)
		(void)look_into(d->cli, d->dir, d);
	if (d->n > 1)
		qsort(d->v, d->n, sizeof(*d->v), compare_files);
}

/* A document and its vectors, on all nodes. */
static int
forget_shared(struct cli *cli, const struct config *cfg, const char *id, const char *name)
{
	const char *path = arena_printf(cli->arena, "documents/%s/%s", id, name);
	int code = share_remove(cli, cfg, path);

	return code == CLI_OK ? share_remove(cli, cfg, arena_printf(cli->arena, "%s" PASSAGES_VECTORS, path)) : code;
}

static int
remove_document(struct documents *d, const struct config *cfg, const char *file)
{
	const char *cited = span_begins(span_str(file), PASSAGES_COLUMN) ? file : base_name(file);
	const char *name = document_name(d->cli, cited);
	bool there = d->dir >= 0 && faccessat(d->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	int code;

	if (there && (code = forget_shared(d->cli, cfg, d->id, name)) != CLI_OK)
		return code;
	if (there && (unlinkat(d->dir, name, 0) == 0 || errno == ENOENT)) {
		document_forget_vectors(d->cli, d->dir, name);
		d->taken++;
		list_documents(d);
		return CLI_OK;
	}
	return cli_fail(CLI_FAILED,
	    d->dir < 0 || errno == ENOENT ?
		"the dataset has no document \"%s\"; `carrel dataset document ID` shows those it has" :
		"the document \"%s\" cannot be removed",
	    file);
}

/* Makes vectors for the new documents, or for all.  False: some failed, after a message. */
static bool
embed_documents(struct documents *d, struct client *c)
{
	bool all = true;

	for (size_t i = 0; i < d->n; i++) {
		uint64_t before = d->v[i].vectors;

		if (d->v[i].skipped != NULL || before == d->v[i].chunks)
			continue;
		all = document_embed(d, c, &d->v[i]) && all;
		d->taken += d->v[i].vectors > before;
	}
	return all;
}

/* Have the audit record that the dataset's documents changed. */
static void
record_change(struct client *c, const char *id)
{
	struct arguments m;
	struct view none;
	struct err err;

	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "id"), id);
	if (client_tool(c, "dataset_documented", arguments_end(&m), NULL, NULL, &none, &err) != 0)
		cli_note("the change of documents is not in the audit: %s", err.message);
	buf_fini(&m.mp);
}

/* Have them on the other nodes; where there is no room, they go, and what they replaced is brought again. */
static int
share_documents(struct documents *d, const struct config *cfg)
{
	bool full, again;
	int code = share_after(d->cli, cfg, &full);

	for (size_t i = 0; full && i < d->n; i++)
		if (d->v[i].skipped == NULL) {
			(void)unlinkat(d->dir, d->v[i].name, 0);
			document_forget_vectors(d->cli, d->dir, d->v[i].name);
		}
	if (full)
		(void)share_after(d->cli, cfg, &again);
	return code;
}

static int
document_of(struct documents *d, struct client *c, struct span dataset)
{
	const char *gone = cli_option(d->cli, "drop");
	size_t ncolumns;
	const char **columns = cli_options(d->cli, "column", &ncolumns);
	bool adds = d->cli->noperands > 1 || ncolumns > 0, embeds = cli_flag(d->cli, "vectors"), whole = true;
	struct config cfg = { 0 };
	int code = CLI_OK;

	if (!cli_config(d->cli, false, &cfg))
		return CLI_FAILED;
	if (cfg.embeddings.url != NULL && cfg.embeddings.name != NULL) {
		struct config_embeddings *model = arena_alloc(d->cli->arena, sizeof(*model));

		*model = cfg.embeddings;
		d->model = model;
	}
	if (embeds && d->model == NULL)
		return cli_fail(CLI_FAILED,
		    "no endpoint makes vectors: set embeddings.url and embeddings.name in carrel.yaml");
	if ((code = share_before(d->cli, &cfg)) != CLI_OK)
		return code;
	if (!open_own(d, adds))
		return CLI_FAILED;
	if (adds) {
		remove_temporaries(d->dir);
		d->chunks = count_all(d);
		code = take_files(d, &cfg);
		for (size_t i = 0; code == CLI_OK && i < ncolumns; i++)
			code = document_take_column(d, &cfg, c, view_of(dataset), columns[i]);
	} else if (gone != NULL)
		code = remove_document(d, &cfg, gone);
	else {
		if (embeds && d->dir >= 0)
			remove_temporaries(d->dir);
		list_documents(d);
	}
	if (code == CLI_OK && d->model != NULL && (embeds || d->taken > 0) && gone == NULL)
		whole = embed_documents(d, c);
	if (d->taken > 0)
		record_change(c, d->id);
	if (code == CLI_OK && d->taken > 0 && gone == NULL)
		code = share_documents(d, &cfg);
	if (code == CLI_OK)
		code = d->cli->json ? put_documents(d, dataset) : show_documents(d);
	if (code == CLI_OK && adds && d->taken == 0)
		code = cli_fail(CLI_FAILED, "none of the %s could be taken; the reason is shown with each",
		    d->cli->noperands > 1 ? "files" : "columns");
	if (code == CLI_OK && embeds && !whole)
		code = CLI_FAILED;
	if (d->dir >= 0)
		close(d->dir);
	return code;
}

int
cmd_dataset_document(struct cli *cli)
{
	struct documents d = { .cli = cli, .dir = -1 };
	struct buf dataset = { 0 };
	struct client c;
	bool adds = cli_operand(cli, 1) != NULL || cli_option(cli, "column") != NULL;
	int code;

	if (cli_option(cli, "drop") != NULL && (adds || cli_flag(cli, "vectors")))
		return cli_fail(CLI_USAGE,
		    "--drop takes one document out; add files, columns and vectors with a command of their own");
	if (cli_flag(cli, "vectors") && adds)
		return cli_fail(CLI_USAGE,
		    "--vectors is for documents that are there; files and columns get vectors as they are added");
	if ((d.project = cli_project(cli)) == NULL || !dataset_open(cli, &c))
		return CLI_FAILED;
	if ((code = dataset_shown(&c, cli_operand(cli, 0), &dataset)) == CLI_OK) {
		d.id = view_cstr(cli->arena, view_get(view_of(buf_view(&dataset)), "id"), "");
		/* It names a directory, whatever the answer says. */
		code = uuid_is_kept(span_str(d.id)) ? document_of(&d, &c, buf_view(&dataset)) :
						      cli_fail(CLI_FAILED, "the daemon said no id of a dataset");
	}
	client_close(&c);
	buf_fini(&dataset);
	free(d.v);
	return code;
}

/* Removes the files in a dataset's directory, or only the texts of its columns. */
static int
empty_directory(struct cli *cli, const struct config *cfg, int dir, const char *id, bool columns)
{
	DIR *entries = dir < 0 ? NULL : entries_of(dir);
	struct document one;
	struct dirent *e;
	int code = CLI_OK;

	while (entries != NULL && (e = readdir(entries)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (!columns ||
		    (is_document(e->d_name) && read_head(cli, dir, e->d_name, &one) &&
			span_begins(span_str(one.file), PASSAGES_COLUMN))) {
			if (columns && (code = forget_shared(cli, cfg, id, e->d_name)) != CLI_OK)
				break;
			(void)unlinkat(dir, e->d_name, 0);
			document_forget_vectors(cli, dir, e->d_name);
		}
	}
	if (entries != NULL)
		closedir(entries);
	return code;
}

int
documents_forget(struct cli *cli, const struct config *cfg, const char *id, bool columns)
{
	const char *project = cli_project(cli);
	int all = project == NULL || !uuid_is_kept(span_str(id)) ? -1 : open_all(project, false);
	int dir, code = CLI_OK;

	/* On the other nodes first: what is gone here alone would be brought again. */
	if (!columns && (code = share_remove(cli, cfg, arena_printf(cli->arena, "documents/%s/", id))) != CLI_OK)
		return code;
	dir = all < 0 ? -1 : open_below(all, id, false);
	code = empty_directory(cli, cfg, dir, id, columns);
	if (dir >= 0 && !columns && unlinkat(all, id, AT_REMOVEDIR) != 0 && errno != ENOENT)
		code =
		    cli_fail(CLI_FAILED, "%s/" PASSAGES_DIR "/%s cannot be removed: %s", project, id, strerror(errno));
	if (dir >= 0)
		close(dir);
	if (all >= 0)
		close(all);
	return code;
}
