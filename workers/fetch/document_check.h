/* document_check - checks a client-id metadata document. */
#pragma once

#include "workers/fetch/fetch.h"

/*
 * Check that body is a client's document for url: its name (may be empty) and its redirects (msgpack: array of str),
 * both borrowed from storage, which then holds msgpack.  -1 with *err.
 */
int fetch_read_document(struct span body, struct span url, struct buf *storage, struct span *name, struct span *redirects,
    struct err *err);

/* The lifetime in seconds from the values of Cache-Control and Age, within our bounds. */
uint64_t document_keep(struct span cache_control, uint64_t age_s);
