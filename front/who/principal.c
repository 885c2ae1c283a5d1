#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "front/front.h"
#include "front/who/principal.h"
#include "policy/scopes.h"

static struct principal *
principal_new(struct front *f, enum principal_kind kind, const char *id)
{
	struct principal *p = mem_new(1, sizeof(*p));

	snprintf(p->id, sizeof(p->id), "%s", id);
	p->kind = kind;
	LIST_INSERT_HEAD(&f->principals, p, next);
	return p;
}

struct principal *
principal_of(struct front *f, enum principal_kind kind, const char *id, uint32_t scopes)
{
	struct principal *p;

	LIST_FOREACH(p, &f->principals, next)
		if (strcmp(p->id, id) == 0)
			break;
	if (p == NULL)
		p = principal_new(f, kind, id);
	p->scopes = scopes;
	return p;
}

bool
principal_is_owner(const struct principal *who)
{
	return who->kind == PRINCIPAL_LOCAL || who->kind == PRINCIPAL_CLI ||
	    (who->kind == PRINCIPAL_PAGE &&
		strncmp(who->id, PRINCIPAL_PAGE_PREFIX "local:", strlen(PRINCIPAL_PAGE_PREFIX "local:")) == 0);
}

struct principal *
principal_of_user(struct front *f, const char *id, struct span client, struct span resource)
{
	struct buf binding = { .max = 0 };
	struct principal *p;

	buf_printf(&binding, "%s\n%.*s\n%.*s", id, SPAN_FMT(client), SPAN_FMT(resource));
	LIST_FOREACH(p, &f->principals, next)
		if (p->binding != NULL && span_is_str(buf_view(&binding), p->binding))
			break;
	if (p == NULL) {
		p = principal_new(f, PRINCIPAL_USER, id);
		p->binding = mem_text(buf_view(&binding));
	}
	buf_fini(&binding);
	return p;
}

static struct user_grant *
grant_named(const struct principal *who, struct span id)
{
	struct user_grant *g;

	LIST_FOREACH(g, &who->grants, next)
		if (span_is_str(id, g->id))
			return g;
	return NULL;
}

struct user_grant *
principal_grant(struct principal *who, struct span id)
{
	struct user_grant *g = grant_named(who, id);

	if (g == NULL) {
		g = mem_new(1, sizeof(*g));
		snprintf(g->id, sizeof(g->id), "%.*s", SPAN_FMT(id));
		LIST_INSERT_HEAD(&who->grants, g, next);
	}
	return g;
}

void
principal_put_claims(struct principal *who, struct span claims)
{
	if (span_is(claims, buf_view(&who->claims)))
		return;
	buf_reset(&who->claims, IPC_CLAIMS_MAX);
	buf_span(&who->claims, claims);
}

void
principal_unwatch(struct front *f, struct span name, struct span grant)
{
	struct user_grant *g;
	struct principal *p;

	LIST_FOREACH(p, &f->principals, next)
		if (span_is_str(name, p->id) && (g = grant_named(p, grant)) != NULL)
			g->watched = false;
}

void
principal_put_tools(struct principal *who, struct span tools, struct span may_tools)
{
	buf_reset(&who->tools, SIZE_MAX);
	buf_span(&who->tools, tools);
	buf_reset(&who->may_tools, SIZE_MAX);
	buf_span(&who->may_tools, may_tools);
}

bool
principal_has_grant(const struct principal *who, struct span id)
{
	return grant_named(who, id) != NULL;
}

void
principal_forget_grant(struct principal *who, struct span id)
{
	struct user_grant *g;

	while ((g = id.len > 0 ? grant_named(who, id) : LIST_FIRST(&who->grants)) != NULL) {
		if (who->grant == g)
			who->grant = NULL;
		LIST_REMOVE(g, next);
		free(g);
	}
}

struct span
principal_binding(const struct principal *who)
{
	return span_str(who->binding != NULL ? who->binding : who->id);
}

void
principal_free(struct principal *who)
{
	principal_forget_grant(who, SPAN_NONE);
	free(who->binding);
	free(who->metadata);
	buf_fini(&who->tools);
	buf_fini(&who->may_tools);
	buf_fini(&who->claims);
	free(who);
}

uint32_t
principal_reach(const struct principal *who)
{
	switch (who->kind) {
	case PRINCIPAL_TOKEN:
		return POLICY_SCOPES_TOKEN;
	case PRINCIPAL_USER:
		return who->may;
	default:
		return who->scopes; /* fixed: more cannot be granted */
	}
}

struct principal *
principal_greatest(const struct front *f, size_t (*has)(const struct principal *who))
{
	struct principal *p, *most = NULL;
	size_t n, top = 0;

	LIST_FOREACH(p, &f->principals, next)
		if ((n = has(p)) > top) {
			most = p;
			top = n;
		}
	return most;
}
