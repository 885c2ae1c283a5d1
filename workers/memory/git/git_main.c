/*
 * git_main.c - carrel-git: makes one commit of one step of one run, then ends.  Only this process
 * opens .git, together with its keeper (repo_keep.h), which alone writes there.  It reads the
 * repository and the journal of the runs; of the working tree it has read, before its confinement,
 * only the lists of ignored files.
 */
#include <fcntl.h>
#include <git2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/paths.h"
#include "workers/memory/git/repo_commit.h"
#include "workers/shared/child.h"
#include "workers/shared/probe.h"
#include "workers/shared/seccomp.h"
#include "ipc/control.h"
#include "policy/profiles.h"

#define BINARY		"carrel-git"
#define IGNORES_MAX	24
#define IGNORE_BYTES	((size_t)256 << 10)

struct committer {
	struct arena		*arena;
	const char		*project_dir, *worktree, *git_dir, *common_dir, *prefix, *name, *mail;
	struct ignore_file	 ignores[IGNORES_MAX];
	size_t			 nignores;
	uint64_t		 memory_max;
	bool			 best_effort;
	int			 state;		/* .carrel/memory; -1: it does not exist */
	struct repo_keeper	 keeper;
};

static void
take_ignore(struct committer *g, const char *path, const char *dir)
{
	struct buf text = { 0 };

	if (g->nignores < IGNORES_MAX && paths_read(AT_FDCWD, path, PATHS_ANY, IGNORE_BYTES, &text, NULL) == 0)
		g->ignores[g->nignores++] = (struct ignore_file){ span_str(arena_printf(g->arena, "%s", dir)),
			arena_span(g->arena, buf_view(&text)) };
	buf_fini(&text);
}

/* From the working tree's root down to the directory where runs write; later rules override earlier ones. */
static void
take_ignores(struct committer *g)
{
	static const char *const places[] = { "wiki", "wiki/global", "semantic-layer" };
	const char *slash = g->prefix;

	take_ignore(g, arena_printf(g->arena, "%s/info/exclude", g->common_dir), "");
	take_ignore(g, arena_printf(g->arena, "%s/.gitignore", g->worktree), "");
	while (*slash != '\0') {
		const char *dir;

		slash += strcspn(slash + 1, "/") + 1;
		dir = arena_printf(g->arena, "%.*s", (int)(slash - g->prefix), g->prefix);
		take_ignore(g, arena_printf(g->arena, "%s/%s/.gitignore", g->worktree, dir), dir);
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *dir =
		    arena_printf(g->arena, "%s%s%s", g->prefix, g->prefix[0] != '\0' ? "/" : "", places[i]);

		take_ignore(g, arena_printf(g->arena, "%s/%s/.gitignore", g->worktree, dir), dir);
	}
}

static int
take_author(struct committer *g, struct span author, struct err *err)
{
	const uint8_t *open = memchr(author.p, '<', author.len);

	if (open == NULL || open < author.p + 2 || author.p[author.len - 1] != '>')
		return err_set(err, ERR_INTERNAL, "the author of commits is not configured");
	g->name = arena_printf(g->arena, "%.*s", (int)(open - author.p - 1), (const char *)author.p);
	g->mail = arena_printf(g->arena, "%.*s", (int)(author.p + author.len - open - 2), (const char *)open + 1);
	return 0;
}

static const char *
git_main_copy(struct committer *g, struct span s)
{
	return arena_printf(g->arena, "%.*s", SPAN_FMT(s));
}

static int
git_main_configure(struct committer *g, const struct ipc_configure_git *m, struct err *err)
{
	struct stat st;

	g->project_dir = git_main_copy(g, m->project_dir);
	g->worktree = git_main_copy(g, m->worktree);
	g->git_dir = git_main_copy(g, m->git_dir);
	g->common_dir = git_main_copy(g, m->common_dir);
	g->prefix = git_main_copy(g, m->prefix);
	g->memory_max = m->memory_max;
	g->best_effort = m->best_effort != 0;
	if (take_author(g, m->author, err) != 0)
		return -1;
	/* Files that we create there get the permissions of the repository itself. */
	if (stat(g->git_dir, &st) == 0)
		(void)umask(~st.st_mode & 0777 & ~0700u);
	take_ignores(g);
	return repo_keep_start(&g->keeper, g->git_dir, g->common_dir,
	    &(struct repo_terms){ .memory_max = g->memory_max, .best_effort = g->best_effort }, err);
}

/*
 * Disables libgit2's search for a user's configuration and its check of the owner: we open one
 * repository, which was validated already.
 */
static int
warm(struct err *err)
{
	int r = git_libgit2_init();

	for (int level = GIT_CONFIG_LEVEL_PROGRAMDATA; level <= GIT_CONFIG_LEVEL_GLOBAL && r >= 0; level++)
		r = git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
	return r >= 0 ? 0 : err_set(err, ERR_INTERNAL, "libgit2 cannot be started");
}

