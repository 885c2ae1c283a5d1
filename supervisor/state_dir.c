#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/json/document.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "project/paths.h"
#include "supervisor/configure.h"
#include "supervisor/state_dir.h"
#include "supervisor/wiring.h"

#define CONTROL_SOCK	"control.sock"
#define MCP_JSON	"mcp.json"
#define LOCK		"lock"
#define SIGNING_KEY	KEYS_FILE
#define LOCAL_BACKLOG	128
#define LOCK_WAIT_MS	2000
#define LOCK_PAUSE_MS	20

static int
open_directory(struct supervisor *sup, struct err *err)
{
	struct stat st;
	bool made = mkdirat(sup->project_fd, ".carrel", 0700) == 0;

	if (!made && errno != EEXIST)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s/.carrel cannot be made: %s", sup->project_dir,
		    strerror(errno));
	sup->state_fd = openat(sup->project_fd, ".carrel", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sup->state_fd < 0 || fstat(sup->state_fd, &st) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s/.carrel cannot be opened: %s", sup->project_dir,
		    strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s/.carrel belongs to another user (uid %u)",
		    sup->project_dir, (unsigned)st.st_uid);
	if ((st.st_mode & 077) != 0 && fchmod(sup->state_fd, 0700) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s/.carrel is open to others: %s", sup->project_dir,
		    strerror(errno));
	/* A worker that may only read .carrel can follow the directories that exist when it is confined. */
	if (mkdirat(sup->state_fd, "documents", 0700) != 0 && errno != EEXIST)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s/.carrel/documents cannot be made: %s", sup->project_dir,
		    strerror(errno));
	return made ? paths_replace(sup->state_fd, ".gitignore", 0600, SPAN("*\n"), err) : 0;
}

/* "pid 12, port 7878" from a running daemon's mcp.json; false: it does not serve. */
static bool
describe_other(int state_fd, char *out, size_t cap)
{
	struct buf text = BUF_MAX(65536);
	cJSON *document = NULL;
	bool serves;

	snprintf(out, cap, "still starting");
	if (paths_read(state_fd, MCP_JSON, PATHS_ANY, 16384, &text, NULL) == 0)
		document = document_read(buf_view(&text));
	if ((serves = document != NULL))
		snprintf(out, cap, "pid %llu, port %llu", (unsigned long long)document_uint(document, "pid", 0),
		    (unsigned long long)document_uint(document, "port", 0));
	buf_fini(&text);
	document_free(document);
	return serves;
}

/*
 * The lock is held for our lifetime; a file left by a dead daemon does not block.  If the holder is not serving, wait
 * for it: it may be about to serve or to end.
 */
