#include "workers/auth/handover_form.h"

#include "workers/auth/sealed.h"

static const char asked[] = "handovers: what is asked", answered[] = "handovers: what became of it";

void
handover_form_put_asked(const uint8_t root[AUTH_KEY], struct span id, const struct handover_asked *h,
    struct buf *sealed)
{
	struct buf plain = { 0 };
	size_t map = mp_open_pairs(&plain, mp_str("id", id), mp_uint("at", h->at_unix_ms), mp_str("node", h->node),
	    mp_str("principal", h->principal), mp_str("tool", h->tool), mp_str("connection", h->connection),
	    mp_str("ticket", h->ticket));

	mp_pair_raw(&plain, "args", h->args);
	mp_end(&plain, map);
	sealed_put_with(root, asked, buf_view(&plain), sealed);
	buf_wipe(&plain);
}

void
handover_form_put_answered(const uint8_t root[AUTH_KEY], struct span id, const struct handover_answered *h,
    struct buf *sealed)
{
	struct buf plain = { 0 };
	size_t map = mp_open_pairs(&plain, mp_str("id", id), mp_str("node", h->node));

	if (h->result.len > 0)
		mp_pair_raw(&plain, "result", h->result);
	else {
		mp_pair_str(&plain, "code", h->code);
		mp_pair_str(&plain, "message", h->message);
	}
	mp_end(&plain, map);
	sealed_put_with(root, answered, buf_view(&plain), sealed);
	buf_wipe(&plain);
}

static bool
open_map(const uint8_t root[AUTH_KEY], const char *purpose, struct span id, struct span sealed, struct buf *plain,
    struct mp_value *map)
{
	return sealed_open_with(root, purpose, sealed, plain) && mp_scan(buf_view(plain)) == MP_OK &&
	    mp_value(buf_view(plain), map) && map->class == MP_MAP && span_is(mp_get_str(map, "id", SPAN_NONE), id);
}

bool
handover_form_read_asked(const uint8_t root[AUTH_KEY], struct span id, struct span sealed, struct buf *plain,
    struct handover_asked *h)
{
	struct mp_value map, args;

	*h = (struct handover_asked){ .args = MP_EMPTY_MAP };
	if (!open_map(root, asked, id, sealed, plain, &map))
		return false;
	h->at_unix_ms = mp_get_uint(&map, "at", 0);
	h->node = mp_get_str(&map, "node", SPAN(""));
	h->principal = mp_get_str(&map, "principal", SPAN(""));
	h->tool = mp_get_str(&map, "tool", SPAN(""));
	h->connection = mp_get_str(&map, "connection", SPAN(""));
	h->ticket = mp_get_str(&map, "ticket", SPAN(""));
	if (mp_get(&map, "args", &args) && args.class == MP_MAP)
		h->args = args.raw;
	return true;
}

bool
handover_form_read_answered(const uint8_t root[AUTH_KEY], struct span id, struct span sealed, struct buf *plain,
    struct handover_answered *h)
{
	struct mp_value map, result;

	*h = (struct handover_answered){ .node = SPAN("") };
	if (!open_map(root, answered, id, sealed, plain, &map))
		return false;
	h->node = mp_get_str(&map, "node", SPAN(""));
	if (mp_get(&map, "result", &result))
		h->result = result.raw;
	h->code = mp_get_str(&map, "code", SPAN(""));
	h->message = mp_get_str(&map, "message", SPAN(""));
	return true;
}
