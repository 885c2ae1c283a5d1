/* ssh_reason - what ssh complained of, in a sentence that says what to do. */
#pragma once

#include "base/buf.h"
#include "ipc/messages.h"

/*
 * said: what ssh wrote on its standard error, a server's words possibly among it.  Of several complaints the most
 * telling counts; of none that is known the last line is quoted, without control characters.
 */
void ssh_reason(struct span said, const struct ipc_configure_tunnel *m, struct buf *out);

/* Whether a line says that the SSH server did not let a connection through to the database server; ssh goes on. */
bool ssh_reason_is_channel(struct span line);
