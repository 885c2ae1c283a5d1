#include "base/mp.h"
#include "base/system/clock.h"
#include "front/front.h"
#include "front/who/export_offer.h"
#include "front/who/oauth_issuer.h"
#include "front/who/principal.h"

void
export_offer_put_owner(const struct front *f, const struct principal *who, struct buf *out)
{
	if (who->kind == PRINCIPAL_CLI)
		buf_printf(out, "local:%u", f->access.owner_uid);
	else
		buf_span(out, principal_binding(who));
}

uint64_t
export_offer_rows(const struct front *f, struct result_file file)
{
	return file.rows > 0 && file.rows < f->conf.export_rows ? file.rows : f->conf.export_rows;
}

void
export_offer_put(const struct front *f, struct result_file file, struct span url, uint64_t until_unix_s,
    struct buf *out)
{
	const char *formats[EXPORT_FORMATS];
	char until[25];
	size_t n = 0;

	for (unsigned i = 0; i < EXPORT_FORMATS; i++)
		if (i != EXPORT_PARQUET || file.parquet)
			formats[n++] = export_format_ending((enum export_format)i);
	clock_iso8601(until_unix_s * 1000, until);
	mp_put_pairs(out, mp_str("url", url), mp_cstrs("formats", formats, n),
	    mp_uint("maxRows", export_offer_rows(f, file)), mp_cstr("expiresAt", until));
}

bool
export_offer(struct front *f, const struct export_caller *by, struct span call, struct buf *out,
    uint64_t *until_unix_s)
{
	struct buf owner = { .max = 0 };
	size_t before = out->len;
	bool sealed;

	if (f->conf.export_rows == 0 || f->conf.private || call.len == 0 || by->who->kind == PRINCIPAL_PAGE)
		return false;
	*until_unix_s = clock_unix_ms() / 1000 + f->conf.export_link_s;
	export_offer_put_owner(f, by->who, &owner);
	buf_span(out, oauth_issuer(f, SPAN("127.0.0.1")));
	buf_str(out, EXPORT_PATH);
	sealed = export_link_seal(&f->links, &(struct export_link){ .owner = buf_view(&owner), .grant = by->grant,
	    .scopes_tools = by->tools, .scopes = by->scopes, .until_unix_s = *until_unix_s, .call = call }, out);
	if (sealed)
		buf_printf(out, ".%s", export_format_ending(EXPORT_CSV));
	else
		out->len = before;
	buf_fini(&owner);
	return sealed;
}
