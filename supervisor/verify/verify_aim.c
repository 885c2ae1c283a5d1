#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/io.h"
#include "supervisor/verify/verify_aim.h"

#define ENTRIES_MOST	1000	/* of a directory that are looked at */
#define DEPTH_MOST	4	/* directories below one another that are looked into */

/* Whether the name is one of a database's files. */
static bool
is_of_database(const char *name, const char *base)
{
	static const char *const suffixes[] = POLICY_DATABASE_SUFFIXES;
	size_t n = strlen(base);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (strncmp(name, base, n) == 0 && strcmp(name + n, suffixes[i]) == 0)
			return true;
	return false;
}

static bool
is_listed(const struct wildcards_list *l, const char *path)
{
	for (size_t i = 0; l != NULL && i < l->n; i++)
		if (strcmp(l->v[i], path) == 0)
			return true;
	return false;
}

/*
 * The first plain file in dir, or up to depth directories below, that is neither listed nor one of the files of the
 * database base (NULL: no database, no list).
 */
static bool
find_file(const char *dir, const char *base, const struct wildcards_list *listed, unsigned depth, char out[PATH_MAX])
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool found = false;

	for (unsigned n = 0; d != NULL && !found && n < ENTRIES_MOST && (e = readdir(d)) != NULL; n++) {
		char path[PATH_MAX];
		struct stat st;

		if (e->d_name[0] == '.' || (base != NULL && is_of_database(e->d_name, base)) ||
		    snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >= (int)sizeof(path) || lstat(path, &st) != 0)
			continue;
		if (S_ISREG(st.st_mode) && !is_listed(listed, path)) {
			memcpy(out, path, strlen(path) + 1);
			found = true;
		} else if (S_ISDIR(st.st_mode) && depth > 0)
			found = find_file(path, NULL, listed, depth - 1, out);
	}
	if (d != NULL)
		closedir(d);
	return found;
}

static bool
is_there(const char *dir, const char *name, char out[PATH_MAX])
{
	struct stat st;

	return snprintf(out, PATH_MAX, "%s%s%s", dir, name[0] != '\0' ? "/" : "", name) < PATH_MAX &&
	    stat(out, &st) == 0;
}

static bool
find_knowledge(const char *project, char out[PATH_MAX])
{
	static const char *const places[] = { "wiki", "semantic-layer", "raw-sources" };
	char dir[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_there(project, places[i], dir) && find_file(dir, NULL, NULL, DEPTH_MOST, out))
			return true;
	return false;
}

static bool
find_state(const char *project, char out[PATH_MAX])
{
	char dir[PATH_MAX];

	return is_there(project, ".carrel/state.db", out) || is_there(project, ".carrel/signing.key", out) ||
	    (is_there(project, ".carrel", dir) && find_file(dir, NULL, NULL, 0, out));
}

static bool
find_in(const char *project, const char *place, char out[PATH_MAX])
{
	char dir[PATH_MAX];

	return is_there(project, place, dir) && find_file(dir, NULL, NULL, DEPTH_MOST, out);
}

/* The database's directory; *base is its name there. */
static bool
find_directory(const char *database, char out[PATH_MAX], char base[NAME_MAX + 1])
{
	char *slash;

	if (database == NULL || realpath(database, out) == NULL || (slash = strrchr(out, '/')) == NULL ||
	    strlen(slash + 1) > NAME_MAX)
		return false;
	memcpy(base, slash + 1, strlen(slash + 1) + 1);
	slash[slash == out] = '\0';
	return true;
}

static bool
find_beside(const struct aims *a, char out[PATH_MAX])
{
	char dir[PATH_MAX], base[NAME_MAX + 1];

	return find_directory(a->database, dir, base) && find_file(dir, base, a->files, 1, out);
}

