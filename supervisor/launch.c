#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/system/io.h"
#include "base/json/json_read.h"
#include "base/mem.h"
#include "base/mp.h"
#include "supervisor/launch.h"
#include "project/config/config_value.h"

static const char usage[] = "usage: carreld [--project-dir DIR] [--launch-fd N] [--status-fd N] [--private-fd N] "
			    "[--verify] [--foreground]";

enum {
	OPT_HELP = 'h', OPT_VERSION = 'V', OPT_PROJECT = 1, OPT_LAUNCH, OPT_STATUS, OPT_PRIVATE, OPT_VERIFY,
	OPT_FOREGROUND
};

static const struct option options[] = {
	{ "project-dir", required_argument, NULL, OPT_PROJECT },
	{ "launch-fd",   required_argument, NULL, OPT_LAUNCH },
	{ "status-fd",   required_argument, NULL, OPT_STATUS },
	{ "private-fd",  required_argument, NULL, OPT_PRIVATE },
	{ "verify",      no_argument,       NULL, OPT_VERIFY },
	{ "foreground",  no_argument,       NULL, OPT_FOREGROUND },
	{ "help",        no_argument,       NULL, OPT_HELP },
	{ "version",     no_argument,       NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 }
};

/* An inherited descriptor by its number; marked close-on-exec, so that no child gets it. */
static int
take_fd(const char *text, const char *option, int *fd, struct err *err)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n < 3 || n > 65535 || fcntl((int)n, F_SETFD, FD_CLOEXEC) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "--%s %s is not an open descriptor", option, text);
	*fd = (int)n;
	return 0;
}

