/*
 * scopes - the permissions of a caller, as a mask of bits, and the maximum for each kind of credential.  Pure; the
 * table is scopes.def.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum policy_scope {
#define SCOPE(name, bit, text)	POLICY_SCOPE_##name = 1 << bit,
#include "policy/scopes.def"
#undef SCOPE
};

/* The tools for research. */
#define POLICY_SCOPES_RESEARCH	(POLICY_SCOPE_RESEARCH_READ |		\
    POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_MEMORY_WRITE)

/* The owner without a credential, on loopback and over stdio, and the static token. */
#define POLICY_SCOPES_OPEN	(POLICY_SCOPES_RESEARCH |		\
    POLICY_SCOPE_ONTOLOGIES_READ | POLICY_SCOPE_DATA_AGENT_READ | POLICY_SCOPE_DATA_AGENT_WRITE)

/* ask_question, and the sub-calls that an answer is made of. */
#define POLICY_SCOPES_ASK	(POLICY_SCOPE_DATA_AGENT_WRITE | POLICY_SCOPE_ONTOLOGIES_READ)

#define POLICY_SCOPES_EXT	(POLICY_SCOPE_EXT_DATASETS | POLICY_SCOPE_EXT_SCHEMA | \
    POLICY_SCOPE_EXT_SEARCH | POLICY_SCOPE_EXT_SQL)

/* The maximum for a connectivity token; POLICY_SCOPES_EXT by default. */
#define POLICY_SCOPES_TOKEN	(POLICY_SCOPES_EXT | POLICY_SCOPE_EXT_TOOLS | \
    POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_RESEARCH_QUERY)

/* Roles of users. */
#define POLICY_SCOPES_VIEWER	(POLICY_SCOPE_RESEARCH_READ |		\
    POLICY_SCOPE_ONTOLOGIES_READ | POLICY_SCOPE_DATA_AGENT_READ)
#define POLICY_SCOPES_CONTRIBUTOR (POLICY_SCOPES_VIEWER | POLICY_SCOPE_RESEARCH_QUERY | \
    POLICY_SCOPE_MEMORY_WRITE | POLICY_SCOPE_DATA_AGENT_WRITE)
#define POLICY_SCOPES_ADMIN	(POLICY_SCOPES_CONTRIBUTOR | POLICY_SCOPES_EXT | \
    POLICY_SCOPE_CONNECTIVITY_ADMIN)

/* Everything that can be granted to anybody. */
#define POLICY_SCOPES_ALL	POLICY_SCOPES_ADMIN

#define POLICY_TOOL_SCOPE	"tools:"	/* and a name: the scope that is one tool's */

/* In the scopes of users and their grants: some of the team's tools are named, too.  It allows nothing by itself. */
#define POLICY_SCOPE_NAMED	(UINT32_C(1) << 31)

/*
 * The team's tools that a credential names: a text with a blank before and after each name; empty: none.  What does
 * not fit is left out.
 */
#define POLICY_NAMED_BYTES	1023u
#define POLICY_NAMED_MAX	24u

struct policy_named {
	char	text[POLICY_NAMED_BYTES + 1];
};

bool policy_named_has(const char *named, struct span name);

/* False: it is no name of a tool, or there is no room. */
bool policy_named_add(struct policy_named *to, struct span name);

/* Add those that a text of scopes names, with blanks between them. */
void policy_named_read(struct policy_named *to, struct span scopes);

/* The next name from *at on, which begins as a text of names.  False: the text has no more. */
bool policy_named_next(const char **at, struct span *name);

/* Keep the names that are in both. */
void policy_named_limit(struct policy_named *to, const char *other);
void policy_named_join(struct policy_named *to, const char *other);
void policy_named_drop(struct policy_named *from, const char *other);
bool policy_named_within(const char *some, const char *all);

/* Append "tools:a tools:b", behind a blank if out has scopes already. */
void policy_named_text(const char *named, struct buf *out);

/* The bit of "research:read"; 0 if there is no such scope. */
uint32_t policy_scope_named(struct span name);

/* Append "research:read research:query" for a mask to out, space-separated. */
void policy_scopes_text(uint32_t scopes, struct buf *out);

/* The same as a JSON array of strings. */
void policy_scopes_json(uint32_t scopes, struct buf *out);

enum policy_role {
#define ROLE(name, text, mask)	POLICY_ROLE_##name,
#include "policy/scopes.def"
#undef ROLE
};

/* "viewer" */
const char *policy_role_name(enum policy_role role);

/* Append "viewer, contributor or admin". */
void policy_roles_text(struct buf *out);

/* The maximum for a user of the role "viewer"; 0 if there is no such role. */
uint32_t policy_role_scopes(struct span name);
