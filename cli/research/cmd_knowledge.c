/*
 * cmd_knowledge.c - see cmd_knowledge.h.  The files are put into one pack in memory, which carrel-import reads,
 * confined; what it makes of them goes to the memory worker, which writes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/io.h"
#include "base/utf8.h"
#include "cli/args.h"
#include "cli/research/cmd_knowledge.h"
#include "cli/daemon/client.h"
#include "cli/datasets/importer.h"
#include "cli/places.h"
#include "cli/say.h"
#include "project/format/files.h"
#include "semantic/dialect.h"

#define PACK_MAX	((size_t)64 << 20)	/* all files together; as carrel-import takes it */
#define FILE_MAX	((size_t)16 << 20)
#define JSON_MAX	((off_t)8 << 20)	/* a JSON file; a larger one is streamed */
#define DEPTH_MAX	32
#define PART_MAX	((size_t)3 << 20)	/* of what was read, in one call */
#define SKIPPED_MAX	100		/* reasons that a terminal shows; --json has all */
#define SKIPPED_EACH	30		/* with more, those that differ in names alone are one */
#define CONTEXT		3		/* unchanged lines around a difference */
#define LOOK_MAX	400		/* lines of both texts that may differ before they meet again */
#define MARK		"imported: "	/* in the line that has a file's digest */

struct pack {
	struct cli	*cli;
	const struct kind *kind;
	struct buf	 bytes;
	int		 manifest;	/* -1: none yet */
	const char	*manifest_name;
};

/* What is no part of a project's own files. */
static const char *const foreign[] = { "target", "dbt_packages", "dbt_modules", "node_modules", "venv", "env", "logs",
	NULL };

/* What is read of a project: the manifest that its tool made, or the files with these endings.  The last: any other. */
static const struct kind {
	const char	*name, *manifest;
	const char	*ends[5];
} kinds[] = {
	{ "dbt", "target/manifest.json", { ".yml", ".yaml", ".md" } },
	{ "metricflow", "target/semantic_manifest.json", { ".yml", ".yaml" } },
	{ "lookml", NULL, { ".lkml", ".lookml" } },
	{ "cube", NULL, { ".yml", ".yaml", ".js", ".ts" } },
	{ "queries", NULL, { ".sql", ".csv", ".log" } },
	{ "openmetadata", NULL, { ".json" } },
	{ "datahub", NULL, { ".json" } },
	{ NULL, NULL, { ".yml", ".yaml" } },
};

static bool
ends_with(const char *name, const char *end)
{
	return span_ends(span_str(name), end);
}

static int
add_file(struct pack *p, int dir, const char *name, const char *path)
{
	struct buf text = { 0 };
	enum files_fault fault = files_read(dir, name, FILE_MAX, &text, NULL);
	int code = CLI_OK;

	if (fault != FILES_OK || strchr(path, '\n') != NULL)
		cli_note("%s %s, and is not read", path,
		    fault != FILES_OK ? files_fault_text(fault) : "has an odd name");
	else {
		buf_printf(&p->bytes, "%zu %s\n", text.len, path);
		buf_span(&p->bytes, buf_view(&text));
		if (p->bytes.len > PACK_MAX)
			code = cli_fail(CLI_FAILED, "the files are larger than %zu MB together; name a part of them",
			    PACK_MAX >> 20);
	}
	buf_fini(&text);
	return code;
}

static bool
is_read(const struct pack *p, const char *name)
{
	for (size_t i = 0; p->kind->ends[i] != NULL; i++)
		if (ends_with(name, p->kind->ends[i]))
			return true;
	return false;
}

static int
refuse_file(const struct pack *p, const char *path)
{
	struct buf ends = { 0 };
	int code;

	for (size_t i = 0; p->kind->ends[i] != NULL; i++)
		buf_printf(&ends, "%s%s", i > 0 ? ", " : "", p->kind->ends[i]);
	code = cli_fail(CLI_FAILED, "%s has another ending than what is read: %s%s", path, buf_cstr(&ends),
	    p->kind->manifest != NULL ? ", and a manifest's .json" : "");
	buf_fini(&ends);
	return code;
}

