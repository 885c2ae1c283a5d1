/*
 * messages - typed messages between our own processes.
 *
 * A message is one row of messages.def.  On the wire it is a fixed header
 * (ipc/frame.h) followed by one msgpack array holding the fields in table
 * order.  There are no field names on the wire, hence no unknown and no
 * duplicate fields to reject: the array has the right length and types or the
 * peer is broken.
 *
 * Trust: the peer may be compromised.  Nothing received is used before
 * ipc_unpack() has accepted it, and ipc_unpack() never allocates.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"
#include "ipc/contract.h"
#include "ipc/role.h"

#define IPC_SMALL	4096u			/* labels, reasons */
#define IPC_CONNECTION_MAX	128u			/* a connection's id */
#define IPC_ARGS_MAX	(4u << 20)		/* arguments of one call: a whole HTTP body */
#define IPC_CHUNK_MAX	(64u * 1024)		/* a ROWS chunk aims at this */
#define IPC_RAW_MAX	(9u << 20)		/* one result, or one row beyond the chunk aim */
#define IPC_SNAPSHOT_MAX	256u
#define IPC_TEXTS_MAX	4096u			/* a bit for each column, more than databases have */
#define IPC_DOCTOR_MAX	(128u * 1024)		/* what `carrel doctor` finds */
#define IPC_CONTROL_MAX	(160u * 1024)		/* one SEQPACKET message; default wmem carries it */
#define IPC_BODY_MAX	(10u << 20)		/* any data-channel body */
#define IPC_TICKET_MAX	512u			/* what a run keeps, to ask for its caller by */
#define IPC_CLAIMS_MAX	8192u			/* what is known of a principal */
#define IPC_ASK_STATE_MAX 4096u			/* what a worker leaves with the front while the client is asked */

/* The values of fields: enum ipc_attach_kind { IPC_ATTACH_LISTENER = 1, …, IPC_ATTACH_LOW, IPC_ATTACH_HIGH }, … */
#define IPC_WORD(WORD, value, ...)	IPC_##WORD = (value),
#define IPC_WORD_BIT(WORD, value, ...)	| (value)
#define VOCABULARY(NAME, name, first, last)				\
	enum ipc_##name { WORDS_##NAME(IPC_WORD) IPC_##NAME##_LOW = IPC_##first, IPC_##NAME##_HIGH = IPC_##last };
#define MASK(NAME, name)						\
	enum ipc_##name { WORDS_##NAME(IPC_WORD) IPC_##NAME##_ALL = 0 WORDS_##NAME(IPC_WORD_BIT) };
#define MESSAGE(...)
#include "ipc/messages.def"
#undef MESSAGE
#undef MASK
#undef VOCABULARY
#define IPC_LEVELS	(IPC_LEVEL_HIGH + 1)
#define IPC_OUTSIDES	(IPC_OUTSIDE_HIGH + 1)

/* "ready", …; NULL for no state. */
const char *ipc_pool_state_name(enum ipc_pool_state state);

/* Why a frame was refused.  Zero is success; each value has its own test. */
enum ipc_fault {
	IPC_OK = 0,
	IPC_TRUNCATED,		/* the body ends inside a value */
	IPC_TRAILING,		/* bytes after the one value */
	IPC_TOO_DEEP,
	IPC_BAD_TYPE,		/* ext, reserved byte, or not what the row says */
	IPC_BAD_UTF8,
	IPC_OUT_OF_RANGE,	/* field outside its low..high */
	IPC_NOT_ALLOWED,	/* known message, wrong sender or receiver */
	IPC_UNKNOWN,		/* no such message number */
	IPC_TOO_LONG,		/* header promises more than IPC_BODY_MAX */
	IPC_OUT_OF_STATE,	/* known message, not at this point of the conversation */
	IPC_STRAY_FD		/* a descriptor came where the table has none, or none where it has one */
};

const char *ipc_fault_name(enum ipc_fault fault);

enum ipc_type {
#define MESSAGE(NAME, name, number, sender, receiver)	IPC_MSG_##NAME = number,
#include "ipc/messages.def"
#undef MESSAGE
};

/*
 * Kinds of field.  Spans point into the frame that was unpacked and die with
 * it; copy into a request's arena to keep them longer.
 */
#define IPC_C_U64(field)	uint64_t field;
#define IPC_C_STR(field)	struct span field;	/* UTF-8 text */
#define IPC_C_BIN(field)	struct span field;	/* bytes */
#define IPC_C_RAW(field)	struct span field;	/* one whole msgpack value */
#define IPC_MEMBER(T, kind, field, low, high)	IPC_C_##kind(field)
#define MESSAGE(NAME, name, number, sender, receiver)			\
	struct ipc_##name { FIELDS_##NAME(IPC_MEMBER, ) };
#include "ipc/messages.def"
#undef MESSAGE

/* Room for any message. */
union ipc_any {
#define MESSAGE(NAME, name, number, sender, receiver)	struct ipc_##name name;
#include "ipc/messages.def"
#undef MESSAGE
};

/*
 * Decode body as message type, sent by a process with role from to one with
 * role to.  On IPC_OK fills *msg, a struct ipc_<name> of msg_size bytes,
 * whose spans borrow from body.  On any fault *msg is untouched.
 */
enum ipc_fault ipc_unpack(unsigned type, enum ipc_role from, enum ipc_role to,
    struct span body, void *msg, size_t msg_size);

/* The same of whatever type it is, into msg-><name>. */
enum ipc_fault ipc_unpack_any(unsigned type, enum ipc_role from, enum ipc_role to, struct span body,
    union ipc_any *msg);

/*
 * Append msg, a struct ipc_<name>, to out as a body.  Returns 0, or -1 when it
 * does not fit or a field breaks its own row (out is then as before): a
 * sender is held to the same table as a receiver.
 */
int ipc_pack(unsigned type, const void *msg, struct buf *out);

/* "CALL", for logs and traces; never NULL. */
const char *ipc_type_name(unsigned type);

/*
 * What HELLO says of the program's build: a digest of messages.def, its vocabularies included.  Programs of two
 * versions do not talk: the supervisor does not restart a child of another one.
 */
uint64_t ipc_version(void);

enum ipc_kind { IPC_KIND_U64, IPC_KIND_STR, IPC_KIND_BIN, IPC_KIND_RAW };

struct ipc_field {
	const char	*name;
	enum ipc_kind	 kind;
	size_t		 offset;
	uint64_t	 low, high;	/* value of a U64, byte length of the others */
};

struct ipc_schema {
	const char		*name;
	unsigned		 type, from, to;
	size_t			 size, nfields;
	const struct ipc_field	*fields;
	size_t			 body_max;	/* no longer body can fit the row */
};

const struct ipc_schema *ipc_schema(unsigned type);	/* NULL: unknown */
size_t ipc_schema_count(void);
const struct ipc_schema *ipc_schema_at(size_t i);
