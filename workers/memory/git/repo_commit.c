#include <git2.h>
#include <git2/sys/repository.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "base/system/fault.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "workers/memory/git/repo_commit.h"
#include "workers/memory/git/repo_index.h"
#include "workers/memory/git/repo_objects.h"

#define HISTORY_MAX	1000	/* commits that are searched for one of an earlier attempt */
#define CLOCK_SLACK_S	86400	/* most that committers' clocks may be off */

struct commit_work {
	const struct repo_job	*job;
	struct repo_place	 place;
	git_odb			*odb;
	git_repository		*repo;
	git_commit		*tip;		/* NULL: the branch has no commit yet */
	git_tree		*tree;		/* the tip's */
	struct repo_path		*paths;
	size_t			 npaths;
	char			 trailer[96];
};

static int
failed(struct err *err, const char *what)
{
	const git_error *e = git_error_last();

	return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s%s%s", what, e != NULL ? ": " : "",
	    e != NULL ? e->message : "");
}

/*
 * The file at path in tree: 1 with *id and *mode; 0: it does not exist; -1: it, or a directory
 * above it, is something else.
 */
static int
lookup(struct commit_work *w, const git_tree *tree, const char *path, git_oid *id, git_filemode_t *mode,
    struct err *err)
{
	git_tree_entry *e;
	int r;

	*mode = GIT_FILEMODE_BLOB;
	if (tree == NULL)
		return 0;
	(void)w;
	r = git_tree_entry_bypath(&e, tree, path);
	if (r == GIT_ENOTFOUND)
		return 0;
	if (r != 0)
		return failed(err, "the repository's tree cannot be read");
	*id = *git_tree_entry_id(e);
	*mode = git_tree_entry_filemode(e);
	git_tree_entry_free(e);
	if (*mode != GIT_FILEMODE_BLOB && *mode != GIT_FILEMODE_BLOB_EXECUTABLE)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s is no plain file in the repository", path);
	return 1;
}

static int
read_blob(struct commit_work *w, const git_oid *id, struct buf *out, struct err *err)
{
	static const char lfs[] = "version https://git-lfs.github.com/";
	git_odb_object *o;

	if (git_odb_read(&o, w->odb, id) != 0)
		return failed(err, "a file of the last commit cannot be read");
	buf_append(out, git_odb_object_data(o), git_odb_object_size(o));
	git_odb_object_free(o);
	if (out->len >= sizeof(lfs) - 1 && memcmp(out->p, lfs, sizeof(lfs) - 1) == 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "the repository keeps the project's files in Git LFS");
	return 0;
}

static int
write_blob(struct commit_work *w, struct span text, git_oid *id, struct err *err)
{
	return git_odb_write(id, w->odb, text.p, text.len, GIT_OBJECT_BLOB) == 0 ?
	    0 :
	    failed(err, "an object could not be written");
}

static void
without_cr(struct span text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] != '\r' || i + 1 == text.len || text.p[i + 1] != '\n')
			buf_byte(out, text.p[i]);
}

bool
repo_merge_texts(struct span base, struct span ours, struct span theirs, struct buf *out)
{
	git_merge_file_input in[3];
	const struct span texts[3] = { base, ours, theirs };
	git_merge_file_result result;
	bool clean;

	for (size_t i = 0; i < 3; i++) {
		(void)git_merge_file_input_init(&in[i], GIT_MERGE_FILE_INPUT_VERSION);
		in[i].ptr = texts[i].len > 0 ? (const char *)texts[i].p : "";
		in[i].size = texts[i].len;
	}
	memset(&result, 0, sizeof(result));
	if (git_merge_file(&result, &in[0], &in[1], &in[2], NULL) != 0)
		return false;
	if ((clean = result.automergeable != 0))
		buf_append(out, result.ptr, result.len);
	git_merge_file_result_free(&result);
	return clean;
}

/*
 * The path's next text.  If HEAD holds the text that the run started from, it
 * is the run's text.  If the user has edited the file since, only the run's
 * own changes are merged in, if the two can be separated.
 */