/* The files of the kind below a directory, in the order of their names. */
static int
add_directory(struct pack *p, int dir, const char *path, unsigned depth)
{
	struct files_list list = { 0 };
	int code = CLI_OK, below;

	(void)files_list(dir, p->cli->arena, &list);
	for (size_t i = 0; i < list.n && code == CLI_OK; i++) {
		const char *name = list.entries[i].name;
		const char *whole = arena_printf(p->cli->arena, "%s%s%s", path, path[0] != '\0' ? "/" : "", name);

		if (list.entries[i].is_link || whole == NULL)
			continue;
		if (list.entries[i].is_dir) {
			if (depth == DEPTH_MAX || span_is_any(span_str(name), foreign) ||
			    files_open_dir(dir, name, &below) != FILES_OK)
				continue;
			code = add_directory(p, below, whole, depth + 1);
			close(below);
		} else if (is_read(p, name))
			code = add_file(p, dir, name, whole);
	}
	return code;
}

/* A regular file below dir, without symbolic links. */
static int
take_manifest(struct pack *p, int dir, const char *name, const char *shown)
{
	int fd = -1;
	enum files_fault fault = files_open(dir, name, &fd, NULL);

	if (fault != FILES_OK)
		return cli_fail(CLI_FAILED, "%s %s", shown, files_fault_text(fault));
	if (p->manifest >= 0) {
		close(fd);
		return cli_fail(CLI_USAGE, "%s and %s: one manifest at a time", p->manifest_name, shown);
	}
	p->manifest = fd;
	p->manifest_name = shown;
	return CLI_OK;
}

/* A project: its manifest if the tool made one, else its files. */
static int
add_project(struct pack *p, int dir, const char *path)
{
	const char *manifest = p->kind->manifest;

	if (manifest == NULL || faccessat(dir, manifest, R_OK, AT_SYMLINK_NOFOLLOW) != 0)
		return add_directory(p, dir, "", 0);
	cli_note("%s/%s is read, and not the files it was made from", path, manifest);
	if (faccessat(dir, "dbt_project.yml", R_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    add_file(p, dir, "dbt_project.yml", "dbt_project.yml") != CLI_OK)
		return CLI_FAILED;
	return take_manifest(p, dir, manifest, manifest);
}

static int
add_operand(struct pack *p, const char *path)
{
	const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code, dir;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		code = cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		code = add_project(p, fd, path);
	else if (p->kind->manifest != NULL && ends_with(path, "catalog.json")) {
		cli_note("%s is not needed: the scan knows the columns", path);
		code = CLI_OK;
	} else if (!is_read(p, path) && (p->kind->manifest == NULL || !ends_with(path, ".json")))
		code = refuse_file(p, path);
	else {
		dir = open(base == path ? "." : arena_printf(p->cli->arena, "%.*s", (int)(base - path), path),
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* A manifest is streamed, and so is what is too large to be one file of several. */
		code = dir < 0 ? cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno)) :
		    ends_with(path, ".json") && (!is_read(p, path) || st.st_size > JSON_MAX) ?
				 take_manifest(p, dir, base, path) :
				 add_file(p, dir, base, path);
		if (dir >= 0)
			close(dir);
	}
	if (fd >= 0)
		close(fd);
	return code;
}

/* The last two parts of a path, or only the last one if that says enough by itself. */
static const char *
name_place(struct arena *a, char *path)
{
	static const char *const common[] = { "cubes", "lookml", "metrics", "model", "models", "schema",
		"semantic_models", "src", "views", NULL };
	char *base = strrchr(path, '/'), *above;

	if (base == NULL || base[1] == '\0')
		return "";
	*base++ = '\0';
	above = strrchr(path, '/');
	if (!span_is_any(span_str(base), common) || above == NULL || above[1] == '\0')
		return base;
	return arena_printf(a, "%s-%s", above + 1, base);
}

