#include "supervisor/password.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/utf8.h"
#include "supervisor/spawn.h"

#define DIRECTORIES	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define NAME_SHOWN	80

/* The password of one connection; of one that has gone or changed it stays until the end, unused. */
struct password {
	TAILQ_ENTRY(password)	 entry;
	struct supervisor	*sup;
	char			*connection;
	uint8_t			 of[crypto_generichash_BYTES];	/* the command and its ttl_s */
	char			 program[NAME_SHOWN + 1];	/* for messages */

	uint8_t			*value;		/* locked memory, PASSWORD_MAX bytes */
	size_t			 len;
	uint64_t		 until_ns;	/* used again until then; 0: not again */
	bool			 handed;	/* those who waited for it get it, however short ttl_s is */

	/* While the command runs; pid is -1 otherwise. */
	pid_t			 pid;
	int			 pidfd, out;
	bool			 late;		/* was killed for its time */
	uint8_t			*heard;		/* locked memory, one byte longer than a password may be */
	size_t			 nheard;
	struct event		*on_exit, *on_out, *on_late;
};

static struct password *
find_password(const struct supervisor *sup, const char *connection)
{
	struct password *p;

	TAILQ_FOREACH(p, &sup->passwords, entry)
		if (strcmp(p->connection, connection) == 0)
			return p;
	return NULL;
}

static void
hash_command(const struct config_command *c, uint8_t out[crypto_generichash_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, crypto_generichash_BYTES);
	for (size_t i = 0; i < c->argv.n; i++)
		crypto_generichash_update(&state, (const uint8_t *)c->argv.v[i], strlen(c->argv.v[i]) + 1);
	crypto_generichash_update(&state, (const uint8_t *)&c->ttl_s, sizeof(c->ttl_s));
	crypto_generichash_final(&state, out, crypto_generichash_BYTES);
}

/* Ends the command with all that it started: it leads a session, and is not reaped yet. */
static void
kill_command(const struct password *p)
{
	if (p->pid < 0)
		return;
	(void)kill(-p->pid, SIGKILL);
	(void)syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
}

static void
close_command(struct password *p)
{
	drop_event(&p->on_exit);
	drop_event(&p->on_out);
	drop_event(&p->on_late);
	if (p->pidfd >= 0)
		close(p->pidfd);
	if (p->out >= 0)
		close(p->out);
	p->pid = -1;
	p->pidfd = p->out = -1;
	if (p->heard != NULL)
		sodium_free(p->heard);
	p->heard = NULL;
	p->nheard = 0;
}

static void
forget_value(struct password *p)
{
	sodium_memzero(p->value, p->len);
	p->len = 0;
	p->until_ns = 0;
}

/* NULL: what was heard is a password, without the line break at its end. */
static const char *
password_fault(struct password *p)
{
	if (p->nheard > PASSWORD_MAX)
		return "printed more than 16384 bytes";
	if (p->nheard > 0 && p->heard[p->nheard - 1] == '\n')
		p->nheard--;
	if (p->nheard > 0 && p->heard[p->nheard - 1] == '\r')
		p->nheard--;
	if (p->nheard == 0)
		return "printed nothing";
	if (memchr(p->heard, '\n', p->nheard) != NULL)
		return "printed more than one line";
	if (memchr(p->heard, '\0', p->nheard) != NULL || !utf8_valid(p->heard, p->nheard))
		return "printed something that is no text";
	return NULL;
}

/* wrong NULL: it has ended well.  Frees nothing of p: it is asked for again while this tells of it. */
static void
command_done(struct password *p, const char *wrong)
{
	const char *fault = wrong != NULL ? wrong : password_fault(p);
	const struct passwd *self = getpwuid(geteuid());
	char why[SUPERVISOR_REASON];

	metric_add(p->sup->metrics, METRIC_PASSWORDS, 0, 1);
	if (fault == NULL) {
		memcpy(p->value, p->heard, p->nheard);
		p->len = p->nheard;
	} else {
		metric_add(p->sup->metrics, METRIC_PASSWORD_FAILURES, 0, 1);
		snprintf(why, sizeof(why),
		    "the password command (%s) %s; run it as the user %s to see what it says: Carrel does not look at "
		    "its "
		    "standard error, where secrets may stand",
		    p->program, fault, self == NULL ? "of the daemon" : self->pw_name);
	}
	close_command(p);
	p->handed = fault == NULL;
	p->sup->go_on(p->sup, p->connection, fault == NULL ? NULL : why);
	p->handed = false;
}

