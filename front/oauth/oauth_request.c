#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/text/b64.h"
#include "base/utf8.h"
#include "front/mcp/audit_requests.h"
#include "front/who/auth_ask.h"
#include "front/http/caller.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_request.h"

#define SESSION_COOKIE	"session"
#define LOCAL_COOKIE	"admin"
#define VISITOR_COOKIE	"visitor"
#define NEXT_COOKIE	"next"
#define NEXT_MAX	3400u	/* bytes of that cookie: browsers keep 4,096 with name and attributes */
#define NEXT_S		900u
#define VISITOR_S	3600u	/* how long a login page may stay open */
#define VISITOR_BYTES	32u
#define UNKNOWN_ACCOUNT	"?"	/* no cookie is good for it */
#define USER_MAX	256u	/* bytes of a name that a proxy gives */

/*
 * Browsers send a cookie to all ports of a host and take one from each of them: on loopback, from other accounts of
 * this machine.  The port in its name keeps servers apart that mean well.  What holds is the tag behind the secret, a
 * MAC of the local account that the cookie was made for: from any other account, and through a proxy, the cookie is
 * none.  With https a browser accepts a name that begins with __Host- only from this host itself.
 */
static void
put_cookie_name(const struct front *f, const char *what, struct buf *out)
{
	if (f->access.secure)
		buf_printf(out, "__Host-carrel_%s", what);
	else
		buf_printf(out, "carrel_%s_%u", what, f->access.port);
}

/* Write the MAC of the text under the key of forms. */
static void
put_mac(const struct front *f, struct buf *text, char out[OAUTH_CSRF + 1])
{
	uint8_t mac[crypto_auth_hmacsha256_BYTES];

	crypto_auth_hmacsha256(mac, text->p, text->len, f->oauth->form_key);
	sodium_bin2base64(out, OAUTH_CSRF + 1, mac, sizeof(mac), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	buf_wipe(text);
}

static void
put_tag(const struct oauth_request *r, const char *what, struct span secret, char out[OAUTH_CSRF + 1])
{
	struct buf text = { .max = 0 };

	buf_printf(&text, "cookie %s of \"%s\" ", what, r->account);
	buf_span(&text, secret);
	put_mac(r->front, &text, out);
}

/* Whether the tag at the cookie's end is of this request's account; if so, cut it off. */
static bool
take_tag(const struct oauth_request *r, const char *what, struct span *cookie)
{
	char tag[OAUTH_CSRF + 1];
	struct span secret;

	if (cookie->len <= OAUTH_CSRF + 1 || r->account[0] == UNKNOWN_ACCOUNT[0])
		return false;
	secret = span_of(cookie->p, cookie->len - OAUTH_CSRF - 1);
	put_tag(r, what, secret, tag);
	if (secret.p[secret.len] != '.' || sodium_memcmp(secret.p + secret.len + 1, tag, OAUTH_CSRF) != 0)
		return false;
	*cookie = secret;
	return true;
}

static bool
is_cookie_text(struct span s, size_t max)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || strchr("\",;\\", s.p[i]) != NULL)
			return false;
	return s.len > 0 && s.len <= max;
}

/* Find the cookie in one line and count it: with two of one name, one is a stranger's, and neither is used. */
static void
find_in_line(struct span line, struct span name, struct span *value, unsigned *n)
{
	while (line.len > 0) {
		const uint8_t *semicolon = memchr(line.p, ';', line.len);
		size_t len = semicolon == NULL ? line.len : (size_t)(semicolon - line.p);
		struct span pair = http_trim(span_of(line.p, len));

		if (pair.len > name.len && span_is(span_of(pair.p, name.len), name) && pair.p[name.len] == '=') {
			*value = span_of(pair.p + name.len + 1, pair.len - name.len - 1);
			(*n)++;
		}
		len += semicolon != NULL;
		line = span_of(line.p + len, line.len - len);
	}
}

/* The cookie of this request without its tag; empty: it has none that is good. */
static struct span
find_cookie(const struct oauth_request *r, const struct http_request *q, const char *what, size_t max)
{
	struct buf name = { .max = 0 };
	struct span field, line, value = { NULL, 0 };
	size_t at = 0;
	unsigned n = 0;

	put_cookie_name(r->front, what, &name);
	while (http_next_field(q, &at, &field, &line))
		if (http_same(field, "cookie"))
			find_in_line(line, buf_view(&name), &value, &n);
	buf_fini(&name);
	return n == 1 && is_cookie_text(value, max) && take_tag(r, what, &value) ? value : SPAN("");
}

