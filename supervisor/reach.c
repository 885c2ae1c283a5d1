#include "supervisor/reach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "supervisor/password.h"

#define DIRECTORY	"/tmp/carrel-ssh-XXXXXX"	/* short: the path of a socket has 107 bytes */
#define SOCKET		"db"

static const struct config_connection *
find_connection(const struct supervisor *sup, const char *id)
{
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		if (strcmp(sup->cfg->connections[i].id, id) == 0)
			return &sup->cfg->connections[i];
	return NULL;
}

/* The connection's tunnel that serves, else one that is on its way; NULL: it has none. */
static const struct child *
find_tunnel(const struct supervisor *sup, const char *connection)
{
	const struct child *c, *found = NULL;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->role == IPC_TUNNEL && c->life.state != LIFE_LEAVING && strcmp(c->connection, connection) == 0 &&
		    (found == NULL || child_is_serving(c)))
			found = c;
	return found;
}

enum reach
reach_ask(struct supervisor *sup, const char *connection, struct err *err)
{
	const struct config_connection *c = find_connection(sup, connection);
	const struct child *tunnel;

	if (c == NULL)
		return REACH_NOW;
	if (c->ssh.host != NULL && ((tunnel = find_tunnel(sup, connection)) == NULL || !child_is_serving(tunnel)))
		return REACH_LATER;
	if (c->password_command.argv.n == 0)
		return REACH_NOW;
	switch (password_ask(sup, c, err)) {
	case PASSWORD_THERE:
		return REACH_NOW;
	case PASSWORD_RUNS:
		return REACH_LATER;
	default:
		return REACH_NEVER;
	}
}

const char *
reach_trouble(const struct supervisor *sup, const char *connection, bool *down)
{
	const struct child *tunnel = find_tunnel(sup, connection);

	*down = tunnel != NULL && !child_is_serving(tunnel);
	return tunnel != NULL && tunnel->why[0] != '\0' ? tunnel->why : NULL;
}

int
reach_socket(struct supervisor *sup, const struct config_connection *c, char dir[100], char path[107], struct err *err)
{
	*dir = *path = '\0';
	if (c->ssh.host == NULL)
		return 0;
	if (sup->reach_dir == NULL) {
		char made[] = DIRECTORY;

		if (mkdtemp(made) == NULL)
			return err_set(err, ERR_DATABASE_UNAVAILABLE, "no directory for the SSH tunnel in /tmp: %s",
			    strerror(errno));
		sup->reach_dir = mem_text(span_str(made));
	}
	if (snprintf(dir, 100, "%s/%s", sup->reach_dir, c->id) >= 100)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the name of the connection is too long for a socket");
	snprintf(path, 107, "%.98s/" SOCKET, dir);
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "%s: %s", dir, strerror(errno));
	return 0;
}

void
reach_close(struct supervisor *sup)
{
	char path[200];

	for (size_t i = 0; sup->reach_dir != NULL && sup->cfg != NULL && i < sup->cfg->nconnections; i++) {
		snprintf(path, sizeof(path), "%s/%.80s/" SOCKET, sup->reach_dir, sup->cfg->connections[i].id);
		(void)unlink(path);
		*strrchr(path, '/') = '\0';
		(void)rmdir(path);
	}
	if (sup->reach_dir != NULL)
		(void)rmdir(sup->reach_dir);
	free(sup->reach_dir);
	sup->reach_dir = NULL;
}
