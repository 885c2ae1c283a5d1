#include "cli/sync/sync_merge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define CONFLICTS_MAX	1000u	/* versions of files in one merge; more are for a person */

/* A version of a path that both sides changed: stage 2 is the remote's, 3 this node's, 1 the common one. */
struct sync_version {
	const char	*mode, *oid, *path;
	char		 stage;
};

/* Parse "MODE OID STAGE\tPATH" records, each with its NUL. */
static size_t
parse_versions(const struct sync_repo *r, struct span s, struct sync_version *v, size_t max)
{
	size_t n = 0;

	while (s.len > 0 && n <= max) {
		const uint8_t *end = memchr(s.p, '\0', s.len);
		size_t len = end != NULL ? (size_t)(end - s.p) : s.len;
		const char *line = arena_printf(r->arena, "%.*s", (int)len, (const char *)s.p);
		const char *tab = strchr(line, '\t');

		if (tab != NULL && tab >= line + 7 + SYNC_OID + 2 && n < max)
			v[n] = (struct sync_version){ arena_printf(r->arena, "%.6s", line),
				arena_printf(r->arena, "%.*s", SYNC_OID, line + 7), tab + 1, tab[-1] };
		if (tab != NULL)
			n++;
		s = end == NULL ? SPAN_NONE : span_of(end + 1, s.len - len - 1);
	}
	return n;
}

/* The text as a page that is proposed: in its front matter, or in one of its own. */
static void
put_page(struct span text, const char *summary, struct buf *out)
{
	const char *p = (const char *)text.p, *end = p + text.len, *close;

	buf_str(out, "---\nstatus: proposed\n");
	if (text.len < 4 || memcmp(p, "---\n", 4) != 0 || (close = memmem(p + 3, text.len - 3, "\n---", 4)) == NULL) {
		buf_printf(out, "summary: %s\n---\n\n", summary);
		buf_span(out, text);
		return;
	}
	for (p += 4; p < close + 1;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)(eol - p) + 1;

		if (n < 7 || memcmp(p, "status:", 7) != 0)
			buf_append(out, p, n);
		p += n;
	}
	buf_append(out, p, (size_t)(end - p));
}

/* Of another file: quoted, so that it is text and nothing else. */
static void
put_quoted(struct span text, const char *path, struct buf *out)
{
	bool begins = true;

	buf_printf(out,
	    "---\nstatus: proposed\nsummary: A version of a file that was changed on two nodes\n---\n\n"
	    "# Not merged\n\nThe file `%s` was changed here and elsewhere. This version was not kept:\n\n",
	    path);
	for (size_t i = 0; i < text.len; i++) {
		if (begins)
			buf_str(out, "    ");
		buf_byte(out, text.p[i]);
		begins = text.p[i] == '\n';
	}
}

/* The name of a file without its directories and ending, in the letters of a page's name. */
static const char *
name_of(const struct sync_repo *r, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	char *out = arena_printf(r->arena, "%.*s", (int)strcspn(name, "."), name);

	for (char *c = out; *c != '\0'; c++)
		if ((*c < 'a' || *c > 'z') && (*c < '0' || *c > '9'))
			*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : '-';
	return out;
}

static bool
is_page(const struct sync_repo *r, const char *path)
{
	const char *wiki = sync_git_path(r, "wiki/");
	size_t len = strlen(path);

	return strncmp(path, wiki, strlen(wiki)) == 0 && len > 3 && strcmp(path + len - 3, ".md") == 0;
}

/* What those who search the wiki may read as well; carrel.yaml is not. */
static bool
is_knowledge(const struct sync_repo *r, const char *path)
{
	const char *layer = sync_git_path(r, "semantic-layer/"), *scans = sync_git_path(r, "raw-sources/");

	return strncmp(path, layer, strlen(layer)) == 0 || strncmp(path, scans, strlen(scans)) == 0;
}

static int
put_in_index(const struct sync_repo *r, const char *mode, const char *oid, const char *path, struct err *err)
{
	return SYNC_GIT_MUST(r, NULL, err, "update-index", "--add", "--cacheinfo",
	    arena_printf(r->arena, "%s,%s,%s", mode, oid, path));
}

static int
write_proposal(const struct sync_repo *r, struct span page, const char *path, struct buf *proposed, struct err *err)
{
	static const char *const hash[] = { "hash-object", "-w", "--stdin", NULL };
	struct buf oid = { 0 };
	int result = sync_git_must(r, page, &oid, err, hash);

	if (result == 0 && (result = put_in_index(r, "100644", sync_git_line(r, &oid), path, err)) == 0)
		buf_printf(proposed, "%s\n", path);
	buf_fini(&oid);
	return result;
}

