/*
 * cmd_login.c - signs a user in at a server elsewhere, by the device grant (RFC 8628): this machine needs no browser.
 *
 * All that the server says of itself has to be below the URL that the user named: nothing of the token goes elsewhere.
 */
#include "cli/remote/cmd_login.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/system/clock.h"
#include "base/text/percent.h"
#include "base/text/web_url.h"
#include "cli/args.h"
#include "cli/remote/login_file.h"
#include "cli/remote/web_ask.h"
#include "cli/say.h"

#define FORM	"application/x-www-form-urlencoded"
#define GRANT	"urn:ietf:params:oauth:grant-type:device_code"
#define SOON_S	30u	/* an access token that ends within is renewed */
#define PAUSE_MAX_S	60u

struct remote {
	struct cli	*cli;
	const char	*issuer;
	const char	*device, *token, *registration, *revocation;	/* endpoints */
	struct login_file file;
};

/* The server's origin of what the user typed: without /mcp and slashes at its end.  NULL: it is no URL. */
static const char *
remote_issuer(struct cli *cli, const char *typed)
{
	char *url = arena_printf(cli->arena, "%s", typed);
	size_t n = strlen(url);

	while (n > 0 && url[n - 1] == '/')
		url[--n] = '\0';
	if (n > 4 && strcmp(url + n - 4, "/mcp") == 0)
		url[n - 4] = '\0';
	return web_url_read(span_str(url), NULL) ? url : NULL;
}

static int
remote_fail(const char *what, const struct web_answer *answer)
{
	char error[64] = "";
	struct span code = mp_get_str(&answer->body, "error", SPAN(""));

	for (size_t i = 0; i < code.len && i < sizeof(error) - 1 && (ascii_is_alnum(code.p[i]) || code.p[i] == '_');
	     i++)
		error[i] = (char)code.p[i];
	return cli_fail(CLI_FAILED, "%s: the server answered %u%s%s", what, answer->status,
	    error[0] != '\0' ? ", " : "", error);
}

/* An endpoint of the metadata, which is the server's own; "" if it has none. */
static const char *
remote_endpoint(const struct remote *r, const struct mp_value *metadata, const char *name)
{
	struct span url = mp_get_str(metadata, name, SPAN(""));
	size_t n = strlen(r->issuer);

	return url.len > n && memcmp(url.p, r->issuer, n) == 0 && url.p[n] == '/' && web_url_read(url, NULL) ?
	    arena_cstr(r->cli->arena, url) :
	    "";
}