static int
read_options(struct launch *l, int argc, char **argv, struct err *err)
{
	int option, result = 0;

	opterr = 0;
	while (result == 0 && (option = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		switch (option) {
		case OPT_PROJECT:
			l->project_dir = optarg;
			break;
		case OPT_LAUNCH:
			result = take_fd(optarg, "launch-fd", &l->document_fd, err);
			break;
		case OPT_STATUS:
			result = take_fd(optarg, "status-fd", &l->status_fd, err);
			break;
		case OPT_PRIVATE:
			result = take_fd(optarg, "private-fd", &l->private_fd, err);
			break;
		case OPT_VERIFY:
			l->verify = true;
			break;
		case OPT_FOREGROUND:
			l->foreground = true;
			break;
		case OPT_HELP:
			l->asked = usage;
			break;
		case OPT_VERSION:
			l->asked = "carreld " CARREL_VERSION;
			break;
		default:
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s", usage);
		}
	}
	if (result == 0 && optind < argc)
		return err_set(err, ERR_INVALID_ARGUMENTS, "unexpected argument %s", argv[optind]);
	return result;
}

static int
read_pipe(int fd, struct buf *text, struct err *err)
{
	if (io_read(fd, 0, LAUNCH_DOCUMENT_MAX, text) == 0)
		return 0;
	return errno == EFBIG ? err_set(err, ERR_INVALID_ARGUMENTS, "the launch document is too large") :
				err_set(err, ERR_INTERNAL, "the launch document cannot be read: %s", strerror(errno));
}

static int
copy_strings(const struct mp_value *doc, const char *key, struct arena *a, struct config_strings *out,
    struct err *err)
{
	struct mp_value list, item;
	struct mp_iter it;

	if (!mp_get(doc, key, &list) || list.class == MP_NIL)
		return 0;
	if (list.class != MP_ARRAY || list.n > 64 || (out->v = arena_array(a, list.n + 1, sizeof(*out->v))) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "launch document: %s must be a short list", key);
	for (it = mp_iter(&list); mp_next(&it, &item); out->n++)
		if (item.class != MP_STR || (out->v[out->n] = arena_cstr(a, item.s)) == NULL)
			return err_set(err, ERR_INVALID_ARGUMENTS, "launch document: %s must hold texts", key);
	return 0;
}

/* "NAME\0value\0" of the next variable behind *p, which is moved; NULL at the end. */
static const char *
next_variable(const char **p, const char *end, const char **value)
{
	const char *name = *p;

	if (name >= end || *name == '\0')
		return NULL;
	*value = name + strlen(name) + 1;
	*p = *value + strlen(*value) + 1;
	return name;
}

static const char *
find_variable(const char *block, size_t len, const char *wanted)
{
	const char *p = block, *name, *value;

	if (block == NULL)
		return NULL;
	while ((name = next_variable(&p, block + len, &value)) != NULL)
		if (strcmp(name, wanted) == 0)
			return value;
	return NULL;
}

/*
 * A locked block of the map's variables, those of old that it does not name,
 * an empty name, and room for more bytes behind it.  *at is where those begin.
 */
static char *
keep_variables(const struct mp_value *env, const char *old, size_t old_len, size_t more, size_t *len, size_t *at,
    struct err *err)
{
	const char *end = old == NULL ? NULL : old + old_len, *from, *name, *was;
	struct mp_iter it = mp_iter(env);
	struct mp_value value;
	struct span key;
	char *block, *p;

	*len = old_len + more + 1;
	while (mp_next_pair(&it, &key, &value)) {
		if (value.class != MP_STR || memchr(value.s.p, '\0', value.s.len) != NULL || key.len == 0 ||
		    memchr(key.p, '\0', key.len) != NULL) {
			err_set(err, ERR_INVALID_ARGUMENTS, "launch document: env must hold texts");
			return NULL;
		}
		*len += key.len + value.s.len + 2;
	}
	p = block = mem_must(sodium_malloc(*len));
	memset(block, 0, *len);
	for (it = mp_iter(env); mp_next_pair(&it, &key, &value); p += value.s.len + 1) {
		memcpy(p, key.p, key.len);
		p += key.len + 1;
		memcpy(p, value.s.p, value.s.len);
	}
	for (from = old; from != NULL && (name = next_variable(&from, end, &was)) != NULL;) {
		if (find_variable(block, *len, name) != NULL)
			continue;
		memcpy(p, name, strlen(name));
		p += strlen(name) + 1;
		memcpy(p, was, strlen(was));
		p += strlen(was) + 1;
	}
	*at = (size_t)(p - block);
	return block;
}

/* Environment values and the token go into one locked block: "NAME\0value\0" in turn. */
static int
keep_secrets(struct launch *l, const struct mp_value *env, struct span token, struct err *err)
{
	size_t at;

	if ((l->secrets = keep_variables(env, NULL, 0, token.len + 1, &l->secrets_len, &at, err)) == NULL)
		return -1;
	if (token.len > 0) {
		memcpy(l->secrets + at + 1, token.p, token.len);
		l->token = l->secrets + at + 1;
	}
	return 0;
}

static int
read_members(struct launch *l, const struct mp_value *doc, struct arena *a, struct err *err)
{
	struct span host = mp_get_str(doc, "host", span_str(NULL));
	struct mp_value env;
	uint64_t port = mp_get_uint(doc, "port", 65536);

	struct span root = mp_get_str(doc, "localRoot", span_str(NULL));
	size_t len = 0;

	mp_get(doc, "env", &env);
	l->has_local_root = root.len == 2 * sizeof(l->local_root) &&
	    sodium_hex2bin(l->local_root, sizeof(l->local_root), (const char *)root.p, root.len, NULL, &len, NULL) ==
		0 &&
	    len == sizeof(l->local_root);
	l->port = port <= 65535 ? (int)port : -1;
	if (host.len > 0 && ((l->host = arena_cstr(a, host)) == NULL || !config_is_host(l->host)))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the host must be an IP address or a host name");
	if (copy_strings(doc, "allowedHosts", a, &l->allowed_hosts, err) != 0 ||
	    copy_strings(doc, "allowedOrigins", a, &l->allowed_origins, err) != 0)
		return -1;
	for (size_t i = 0; i < l->allowed_hosts.n; i++)
		if (!config_is_host(l->allowed_hosts.v[i]))
			return err_set(err, ERR_INVALID_ARGUMENTS, "the allowed host \"%s\" is no host name",
			    l->allowed_hosts.v[i]);
	for (size_t i = 0; i < l->allowed_origins.n; i++)
		if (!config_is_origin(l->allowed_origins.v[i]))
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "the allowed origin \"%s\" is not of the form https://example.com:8443",
			    l->allowed_origins.v[i]);
	return keep_secrets(l, &env, mp_get_str(doc, "token", span_str(NULL)), err);
}

static int
read_document(struct launch *l, struct arena *a, struct err *err)
{
	struct buf text = BUF_MAX(LAUNCH_DOCUMENT_MAX), value = BUF_MAX(2 * LAUNCH_DOCUMENT_MAX);
	struct mp_value doc;
	int result = -1;
	size_t at;

	if (read_pipe(l->document_fd, &text, err) != 0)
		goto out;
	if (json_read(buf_view(&text), &value, &at) != JSON_OK || !mp_value(buf_view(&value), &doc) ||
	    doc.class != MP_MAP) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the launch document is no JSON object");
		goto out;
	}
	l->has_document = true;
	result = read_members(l, &doc, a, err);
out:
	buf_wipe(&text);
	buf_wipe(&value);
	close(l->document_fd);
	l->document_fd = -1;
	return result;
}

int
launch_read(struct launch *l, int argc, char **argv, struct arena *a, struct err *err)
{
	*l = (struct launch){ .document_fd = -1, .status_fd = -1, .private_fd = -1, .port = -1 };
	if (read_options(l, argc, argv, err) != 0)
		return -1;
	l->credentials_dir = getenv("CREDENTIALS_DIRECTORY");
	return l->document_fd >= 0 ? read_document(l, a, err) : 0;
}

