#include <string.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/mp.h"
#include "policy/client_document.h"
#include "policy/oauth_texts.h"
#include "workers/fetch/document_check.h"

/* "none" or absent: clients that authenticate with a secret cannot be known by their URL alone. */
static bool
is_public_client(const struct mp_value *document)
{
	struct mp_value v;

	if (mp_get(document, "client_secret", &v) || mp_get(document, "client_secret_expires_at", &v))
		return false;
	return !mp_get(document, "token_endpoint_auth_method", &v) || (v.class == MP_STR && span_is(v.s, SPAN("none")));
}

static bool
has_redirects(const struct mp_value *document, struct mp_value *list)
{
	struct mp_value each;
	struct mp_iter it;

	if (!mp_get(document, "redirect_uris", list) || list->class != MP_ARRAY || list->n == 0 ||
	    list->n > OAUTH_REDIRECTS_MAX)
		return false;
	for (it = mp_iter(list); mp_next(&it, &each);)
		if (each.class != MP_STR || each.s.len > OAUTH_URI_MAX)
			return false;
	return true;
}

int
fetch_read_document(struct span body, struct span url, struct buf *storage, struct span *name, struct span *redirects,
    struct err *err)
{
	struct mp_value document, v;
	enum json_fault fault;
	size_t at;

	if ((fault = json_read(body, storage, &at)) != JSON_OK)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the document is no JSON: %s", json_fault_text(fault));
	if (!mp_value(buf_view(storage), &document) || document.class != MP_MAP)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the document is no JSON object");
	if (!span_is(mp_get_str(&document, "client_id", SPAN("")), url))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the document's client_id is not the URL that it is at");
	if (!is_public_client(&document))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the document is of a client with a secret or a key; here token_endpoint_auth_method is none");
	if (mp_get(&document, "client_name", &v) && (v.class != MP_STR || v.s.len > OAUTH_CLIENT_NAME_MAX))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the document's client_name is no text of at most %d bytes",
		    OAUTH_CLIENT_NAME_MAX);
	*name = v.class == MP_STR ? v.s : SPAN("");
	if (!has_redirects(&document, &v))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the document's redirect_uris are no array of 1 to %d URIs",
		    OAUTH_REDIRECTS_MAX);
	*redirects = v.raw;
	return 0;
}

/* The number in a directive "name=N". */
static bool
read_directive(struct span part, const char *name, uint64_t *out)
{
	size_t n = strlen(name), i = n + 1;

	if (part.len <= n + 1 || !span_is_folded(span_of(part.p, n), span_str(name)) || part.p[n] != '=')
		return false;
	*out = 0;
	for (; i < part.len && ascii_is_digit(part.p[i]) && *out < CLIENT_DOCUMENT_KEEP_MAX_S; i++)
		*out = *out * 10 + (uint64_t)(part.p[i] - '0');
	return true;
}

uint64_t
document_keep(struct span control, uint64_t age_s)
{
	uint64_t keep = CLIENT_DOCUMENT_KEEP_S, given;

	while (control.len > 0) {
		const uint8_t *comma = memchr(control.p, ',', control.len);
		size_t len = comma == NULL ? control.len : (size_t)(comma - control.p);
		struct span part = span_of(control.p, len);

		while (part.len > 0 && part.p[0] == ' ')
			part = span_of(part.p + 1, part.len - 1);
		if (span_is_folded(part, SPAN("no-store")) || span_is_folded(part, SPAN("no-cache")))
			return CLIENT_DOCUMENT_KEEP_S;
		if (read_directive(part, "max-age", &given))
			keep = given > age_s ? given - age_s : 0;
		len += comma != NULL;
		control = span_of(control.p + len, control.len - len);
	}
	return keep < CLIENT_DOCUMENT_KEEP_S  ? CLIENT_DOCUMENT_KEEP_S :
	    keep > CLIENT_DOCUMENT_KEEP_MAX_S ? CLIENT_DOCUMENT_KEEP_MAX_S :
						keep;
}