static void
next_text(struct span head, struct span before, struct span after, struct buf *out)
{
	struct buf b = { 0 }, a = { 0 };
	bool lf = memchr(head.p == NULL ? (const uint8_t *)"" : head.p, '\r', head.len) == NULL;

	/* The working tree has CRLF and the repository LF: the conversion is undone. */
	if (lf && memmem(before.p, before.len, "\r\n", 2) != NULL) {
		without_cr(before, &b);
		without_cr(after, &a);
		before = buf_view(&b);
		after = buf_view(&a);
	}
	if (span_is(head, before) || !repo_merge_texts(before, head, after, out)) {
		buf_reset(out, SIZE_MAX);
		buf_span(out, after);
	}
	buf_fini(&b);
	buf_fini(&a);
}

static int
settle_file(struct commit_work *w, const struct run_side *before, const struct run_side *after, struct repo_path *p,
    struct err *err)
{
	struct buf head = { 0 }, next = { 0 };
	int r;

	if ((r = lookup(w, w->tree, p->path, &p->old, &p->mode, err)) < 0)
		return -1;
	p->was = r == 1;
	p->is = after->there;
	if (p->was && after->there) {
		if ((r = read_blob(w, &p->old, &head, err)) == 0) {
			if (before->there)
				next_text(buf_view(&head), before->text, after->text, &next);
			else
				buf_span(&next, after->text);
			r = write_blob(w, buf_view(&next), &p->new, err);
		}
	} else
		r = after->there ? write_blob(w, after->text, &p->new, err) : 0;
	buf_fini(&head);
	buf_fini(&next);
	return r;
}

/* Everything above path must be a directory, or not exist yet. */
static int
check_directories(struct commit_work *w, const char *path, struct err *err)
{
	git_tree_entry *e;
	char dir[sizeof(w->paths[0].path)];
	bool plain;

	for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		if (w->tree == NULL || git_tree_entry_bypath(&e, w->tree, dir) != 0)
			return 0;
		plain = git_tree_entry_type(e) == GIT_OBJECT_TREE;
		git_tree_entry_free(e);
		if (!plain)
			return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s is no plain directory in the repository", dir);
	}
	return 0;
}

/* The tip's tree with the changes of all paths; directories that become empty are removed. */
static int
build_tree(struct commit_work *w, git_oid *id, struct err *err)
{
	git_tree_update *updates = mem_new(w->npaths, sizeof(*updates));
	size_t n = 0;
	int r = -1;

	for (size_t i = 0; i < w->npaths; i++) {
		const struct repo_path *p = &w->paths[i];

		if (check_directories(w, p->path, err) != 0)
			goto out;
		if (p->is)
			updates[n++] = (git_tree_update){ GIT_TREE_UPDATE_UPSERT, p->new, p->mode, p->path };
		else if (p->was)
			updates[n++] = (git_tree_update){ GIT_TREE_UPDATE_REMOVE, p->old, p->mode, p->path };
	}
	r = git_tree_create_updated(id, w->repo, w->tree, n, updates) == 0 ? 0 :
									     failed(err, "a tree could not be written");
out:
	free(updates);
	return r;
}

static const char *
trailer_name(const struct run *r)
{
	return r->step == RUN_STEP_REVERT ? "Carrel-Revert" :
	    r->step == RUN_STEP_APPROVE   ? "Carrel-Approval" :
					    "Carrel-Run";
}

/* Other people's tools show this text, so it must not contain characters that move or hide the text around it. */
static void
put_line(struct buf *out, struct span text, size_t max)
{
	safe_text_strip(out, span_of(text.p, utf8_cut(text.p, text.len, max)), false);
}

static void
put_message(const struct commit_work *w, struct buf *out)
{
	const struct run *r = w->job->run;
	const struct run_changes *list = run_moves(r);
	struct span subject = { NULL, 0 };

	for (size_t i = 0; i < list->n; i++)
		if (run_writes(&list->v[i]) && (subject.len == 0 || list->v[i].kind == RUN_WIKI))
			subject = list->v[i].name;
	buf_str(out,
	    r->step == RUN_STEP_REVERT      ? "Take back memory: " :
		r->step == RUN_STEP_APPROVE ? "Approve memory: " :
		r->review == RUN_PROPOSED   ? "Propose memory: " :
					      "Keep memory: ");
	put_line(out, subject, 60);
	buf_str(out, "\n\n");
	for (size_t i = 0; i < list->n; i++)
		if (run_writes(&list->v[i])) {
			buf_str(out, "* ");
			put_line(out, list->v[i].path, 1000);
			buf_str(out, ": ");
			put_line(out, list->v[i].summary, 200);
			buf_byte(out, '\n');
		}
	buf_printf(out, "\n%sCarrel-Principal: ", w->trailer);
	put_line(out, r->principal, 256);
	buf_byte(out, '\n');
}