/* The directory of the first operand, by which a project is called whose files do not say its name. */
static const char *
place_of(struct cli *cli, const char *operand)
{
	char *path = realpath(operand, NULL), *end;
	const char *name = "";
	struct stat st;

	if (path != NULL && stat(path, &st) == 0) {
		if (!S_ISDIR(st.st_mode) && (end = strrchr(path, '/')) != NULL)
			*end = '\0';
		name = arena_printf(cli->arena, "%s", name_place(cli->arena, path));
	}
	free(path);
	return name;
}

/* Read the pack and the manifest in a confined process; *report is what it says. */
static int
read_pack(struct pack *p, const struct config *cfg, const struct dialect *d, const char *kind, struct buf *report)
{
	struct arena *a = p->cli->arena;
	const char *project = cli_option(p->cli, "project");
	const char *const words[] = { "carrel-import", "/", "-", "knowledge", kind,
		cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT ? "best-effort" : "-",
		arena_printf(a, "text=%u", d == NULL ? 0u : (unsigned)d->text),
		arena_printf(a, "project=%s", project != NULL ? project : ""),
		arena_printf(a, "place=%s", place_of(p->cli, cli_operand(p->cli, 1))), NULL };
	int pack = memfd_create("knowledge", MFD_CLOEXEC), none = open("/dev/null", O_RDONLY | O_CLOEXEC), code;
	struct importer im = { .pid = -1 };
	struct buf why = { 0 };

	if (pack < 0 || none < 0 || io_write(pack, buf_view(&p->bytes)) != 0 || lseek(pack, 0, SEEK_SET) != 0)
		code = cli_fail(CLI_FAILED, "the files cannot be kept in memory: %s", strerror(errno));
	else if ((code = importer_start(p->cli, &im, pack, p->manifest >= 0 ? p->manifest : none, words)) == CLI_OK) {
		importer_follow(&im, report);
		if (!importer_end(&im, view_of(buf_view(report)), "knowledge", &why))
			code = cli_fail(CLI_FAILED, "%s", buf_cstr(&why));
	}
	if (pack >= 0)
		close(pack);
	if (none >= 0)
		close(none);
	buf_fini(&why);
	return code;
}

/* The text of v, one that may be shown in a terminal. */
static void
put_safe(struct buf *out, struct view v)
{
	struct buf text = { 0 };

	view_text(v, &text);
	table_safe(buf_view(&text), false, out);
	buf_fini(&text);
}

/* A text as lines; one that says whose file it is differs with every change, and is no difference. */
struct lines {
	size_t		 n;
	struct span	*v;
};

static struct lines
cut_lines(struct cli *cli, struct span text)
{
	struct lines l = { 0 };
	size_t max = 1;

	for (size_t i = 0; i < text.len; i++)
		max += text.p[i] == '\n';
	l.v = arena_array(cli->arena, max, sizeof(*l.v));
	while (text.len > 0 && l.v != NULL) {
		const uint8_t *nl = memchr(text.p, '\n', text.len);
		size_t n = nl == NULL ? text.len : (size_t)(nl - text.p);

		l.v[l.n++] = span_of(text.p, n);
		text = span_of(text.p + n + (nl != NULL), text.len - n - (nl != NULL));
	}
	return l;
}

static bool
is_same_line(struct span a, struct span b)
{
	return span_is(a, b) ||
	    (memmem(a.p, a.len, MARK, sizeof(MARK) - 1) != NULL && memmem(b.p, b.len, MARK, sizeof(MARK) - 1) != NULL);
}

static void
put_lines(struct buf *out, const struct lines *l, size_t from, size_t to, const char *mark)
{
	for (size_t i = from; i < to && i < l->n; i++) {
		buf_str(out, mark);
		table_safe(l->v[i], false, out);
		buf_byte(out, '\n');
	}
}

