/*
 * hostile - messages of a compromised process, and the outcome each must
 * have.  Pure; the table is hostile.def, supervisor/verify/verify_peer.c and
 * verify_household.c send the messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/profiles.h"
#include "policy/tools.h"

enum hostile_number {
#define HOSTILE(NAME, number, ...)	HOSTILE_##NAME = number,
#include "policy/hostile.def"
#undef HOSTILE
};

#define HOSTILE_PROBE_FIRST	200u	/* PROBE with this number or a higher one means a row of hostile.def */

enum hostile_hearer { HOSTILE_TO_WORKER, HOSTILE_TO_FRONT, HOSTILE_TO_SUPERVISOR };
enum hostile_end { HOSTILE_DENIED, HOSTILE_CUT, HOSTILE_ALONE, HOSTILE_KEPT };

struct hostile {
	unsigned		 number;
	const char		*name;		/* "NO_PROOF" */
	enum hostile_hearer	 hearer;
	enum hostile_end	 end;
	const char		*what;		/* %s stands for a tool's name */
};

/* All rows in the order of hostile.def, number 0 last. */
extern const struct hostile hostile_rows[];

/*
 * The workers that send FRONT rows.  They send them while they serve a call of
 * the owner's; the one without a tool may ask for nothing: it asks under another role's
 * name, and has to be cut off.
 */
struct hostile_peer {
	enum ipc_role	 role;
	const char	*tool;		/* of its own, that the owner calls; NULL: none */
	const char	*ontology;	/* its arguments; NULL: not given */
	const char	*question;
};

#define HOSTILE_PEERS	4u
extern const struct hostile_peer hostile_peers[HOSTILE_PEERS];

/* "scope_denied", "cut off", "ends alone", "log kept". */
const char *hostile_end_name(enum hostile_end end);

/*
 * Whether a row is tried with this tool.  role: the worker that receives it
 * (WORKER) or sends it (FRONT).  tool is NULL for rows without one.
 */
bool hostile_concerns(const struct hostile *h, const struct policy_tool *tool, enum ipc_role role);

/* Whether the process of this profile sends the row to the front or the supervisor. */
bool hostile_speaks(const struct hostile *h, const struct policy_profile *p);

/* The role of a profile's process; IPC_NOBODY: it is no child of the supervisor. */
enum ipc_role hostile_role(const struct policy_profile *p);

/* The first profile of the role: of SQL workers one stands for all, whichever database it is for. */
const struct policy_profile *hostile_profile(enum ipc_role role);

/* The number of messages that `carrel sandbox verify` tries, over all processes. */
size_t hostile_count(void);