/* The commit that an interrupted attempt has already made; NULL if absent. */
static git_commit *
find_earlier(struct commit_work *w)
{
	const git_time_t since = (git_time_t)(w->job->run->at_ms / 1000) - CLOCK_SLACK_S;
	git_commit *c = NULL, *parent;

	if (w->tip == NULL || git_commit_dup(&c, w->tip) != 0)
		return NULL;
	for (unsigned i = 0; i < HISTORY_MAX && git_commit_time(c) >= since; i++) {
		if (strstr(git_commit_message(c), w->trailer) != NULL)
			return c;
		if (git_commit_parentcount(c) == 0 || git_commit_parent(&parent, c, 0) != 0)
			break;
		git_commit_free(c);
		c = parent;
	}
	git_commit_free(c);
	return NULL;
}

static int
write_commit(struct commit_work *w, const git_oid *tree_id, char hex[REPO_HEX + 1], char who[512], struct err *err)
{
	const git_commit *parents[] = { w->tip };
	git_buf raw = { NULL, 0, 0 };
	struct buf message = { 0 };
	git_signature *me = NULL;
	git_tree *tree = NULL;
	git_oid id;
	int r = -1;

	put_message(w, &message);
	if (git_signature_new(&me, w->job->name, w->job->mail, (git_time_t)time(NULL), 0) == 0 &&
	    git_tree_lookup(&tree, w->repo, tree_id) == 0 &&
	    git_commit_create_buffer(&raw, w->repo, me, me, NULL, buf_cstr(&message), tree, w->tip != NULL, parents) ==
		0 &&
	    git_odb_write(&id, w->odb, raw.ptr, raw.size, GIT_OBJECT_COMMIT) == 0) {
		git_oid_tostr(hex, REPO_HEX + 1, &id);
		snprintf(who, 512, "%s <%s> %lld +0000", me->name, me->email, (long long)me->when.time);
		r = 0;
	} else
		failed(err, "the commit could not be written");
	git_buf_dispose(&raw);
	git_signature_free(me);
	git_tree_free(tree);
	buf_fini(&message);
	return r;
}

static int
open_work(struct commit_work *w, struct err *err)
{
	char hex[REPO_HEX + 1];
	git_oid id;
	int r;

	if (repo_place_open(&w->place, w->job->git_dir, w->job->common_dir, w->job->worktree, err) != 0 ||
	    repo_keep_begin(&w->place, w->job->keeper, err) != 0)
		return -1;
	if ((w->odb = repo_objects_open(&w->place)) == NULL || git_repository_wrap_odb(&w->repo, w->odb) != 0)
		return failed(err, "the repository's objects cannot be read");
	if ((r = repo_place_tip(&w->place, hex, err)) <= 0)
		return r;
	if (git_oid_fromstr(&id, hex) != 0 || git_commit_lookup(&w->tip, w->repo, &id) != 0 ||
	    git_commit_tree(&w->tree, w->tip) != 0)
		return failed(err,
		    "the last commit cannot be read (objects borrowed from another repository, or not fetched, "
		    "are out of reach)");
	return 0;
}

/* The run's own paths without those that the repository ignores. */
static int
take_paths(struct commit_work *w, struct err *err)
{
	const struct repo_job *job = w->job;
	const struct run_changes *list = run_moves(job->run);
	bool ignored = false;

	w->paths = mem_new(list->n, sizeof(*w->paths));
	for (size_t i = 0; i < list->n; i++) {
		struct repo_path *p = &w->paths[w->npaths];
		git_filemode_t mode;
		git_oid id;
		int n;

		if (!run_writes(&list->v[i]))
			continue;
		n = snprintf(p->path, sizeof(p->path), "%s%s%.*s", job->prefix, job->prefix[0] != '\0' ? "/" : "",
		    SPAN_FMT(list->v[i].path));
		if (n < 0 || (size_t)n >= sizeof(p->path))
			return err_set(err, ERR_SERVICE_UNAVAILABLE, "a path in the repository is too long");
		if ((n = lookup(w, w->tree, p->path, &id, &mode, err)) < 0)
			return -1;
		/* A tracked file is never ignored. */
		if (n == 0 && ignore_match(job->ignores, job->nignores, span_str(p->path)))
			ignored = true;
		else {
			p->change = &list->v[i];
			w->npaths++;
		}
	}
	if (w->npaths == 0 && ignored)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the repository's .gitignore leaves the project's files out");
	return 0;
}