const char *
launch_getenv(void *arg, const char *name)
{
	const struct launch *l = arg;
	const char *fresh = find_variable(l->fresh, l->fresh_len, name);

	if (fresh != NULL)
		return fresh;
	return l->has_document ? find_variable(l->secrets, l->secrets_len, name) : getenv(name);
}

/* The FIFO, if it belongs to our user and only we can write it.  -1 if there is no such FIFO. */
static int
open_refresh(int state_fd, struct err *err)
{
	int fd = openat(state_fd, LAUNCH_REFRESH, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0) &&
	    (st.st_mode & 077) == 0)
		return fd;
	close(fd);
	return err_set(err, ERR_INVALID_ARGUMENTS, ".carrel/" LAUNCH_REFRESH " is no FIFO of our own; remove it");
}

int
launch_refresh(struct launch *l, int state_fd, struct err *err)
{
	struct buf text = BUF_MAX(LAUNCH_DOCUMENT_MAX), value = BUF_MAX(2 * LAUNCH_DOCUMENT_MAX);
	struct mp_value doc, env;
	size_t at, len = 0, end;
	char *block = NULL;
	int fd;

	err->code = ERR_NONE;
	if ((fd = open_refresh(state_fd, err)) < 0)
		return err->code == ERR_NONE ? 0 : -1;
	/* The writer was done before it sent the signal, so there is nothing to wait for. */
	io_read(fd, 0, LAUNCH_DOCUMENT_MAX, &text);
	close(fd);
	if (text.len > 0 && json_read(buf_view(&text), &value, &at) == JSON_OK && mp_value(buf_view(&value), &doc) &&
	    doc.class == MP_MAP && mp_get(&doc, "env", &env) && env.class == MP_MAP)
		block = keep_variables(&env, l->fresh, l->fresh_len, 0, &len, &end, err);
	else if (text.len > 0)
		err_set(err, ERR_INVALID_ARGUMENTS, "what waits in .carrel/" LAUNCH_REFRESH " is no launch document");
	buf_wipe(&text);
	buf_wipe(&value);
	if (block == NULL)
		return err->code == ERR_NONE ? 0 : -1;
	sodium_free(l->fresh);
	l->fresh = block;
	l->fresh_len = len;
	return 0;
}

/* A list of both, the command line's behind the file's. */
static int
launch_join(struct arena *a, struct config_strings *into, const struct config_strings *more, struct err *err)
{
	const char **v;

	if (more->n == 0)
		return 0;
	if ((v = arena_array(a, into->n + more->n, sizeof(*v))) == NULL)
		return err_set(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < into->n; i++)
		v[i] = into->v[i];
	for (size_t i = 0; i < more->n; i++)
		v[into->n + i] = more->v[i];
	into->v = v;
	into->n += more->n;
	return 0;
}

/* The host of server.public_url is one that clients name: it is allowed without being listed. */
static int
allow_public_host(struct arena *a, struct config *cfg, struct err *err)
{
	struct config_strings one = { .n = 1 };
	const char *host, *end;
	char name[254];

	if (cfg->public_url == NULL)
		return 0;
	host = strstr(cfg->public_url, "://") + 3;
	end = *host == '[' ? strchr(++host, ']') : host + strcspn(host, ":/");
	snprintf(name, sizeof(name), "%.*s", (int)(end - host), host);
	for (char *c = name; *c != '\0'; c++)
		*c = (char)ascii_lower((uint8_t)*c);
	if ((one.v = arena_array(a, 1, sizeof(*one.v))) == NULL || (one.v[0] = arena_cstr(a, span_str(name))) == NULL)
		return err_set(err, ERR_INTERNAL, "out of memory");
	return launch_join(a, &cfg->allowed_hosts, &one, err);
}

int
launch_override(const struct launch *l, struct arena *a, struct config *cfg, struct err *err)
{
	if (l->host != NULL || l->port >= 0)
		cfg->listen = NULL; /* a given address is to be listened on */
	if (l->host != NULL)
		cfg->host = l->host;
	if (l->port >= 0)
		cfg->port = (unsigned)l->port;
	if (launch_join(a, &cfg->allowed_hosts, &l->allowed_hosts, err) != 0 ||
	    launch_join(a, &cfg->allowed_origins, &l->allowed_origins, err) != 0 || allow_public_host(a, cfg, err) != 0)
		return -1;
	return 0;
}

void
launch_report(struct launch *l, const char *json, const char *error)
{
	if (l->status_fd < 0)
		return;
	if (error != NULL)
		dprintf(l->status_fd, "error %s\n", error);
	else
		dprintf(l->status_fd, "ok %s\n", json);
	close(l->status_fd);
	l->status_fd = -1;
}

void
launch_fini(struct launch *l)
{
	sodium_memzero(l->local_root, sizeof(l->local_root));
	sodium_free(l->secrets);
	sodium_free(l->fresh);
	l->secrets = l->fresh = NULL;
	l->token = NULL;
}
