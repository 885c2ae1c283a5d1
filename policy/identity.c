#include "policy/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json/json_write.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "ipc/messages.h"

#define CUT		"…"
#define VALUE_SHOWN	64u	/* bytes of a value that identity_text() shows */

_Static_assert(IDENTITY_CLAIMS_BYTES == IPC_CLAIMS_MAX, "claims fit the field");

/* Somebody whom the configuration names. */
struct person {
	bool		 set;
	struct span	 name, claims;	/* claims: raw; borrowed from the configuration's bytes */
};

struct identity {
	char		*connection;
	struct buf	 raw;		/* what the spans point into */
	size_t		 n, nroles;
	char		*names[IDENTITY_SETTINGS_MAX];
	struct span	 templates[IDENTITY_SETTINGS_MAX];
	struct span	 role;		/* template; empty: none */
	char		**roles;
	struct person	 owner, neutral;
};

/* Whose values templates are filled with, and what is to be done where one lacks. */
struct asker {
	struct span	 name, claims;
	const char	*remedy;
};

bool
identity_is_for_all(struct span claims)
{
	return span_is(claims, IDENTITY_FOR_ALL);
}

bool
identity_is_claims(struct span claims)
{
	struct mp_value map, value;
	struct mp_iter it;
	struct span key;

	if (claims.len == 0)
		return true;
	if (mp_scan(claims) != MP_OK || !mp_value(claims, &map) || map.class != MP_MAP || map.n > IDENTITY_CLAIMS_MAX)
		return false;
	for (it = mp_iter(&map); mp_next_pair(&it, &key, &value);)
		if (!identity_text_is_name(key) || value.class != MP_STR || !identity_text_is_value(value.s))
			return false;
	return true;
}

static int
read_person(const struct mp_value *map, const char *key, struct person *p)
{
	struct mp_value person, claims;

	if (!mp_get(map, key, &person) || person.class == MP_NIL)
		return 0;
	if (person.class != MP_MAP || !mp_get(&person, "claims", &claims) || !identity_is_claims(claims.raw))
		return -1;
	*p = (struct person){ .set = true, .name = mp_get_str(&person, "name", SPAN("")), .claims = claims.raw };
	return 0;
}

static int
read_settings(struct identity *id, const struct mp_value *map)
{
	struct mp_value settings, value;
	struct mp_iter it;
	struct span key;

	if (!mp_get(map, "settings", &settings) || settings.class != MP_MAP || settings.n > IDENTITY_SETTINGS_MAX)
		return -1;
	for (it = mp_iter(&settings); mp_next_pair(&it, &key, &value); id->n++) {
		if (value.class != MP_STR || identity_text_fault(value.s) != NULL ||
		    memchr(key.p, '\0', key.len) != NULL)
			return -1;
		id->names[id->n] = mem_text(key);
		id->templates[id->n] = value.s;
	}
	return 0;
}

static int
read_roles(struct identity *id, const struct mp_value *map)
{
	struct mp_value roles, role;
	struct mp_iter it;

	id->role = mp_get_str(map, "role", SPAN(""));
	if (!mp_get(map, "roles", &roles) || roles.class != MP_ARRAY ||
	    (id->role.len > 0 && identity_text_fault(id->role) != NULL))
		return -1;
	id->roles = mem_new(roles.n + 1, sizeof(*id->roles));
	for (it = mp_iter(&roles); mp_next(&it, &role);) {
		if (role.class != MP_STR || role.s.len == 0 || memchr(role.s.p, '\0', role.s.len) != NULL)
			return -1;
		id->roles[id->nroles++] = mem_text(role.s);
	}
	return 0;
}

