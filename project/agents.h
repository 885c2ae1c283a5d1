/*
 * agents - the clients that Carrel knows: where their configuration is, and what an entry for this server looks like
 * there.  Entries refer to a token and never hold one.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum agent_scope { AGENT_GLOBAL, AGENT_LOCAL, AGENT_PROJECT, AGENT_NSCOPES };

/* "global", … and back; AGENT_NSCOPES: no such scope. */
const char *agent_scope_name(enum agent_scope scope);
enum agent_scope agent_scope(const char *name);

/* The form in which the client expects a skill. */
enum agent_skill { SKILL_NONE, SKILL_MD, SKILL_CURSOR, SKILL_COMMAND };

/* The form of an entry. */
enum agent_form {
	FORM_TYPED,		/* {"type": "http", "url"} or {"type": "stdio", "command", "args"} */
	FORM_PLAIN,		/* the same without a type */
	FORM_WINDSURF,		/* {"serverUrl"} */
	FORM_GEMINI,		/* {"httpUrl"}; "url" would be HTTP+SSE */
	FORM_OPENCODE,		/* {"type": "remote", "url"} or {"type": "local", "command": […]} */
	FORM_TOML		/* a table of a TOML file */
};

/*
 * The files for one scope.  "~/" is the home directory, "$CODEX_HOME/" and "$XDG_CONFIG_HOME/" those variables or
 * ~/.codex and ~/.config; otherwise relative to the project, or to the directory given by --dir.
 */
struct agent_place {
	const char	*config;	/* the file that is written; NULL: none */
	const char	*skill;		/* with one %s for the skill's name; NULL: none */
	bool		 supported;
	const char	*other;		/* used instead if it exists and config does not; NULL: none */
};

struct agent_target {
	const char		*name, *label;
	enum agent_skill	 dress;
	enum agent_form		 form;
	const char		*member;	/* the member of its file that has the servers */
	const char		*bearer;	/* its notation for a variable in a header; NULL: none, stdio is used */
	bool			 comments;	/* its JSON may hold comments */
	bool			 bundle;	/* gets a ZIP file */
	bool			 global;	/* servers are usually in the user's own settings */
	const char		*next;		/* what the user does next */
	struct agent_place	 places[AGENT_NSCOPES];
};

const struct agent_target *agent_target(const char *name);

/* The names of all, "a, b or c". */
void agent_target_names(struct buf *out);

/* The content of an entry. */
struct agent_server {
	const char	*url, *program, *project_dir;
	bool		 stdio;		/* the client starts it, instead of connecting to the daemon */
	const char	*token_file;	/* the token file of a server that the client starts; NULL: none */
	bool		 token;		/* clients must send a token; entries name the variable, never the token */
};

/* The entry of a target: compact JSON, or the lines of its TOML table, header included. */
void agent_entry(const struct agent_target *t, const struct agent_server *s, const char *name, struct buf *out);

/* The text to print for a target that has no file. */
void agent_snippet(const struct agent_server *s, struct buf *out);
