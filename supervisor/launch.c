/* launch.c - see launch.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/mp.h"
#include "supervisor/launch.h"

enum { OPT_PROJECT = 1, OPT_LAUNCH, OPT_STATUS, OPT_PRIVATE, OPT_VERIFY, OPT_FOREGROUND };

static const struct option options[] = {
	{ "project-dir", required_argument, NULL, OPT_PROJECT },
	{ "launch-fd",   required_argument, NULL, OPT_LAUNCH },
	{ "status-fd",   required_argument, NULL, OPT_STATUS },
	{ "private-fd",  required_argument, NULL, OPT_PRIVATE },
	{ "verify",      no_argument,       NULL, OPT_VERIFY },
	{ "foreground",  no_argument,       NULL, OPT_FOREGROUND },
	{ NULL, 0, NULL, 0 }
};

/* An inherited descriptor by its number; ours alone from here on. */
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
	while (result == 0 && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case OPT_PROJECT:	l->project_dir = optarg; break;
		case OPT_LAUNCH:	result = take_fd(optarg, "launch-fd", &l->document_fd, err); break;
		case OPT_STATUS:	result = take_fd(optarg, "status-fd", &l->status_fd, err); break;
		case OPT_PRIVATE:	result = take_fd(optarg, "private-fd", &l->private_fd, err); break;
		case OPT_VERIFY:	l->verify = true; break;
		case OPT_FOREGROUND:	l->foreground = true; break;
		default:
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "usage: carreld [--project-dir DIR] [--launch-fd N] [--status-fd N] "
			    "[--private-fd N] [--verify] [--foreground]");
		}
	}
	if (result == 0 && optind < argc)
		return err_set(err, ERR_INVALID_ARGUMENTS, "unexpected argument %s", argv[optind]);
	return result;
}

static int
read_pipe(int fd, struct buf *text, struct err *err)
{
	for (;;) {
		uint8_t *p = buf_reserve(text, 4096);
		ssize_t n;

		if (p == NULL)
			return err_set(err, ERR_INVALID_ARGUMENTS, "the launch document is too large");
		n = read(fd, p, 4096);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_INTERNAL, "the launch document cannot be read: %s", strerror(errno));
		if (n == 0)
			return 0;
		text->len += (size_t)n;
	}
}

static int
copy_strings(const struct mp_value *doc, const char *key, struct arena *a, struct config_strings *out,
    struct err *err)
{
	struct mp_value list, item;
	struct mp_iter it;

	if (!mp_get(doc, key, &list) || list.class == MP_NIL)
		return 0;
	if (list.class != MP_ARRAY || list.n > 64 ||
	    (out->v = arena_array(a, list.n + 1, sizeof(*out->v))) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "launch document: %s must be a short list", key);
	for (it = mp_iter(&list); mp_next(&it, &item); out->n++)
		if (item.class != MP_STR || (out->v[out->n] = arena_cstr(a, item.s)) == NULL)
			return err_set(err, ERR_INVALID_ARGUMENTS, "launch document: %s must hold texts", key);
	return 0;
}

/* Environment values and the token go into one locked block: "NAME\0value\0" in turn. */
static int
keep_secrets(struct launch *l, const struct mp_value *env, struct span token, struct err *err)
{
	struct mp_iter it = mp_iter(env);
	struct mp_value value;
	struct span key;
	char *p;

	l->secrets_len = token.len + 1;
	while (mp_next_pair(&it, &key, &value)) {
		if (value.class != MP_STR || memchr(value.s.p, '\0', value.s.len) != NULL || key.len == 0)
			return err_set(err, ERR_INVALID_ARGUMENTS, "launch document: env must hold texts");
		l->secrets_len += key.len + value.s.len + 2;
	}
	p = l->secrets = mem_must(sodium_malloc(l->secrets_len));
	memset(p, 0, l->secrets_len);
	for (it = mp_iter(env); mp_next_pair(&it, &key, &value); p += value.s.len + 1) {
		memcpy(p, key.p, key.len);
		p += key.len + 1;
		memcpy(p, value.s.p, value.s.len);
	}
	if (token.len > 0) {
		memcpy(p, token.p, token.len);
		l->token = p;
	}
	return 0;
}

static int
read_members(struct launch *l, const struct mp_value *doc, struct arena *a, struct err *err)
{
	struct span host = mp_get_str(doc, "host", span_str(NULL));
	struct mp_value env;
	uint64_t port = mp_get_uint(doc, "port", 65536);

	mp_get(doc, "env", &env);
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
	const char *p = l->secrets, *end = l->token != NULL ? l->token : l->secrets + l->secrets_len;

	if (!l->has_document)
		return getenv(name);
	/* The one byte beyond the pairs is the token's or an empty name's. */
	while (p < end && *p != '\0') {
		const char *value = p + strlen(p) + 1;

		if (strcmp(p, name) == 0)
			return value;
		p = value + strlen(value) + 1;
	}
	return NULL;
}

/* A list of both, the command line's behind the file's. */
static int
join(struct arena *a, struct config_strings *into, const struct config_strings *more, struct err *err)
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

int
launch_override(const struct launch *l, struct arena *a, struct config *cfg, struct err *err)
{
	if (l->host != NULL || l->port >= 0)
		cfg->listen = NULL;	/* whoever names an address wants it listened on */
	if (l->host != NULL)
		cfg->host = l->host;
	if (l->port >= 0)
		cfg->port = (unsigned)l->port;
	if (join(a, &cfg->allowed_hosts, &l->allowed_hosts, err) != 0 ||
	    join(a, &cfg->allowed_origins, &l->allowed_origins, err) != 0)
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
	sodium_free(l->secrets);
	l->secrets = NULL;
	l->token = NULL;
}