/* The nearest place at which both texts go on alike: *i lines of one and *j of the other are passed over. */
static void
find_meeting(const struct lines *was, size_t a, const struct lines *is, size_t b, size_t *i, size_t *j)
{
	for (size_t sum = 1; sum <= LOOK_MAX; sum++)
		for (*i = 0; *i <= sum; (*i)++) {
			*j = sum - *i;
			if ((a + *i == was->n && b + *j == is->n) ||
			    (a + *i < was->n && b + *j < is->n && is_same_line(was->v[a + *i], is->v[b + *j])))
				return;
		}
	*i = was->n - a;
	*j = is->n - b;
}

/* Each difference with some lines around it. */
static void
put_difference(struct buf *out, const struct lines *was, const struct lines *is)
{
	size_t a = 0, b = 0, i, j, shown = 0, before, after;

	while (a < was->n || b < is->n) {
		if (a < was->n && b < is->n && is_same_line(was->v[a], is->v[b])) {
			a++;
			b++;
			continue;
		}
		/* Behind the last difference, and in front of this one. */
		after = shown > 0 && shown + CONTEXT < b ? shown + CONTEXT : shown > 0 ? b : 0;
		before = b > after + CONTEXT ? b - CONTEXT : after;
		put_lines(out, is, shown, after, "  ");
		put_lines(out, is, before, b, "  ");
		find_meeting(was, a, is, b, &i, &j);
		put_lines(out, was, a, a + i, "- ");
		put_lines(out, is, b, b + j, "+ ");
		a += i;
		shown = b += j;
	}
	put_lines(out, is, shown, shown == 0 ? 0 : shown + CONTEXT, "  ");
}

static void
put_change(struct cli *cli, struct view change, bool difference, struct buf *out)
{
	struct buf was = { 0 }, is = { 0 };
	struct lines from, to;

	buf_printf(out, "%-8s ", view_cstr(cli->arena, view_get(change, "action"), ""));
	put_safe(out, view_get(change, "path"));
	buf_str(out, ": ");
	put_safe(out, view_get(change, "summary"));
	buf_byte(out, '\n');
	view_text(view_get(change, "before"), &was);
	view_text(view_get(change, "after"), &is);
	from = cut_lines(cli, buf_view(&was));
	to = cut_lines(cli, buf_view(&is));
	if (difference)
		put_difference(out, &from, &to);
	buf_fini(&was);
	buf_fini(&is);
}

/* A reason, and the objects of one kind that have it, also with other names in it. */
struct skipped {
	struct view	first;
	size_t		n;
	uint64_t	names;	/* which words of the reason differ, by bits */
};

static struct span
next_word(struct span *rest)
{
	const uint8_t *blank = memchr(rest->p, ' ', rest->len);
	size_t n = blank == NULL ? rest->len : (size_t)(blank - rest->p);
	struct span word = span_of(rest->p, n);

	*rest = span_of(rest->p + n + (blank != NULL), rest->len - n - (blank != NULL));
	return word;
}

/* Whether a word of a reason can be the name of an object: by its letters, or by the word in front of it. */
static bool
is_name(struct span word, struct span before)
{
	static const char *const leading[] = { "explore", "input", "measure", "metric", "names", "needs", "of", "on",
		"to", "uses", NULL };

	return span_is_any(before, leading) ||
	    (word.len > 1 && (memchr(word.p, '.', word.len - 1) != NULL || memchr(word.p, '_', word.len) != NULL));
}

/* Whether two reasons are the same; with names, also but for names, and the words that are these are added to it. */
static bool
is_same_reason(struct span a, struct span b, uint64_t *names)
{
	struct span before = SPAN_NONE, word, other;
	uint64_t differ = 0;

	for (unsigned i = 0; a.len > 0 && b.len > 0; i++, before = word) {
		word = next_word(&a);
		other = next_word(&b);
		if (span_is(word, other))
			continue;
		if (names == NULL || i >= 64 || !is_name(word, before) || !is_name(other, before))
			return false;
		differ |= UINT64_C(1) << i;
	}
	if (names != NULL)
		*names |= a.len == 0 && b.len == 0 ? differ : 0;
	return a.len == 0 && b.len == 0;
}