static void
read_cookie(const struct oauth_request *r, const struct http_request *q, const char *what,
    char out[OAUTH_SESSION_MAX + 1])
{
	snprintf(out, OAUTH_SESSION_MAX + 1, "%.*s", SPAN_FMT(find_cookie(r, q, what, OAUTH_SESSION_MAX)));
}

static void
put_cookie(struct oauth_request *r, const char *what, const char *value, uint64_t seconds, const char *same_site)
{
	char tag[OAUTH_CSRF + 1] = "";

	if (value[0] != '\0')
		put_tag(r, what, span_str(value), tag);
	buf_str(&r->cookies, "Set-Cookie: ");
	put_cookie_name(r->front, what, &r->cookies);
	buf_printf(&r->cookies, "=%s%s%s; HttpOnly; SameSite=%s; Path=/; Max-Age=%llu%s\r\n", value,
	    value[0] != '\0' ? "." : "", tag, same_site, (unsigned long long)seconds,
	    r->front->access.secure ? "; Secure" : "");
}

void
oauth_request_sign_in(struct oauth_request *r, struct span session, uint64_t seconds)
{
	snprintf(r->session, sizeof(r->session), "%.*s", SPAN_FMT(session));
	put_cookie(r, SESSION_COOKIE, r->session, seconds, "Lax");
}

void
oauth_request_sign_out(struct oauth_request *r)
{
	r->session[0] = '\0';
	put_cookie(r, SESSION_COOKIE, "", 0, "Lax");
}

void
oauth_request_enter(struct oauth_request *r, struct span session, uint64_t seconds)
{
	snprintf(r->local, sizeof(r->local), "%.*s", SPAN_FMT(session));
	put_cookie(r, LOCAL_COOKIE, r->local, seconds, "Strict");
}

/* Give a new browser a visitor's cookie, or renew the one that it has. */
static void
greet_visitor(struct oauth_request *r)
{
	uint8_t random[VISITOR_BYTES];

	if (r->visitor[0] == '\0') {
		randombytes_buf(random, sizeof(random));
		sodium_bin2hex(r->visitor, sizeof(r->visitor), random, sizeof(random));
	}
	put_cookie(r, VISITOR_COOKIE, r->visitor, VISITOR_S, "Lax");
}

void
oauth_request_depart(struct oauth_request *r, struct span next)
{
	struct buf text = { .max = 0 };

	greet_visitor(r);
	b64url_encode(&text, next);
	if (text.len > 0 && text.len + OAUTH_CSRF + 1 <= NEXT_MAX)
		put_cookie(r, NEXT_COOKIE, buf_cstr(&text), NEXT_S, "Lax");
	else /* the path of an earlier departure is not what this one is for */
		put_cookie(r, NEXT_COOKIE, "", 0, "Lax");
	buf_fini(&text);
}

void
oauth_request_arrive(struct oauth_request *r, const struct http_request *q)
{
	r->arrived = true;
	(void)b64url_decode(&r->came_for, find_cookie(r, q, NEXT_COOKIE, NEXT_MAX));
	put_cookie(r, NEXT_COOKIE, "", 0, "Lax");
}

/* The token against forgery: a MAC of the session's or the visitor's cookie, which pages elsewhere cannot know. */
static void
put_csrf(const struct front *f, const char *what, const char *cookie, char out[OAUTH_CSRF + 1])
{
	struct buf text = { .max = 0 };

	buf_printf(&text, "%s %s", what, cookie);
	put_mac(f, &text, out);
}

void
oauth_request_csrf(struct oauth_request *r, char out[OAUTH_CSRF + 1])
{
	if (r->session[0] == '\0' && r->visitor[0] == '\0')
		greet_visitor(r);
	if (r->session[0] != '\0')
		put_csrf(r->front, SESSION_COOKIE, r->session, out);
	else
		put_csrf(r->front, VISITOR_COOKIE, r->visitor, out);
}

bool
oauth_request_is_own(const struct oauth_request *r, bool signed_in)
{
	struct span given = form_get(&r->body, "csrf");
	char own[OAUTH_CSRF + 1];
	bool same = false;

	for (unsigned session = signed_in; session < 2 && !same; session++) {
		const char *cookie = session ? r->session : r->visitor;

		if (cookie[0] == '\0')
			continue;
		put_csrf(r->front, session != 0 ? SESSION_COOKIE : VISITOR_COOKIE, cookie, own);
		same = given.len == OAUTH_CSRF && sodium_memcmp(given.p, own, OAUTH_CSRF) == 0;
	}
	return same;
}

