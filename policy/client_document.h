/*
 * client_document - client-id metadata documents: which id of a client is the URL of one, and at which addresses
 * carrel-fetch may look for it.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/system/net.h"
#include "base/span.h"

#define CLIENT_DOCUMENT_URL	2048u	/* bytes */
#define CLIENT_DOCUMENT_BYTES	65536u	/* of a document */
#define CLIENT_DOCUMENT_MS	5000u	/* for all of a fetch */
#define CLIENT_DOCUMENT_PORT	443u
#define CLIENT_DOCUMENT_KEEP_S	300u	/* at least, whatever its headers say */
#define CLIENT_DOCUMENT_KEEP_MAX_S	86400u	/* at most */

/*
 * Whether id is https://, the name of a host with a dot, no port and no user, and a path without dot segments; no
 * fragment.  *host is then the host's part.
 */
bool client_document_url(struct span id, struct span *host);

/* Whether it is the address of a host that anybody on the Internet may reach: nothing private, special or local. */
bool client_document_address(const uint8_t address[NET_ADDRESS]);
