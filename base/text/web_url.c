#include "base/ascii.h"
#include "base/text/web_url.h"

#define HOST_MAX	253u

static bool
is_host_letter(uint8_t c)
{
	return ascii_is_alnum(c) || c == '-' || c == '.';
}

/* ":8443" in front of *rest, if there is one.  False: it is no port. */
static bool
take_port(struct span *rest, unsigned *port)
{
	unsigned n = 0;
	size_t i = 1;

	if (rest->len == 0 || rest->p[0] != ':')
		return true;
	for (; i < rest->len && ascii_is_digit(rest->p[i]) && i < 7; i++)
		n = n * 10 + (unsigned)(rest->p[i] - '0');
	if (n == 0 || n > 65535)
		return false;
	*rest = span_of(rest->p + i, rest->len - i);
	*port = n;
	return true;
}

static bool
is_path(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || ascii_is_any(s.p[i], "#\\\"<>"))
			return false;
	return s.len == 0 || s.p[0] == '/' || s.p[0] == '?';
}

bool
web_url_read(struct span url, struct web_url *out)
{
	struct web_url u = { .tls = span_begins(url, "https://"), .port = 443 };
	size_t begin = u.tls ? 8 : 7, end = begin;
	struct span rest;

	if (!u.tls && !span_begins(url, "http://"))
		return false;
	if (!u.tls)
		u.port = 80;
	while (end < url.len && is_host_letter(url.p[end]))
		end++;
	u.host = span_of(url.p + begin, end - begin);
	rest = span_of(url.p + end, url.len - end);
	if (u.host.len == 0 || u.host.len > HOST_MAX || u.host.p[0] == '.' || u.host.p[0] == '-' ||
	    (!u.tls && !span_is_str(u.host, "localhost") && !span_is_str(u.host, "127.0.0.1")) ||
	    !take_port(&rest, &u.port) || !is_path(rest))
		return false;
	if (out != NULL)
		*out = u;
	return true;
}