/* The paths as an earlier attempt left them: its changes, for the index. */
static int
take_from(struct commit_work *w, git_commit *c, struct err *err)
{
	git_tree *tree = NULL, *was = NULL;
	git_commit *parent = NULL;
	int r = 0;

	if (git_commit_tree(&tree, c) != 0 ||
	    (git_commit_parentcount(c) > 0 &&
		(git_commit_parent(&parent, c, 0) != 0 || git_commit_tree(&was, parent) != 0)))
		r = failed(err, "an earlier commit cannot be read");
	for (size_t i = 0; i < w->npaths && r == 0; i++) {
		struct repo_path *p = &w->paths[i];
		int old = lookup(w, was, p->path, &p->old, &p->mode, err), new;

		if (old < 0 || (new = lookup(w, tree, p->path, &p->new, &p->mode, err)) < 0)
			r = -1;
		else {
			p->was = old == 1;
			p->is = new == 1;
		}
	}
	git_tree_free(tree);
	git_tree_free(was);
	git_commit_free(parent);
	return r;
}

/* A proposal is approved in its current text, including a reviewer's edits. */
static bool
is_own_proposal(const struct run *r, const struct run_change *c)
{
	for (size_t i = 0; r->step == RUN_STEP_APPROVE && i < r->changes.n; i++)
		if (r->changes.v[i].action == RUN_CREATED && !r->changes.v[i].joined &&
		    span_is(r->changes.v[i].path, c->path))
			return true;
	return false;
}

static int
commit_new(struct commit_work *w, char hex[REPO_HEX + 1], struct err *err)
{
	char was[REPO_HEX + 1] = "", who[512];
	struct buf line = { 0 };
	git_oid id;
	int r;

	for (size_t i = 0; i < w->npaths; i++) {
		struct run_side before, after;

		run_sides(w->paths[i].change, w->job->run->step == RUN_STEP_REVERT, &before, &after);
		if (is_own_proposal(w->job->run, w->paths[i].change))
			before.there = false;
		if (settle_file(w, &before, &after, &w->paths[i], err) != 0)
			return -1;
	}
	if (build_tree(w, &id, err) != 0)
		return -1;
	if (w->tree != NULL && git_oid_equal(&id, git_tree_id(w->tree)))
		return 0;
	(void)fault_point("git.objects");
	if (write_commit(w, &id, hex, who, err) != 0)
		return -1;
	if (w->tip != NULL)
		git_oid_tostr(was, sizeof(was), git_commit_id(w->tip));
	buf_printf(&line, "commit%s: carrel %s", w->tip == NULL ? " (initial)" : "", w->job->run->id);
	r = repo_keep_move(&w->place, was, hex, who, buf_cstr(&line), err);
	buf_fini(&line);
	return r == 0 ? 1 : -1;
}

int
repo_commit(const struct repo_job *job, char hex[REPO_HEX + 1], struct err *err)
{
	struct commit_work w = { .job = job, .place = REPO_PLACE_NONE };
	struct repo_index *index = NULL;
	git_commit *earlier = NULL;
	int r = -1;

	hex[0] = '\0';
	snprintf(w.trailer, sizeof(w.trailer), "%s: %s\n", trailer_name(job->run), job->run->id);
	if (open_work(&w, err) != 0 || take_paths(&w, err) != 0 || repo_keep_lock_index(&w.place, err) != 0 ||
	    (index = repo_index_open(&w.place, w.repo, w.odb, err)) == NULL)
		goto out;
	if ((earlier = find_earlier(&w)) != NULL) {
		git_oid_tostr(hex, REPO_HEX + 1, git_commit_id(earlier));
		r = take_from(&w, earlier, err) == 0 ? 1 : -1;
	} else
		r = commit_new(&w, hex, err);
	(void)fault_point("git.committed");
	/* The commit exists.  If the index cannot be updated, git shows the paths as changed, and nothing is lost. */
	if (r == 1)
		repo_index_follow(index, w.paths, w.npaths);
out:
	free(w.paths);
	repo_index_close(index);
	git_commit_free(earlier);
	git_tree_free(w.tree);
	git_commit_free(w.tip);
	git_repository_free(w.repo);
	git_odb_free(w.odb);
	repo_keep_end(&w.place);
	return r;
}