static void
git_main_confine(struct committer *g, const struct policy_profile *profile)
{
	const struct confine_places places = { .project_dir = g->project_dir, .git_dir = g->git_dir,
		.git_common_dir = g->common_dir, .git_work_dir = g->keeper.work_path };
	struct confine_report report;
	struct err err = { .code = ERR_NONE };

	if (profile == NULL || confine_files(profile, &places, g->memory_max, g->best_effort, 0, &report, &err) != 0)
		child_unable(EXIT_CONFINEMENT, &err);
	g->state =
	    open(arena_printf(g->arena, "%s/.carrel/memory", g->project_dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (warm(&err) != 0)
		child_unable(EXIT_CONFIG, &err);
	if (confine_calls(profile, g->best_effort, &report, &err) != 0)
		child_unable(EXIT_CONFINEMENT, &err);
	child_ready(&report, false);
}

static int
commit_run(const struct committer *g, struct span id, char hex[REPO_HEX + 1], struct err *err)
{
	struct repo_job job = {
		.git_dir = g->git_dir, .common_dir = g->common_dir, .worktree = g->worktree, .prefix = g->prefix,
		.name = g->name, .mail = g->mail, .ignores = g->ignores, .nignores = g->nignores,
		.keeper = &g->keeper,
	};
	struct run *r = run_load(g->state, id, err);
	int result;

	if (r == NULL)
		return -1;
	job.run = r;
	result = repo_commit(&job, hex, err);
	run_free(r);
	return result;
}

static void
carry_out(struct committer *g, const struct ipc_commit *order)
{
	struct ipc_committed answer = { .serial = order->serial };
	char hex[REPO_HEX + 1] = "";
	struct err err = { .code = ERR_NONE };

	switch (commit_run(g, order->run, hex, &err)) {
	case 1:
		answer.outcome = IPC_COMMIT_MADE;
		break;
	case 0:
		answer.outcome = IPC_COMMIT_NEEDLESS;
		break;
	default:
		answer.outcome = IPC_COMMIT_REFUSED;
		answer.reason = span_str(err.message);
	}
	/* Before the outcome is reported, the keeper has to release all of our locks. */
	repo_keep_stop(&g->keeper);
	answer.commit = span_str(hex);
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_COMMITTED, &answer, -1);
}

static void
git_main_probe(const struct committer *g, const struct policy_profile *profile, const struct ipc_probe *msg)
{
	struct ipc_probed answer = { .error = 0 };
	int error;

	if (msg->part == IPC_PART_SELF) {
		probe_child(profile, msg);
		return;
	}
	if ((error = repo_keep_probe(&g->keeper, (unsigned)msg->part, (unsigned)msg->act, msg->path)) < 0)
		return;
	answer.error = (uint64_t)error;
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_PROBED, &answer, -1);
}

/* The supervisor's next message once we are ready.  True if it was the order, or if no order can come any more. */
static bool
take_configuration(struct committer *g, const struct policy_profile *profile, struct buf *packet)
{
	union ipc_any msg;
	struct ipc_frame f;
	enum ipc_fault fault;
	int fd;

	switch (control_recv(CONTRACT_FD_CONTROL, packet, &f, &fd, &fault)) {
	case CHANNEL_MORE:
		return false;
	case CHANNEL_FRAME:
		break;
	default:
		return true;
	}
	if (fd >= 0)
		close(fd);
	if (ipc_unpack_any(f.type, IPC_SUPERVISOR, IPC_GIT, f.body, &msg) != IPC_OK)
		return true;
	if (f.type == IPC_MSG_PROBE)
		git_main_probe(g, profile, &msg.probe);
	else if (f.type == IPC_MSG_COMMIT)
		carry_out(g, &msg.commit);
	return f.type != IPC_MSG_PROBE;
}

int
main(void)
{
	const struct policy_profile *profile = policy_profile("git");
	struct committer g = { .arena = arena_new((size_t)16 << 20), .state = -1, .keeper = { .fd = -1 } };
	struct pollfd p = { CONTRACT_FD_CONTROL, POLLIN, 0 };
	struct buf packet = BUF_MAX(IPC_CONTROL_MAX);
	struct ipc_configure_git conf;
	struct err err = { .code = ERR_NONE };

	(void)child_begin(BINARY);
	if (child_greet(IPC_GIT, IPC_MSG_CONFIGURE_GIT, &packet, &conf, sizeof(conf), &err) != 0)
		child_unable(EXIT_PEER, &err);
	if (git_main_configure(&g, &conf, &err) != 0)
		child_unable(EXIT_CONFIG, &err);
	git_main_confine(&g, profile);
	buf_reset(&packet, IPC_CONTROL_MAX);
	while (poll(&p, 1, CONTRACT_READY_MS) > 0 && !take_configuration(&g, profile, &packet))
		;
	if (g.keeper.fd >= 0)
		repo_keep_stop(&g.keeper);
	if (g.state >= 0)
		close(g.state);
	buf_fini(&packet);
	arena_free(g.arena);
	git_libgit2_shutdown();
	return EXIT_STOPPED;
}