static size_t
group_skipped(struct view list, bool with_names, struct skipped groups[SKIPPED_MAX])
{
	struct view_iter it = view_iter(list);
	struct view each;
	size_t n = 0, i;

	while (view_next(&it, &each)) {
		for (i = 0; i < n; i++)
			if (span_is(view_get(each, "as").raw, view_get(groups[i].first, "as").raw) &&
			    is_same_reason(view_get(groups[i].first, "reason").raw, view_get(each, "reason").raw,
				with_names ? &groups[i].names : NULL))
				break;
		if (i == n && n < SKIPPED_MAX)
			groups[n++] = (struct skipped){ .first = each };
		if (i < n)
			groups[i].n++;
	}
	return n;
}

/* The reason of a group; names that differ are left out. */
static void
put_reason(const struct skipped *group, struct buf *out)
{
	struct buf text = { 0 };
	struct span rest, word;

	view_text(view_get(group->first, "reason"), &text);
	rest = buf_view(&text);
	for (unsigned i = 0; rest.len > 0; i++) {
		word = next_word(&rest);
		if (i < 64 && (group->names >> i & 1) != 0)
			buf_str(out, word.p[word.len - 1] == ',' ? "…," : "…");
		else
			table_safe(word, false, out);
		buf_str(out, rest.len > 0 ? " " : "");
	}
	buf_fini(&text);
}

/* "skipped  metric a (file): reason", "skipped  metric a and 3 more: reason". */
static void
put_skipped(struct cli *cli, struct view list, struct buf *out)
{
	struct skipped groups[SKIPPED_MAX];
	size_t n = group_skipped(list, false, groups);

	if (n > SKIPPED_EACH)
		n = group_skipped(list, true, groups);
	for (size_t i = 0; i < n; i++) {
		struct view first = groups[i].first;

		buf_printf(out, "skipped  %s ", view_cstr(cli->arena, view_get(first, "as"), ""));
		put_safe(out, view_get(first, "name"));
		if (groups[i].n > 1)
			buf_printf(out, " and %zu more", groups[i].n - 1);
		else if (view_get(first, "from").raw.len > 2) {
			buf_str(out, " (");
			put_safe(out, view_get(first, "from"));
			buf_byte(out, ')');
		}
		buf_str(out, ": ");
		put_reason(&groups[i], out);
		buf_byte(out, '\n');
	}
	if (n == SKIPPED_MAX)
		buf_str(out, "and perhaps others, which --json lists\n");
}

/* What the answer had no room for. */
static void
put_left_out(struct view result, struct buf *out)
{
	uint64_t skipped = view_uint(view_get(result, "report.skippedLeftOut"), 0),
		 texts = view_uint(view_get(result, "textsLeftOut"), 0);

	if (skipped > 0)
		buf_printf(out, "and %llu more, which are only counted\n", (unsigned long long)skipped);
	if (texts > 0)
		buf_printf(out, "The differences have %llu MB and are not shown.\n", (unsigned long long)(texts >> 20));
}