static int
remote_discover(struct remote *r)
{
	/* The path of an issuer stands behind the name of the document (RFC 8414 3.1). */
	const char *path = strchr(strstr(r->issuer, "://") + 3, '/');
	const char *url = arena_printf(r->cli->arena, "%.*s/.well-known/oauth-authorization-server%s",
	    (int)(path != NULL ? path - r->issuer : (long)strlen(r->issuer)), r->issuer, path != NULL ? path : "");
	struct web_answer answer;
	struct err err;
	int code = CLI_OK;

	if (web_ask(url, NULL, SPAN_NONE, &answer, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (answer.status == 404)
		code = cli_fail(CLI_FAILED, "%s is not a Carrel server, or its oauth.enabled is off", r->issuer);
	else if (answer.status != 200 || !span_is_str(mp_get_str(&answer.body, "issuer", SPAN("")), r->issuer))
		code = cli_fail(CLI_FAILED,
		    "%s calls itself otherwise: name the server as its server.public_url has it", r->issuer);
	else {
		r->device = remote_endpoint(r, &answer.body, "device_authorization_endpoint");
		r->token = remote_endpoint(r, &answer.body, "token_endpoint");
		r->registration = remote_endpoint(r, &answer.body, "registration_endpoint");
		r->revocation = remote_endpoint(r, &answer.body, "revocation_endpoint");
	}
	web_answer_fini(&answer);
	return code;
}

static void
put_field(struct buf *form, const char *name, const char *value)
{
	buf_printf(form, "%s%s=", form->len > 0 ? "&" : "", name);
	percent_put(form, span_str(value), percent_is_unreserved);
}

static int
remote_register(struct remote *r)
{
	struct buf body = { 0 };
	struct web_answer answer = { .status = 0 };
	char host[256] = "";
	struct err err;
	int code = CLI_OK;

	if (r->registration[0] == '\0')
		return cli_fail(CLI_FAILED,
		    "clients do not register there by themselves: its owner adds one (`carrel client add`), and you "
		    "name it "
		    "with --client");
	(void)gethostname(host, sizeof(host) - 1);
	json_put_object(&body, NULL);
	json_put_cstr(&body, "client_name", arena_printf(r->cli->arena, "carrel login on %.200s", host));
	json_put_list(&body, "redirect_uris");
	json_put_cstr(&body, NULL, "http://127.0.0.1/callback"); /* never used; a registration has one */
	json_end_list(&body);
	json_put_list(&body, "grant_types");
	json_put_cstr(&body, NULL, GRANT);
	json_put_cstr(&body, NULL, "refresh_token");
	json_end_list(&body);
	json_put_cstr(&body, "token_endpoint_auth_method", "none");
	json_end_object(&body);
	if (web_ask(r->registration, "application/json", buf_view(&body), &answer, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (answer.status != 201)
		code = remote_fail("this program was not registered", &answer);
	else
		r->file.client_id = arena_cstr(r->cli->arena, mp_get_str(&answer.body, "client_id", SPAN("")));
	web_answer_fini(&answer);
	buf_fini(&body);
	return code;
}

/* Keep the tokens of an answer. */
static int
remote_keep(struct remote *r, const struct web_answer *answer)
{
	struct login_file *f = &r->file;
	struct span refresh = mp_get_str(&answer->body, "refresh_token", SPAN("")),
		    access = mp_get_str(&answer->body, "access_token", SPAN(""));
	struct err err;

	if (access.len == 0)
		return cli_fail(CLI_FAILED, "the server gave no token");
	f->issuer = r->issuer;
	f->access_token = arena_cstr(r->cli->arena, access);
	if (refresh.len > 0)
		f->refresh_token = arena_cstr(r->cli->arena, refresh);
	f->scope = arena_cstr(r->cli->arena, mp_get_str(&answer->body, "scope", SPAN("")));
	f->expires_unix_s = clock_unix_ms() / 1000 + mp_get_uint(&answer->body, "expires_in", 0);
	return login_file_write(r->cli->arena, f, &err) == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s", err.message);
}

/* Poll until the user has decided. */
static int
remote_poll(struct remote *r, const char *device_code, uint64_t pause_s, uint64_t until_s)
{
	struct buf form = { 0 };
	int code = -1;

	put_field(&form, "grant_type", GRANT);
	put_field(&form, "client_id", r->file.client_id);
	put_field(&form, "device_code", device_code);
	while (code < 0) {
		struct web_answer answer;
		struct span error;
		struct err err;

		sleep((unsigned)pause_s);
		if (web_ask(r->token, FORM, buf_view(&form), &answer, &err) != 0) {
			if (clock_unix_ms() / 1000 >= until_s)
				code = cli_fail(CLI_FAILED, "%s", err.message);
			web_answer_fini(&answer);
			continue; /* RFC 8628 3.5: a connection that fails is tried again, later */
		}
		error = mp_get_str(&answer.body, "error", SPAN(""));
		if (answer.status == 200)
			code = remote_keep(r, &answer);
		else if (span_is_str(error, "slow_down") || answer.status == 429)
			pause_s = pause_s + 5 < PAUSE_MAX_S ? pause_s + 5 : PAUSE_MAX_S;
		else if (span_is_str(error, "access_denied"))
			code = cli_fail(CLI_FAILED, "it was denied");
		else if (span_is_str(error, "expired_token"))
			code = cli_fail(CLI_FAILED, "the code has expired; run `carrel login` again");
		else if (!span_is_str(error, "authorization_pending") && answer.status < 500)
			code = remote_fail("no token came", &answer);
		if (code < 0 && clock_unix_ms() / 1000 >= until_s)
			code = cli_fail(CLI_FAILED, "the code has expired; run `carrel login` again");
		web_answer_fini(&answer);
	}
	buf_wipe(&form);
	return code;
}

/* Letters and a dash: what is shown comes from elsewhere. */
static bool
is_user_code(struct span code)
{
	for (size_t i = 0; i < code.len; i++)
		if (!ascii_is_alnum(code.p[i]) && code.p[i] != '-')
			return false;
	return code.len > 0 && code.len <= 32;
}

static int
remote_begin(struct remote *r)
{
	struct buf form = { 0 };
	struct web_answer answer = { .status = 0 };
	const char *page;
	struct span word;
	struct err err;
	int code;

	if (r->device[0] == '\0')
		return cli_fail(CLI_FAILED, "devices do not sign in there: its oauth.device_code_ttl_s is 0");
	put_field(&form, "client_id", r->file.client_id);
	put_field(&form, "resource", arena_printf(r->cli->arena, "%s/mcp", r->issuer));
	if (cli_option(r->cli, "scopes") != NULL)
		put_field(&form, "scope", cli_option(r->cli, "scopes"));
	if (web_ask(r->device, FORM, buf_view(&form), &answer, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (answer.status != 200)
		code = remote_fail("no code came", &answer);
	else {
		word = mp_get_str(&answer.body, "user_code", SPAN(""));
		page = remote_endpoint(r, &answer.body, "verification_uri");
		if (!is_user_code(word) || page[0] == '\0')
			code = cli_fail(CLI_FAILED, "the server's answer cannot be used");
		else {
			uint64_t pause = mp_get_uint(&answer.body, "interval", 5);

			cli_note("Open %s in a browser, on any machine, and type the code\n\n  %.*s\n\nWaiting …", page,
			    SPAN_FMT(word));
			code =
			    remote_poll(r, arena_cstr(r->cli->arena, mp_get_str(&answer.body, "device_code", SPAN(""))),
				pause < 1 || pause > PAUSE_MAX_S ? 5 : pause,
				clock_unix_ms() / 1000 + mp_get_uint(&answer.body, "expires_in", 0));
		}
	}
	web_answer_fini(&answer);
	buf_wipe(&form);
	return code;
}

/* A new access token for one that ends. */
static int
remote_renew(struct remote *r)
{
	struct buf form = { 0 };
	struct web_answer answer = { .status = 0 };
	struct err err;
	int code = remote_discover(r);

	if (code != CLI_OK)
		return code;
	put_field(&form, "grant_type", "refresh_token");
	put_field(&form, "client_id", r->file.client_id);
	put_field(&form, "refresh_token", r->file.refresh_token);
	if (web_ask(r->token, FORM, buf_view(&form), &answer, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (answer.status == 200)
		code = remote_keep(r, &answer);
	else if (answer.status < 500)
		code = cli_fail(CLI_FAILED, "the login at %s has ended; run `carrel login %s`", r->issuer, r->issuer);
	else
		code = remote_fail("the token was not renewed", &answer);
	web_answer_fini(&answer);
	buf_wipe(&form);
	return code;
}

/* The login that is meant, in r->file.  1; 0: it is answered, with *code. */
static int
remote_known(struct remote *r, int *code)
{
	const char *typed = cli_operand(r->cli, 0);
	struct err err;
	int found;

	*code = CLI_USAGE;
	if (typed != NULL && (r->issuer = remote_issuer(r->cli, typed)) == NULL) {
		*code = cli_fail(CLI_USAGE, "%s is no URL of a server: https, or http to this machine", typed);
		return 0;
	}
	found = login_file_read(r->cli->arena, r->issuer, &r->file, &err);
	if (found == 1 && remote_issuer(r->cli, r->file.issuer) != NULL &&
	    (typed == NULL || strcmp(r->file.issuer, r->issuer) == 0)) {
		r->issuer = r->file.issuer;
		return 1;
	}
	*code = found < 0 ? cli_fail(CLI_FAILED, "%s", err.message) :
	    typed != NULL ? cli_fail(CLI_FAILED, "there is no login at %s", r->issuer) :
			    cli_fail(CLI_USAGE, "name the server: there is no login, or more than one");
	return 0;
}

static int
print_token(struct cli *cli)
{
	struct remote r = { .cli = cli };
	struct buf out = { 0 };
	int code;

	if (remote_known(&r, &code) == 0)
		return code;
	if (r.file.expires_unix_s <= clock_unix_ms() / 1000 + SOON_S && (code = remote_renew(&r)) != CLI_OK)
		return code;
	if (!cli->json)
		return cli_print("%s\n", r.file.access_token);
	json_put_object(&out, NULL);
	json_put_cstr(&out, "server", r.issuer);
	json_put_cstr(&out, "secret", r.file.access_token);
	json_put_uint(&out, "expires_at", r.file.expires_unix_s);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_wipe(&out);
	return code;
}

int
cmd_login(struct cli *cli)
{
	struct remote r = { .cli = cli };
	struct buf out = { 0 };
	int code;

	if (cli_flag(cli, "token"))
		return print_token(cli);
	if (cli_operand(cli, 0) == NULL)
		return cli_fail(CLI_USAGE, "name the server: `carrel login https://carrel.example.org`");
	if ((r.issuer = remote_issuer(cli, cli_operand(cli, 0))) == NULL)
		return cli_fail(CLI_USAGE, "%s is no URL of a server: https, or http to this machine",
		    cli_operand(cli, 0));
	r.file.client_id = cli_option(cli, "client");
	if ((code = remote_discover(&r)) != CLI_OK ||
	    (r.file.client_id == NULL && (code = remote_register(&r)) != CLI_OK) || (code = remote_begin(&r)) != CLI_OK)
		return code;
	if (!cli->json)
		return cli_print("signed in at %s, for %s\n", r.issuer, r.file.scope);
	json_put_object(&out, NULL);
	json_put_cstr(&out, "server", r.issuer);
	json_put_cstr(&out, "scope", r.file.scope);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

int
cmd_logout(struct cli *cli)
{
	struct remote r = { .cli = cli };
	struct buf form = { 0 }, out = { 0 };
	struct web_answer answer = { .status = 0 };
	struct err err;
	bool told = false;
	int code;

	if (remote_known(&r, &code) == 0)
		return code;
	if (remote_discover(&r) == CLI_OK && r.revocation[0] != '\0') {
		put_field(&form, "client_id", r.file.client_id);
		put_field(&form, "token", r.file.refresh_token);
		told = web_ask(r.revocation, FORM, buf_view(&form), &answer, &err) == 0 && answer.status == 200;
		web_answer_fini(&answer);
		buf_wipe(&form);
	}
	if (login_file_remove(cli->arena, r.issuer, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (!told)
		cli_note("the server was not told: its owner ends the grant with `carrel client revoke`");
	if (!cli->json)
		return cli_print("signed out at %s\n", r.issuer);
	json_put_object(&out, NULL);
	json_put_cstr(&out, "server", r.issuer);
	json_put_bool(&out, "revoked", told);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}