bool
oauth_request_page_key(const struct oauth_request *r, char out[OAUTH_CSRF + 1])
{
	out[0] = '\0';
	if (r->local[0] != '\0')
		put_csrf(r->front, LOCAL_COOKIE, r->local, out);
	else if (r->session[0] != '\0')
		put_csrf(r->front, "page of " SESSION_COOKIE, r->session, out);
	return out[0] != '\0';
}

/* Read the user that a trusted proxy names.  With two lines of the field none counts: one may be the client's. */
static void
read_asserted(struct oauth_request *r, const struct http_request *q)
{
	const char *header = r->front->access.proxy_header;
	struct span name, value, found = { NULL, 0 };
	unsigned n = 0;
	size_t at = 0;

	if (header[0] == '\0' || !r->conn->proxy)
		return;
	while (http_next_field(q, &at, &name, &value))
		if (http_same(name, header)) {
			found = http_trim(value);
			n++;
		}
	if (n == 1 && found.len > 0 && found.len <= USER_MAX && utf8_valid(found.p, found.len))
		buf_span(&r->asserted, found);
}

static void
read_account(struct oauth_request *r, const struct http_request *q)
{
	uint32_t uid;
	enum access_peer peer = caller_peer(r->conn, q, &uid);

	if (peer == ACCESS_PEER_UNKNOWN)
		memcpy(r->account, UNKNOWN_ACCOUNT, sizeof(UNKNOWN_ACCOUNT));
	else if (peer != ACCESS_PEER_REMOTE)
		snprintf(r->account, sizeof(r->account), "local:%u", uid);
}

struct oauth_request *
oauth_request_begin(struct conn *c, const struct http_request *q)
{
	struct oauth_request *r = mem_new(1, sizeof(*r));

	r->conn = c;
	r->front = c->front;
	r->html = q->accepts_html;
	r->json = q->accepts_json;
	r->post = q->method == HTTP_POST;
	r->issuer = oauth_issuer(c->front, q->field[HTTP_HOST]);
	read_account(r, q);
	read_cookie(r, q, SESSION_COOKIE, r->session);
	read_cookie(r, q, LOCAL_COOKIE, r->local);
	read_cookie(r, q, VISITOR_COOKIE, r->visitor);
	read_asserted(r, q);
	address_name(caller_address(c), r->address);
	r->owner = caller_is_owner(c, q);
	request_id_print(++c->front->serial, r->receipt);
	c->oauth = r;
	return r;
}

const char *
oauth_request_forms(struct oauth_request *r, const struct http_request *q, struct span body, const char *many)
{
	struct span type = q->field[HTTP_CONTENT_TYPE];
	enum form_fault fault = form_read(q->query, NULL, &r->query);

	buf_span(&r->target, q->path);
	buf_byte(&r->target, '?');
	buf_span(&r->target, q->query);
	if (fault != FORM_OK)
		return form_fault_text(fault);
	if (!r->post)
		return NULL;
	if (type.p == NULL || !http_media_type_is(type, "application/x-www-form-urlencoded"))
		return "the body must be application/x-www-form-urlencoded";
	fault = form_read(body, many, &r->body);
	return fault == FORM_OK ? NULL : form_fault_text(fault);
}

void
oauth_request_end(struct oauth_request *r)
{
	if (r == NULL)
		return;
	if (r->ask != NULL)
		auth_ask_forget(r->ask);
	r->conn->oauth = NULL;
	form_fini(&r->query);
	form_fini(&r->body);
	form_fini(&r->next);
	buf_fini(&r->target);
	buf_wipe(&r->cookies);
	buf_wipe(&r->call);
	buf_fini(&r->asserted);
	buf_fini(&r->came_for);
	buf_fini(&r->wrong);
	sodium_memzero(r, sizeof(*r));
	free(r);
}

static void
heard(void *arg, const union ipc_any *answer)
{
	struct oauth_request *r = arg;

	r->ask = NULL;
	r->told(r, answer);
}

void
oauth_request_ask(struct oauth_request *r, unsigned type, const void *msg, unsigned answered,
    void (*told)(struct oauth_request *r, const union ipc_any *answer))
{
	r->told = told;
	r->ask = auth_ask(r->front, type, msg, answered, heard, r);
	if (r->ask == NULL)
		told(r, NULL);
}