const char *
aims_find(const struct aims *a, enum policy_aim aim, char path[PATH_MAX], char *why, size_t cap)
{
	const char *missing = "nothing";
	char base[NAME_MAX + 1];
	bool found = false;

	path[0] = '\0';
	switch (aim) {
	case POLICY_AIM_NOTHING:
		return path;
	case POLICY_AIM_CONFIG:
		missing = "no configuration file is there";
		found = is_there(a->project, a->config, path);
		break;
	case POLICY_AIM_PROJECT:
		found = is_there(a->project, "", path);
		break;
	case POLICY_AIM_WIKI:
		missing = "the project has no wiki/";
		found = is_there(a->project, "wiki", path);
		break;
	case POLICY_AIM_STATE_DIR:
		missing = "the project has no .carrel/";
		found = is_there(a->project, ".carrel", path);
		break;
	case POLICY_AIM_STATE:
		missing = "no file lies in .carrel/; the daemon makes some when it starts";
		found = find_state(a->project, path);
		break;
	case POLICY_AIM_KEY:
		missing = "there is no .carrel/signing.key; the daemon makes it when it starts";
		found = is_there(a->project, ".carrel/signing.key", path);
		break;
	case POLICY_AIM_JOURNAL:
		missing = "no file lies in .carrel/memory/; runs of memory make some";
		found = find_in(a->project, ".carrel/memory", path);
		break;
	case POLICY_AIM_LOG:
		missing = "there is no .carrel/logs/mcp.log; the daemon makes it when it starts";
		found = is_there(a->project, ".carrel/logs/mcp.log", path);
		break;
	case POLICY_AIM_PAGE:
		missing = "no file lies in wiki/, semantic-layer/ or raw-sources/";
		found = find_knowledge(a->project, path);
		break;
	case POLICY_AIM_GIT_CONFIG:
		missing = "the project lies in no git repository";
		found = a->git != NULL && is_there(a->git, "config", path);
		break;
	case POLICY_AIM_HOOKS:
		missing = a->git == NULL ? "the project lies in no git repository" : "the repository has no hooks/";
		found = a->git != NULL && is_there(a->git, "hooks", path);
		break;
	case POLICY_AIM_PASSWD:
		missing = "there is no /etc/passwd";
		found = is_there("/etc/passwd", "", path);
		break;
	case POLICY_AIM_HOME:
		missing = "HOME names no directory";
		found = is_there(a->home != NULL && a->home[0] != '\0' ? a->home : "/root", "", path);
		break;
	case POLICY_AIM_TMP:
		missing = "there is no /tmp";
		found = is_there("/tmp", "", path);
		break;
	case POLICY_AIM_DATABASE:
		missing = "the database file is not there";
		found = a->database != NULL && is_there(a->database, "", path);
		break;
	case POLICY_AIM_DATABASE_DIR:
		missing = "the database file is not there";
		found = find_directory(a->database, path, base);
		break;
	case POLICY_AIM_BESIDE:
		missing = "no other file lies in the database's directory";
		found = find_beside(a, path);
		break;
	case POLICY_AIM_OTHER:
		missing = "there is no database of another connection";
		found = a->other != NULL && is_there(a->other, "", path);
		break;
	}
	if (found)
		return path;
	snprintf(why, cap, "%s", missing);
	return NULL;
}

static int
make_file(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd, r;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
		return -1;
	r = io_write(fd, span_str(text));
	close(fd);
	return r;
}

static int
make_all(struct standins *s)
{
	static const char *const dirs[] = { "data", "state", "project", "project/.git",
		"project/.git/objects", "project/.git/refs", "project/.git/refs/heads", "project/.git/hooks",
		"project/.git/info", "project/.git/logs",
		/* A place that appears recycles the search worker. */
		"project/wiki", "project/semantic-layer", "project/raw-sources" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", s->dir, dirs[i]);
		if (mkdir(path, 0700) != 0)
			return -1;
	}
	/* An empty file is an empty database. */
	return make_file(s->dir, "data/database.db", "") | make_file(s->dir, "data/other.db", "") |
	    make_file(s->dir, "data/beside", "beside\n") | make_file(s->git, "HEAD", "ref: refs/heads/main\n") |
	    make_file(s->git, "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
}

int
standins_make(struct standins *s, struct err *err)
{
	snprintf(s->dir, sizeof(s->dir), "/tmp/carrel-verify-XXXXXX");
	if (mkdtemp(s->dir) == NULL) {
		s->dir[0] = '\0';
		return err_set(err, ERR_INTERNAL, "cannot make a directory in /tmp: %s", strerror(errno));
	}
	snprintf(s->project, sizeof(s->project), "%.63s/project", s->dir);
	snprintf(s->git, sizeof(s->git), "%.79s/.git", s->project);
	snprintf(s->database, sizeof(s->database), "%.63s/data/database.db", s->dir);
	snprintf(s->state, sizeof(s->state), "%.63s/state/state.db", s->dir);
	snprintf(s->other, sizeof(s->other), "%.63s/data/other.db", s->dir);
	if (make_all(s) == 0)
		return 0;
	err_set(err, ERR_INTERNAL, "cannot fill %s: %s", s->dir, strerror(errno));
	standins_remove(s);
	return -1;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

void
standins_remove(struct standins *s)
{
	if (s->dir[0] != '\0')
		(void)nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	s->dir[0] = '\0';
}