/* Keep this node's version of a file as a proposed page. */
static int
propose(const struct sync_repo *r, const struct sync_version *v, struct buf *proposed, struct err *err)
{
	struct buf text = { 0 }, page = { 0 };
	const char *path;
	int result = SYNC_GIT_MUST(r, &text, err, "cat-file", "blob", v->oid);

	if (result != 0)
		goto out;
	if (!utf8_valid(text.p, text.len) || (!is_page(r, v->path) && !is_knowledge(r, v->path))) {
		path = arena_printf(r->arena, "%s.proposed-%.8s", v->path, v->oid);
		if ((result = put_in_index(r, v->mode, v->oid, path, err)) == 0)
			buf_printf(proposed, "%s\n", path);
		goto out;
	}
	if (is_page(r, v->path)) {
		path = arena_printf(r->arena, "%.*s-proposed-%.8s.md", (int)strlen(v->path) - 3, v->path, v->oid);
		put_page(buf_view(&text), "A version of a page that was changed on two nodes", &page);
	} else {
		path = sync_git_path(r,
		    arena_printf(r->arena, "wiki/global/%s-proposed-%.8s.md", name_of(r, v->path), v->oid));
		put_quoted(buf_view(&text), v->path, &page);
	}
	result = write_proposal(r, buf_view(&page), path, proposed, err);
out:
	buf_fini(&text);
	buf_fini(&page);
	return result;
}

/* In the index: the remote's version of each path, and this node's as a proposal. */
static int
settle_versions(const struct sync_repo *r, const struct sync_version *v, size_t n, struct buf *proposed,
    struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++) {
		/* The path has a row for each version: the first one takes out what git left there. */
		if (i == 0 || strcmp(v[i - 1].path, v[i].path) != 0)
			result = SYNC_GIT_MUST(r, NULL, err, "update-index", "--force-remove", "--", v[i].path);
		if (result == 0 && v[i].stage == '2')
			result = put_in_index(r, v[i].mode, v[i].oid, v[i].path, err);
		if (result == 0 && v[i].stage == '3')
			result = propose(r, &v[i], proposed, err);
	}
	return result;
}

/* tree: of git's merge, with the conflicts in it; replaced by one without. */
static int
settle_tree(struct sync_repo *r, const char **tree, struct span conflicts, struct buf *proposed, struct err *err)
{
	struct sync_version *v = arena_array(r->arena, CONFLICTS_MAX, sizeof(*v));
	size_t n = parse_versions(r, conflicts, v, CONFLICTS_MAX);
	struct buf out = { 0 };
	int result;

	if (n > CONFLICTS_MAX)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "more than %u files were changed on both sides: merge by hand", CONFLICTS_MAX / 3);
	snprintf(r->index, sizeof(r->index), "%.4000s/carrel-sync.index", r->where.git_dir);
	(void)unlink(r->index);
	(void)unlink(arena_printf(r->arena, "%s.lock", r->index));
	if ((result = SYNC_GIT_MUST(r, NULL, err, "read-tree", *tree)) == 0 &&
	    (result = settle_versions(r, v, n, proposed, err)) == 0 &&
	    (result = SYNC_GIT_MUST(r, &out, err, "write-tree")) == 0)
		*tree = sync_git_line(r, &out);
	(void)unlink(r->index);
	r->index[0] = '\0';
	buf_fini(&out);
	return result;
}

int
sync_merge(struct sync_repo *r, const char *ours, const char *theirs, const char **commit, struct buf *proposed,
    struct err *err)
{
	struct buf out = { 0 }, made = { 0 };
	const char *tree;
	const uint8_t *end;
	int code = SYNC_GIT(r, &out, err, "merge-tree", "--write-tree", "-z", "--no-messages", theirs, ours);
	int result = -1;

	if (code == 0 || code == 1) {
		/* The tree's name, then the versions. */
		end = out.len > SYNC_OID ? memchr(out.p, '\0', out.len) : NULL;
		tree = arena_printf(r->arena, "%.*s", SYNC_OID, out.len >= SYNC_OID ? (const char *)out.p : "");
		if (code == 0 ||
		    (end != NULL &&
			settle_tree(r, &tree, span_of(end + 1, out.len - (size_t)(end + 1 - out.p)), proposed, err) ==
			    0))
			result = SYNC_GIT_MUST(r, &made, err, "commit-tree", tree, "-p", ours, "-p", theirs, "-m",
			    proposed->len > 0 ? "Merge the other nodes' changes; propose what contradicts them" :
						"Merge the other nodes' changes");
		if (result == 0)
			*commit = sync_git_line(r, &made);
	} else if (code > 1)
		err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "git cannot merge the two histories; git 2.38 or newer is needed, and a common beginning");
	buf_fini(&out);
	buf_fini(&made);
	return result;
}