/* False: the output has ended, or is longer than a password may be. */
static bool
command_hear(struct password *p)
{
	ssize_t n = -1;

	while (p->nheard <= PASSWORD_MAX && (n = read(p->out, p->heard + p->nheard, PASSWORD_MAX + 1 - p->nheard)) > 0)
		p->nheard += (size_t)n;
	return p->nheard <= PASSWORD_MAX && n != 0;
}

static void
command_heard(evutil_socket_t fd, short what, void *arg)
{
	struct password *p = arg;

	(void)fd, (void)what;
	if (command_hear(p))
		return;
	event_del(p->on_out); /* on_exit sees its end */
	if (p->nheard > PASSWORD_MAX)
		kill_command(p);
}

static void
command_ended(evutil_socket_t fd, short what, void *arg)
{
	struct password *p = arg;
	siginfo_t info = { .si_pid = 0 };
	char text[64];

	(void)fd, (void)what;
	if (waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
		return;
	kill_command(p); /* what it left in its session, while its own number is taken */
	(void)waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG);
	(void)command_hear(p);
	if (p->late)
		command_done(p, "did not end within 10 s and was killed");
	else if (p->nheard > PASSWORD_MAX || (info.si_code == CLD_EXITED && info.si_status == 0))
		command_done(p, NULL);
	else if (info.si_code == CLD_EXITED && info.si_status == EXIT_EXEC)
		command_done(p, "cannot be executed");
	else {
		snprintf(text, sizeof(text), "%s %d",
		    info.si_code == CLD_EXITED ? "ended with exit status" : "was ended by signal", info.si_status);
		command_done(p, text);
	}
}

static void
command_late(evutil_socket_t fd, short what, void *arg)
{
	struct password *p = arg;

	(void)fd, (void)what;
	p->late = true;
	kill_command(p); /* command_ended() sees its end, which a sick disk can delay */
}

/* The path of a program named without a slash; NULL: it is in no directory. */
static char *
find_program(const char *name)
{
	const char *dir = DIRECTORIES;

	if (strchr(name, '/') != NULL)
		return mem_text(span_str(name));
	while (*dir != '\0') {
		size_t n = strcspn(dir, ":");
		char *path = mem_printf("%.*s/%s", (int)n, dir, name);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
		dir += n + (dir[n] == ':');
	}
	return NULL;
}

/* Between fork and exec: async-signal-safe calls only. */
__attribute__((noreturn)) static void
command_become(const char *path, char **argv, char **env, const char *dir, int null, int out, pid_t parent)
{
	const struct rlimit none = { 0, 0 };

	if (dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) != 0 || setsid() < 0 || chdir(dir) != 0 ||
	    setrlimit(RLIMIT_CORE, &none) != 0)
		_exit(EXIT_EXEC);
	spawn_exec(path, argv, env, parent);
}

/* Home, user and path of the account: nothing of our own environment, which may hold secrets. */
static void
make_environment(char *env[8])
{
	const struct passwd *self = getpwuid(geteuid());
	size_t n = 0;

	env[n++] = mem_text(span_str("PATH=" DIRECTORIES));
	env[n++] = mem_text(span_str("LANG=C.UTF-8"));
	if (self != NULL) {
		env[n++] = mem_printf("HOME=%s", self->pw_dir);
		env[n++] = mem_printf("USER=%s", self->pw_name);
		env[n++] = mem_printf("LOGNAME=%s", self->pw_name);
	}
	env[n] = NULL;
}

static void
watch_command(struct password *p)
{
	const struct timeval life = { .tv_sec = PASSWORD_LIFE_MS / 1000 };

	p->on_exit = mem_must(event_new(p->sup->base, p->pidfd, EV_READ | EV_PERSIST, command_ended, p));
	p->on_out = mem_must(event_new(p->sup->base, p->out, EV_READ | EV_PERSIST, command_heard, p));
	p->on_late = mem_must(event_new(p->sup->base, -1, 0, command_late, p));
	event_add(p->on_exit, NULL);
	event_add(p->on_out, NULL);
	event_add(p->on_late, &life);
}

