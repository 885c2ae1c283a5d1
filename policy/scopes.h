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