static int
take_lock(struct supervisor *sup, struct err *err)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_MS * 1000000L };
	char other[128];

	sup->lock_fd = openat(sup->state_fd, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (sup->lock_fd < 0)
		return err_set(err, ERR_INTERNAL, ".carrel/" LOCK ": %s", strerror(errno));
	for (unsigned waited = 0;; waited += LOCK_PAUSE_MS) {
		if (flock(sup->lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (describe_other(sup->state_fd, other, sizeof(other)) || waited >= LOCK_WAIT_MS)
			break;
		nanosleep(&pause, NULL);
	}
	return err_set(err, ERR_BUSY, "already running for this project (%s)", other);
}

static int
load_key(struct supervisor *sup, struct err *err)
{
	struct buf key = BUF_MAX(65536);
	int result = paths_read(sup->state_fd, SIGNING_KEY, PATHS_SECRET, 64, &key, err);

	if (result != 0 && err->code == ERR_PAGE_NOT_FOUND) {
		randombytes_buf(sup->root_key, sizeof(sup->root_key));
		result =
		    paths_replace(sup->state_fd, SIGNING_KEY, 0600, span_of(sup->root_key, sizeof(sup->root_key)), err);
	} else if (result == 0 && key.len != sizeof(sup->root_key))
		result = err_set(err, ERR_INVALID_ARGUMENTS,
		    ".carrel/" SIGNING_KEY " is damaged: remove it, clients will begin new sessions");
	else if (result == 0)
		memcpy(sup->root_key, key.p, sizeof(sup->root_key));
	buf_wipe(&key);
	return result;
}

/* A process that starts us for itself alone may not be able to read the file: it brings its own key. */
static void
settle_local_root(struct supervisor *sup)
{
	memcpy(sup->local_root, sup->launch.has_local_root ? sup->launch.local_root : sup->root_key,
	    sizeof(sup->local_root));
}

/*
 * Processes for a single client also work where nothing can be written, on a read-only file system or in another
 * user's project: then without carrel-auth, and without an audit.
 */
static void
forgo_store(struct supervisor *sup)
{
	const char *store = sup->cfg->state, *slash = strrchr(store, '/');
	char *dir = mem_text(span_of(store, slash == NULL || slash == store ? 1 : (size_t)(slash - store)));
	const char *asked = access(store, F_OK) == 0 ? store : dir;
	bool closed = faccessat(AT_FDCWD, asked, W_OK, AT_EACCESS) != 0 && (errno == EROFS || errno == EACCES);

	free(dir);
	if (!closed)
		return;
	log_warn("%s cannot be written: what is done here is not put on record", store);
	close(sup->state_fd);
	sup->state_fd = -1;
}

int
state_dir_open(struct supervisor *sup, struct err *err)
{
	bool private = sup->launch.private_fd >= 0;

	if (open_directory(sup, err) == 0 && (private || take_lock(sup, err) == 0) && load_key(sup, err) == 0) {
		settle_local_root(sup);
		if (private)
			forgo_store(sup);
		return 0;
	}
	if (!private)
		return -1;
	/* Processes of one client need no state: a project without write access is served as well. */
	if (sup->state_fd >= 0)
		close(sup->state_fd);
	sup->state_fd = -1;
	randombytes_buf(sup->root_key, sizeof(sup->root_key));
	settle_local_root(sup);
	return 0;
}

/* The front that gets the next client; NULL if none serves. */
static struct child *
next_front(struct supervisor *sup)
{
	struct child *from = sup->next_front != NULL ? sup->next_front : TAILQ_FIRST(&sup->children), *c = from;

	while (c != NULL) {
		struct child *after = TAILQ_NEXT(c, entry) != NULL ? TAILQ_NEXT(c, entry) : TAILQ_FIRST(&sup->children);

		if (c->role == IPC_FRONT && child_is_serving(c) && c->told_serve) {
			sup->next_front = after;
			return c;
		}
		c = after != from ? after : NULL;
	}
	return NULL;
}

/* Accepts a client and passes it on: no byte of a client is read here. */
static void
local_accept(evutil_socket_t fd, short what, void *arg)
{
	struct supervisor *sup = arg;
	struct child *front = next_front(sup);
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(peer);
	int client;

	(void)what;
	if (front == NULL) {
		event_del(sup->on_local); /* clients wait in the backlog; see state_dir_resume() */
		return;
	}
	if ((client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0)
		return;
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0))
		wiring_client(front, client, peer.uid);
	else
		log_warn("a local client of uid %u was refused", (unsigned)peer.uid);
	close(client);
}

void
state_dir_resume(struct supervisor *sup)
{
	if (sup->on_local != NULL)
		event_add(sup->on_local, NULL);
}

int
state_dir_listen(struct supervisor *sup, struct err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	/* Through /proc, as a project's path may be longer than sun_path. */
	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/" CONTROL_SOCK, sup->state_fd);
	unlinkat(sup->state_fd, CONTROL_SOCK, 0);
	sup->local_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sup->local_fd < 0 || bind(sup->local_fd, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    fchmodat(sup->state_fd, CONTROL_SOCK, 0600, 0) != 0 || listen(sup->local_fd, LOCAL_BACKLOG) != 0)
		return err_set(err, ERR_INTERNAL, ".carrel/" CONTROL_SOCK ": %s", strerror(errno));
	sup->on_local = mem_must(event_new(sup->base, sup->local_fd, EV_READ | EV_PERSIST, local_accept, sup));
	return 0;
}

void
state_dir_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t len = path != NULL ? strlen(path) : 0;
	int fd;

	if (len < 2 || len >= sizeof(a.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(a.sun_path, path, len);
	if (path[0] == '@')
		a.sun_path[0] = '\0'; /* the abstract name space */
	if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
		return;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		log_warn("systemd was not told %s: %s", state, strerror(errno));
	close(fd);
}

void
state_dir_keepalive(struct supervisor *sup, uint64_t now_ns)
{
	const char *text = getenv("WATCHDOG_USEC");
	uint64_t interval_ns = text != NULL ? strtoull(text, NULL, 10) * 1000 : 0;

	if (interval_ns == 0 || now_ns - sup->kept_alive_ns < interval_ns / 2)
		return;
	sup->kept_alive_ns = now_ns;
	state_dir_notify("WATCHDOG=1");
}

/* The description of this daemon for all announcements; free it with document_free(). */
static cJSON *
describe_daemon(const struct supervisor *sup)
{
	cJSON *document = document_new();

	document_put_uint(document, "pid", (uint64_t)getpid());
	document_put_uint(document, "port", sup->listener.port);
	document_put_text(document, "host", sup->listener.host);
	return document;
}

static void
write_mcp_json(struct supervisor *sup)
{
	cJSON *document = describe_daemon(sup);
	struct buf out = { 0 };
	struct err err;
	char at[25];

	clock_iso8601(sup->started_unix_ms, at);
	document_put_text(document, "startedAt", at);
	document_put_bool(document, "tokenAuth", configure_has_token(sup, sup->cfg, NULL) == 1);
	document_put_text(document, "projectDir", sup->project_dir);
	if (sup->cfg->public_url != NULL)
		document_put_text(document, "publicUrl", sup->cfg->public_url);
	document_write(&out, document, false);
	buf_byte(&out, '\n');
	/* Children and clients wait meanwhile. */
	if (paths_replace_fleeting(sup->state_fd, MCP_JSON, 0600, buf_view(&out), &err) != 0)
		log_error(".carrel/" MCP_JSON ": %s", err.message);
	document_free(document);
	buf_fini(&out);
}

void
state_dir_announce(struct supervisor *sup)
{
	struct buf out = { 0 };
	char url[300] = "";
	cJSON *document;

	if (sup->listener.n > 0) {
		listen_url(&sup->listener, url, sizeof(url));
		write_mcp_json(sup);
		log_info("serving %s on %s", sup->project_dir, url);
	}
	state_dir_resume(sup);
	document = describe_daemon(sup);
	document_put_text(document, "url", url);
	document_write(&out, document, false);
	launch_report(&sup->launch, buf_cstr(&out), NULL);
	document_free(document);
	buf_fini(&out);
	state_dir_notify("READY=1");
}

void
state_dir_close(struct supervisor *sup)
{
	if (sup->on_local != NULL)
		event_free(sup->on_local);
	sup->on_local = NULL;
	if (sup->local_fd >= 0) {
		close(sup->local_fd);
		unlinkat(sup->state_fd, CONTROL_SOCK, 0);
		unlinkat(sup->state_fd, MCP_JSON, 0);
	}
	sup->local_fd = -1;
}