int
identity_new(struct identity **out, const char *connection, struct span raw, struct err *err)
{
	struct identity *id;
	struct mp_value map;

	*out = NULL;
	if (raw.len == 0)
		return 0;
	id = mem_new(1, sizeof(*id));
	id->connection = mem_text(span_str(connection));
	buf_span(&id->raw, raw);
	if (mp_scan(buf_view(&id->raw)) != MP_OK || !mp_value(buf_view(&id->raw), &map) || map.class != MP_MAP ||
	    read_settings(id, &map) != 0 || read_roles(id, &map) != 0 || read_person(&map, "owner", &id->owner) != 0 ||
	    read_person(&map, "neutral", &id->neutral) != 0 || (id->n == 0 && id->role.len == 0)) {
		identity_free(id);
		return err_set(err, ERR_INTERNAL, "the identity of the connection cannot be read");
	}
	*out = id;
	return 0;
}

void
identity_free(struct identity *id)
{
	if (id == NULL)
		return;
	for (size_t i = 0; i < id->n; i++)
		free(id->names[i]);
	for (size_t i = 0; i < id->nroles; i++)
		free(id->roles[i]);
	free(id->roles);
	free(id->connection);
	buf_fini(&id->raw);
	free(id);
}

size_t
identity_settings(const struct identity *id)
{
	return id->n;
}

const char *
identity_setting(const struct identity *id, size_t i)
{
	return id->names[i];
}

size_t
identity_roles(const struct identity *id)
{
	return id->nroles;
}

const char *
identity_role(const struct identity *id, size_t i)
{
	return id->roles[i];
}

bool
identity_has_neutral(const struct identity *id)
{
	return id->neutral.set;
}

static struct span
claim_of(struct span claims, struct span name)
{
	struct mp_value map, value;

	return claims.len > 0 && mp_value(claims, &map) && mp_member(&map, name, &value) && value.class == MP_STR ?
	    value.s :
	    SPAN("");
}

static int
refuse_caller(const struct identity *id, const struct asker *who, bool name, struct span claim, struct err *err)
{
	return err_set(err, ERR_SCOPE_DENIED,
	    "Connection \"%s\" applies row security by caller, and this caller has no %s%.*s%s: %s.", id->connection,
	    name ? "name" : "claim \"", SPAN_FMT(claim), name ? "" : "\"", who->remedy);
}

/* The template with the caller's values; NULL with *err. */
static const char *
fill_template(const struct identity *id, struct span template, const struct asker *who, struct arena *a,
    struct err *err)
{
	struct buf text = BUF_MAX(IDENTITY_VALUE_MAX + 1);
	struct identity_part part;
	const char *filled = NULL;

	while (identity_text_next(&template, &part)) {
		struct span value = part.kind == IDENTITY_LITERAL ? part.text :
		    part.kind == IDENTITY_USER                    ? who->name :
								    claim_of(who->claims, part.text);

		if (value.len == 0) {
			(void)refuse_caller(id, who, part.kind == IDENTITY_USER,
			    part.kind == IDENTITY_USER ? SPAN("") : part.text, err);
			goto out;
		}
		buf_span(&text, value);
	}
	if (text.full || !identity_text_is_value(buf_view(&text)))
		err_set(err, ERR_SCOPE_DENIED,
		    "Connection \"%s\" applies row security by caller, and a value made of this caller's name and "
		    "claims is empty or longer than %u bytes: %s.",
		    id->connection, IDENTITY_VALUE_MAX, who->remedy);
	else if ((filled = arena_cstr(a, buf_view(&text))) == NULL)
		err_set(err, ERR_BUSY, "the call has no room for its identity");
out:
	buf_fini(&text);
	return filled;
}

static int
choose_role(const struct identity *id, const struct asker *who, struct arena *a, struct identity_as *out,
    struct err *err)
{
	const char *role = fill_template(id, id->role, who, a, err);

	if (role == NULL)
		return -1;
	for (size_t i = 0; i < id->nroles; i++)
		if (strcmp(id->roles[i], role) == 0) {
			out->role = id->roles[i];
			return 0;
		}
	return err_set(err, ERR_SCOPE_DENIED,
	    "Connection \"%s\" runs every statement in a database role of the caller, and this caller's role is not "
	    "listed in identity.roles: %s.",
	    id->connection, who->remedy);
}