static int
show_import(struct cli *cli, struct view result)
{
	static const char *const heads[] = { "OBJECT", "READ", "TAKEN", "IN OTHERS", "SKIPPED", NULL };
	static const char *const counts[] = { "read", "taken", "merged", "skipped" };
	struct view_iter changes = view_iter(view_get(result, "changes")),
			 objects = view_iter(view_get(result, "report.objects"));
	struct text_table *t = table_new(cli->arena, heads);
	bool dry = cli_flag(cli, "dry-run");
	struct buf out = { 0 };
	struct view each;
	int code;

	while (view_next(&changes, &each))
		put_change(cli, each, dry, &out);
	if (out.len == 0)
		buf_str(&out, "Nothing changes.\n");
	buf_byte(&out, '\n');
	code = cli_write(buf_view(&out));
	out.len = 0;
	while (view_next(&objects, &each)) {
		table_row(t);
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "as"), "")));
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
			view_cell(view_get(each, counts[i]), "0", t);
	}
	if (code == CLI_OK)
		code = cli_table(t);
	put_skipped(cli, view_get(result, "report.skipped"), &out);
	put_left_out(result, &out);
	if (strcmp(view_cstr(cli->arena, view_get(result, "review"), ""), "proposed") == 0)
		buf_printf(&out, "\nNothing is written yet: carrel memory approve %s\n",
		    view_cstr(cli->arena, view_get(result, "runId"), ""));
	else if (!dry)
		buf_printf(&out, "\nTo take it back: carrel memory revert %s\n",
		    view_cstr(cli->arena, view_get(result, "runId"), ""));
	if (code == CLI_OK)
		code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

/* Hand over what was read, in as many calls as it needs; *result is what the last one says.  -1 with *err. */
static int
send_knowledge(struct cli *cli, struct client *c, const char *connection, struct span knowledge, struct view *result,
    struct err *err)
{
	size_t at = 0, n;
	int r = 0;

	do {
		struct buf args = { 0 };
		struct span rest = span_of(knowledge.p + at, knowledge.len - at);

		n = utf8_cut(rest.p, rest.len, PART_MAX);
		mp_put_pairs(&args, mp_cstr("connectionId", connection), mp_str("knowledge", span_of(rest.p, n)),
		    mp_bool("review", cli_flag(cli, "review")), mp_bool("dryRun", cli_flag(cli, "dry-run")),
		    mp_uint("offset", at), mp_bool("more", n < rest.len));
		r = client_tool(c, "import_knowledge", buf_view(&args), NULL, NULL, result, err);
		buf_fini(&args);
		at += n;
	} while (r == 0 && at < knowledge.len && n > 0);
	return r;
}

static int
write_knowledge(struct cli *cli, const char *connection, struct span knowledge)
{
	struct view result;
	struct client c;
	struct err err;
	int code;

	make_places(cli);
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	if (send_knowledge(cli, &c, connection, knowledge, &result, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		code = cli->json ? cli_json(result.raw) : show_import(cli, result);
	client_close(&c);
	return code;
}

int
cmd_import_knowledge(struct cli *cli)
{
	struct pack p = { .cli = cli, .manifest = -1, .bytes = BUF_MAX(PACK_MAX + FILE_MAX + 4096) };
	const struct config_connection *connection;
	const char *kind = cli_operand(cli, 0);
	struct buf report = { 0 };
	struct config cfg = { 0 };
	int code = CLI_OK;

	if (!cli_config(cli, false, &cfg) || (connection = cli_connection(&cfg, cli_option(cli, "connection"))) == NULL)
		return CLI_FAILED;
	for (p.kind = kinds; p.kind->name != NULL && strcmp(p.kind->name, kind) != 0; p.kind++)
		;
	for (size_t i = 1; i < cli->noperands && code == CLI_OK; i++)
		code = add_operand(&p, cli_operand(cli, i));
	if (code == CLI_OK && p.bytes.len == 0 && p.manifest < 0)
		code = cli_fail(CLI_FAILED, "there is no file of that kind in what was named");
	if (code == CLI_OK)
		code = read_pack(&p, &cfg, dialect_find(span_str(connection->driver_name)), kind, &report);
	if (code == CLI_OK)
		code = write_knowledge(cli, connection->id, view_get(view_of(buf_view(&report)), "knowledge").raw);
	if (p.manifest >= 0)
		close(p.manifest);
	buf_fini(&p.bytes);
	buf_fini(&report);
	return code;
}
