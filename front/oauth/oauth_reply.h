/*
 * oauth_reply - what the pages and the endpoints of OAuth are answered with.  Each of these sends the reply and ends
 * the request.
 */
#pragma once

#include "base/json/document.h"
#include "front/oauth/oauth_request.h"
#include "front/wire/template.h"
#include "ipc/messages.h"

/* The parts of a page. */
struct oauth_page {
	int				 status;
	const char			*title, *page;		/* the text of its template */
	const struct template_value	*values;		/* in addition to base and csrf, which every page has */
	size_t				 nvalues;
	struct span			 redirect;		/* its forms may lead there as well; empty: nowhere */
	unsigned			 retry_after;		/* seconds; 0: not said */
};

void oauth_reply_page(struct oauth_request *r, const struct oauth_page *page);

/* {"error":…,"error_description":…} */
void oauth_reply_error(struct oauth_request *r, int status, const char *error, struct span description,
    unsigned retry_after);

/* A page that says what is wrong, or, for a client that does not accept HTML, oauth_reply_error(). */
void oauth_reply_wrong(struct oauth_request *r, int status, const char *error, struct span description,
    unsigned retry_after);

/* 403: the request's form is of no page of ours.  It is on record before it is answered. */
void oauth_reply_forged(struct oauth_request *r, struct span description);

/* Refuse the request in conn_refuse()'s form. */
void oauth_reply_refuse(struct oauth_request *r, int status, enum err_code code, const char *message);

/* Of what carrel-auth answered, or, with answered NULL, did not answer: 429 and 503 alike at every endpoint. */
void oauth_reply_unavailable(struct oauth_request *r, bool page);

/* The document is freed. */
void oauth_reply_json(struct oauth_request *r, int status, cJSON *document);

/* Redirect to a URL: 302, after a POST 303. */
void oauth_reply_redirect(struct oauth_request *r, struct span location);

/* Redirect to a path of this server, appended to the issuer. */
void oauth_reply_to_own(struct oauth_request *r, const char *path, struct span query_value);

/*
 * Append what the Content-Security-Policy names for this redirect: its origin, or its scheme.  Nothing for what could
 * mean something else there.
 */
void oauth_reply_put_source(struct buf *out, struct span redirect);