static int
resolve_asker(const struct identity *id, const struct asker *who, struct arena *a, struct identity_as *out,
    struct err *err)
{
	*out = (struct identity_as){ .n = id->n };
	for (size_t i = 0; i < id->n; i++) {
		out->names[i] = id->names[i];
		if ((out->values[i] = fill_template(id, id->templates[i], who, a, err)) == NULL)
			return -1;
	}
	return id->role.len == 0 ? 0 : choose_role(id, who, a, out, err);
}

static struct span
span_behind(struct span text, const char *prefix)
{
	size_t n = strlen(prefix);

	return span_begins(text, prefix) ? span_of(text.p + n, text.len - n) : text;
}

static bool
is_owner(struct span principal)
{
	return span_begins(principal, "local:") || span_begins(principal, "cli:");
}

int
identity_resolve(const struct identity *id, struct span principal, struct span claims, struct arena *a,
    struct identity_as *out, struct err *err)
{
	struct span who = span_behind(principal, "page:");
	struct asker asker = { .name = SPAN(""), .claims = SPAN("") };

	if (!identity_is_claims(claims))
		return err_set(err, ERR_INTERNAL, "the caller's claims cannot be read");
	if (is_owner(who)) {
		asker.remedy = "set identity.owner of the connection in carrel.yaml to say who this machine's owner is";
		if (id->owner.set)
			asker = (struct asker){ id->owner.name, id->owner.claims, asker.remedy };
	} else if (span_begins(who, "user:")) {
		asker = (struct asker){ span_behind(who, "user:"), claims,
			"an administrator can set it with `carrel user set NAME --claim CLAIM=VALUE`, or the identity "
			"provider can send it at the next sign-in or in its access tokens" };
	} else if (span_begins(who, "token:"))
		asker = (struct asker){ claim_of(claims, SPAN(IDENTITY_USER_NAME)), claims,
			"create a token that has it, with `carrel token create --claim CLAIM=VALUE`; the claim of the "
			"name is " IDENTITY_USER_NAME };
	else
		asker.remedy = "this credential does not identify a person; sign in, or use a connectivity token with "
			       "claims (`carrel token create --claim CLAIM=VALUE`)";
	return resolve_asker(id, &asker, a, out, err);
}

int
identity_resolve_neutral(const struct identity *id, struct arena *a, struct identity_as *out, struct err *err)
{
	const struct asker neutral = { id->neutral.name, id->neutral.claims, "add it to identity.neutral" };

	if (id->neutral.set)
		return resolve_asker(id, &neutral, a, out, err);
	return err_set(err, ERR_SCOPE_DENIED,
	    "Connection \"%s\" applies row security by caller, and a scan has no caller: set "
	    "identity.neutral of the connection to say with whose rights scans read.",
	    id->connection);
}

void
identity_mark(struct span identity, char digest[COLUMNS_DIGEST_TEXT])
{
	uint64_t h = hash_more(HASH_START, digest, strlen(digest));

	if (identity.len > 0)
		snprintf(digest, COLUMNS_DIGEST_TEXT, "2-%016" PRIx64, hash_more(h, identity.p, identity.len));
}

/* In quotes, with what is a quote or no letter escaped: no value looks like another setting. */
static void
put_shown(struct buf *out, const char *name, const char *value)
{
	size_t n = strlen(value), shown = utf8_cut((const uint8_t *)value, n, VALUE_SHOWN);

	buf_printf(out, "%s%s=", out->len > 0 ? " " : "", name);
	json_write_string(out, span_of(value, shown));
	buf_str(out, shown < n ? CUT : "");
}

void
identity_text(const struct identity_as *as, char out[IDENTITY_TEXT])
{
	struct buf text = BUF_MAX(64 * 1024);
	size_t n;

	if (as->role != NULL)
		put_shown(&text, "role", as->role);
	for (size_t i = 0; i < as->n; i++)
		put_shown(&text, as->names[i], as->values[i]);
	n = utf8_cut(text.p, text.len, IDENTITY_TEXT - sizeof(CUT));
	memcpy(out, text.p, n);
	snprintf(out + n, IDENTITY_TEXT - n, "%s", n < text.len ? CUT : "");
	buf_fini(&text);
}