static int
command_start(struct password *p, const struct config_command *c, struct err *err)
{
	char *path = find_program(c->argv.v[0]), *env[8] = { NULL }, **argv = mem_new(c->argv.n + 1, sizeof(*argv));
	int out[2] = { -1, -1 }, null = -1, result = -1;
	pid_t parent = getpid();

	for (size_t i = 0; i < c->argv.n; i++)
		argv[i] = (char *)(uintptr_t)c->argv.v[i];
	make_environment(env);
	if (path == NULL) {
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the password command (%s) is not in " DIRECTORIES, p->program);
		goto out;
	}
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0 || pipe2(out, O_CLOEXEC) != 0 ||
	    fcntl(out[0], F_SETFL, O_NONBLOCK) != 0 || (p->pid = fork()) < 0) {
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the password command (%s) cannot be started: %s", p->program,
		    strerror(errno));
		goto out;
	}
	if (p->pid == 0)
		command_become(path, argv, env, p->sup->project_dir, null, out[1], parent);
	if ((p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0)) < 0) {
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the password command (%s) cannot be watched: %s", p->program,
		    strerror(errno));
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		p->pid = -1;
		goto out;
	}
	p->out = out[0];
	out[0] = -1;
	p->heard = mem_must(sodium_malloc(PASSWORD_MAX + 1));
	p->nheard = 0;
	p->late = false;
	p->until_ns = clock_ns() + c->ttl_s * CLOCK_SECOND; /* counted from its start */
	watch_command(p);
	result = 0;
out:
	for (size_t i = 0; i < 2; i++)
		if (out[i] >= 0)
			close(out[i]);
	if (null >= 0)
		close(null);
	for (char **e = env; *e != NULL; e++)
		free(*e);
	free(argv);
	free(path);
	return result;
}

static struct password *
password_of(struct supervisor *sup, const struct config_connection *c)
{
	struct password *p = find_password(sup, c->id);
	uint8_t of[crypto_generichash_BYTES];

	hash_command(&c->password_command, of);
	if (p == NULL) {
		p = mem_new(1, sizeof(*p));
		p->sup = sup;
		p->connection = mem_text(span_str(c->id));
		p->value = mem_must(sodium_malloc(PASSWORD_MAX));
		p->pid = -1;
		p->pidfd = p->out = -1;
		TAILQ_INSERT_TAIL(&sup->passwords, p, entry);
	} else if (memcmp(p->of, of, sizeof(of)) == 0)
		return p;
	/* Another command: what the one before printed is not its answer, and its process is of no use. */
	if (p->pid >= 0) {
		siginfo_t info;

		kill_command(p);
		(void)waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG); /* else as an orphan */
		close_command(p);
	}
	forget_value(p);
	memcpy(p->of, of, sizeof(of));
	snprintf(p->program, sizeof(p->program), "%.*s", NAME_SHOWN, c->password_command.argv.v[0]);
	return p;
}

enum password_state
password_ask(struct supervisor *sup, const struct config_connection *c, struct err *err)
{
	struct password *p = password_of(sup, c);

	if (p->pid >= 0)
		return PASSWORD_RUNS;
	if (p->len > 0 && (p->handed || clock_ns() < p->until_ns))
		return PASSWORD_THERE;
	forget_value(p);
	return command_start(p, &c->password_command, err) == 0 ? PASSWORD_RUNS : PASSWORD_FAILED;
}

struct span
password_last(const struct supervisor *sup, const char *connection)
{
	const struct password *p = find_password(sup, connection);

	return p == NULL ? SPAN_NONE : span_of(p->value, p->len);
}

void
password_doubt(struct supervisor *sup, const char *connection)
{
	struct password *p = find_password(sup, connection);

	if (p != NULL && p->pid < 0)
		p->until_ns = 0;
}

bool
password_is(const struct supervisor *sup, pid_t pid)
{
	const struct password *p;

	TAILQ_FOREACH(p, &sup->passwords, entry)
		if (p->pid == pid)
			return true;
	return false;
}

void
password_close(struct supervisor *sup)
{
	struct password *p;

	while ((p = TAILQ_FIRST(&sup->passwords)) != NULL) {
		siginfo_t info;

		if (p->pid >= 0) {
			kill_command(p);
			(void)waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG); /* else as an orphan */
		}
		close_command(p);
		TAILQ_REMOVE(&sup->passwords, p, entry);
		sodium_free(p->value);
		free(p->connection);
		free(p);
	}
}
