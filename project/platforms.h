/*
 * platforms - instructions for connecting programs to the published data: the steps, the configuration and its file,
 * and the text for a model.  Used by the connectivity tools and the command line.  Contains no token.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum platform_way { PLATFORM_FILE, PLATFORM_APP, PLATFORM_ACTIONS, PLATFORM_REST, PLATFORM_PROMPT };

struct platform {
	const char		*name, *label;
	enum platform_way	 way;
	const char		*agent;		/* its row in agents.h; NULL: none */
	const char		*linux_file, *macos_file, *windows_file;	/* NULL: it has none */
	const char		*keep, *restart, *check, *trouble;
};

#define PLATFORMS	13u

extern const struct platform platforms[PLATFORMS];

/* NULL: there is no such platform. */
const struct platform *platform_named(struct span name);

/* The names of all, "a, b or c". */
void platform_names(struct buf *out);

/* A published dataset in the text for a model. */
struct platform_dataset {
	struct span	id, name, description;	/* description empty: none */
	uint64_t	rows;
	bool		rows_known;
};

/* The facts about this server and its tokens for a guide. */
struct platform_server {
	const char	*url;		/* its origin, without a slash at its end */
	const char	*project_dir;
	bool		 enabled;	/* connectivity is on */
	bool		 oauth;
	/* the token to use; NULL: one is still to be made */
	const char	*token_id, *token_state;	/* state: "pending" or "active" */
	const struct platform_dataset *datasets;
	size_t		 ndatasets;
};

/* The origin that clients reach a server by: public_url, or http:// with the address it listens on. */
void platform_origin(const char *public_url, const char *host, unsigned port, struct buf *out);

/* The configuration, as it is written in the file or entered. */
void platform_config(const struct platform *p, const struct platform_server *s, struct buf *out);

/* The result of connectivity_generate_setup (tools.md, section 6), as a msgpack map. */
void platform_guide(const struct platform *p, const struct platform_server *s, struct buf *out);

/*
 * Instructions for a model that works with the published data, as Markdown.  p: the platform it runs on, which has
 * the tools; NULL, and a platform without MCP: it uses HTTP.
 */
void platform_prompt(const struct platform *p, const struct platform_server *s, struct buf *out);
