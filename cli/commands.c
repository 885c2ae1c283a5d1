/* commands.c - every command there is, in the order of the help. */
#include <limits.h>

#include "cli/agents/cmd_agents.h"
#include "cli/args.h"
#include "cli/admin/cmd_admin.h"
#include "cli/research/cmd_ask.h"
#include "cli/audit/cmd_audit.h"
#include "cli/audit/cmd_audit_log.h"
#include "cli/audit/cmd_audit_verify.h"
#include "cli/admin/cmd_client.h"
#include "cli/cmd_cluster.h"
#include "cli/sync/cmd_sync.h"
#include "cli/cmd_connection.h"
#include "cli/cmd_connection_edit.h"
#include "cli/admin/cmd_connectivity.h"
#include "cli/cmd_engine.h"
#include "cli/cmd_init.h"
#include "cli/research/cmd_import_tools.h"
#include "cli/research/cmd_knowledge.h"
#include "cli/export/cmd_export.h"
#include "cli/research/cmd_memory.h"
#include "cli/research/cmd_research.h"
#include "cli/audit/cmd_sandbox.h"
#include "cli/cmd_scan.h"
#include "cli/research/cmd_sl.h"
#include "cli/admin/cmd_state.h"
#include "cli/research/cmd_sl_new.h"
#include "cli/research/cmd_sl_query.h"
#include "cli/admin/cmd_token.h"
#include "cli/research/cmd_tool.h"
#include "cli/admin/cmd_user.h"
#include "cli/research/cmd_wiki.h"
#include "cli/completion/cmd_completion.h"
#include "cli/daemon/cmd_logs.h"
#include "cli/daemon/cmd_mcp.h"
#include "cli/daemon/cmd_status.h"
#include "cli/daemon/cmd_stdio.h"
#include "cli/datasets/cmd_dataset.h"
#include "cli/datasets/cmd_document.h"
#include "cli/doctor/cmd_doctor.h"
#include "cli/remote/cmd_login.h"

#define CONNECTION	{ "connection", 'c', "CONNECTION", "may be left out when there is only one" }

static const struct option sandbox_options[] = {
	{ "verbose", 'v', NULL, "every act, also those that were refused" },
	OPTION_END
};

static const struct option init_options[] = {
	{ "demo", 0, NULL, "with a filled warehouse, semantic layer and wiki, scanned and ready to serve" },
	{ "engine", 0,   "DEMO", "of the demo's warehouse: sqlite, or duckdb where its library is" },
	{ "url",    0,   "URL",  "with the database of this server, scanned: env:NAME, file:PATH, or a URL without password" },
	{ "path",   0,   "FILE", "with the database in this file, scanned" },
	{ "name",   0,   "NAME", "name of the connection; default: that of the file or database, or db" },
	{ "schema", 's', "NAME", "a schema to read; may be repeated" },
	{ "schemas", 0, "NAMES", "the same with commas between: public,sales" },
	{ "all-schemas", 0, NULL, "every schema that has tables now; asks the database" },
	OPTION_END
};

/* Behind the first comma. */
static const char driver_which[] = ""
#define DRIVER(name)	", " #name
#define LISTED(name, type, shard)
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED
    "; may be left out with --path, --files or --url";

static const struct option add_options[] = {
	{ "driver",   0,   "DRIVER", driver_which + 2 },
	{ "path",     0,   "FILE",   "the database file" },
	{ "files",    0,   "PATTERN",
	    "one table, as 'data/*.parquet', or a directory: a table a file; may be repeated" },
	{ "url",      0,   "URL",    "a server: env:NAME, file:PATH, or a URL without a password" },
	{ "host",     0,   "HOST",   "a server: host name or directory of the socket" },
	{ "port",     'p', "N",      "a server: the port; default: the engine's usual one" },
	{ "database", 0,   "NAME",   "a server: the database" },
	{ "user",     'u', "NAME",   "a server: the account; a read-only one is best" },
	{ "password", 0,   "REF",    "a server: env:NAME or file:PATH; never the password itself" },
	{ "password-stdin", 0, NULL, "a server: read the password from standard input and keep it in .carrel/secrets" },
	{ "schema",   's', "NAME",   "a schema to read; may be repeated" },
	{ "schemas",  0,   "NAMES",  "the same with commas between: public,sales" },
	{ "all-schemas", 0, NULL,    "every schema that has tables now; asks the database" },
	{ "workers",  0,   "N",      "processes that serve it; default: 2" },
	{ "set",      0,   "KEY=VALUE", "another key of its driver, see `carrel doctor --config-reference`; may be repeated" },
	OPTION_END
};

static const struct option engine_options[] = {
	{ "from",  0, "FILE", "the library, or the npm package that contains it (required)" },
	{ "trust", 0, NULL,   "accept a build that Carrel does not know; its code will run in the workers" },
	OPTION_END
};

static const struct option grants_options[] = {
	{ "to", 0, "ROLE", "the database role; default: carrel_reader" },
	OPTION_END
};

static const struct option scan_options[] = {
	{ "deep", 0, NULL, "also sample the columns' values, for `carrel values`, and infer relationships" },
	{ "schemas", 0, "NAMES", "serve these schemas from now on, with commas between; kept in carrel.yaml" },
	{ "all-schemas", 0, NULL, "serve every schema that has tables now; kept in carrel.yaml" },
	OPTION_END
};

static const struct option start_options[] = {
	{ "port",           'p', "N",      "listen there; 0: any free port" },
	{ "host",           0,   "HOST",   "listen on that address; one that is not loopback needs tokens" },
	{ "token",          0,   "T",      "the static token; visible to every user of this machine, better:" },
	{ "token-file",     0,   "FILE",   "read the static token from a file only you can read" },
	{ "allowed-host",   0,   "H",      "accept this Host header, too; may be repeated" },
	{ "allowed-origin", 0,   "URL", "accept this browser origin, too; may be repeated" },
	{ "foreground",     0,   NULL,     "stay in the foreground, log to stderr" },
	OPTION_END
};

static const struct option logs_options[] = {
	{ "follow", 'F', NULL, "keep printing new lines as they are written" },
	{ "lines",  'n', "N",  "start with the last N lines; default: 100, 0: none" },
	{ "calls",  0,   NULL, "show the call log, a line per call, instead of the log of the processes" },
	OPTION_END
};

static const struct option stdio_options[] = {
	{ "url",    0,   "URL",  "without a project: serve the database at this server, env:NAME, file:PATH, or a URL without a password" },
	{ "path",   0,   "FILE", "without a project: serve the database in this file" },
	{ "name",   0,   "NAME", "name of the connection; default: that of the file or database, or db" },
	{ "schema", 's', "NAME", "a schema to read; may be repeated" },
	{ "schemas", 0, "NAMES", "the same with commas between: public,sales" },
	{ "all-schemas", 0, NULL, "every schema that has tables now; asks the database" },
	{ "token", 0, "T", "speak for this token instead of for yourself" },
	{ "token-file", 0, "FILE", "the same, read from a file only you can read" },
	OPTION_END
};

static const struct option login_options[] = {
	{ "token",  0, NULL,    "print an access token for the server, for use in scripts" },
	{ "scopes", 0, "SCOPES", "scopes to ask for, separated by spaces; default: all that your role allows" },
	{ "client", 0, "ID",    "a client that is registered there, if clients cannot register themselves" },
	OPTION_END
};

static const struct option status_options[] = {
	{ "clear-quarantine", 0, NULL, "allow statements again that were blocked because they crashed workers" },
	OPTION_END
};

static const struct option discover_options[] = {
	{ "connection", 'c', "CONNECTION", "only this one" },
	{ "kind",       'k', "KIND", "only these: wiki, sl_source, sl_measure, sl_dimension, table, column; may be repeated" },
	{ "limit",      'n', "N",    "at most N results, up to 50; default: the best ten" },
	{ "explain",    0,   NULL,   "explain the rank of each result" },
	OPTION_END
};

static const struct option details_options[] = {
	CONNECTION,
	{ "column", 0, "NAME", "only this column; may be repeated" },
	OPTION_END
};

static const struct option values_options[] = {
	{ "connection", 'c', "CONNECTION", "only this one" },
	{ "limit",      'n', "N",    "at most N matches per value; default: 50" },
	OPTION_END
};

static const struct option sql_options[] = {
	CONNECTION,
	{ "file", 'f', "FILE", "read the statement from this file; -: standard input" },
	{ "max-rows", 'n', "N", "at most N rows; default: 1000" },
	OPTION_END
};

static const struct option ask_options[] = {
	{ "ontology", 0, "ONTOLOGY", "which semantic layer, by name or id; needed where there are several" },
	{ "trace",    0, NULL, "show how each phase read the question" },
	{ "examples", 0, NULL, "ask questions that this project's semantic layer can answer" },
	{ "html",     0, "FILE", "write the answer, with chart and rows, as one HTML file; -: standard output" },
	{ "svg",      0, "FILE", "write the chart as one SVG file; -: standard output" },
	OPTION_END
};

static const struct option wiki_options[] = {
	{ "limit", 'n', "N", "at most N pages; default: 10" },
	OPTION_END
};

static const struct option sl_options[] = {
	CONNECTION,
	OPTION_END
};

static const struct option sl_search_options[] = {
	{ "connection", 'c', "CONNECTION", "only this one" },
	{ "limit",      'n', "N",    "at most N results, up to 50; default: the best ten" },
	OPTION_END
};

static const struct option sl_query_options[] = {
	CONNECTION,
	{ "measure",    'm', "MEASURE", "source.measure, or an expression, or NAME=EXPRESSION; may be repeated" },
	{ "dimension",  'd', "COLUMN",  "source.column, or source.column:month (hour, day, week, …); may be repeated" },
	{ "filter",     'w', "SQL",     "a condition on rows or on measures; may be repeated" },
	{ "segment",    0,   "SEGMENT", "source.segment; may be repeated" },
	{ "order-by",   0,   "FIELD",   "a measure or dimension of the query, with :desc for the largest first; may be repeated" },
	{ "limit",      'n', "N",       "at most N rows; default: 1000" },
	{ "include-empty", 0, NULL,     "keep groups without measured rows (the default)" },
	{ "no-empty",   0,   NULL,      "drop groups without measured rows" },
	{ "file",       'f', "FILE",    "the whole query as JSON, as sl_query takes it; -: standard input" },
	{ "sql",        0,   NULL,      "also show the SQL" },
	{ "compile-only", 0, NULL,      "show the SQL, and do not run it; works while the database is down" },
	OPTION_END
};

static const struct option sl_validate_options[] = {
	{ "connection", 'c', "CONNECTION", "only this one" },
	{ "live",       0,   NULL,   "also run every source and measure on the database, with LIMIT 0" },
	OPTION_END
};

static const struct option toolbox_options[] = {
	{ "source", 0, "NAME=CONNECTION", "the connection to use for a source of the file; may be repeated" },
	OPTION_END
};

static const struct option try_options[] = {
	{ ARGS_ANY, 0, "VALUE", "the value of a parameter, as --region EU; may be repeated" },
	OPTION_END
};

static const struct option ingest_options[] = {
	{ "connection", 'c', "CONNECTION", "what the text is about; without it no formula becomes a measure" },
	{ "fail-fast", 0, NULL, "stop at the first file that fails; otherwise the others are still ingested" },
	OPTION_END
};

static const struct option knowledge_options[] = {
	CONNECTION,
	{ "dry-run", 0, NULL, "write nothing; show what would change, as differences of files" },
	{ "review", 0, NULL, "propose the changes: `carrel memory approve RUN` makes them" },
	{ "project", 0, "NAME", "name of the import; default: the name in its files, else that of their directory" },
	OPTION_END
};

static const struct option export_options[] = {
	CONNECTION,
	{ "out", 0, "DIR", "write the file into this directory, not to standard output" },
	OPTION_END
};

static const struct option log_options[] = {
	{ "limit", 'n', "N", "at most N runs; default: 20" },
	OPTION_END
};

static const struct option audit_options[] = {
	{ "layer", 0, "LAYER", "every input with the verdict of one layer: parser, functions, session or account" },
	{ "verbose", 'v', NULL, "every input, with the verdict of each layer" },
	OPTION_END
};

static const struct option tail_options[] = {
	{ "limit",  'n', "N",  "the newest N entries; default: 20" },
	{ "follow", 'F', NULL, "then print new entries, one per line, as `carrel audit export` does" },
	OPTION_END
};

#define ALL_NODES_OPTION { "all-nodes", 0, NULL, "of every node that shares the state store, from the copies there" }

#define TIME_OPTIONS									\
	{ "since", 0, "TIME", "entries since then: 90s, 15m, 2h or 7d ago, or 2026-01-31T12:00:00Z" }, \
	{ "until", 0, "TIME", "entries before then, in the same form" }

static const struct option search_audit_options[] = {
	TIME_OPTIONS,
	{ "principal", 0, "ID", "who asked: local:UID, static, token:ID or user:NAME" },
	{ "action",  0, "A",    "what was done, like mcp.tool.call, auth or token.create" },
	{ "target",  0, "T",    "on what: a tool, the URI of a resource, or a prompt" },
	{ "outcome", 0, "O",    "ok, refused, error or cancelled" },
	{ "code",    0, "C",    "the error code, like forbidden_sql" },
	{ "text",    0, "S",    "entries whose text contains this" },
	{ "limit", 'n', "N",    "the newest N; default: 50" },
	ALL_NODES_OPTION,
	OPTION_END
};

static const struct option verify_audit_options[] = {
	{ "file", 'f', "FILE", "check an export instead of the store, -: standard input; needs no project" },
	ALL_NODES_OPTION,
	OPTION_END
};

static const struct option show_audit_options[] = {
	ALL_NODES_OPTION,
	OPTION_END
};

static const struct option export_audit_options[] = {
	TIME_OPTIONS,
	{ "output", 'o', "FILE", "write to this file; default: standard output" },
	{ "node", 0, "NAME", "the copy of this node's audit, from the state store that nodes share" },
	OPTION_END
};

static const struct option agents_options[] = {
	{ "target", 't', "CLIENT", "claude-code, cursor, claude-desktop, codex, opencode, vscode, gemini, windsurf, zed or universal; may be repeated" },
	{ "scope",  0,   "SCOPE",  "project, local or global; default: project, if the client has that scope" },
	{ "name",   0,   "NAME",   "name of the entry; default: carrel, or carrel-PROJECT if that is taken" },
	{ "dir",    0,   "DIR",    "where the agent works, for the scopes project and local; default: the project" },
	{ "stdio",  0,   NULL,     "have the client start Carrel itself, without a daemon" },
	{ "shared", 0,   "SHARED", "a file that the project shares, if a token is needed: write or skip it" },
	{ "remove", 0,   NULL,     "remove what this command wrote earlier" },
	{ "print",  0,   NULL,     "print what would be written, and write nothing" },
	OPTION_END
};

static const struct option publish_options[] = {
	{ "name",        0, "NAME", "name of the dataset; default: the table's" },
	{ "description", 0, "TEXT", "what it holds, shown in the list of datasets" },
	OPTION_END
};

static const struct option document_options[] = {
	{ "column", 0, "NAME", "take the texts of this column of the dataset as documents; may be repeated" },
	{ "drop", 0, "FILE", "remove the document of this name, or column:NAME" },
	{ "vectors", 0, NULL, "compute vectors for all passages that have none, with the endpoint of `embeddings`" },
	OPTION_END
};

static const struct option import_options[] = {
	{ "name",    0, "NAME",   "name of the dataset and of its table; default: the file's" },
	{ "input-format", 0, "IMPORT", "csv, tsv, json, jsonl, xlsx or parquet; default: detected" },
	{ "type",      0, "COLUMN=TYPE", "text, boolean, integer, decimal, date, timestamp, dmy, mdy; repeatable" },
	{ "delimiter", 0, "CHAR",   "field delimiter of delimited text, or tab; default: detected" },
	{ "decimal",   0, "CHAR",   "decimal sign of delimited text, . or ,; default: detected" },
	{ "encoding",  0, "NAME",   "encoding of a text file, as `iconv -l` lists them; default: detected" },
	{ "header",    0, "YESNO",  "yes or no: whether the first record names the columns; default: detected" },
	{ "sheet",     0, "NAME",   "sheet of a workbook, also a hidden one; default: the first visible one" },
	{ "replace", 0, NULL,     "replace the table that an earlier import made" },
	{ "publish", 0, NULL,     "publish the table, as `carrel dataset publish` does" },
	{ "strict",  0, NULL,     "import nothing if a single row is invalid" },
	OPTION_END
};

/* Behind the first comma. */
static const char role_must[] = ""
#define ROLE(NAME, name, scopes)	", " name
#include "policy/scopes.def"
    ", or one of auth.roles (required)";
static const char role_then[] = ""
#include "policy/scopes.def"
#undef ROLE
    ", or one of auth.roles, from now on";

static const struct option user_add_options[] = {
	{ "role",           'r', "RIGHTS", role_must + 2 },
	{ "claim",          0,   "NAME=VALUE", "a claim about the user for row security, as tenant=acme; may be "
	    "repeated (docs/identity.md)" },
	{ "password-stdin", 0,   NULL,     "read the password from standard input, its first line" },
	{ "password-file",  0,   "FILE",   "read the password from a file only you can read, its first line" },
	OPTION_END
};

static const struct option user_set_options[] = {
	{ "role",           'r', "RIGHTS", role_then + 2 },
	{ "claim",          0,   "NAME=VALUE", "replace all claims of the user by these; may be repeated; an empty "
	    "text removes them" },
	{ "disable",        0,   NULL,     "stop the user from signing in, and end open sessions" },
	{ "enable",         0,   NULL,     "let the user sign in again" },
	{ "password-stdin", 0,   NULL,     "set a new password, from standard input; open sessions end" },
	{ "password-file",  0,   "FILE",   "the same, from a file only you can read" },
	{ "sign-out",       0,   NULL,     "end every session and grant of the user" },
	OPTION_END
};

static const struct option client_add_options[] = {
	{ "name",     0,   "NAME", "the name that users are shown (required)" },
	{ "redirect", 0,   "URI",  "where users are sent back to; may be repeated (at least one)" },
	{ "id",       0,   "ID",   "the client's own id, or the URL of its document; default: a random id" },
	OPTION_END
};

static const struct option grants_of_options[] = {
	{ "user",   'u', "NAME", "only grants of this user" },
	{ "client", 0,   "ID",   "only grants to this client" },
	OPTION_END
};

static const struct option preferences_options[] = {
	{ "user", 'u', "NAME", "preferences of this user; default: your own" },
	OPTION_END
};

static const struct option token_options[] = {
	{ "label",     'l', "TEXT",     "what the token is for (required)" },
	{ "scopes",    0,   "SCOPES",   "separated by commas: ext:datasets, ext:schema, ext:search, ext:sql "
	    "(these four by default), ext:tools, research:read, research:query, or tools:NAME of one tool" },
	{ "expires",   'e', "DURATION", "lifetime, as 12h or 30d, or never; default: 90d" },
	{ "claim",     0,   "NAME=VALUE", "a claim about its holder for row security, as tenant=acme, or "
	    "user.name=NAME; may be repeated (docs/identity.md)" },
	{ "no-reveal", 0,   NULL,       "without a secret, until `carrel token reveal` makes one, within 24 hours" },
	OPTION_END
};

static const struct option token_list_options[] = {
	{ "all", 'a', NULL, "also those that ended more than 30 days ago" },
	OPTION_END
};

static const struct option setup_options[] = {
	{ "token", 0, "TOKEN", "the token it will use, by id or label; without it, the steps begin with creating one" },
	OPTION_END
};

static const struct option diagnose_options[] = {
	{ "output", 'o', "FILE", "write to this file; default: standard output" },
	OPTION_END
};

static const struct option prompt_options[] = {
	{ "platform", 0, "PLATFORM", "the program the model runs in: claude_desktop, claude_code, chatgpt_desktop, cursor, "
	    "codex, opencode, gemini, vscode, windsurf, zed, openai_custom_gpt, generic_rest or generic_llm" },
	OPTION_END
};

static const struct option doctor_options[] = {
	{ "config-schema", 0, NULL, "print the JSON Schema of the configuration, for editors, and nothing else" },
	{ "config-reference", 0, NULL, "print every configuration key with its default, and nothing else" },
	OPTION_END
};

static const struct option drain_options[] = {
	{ "end", 0, NULL, "send calls to the node again" },
	OPTION_END
};

static const struct option join_options[] = {
	{ "root-key-file", 0, "FILE", "a copy of another node's .carrel/signing.key" },
	OPTION_END
};

static const struct option sync_options[] = {
	{ "watch", 0, NULL, "repeat every sync.every_s seconds until interrupted" },
	OPTION_END
};

static const struct option migrate_options[] = {
	{ "to", 0, "REFERENCE", "the database to write to: env:NAME or file:PATH of its URL; default: this project" },
	{ "from", 0, "REFERENCE", "the database to read from, in the same form; default: this project" },
	OPTION_END
};

const struct command_section command_sections[] = {
	{ "Every day",
	    "init\0connection add\0scan\0mcp start\0setup-agents\0"
	    "ask\0discover\0sql\0status\0doctor\0" },
	{ "Projects and databases", "connection\0engine\0" },
	{ "The daemon", "mcp\0cluster\0state\0sync\0completion\0" },
	{ "Find, read and query", "details\0values\0sl\0wiki\0tool\0import-tools\0" },
	{ "Keep what is learned", "ingest\0import-knowledge\0export-knowledge\0memory\0" },
	{ "Publish datasets", "dataset\0token\0connectivity\0prompt\0" },
	{ "Users and clients", "user\0client\0key\0preferences\0admin\0login\0logout\0" },
	{ "Audit and protection", "audit\0audit-sql\0sandbox\0" },
	{ NULL, NULL }
};

#define MANY	CLI_WORDS_MAX
#define ANY	UINT_MAX	/* any number of files */

const struct command commands[] = {
	{ "init", "[DIR]", "create a project in DIR, or here",
	    "  carrel init --demo demo\n"
	    "  carrel init my-project --url env:WAREHOUSE_URL",
	    init_options, 0, 1, cmd_init, NULL },
	{ "connection add", "NAME [FILE]…", "add a connection to the configuration",
	    "A password never goes on the command line. Refer to it (--url env:WAREHOUSE_URL, --password\n"
	    "file:/run/secrets/pg), or leave it out: then it is asked for and kept in .carrel/secrets.\n\n"
	    "  carrel connection add shop --path shop.db\n"
	    "  carrel connection add research --files data/\n"
	    "  carrel connection add sales --files 'sales/*.parquet' --files events.csv\n"
	    "  carrel connection add warehouse --url env:WAREHOUSE_URL --schema public\n"
	    "  carrel connection add warehouse --host db.example.org --database shop --user reader",
	    add_options, 1, MANY, cmd_connection_add, NULL },
	{ "connection list", "", "show the connections and when they were scanned",
	    NULL, NULL, 0, 0, cmd_connection_list, "connections" },
	{ "connection test", "[CONNECTION]", "connect, and show what the account may do",
	    NULL, NULL, 0, 1, cmd_connection_test, NULL },
	{ "connection grants", "CONNECTION", "print GRANTs for a role that reads what the column policy allows",
	    "Nothing is run here. The script creates the role if it is missing, without a password. Run it\n"
	    "with psql as the owner of the tables:\n\n"
	    "  carrel connection grants warehouse --to analyst | psql",
	    grants_options, 1, 1, cmd_connection_grants, NULL },
	{ "connection edit", "CONNECTION", "change a connection: only the keys that are given",
	    "  carrel connection edit warehouse --url env:OTHER_URL\n"
	    "  carrel connection edit warehouse --schemas public,sales",
	    add_options, 1, 1, cmd_connection_edit, NULL },
	{ "connection remove", "CONNECTION", "remove a connection from the configuration; its scans are kept",
	    NULL, NULL, 1, 1, cmd_connection_remove, NULL },
	{ "engine add", "ENGINE", "install the library of a database engine for its workers",
	    "Known builds are recognised by their digest. It is put where `engines:` in carrel.yaml says, else\n"
	    "next to Carrel's programs.\n\n"
	    "  npm pack @duckdb/node-bindings-linux-x64@1.5.6-r.1      # or -linux-arm64\n"
	    "  carrel engine add duckdb --from duckdb-node-bindings-linux-x64-1.5.6-r.1.tgz",
	    engine_options, 1, 1, cmd_engine_add, NULL },
	{ "engine list", "", "show the libraries of database engines: version, path, which files they read",
	    NULL, NULL, 0, 0, cmd_engine_list, "engines" },
	{ "scan", "[CONNECTION]", "read the structure of one database, or of all, into the project",
	    NULL, scan_options, 0, 1, cmd_scan, NULL },
	{ "status", "", "show the project, its connections, the daemon and its workers",
	    "Exit status: always 0. For scripts: `carrel mcp status` exits with 3 if the daemon does not run,\n"
	    "`carrel doctor` with 1 if something is wrong.", status_options, 0, 0, cmd_status, NULL },
	{ "mcp start", "", "start the daemon and print its URL",
	    "A token may also come from the variable CARREL_MCP_TOKEN or from auth.token in carrel.yaml.",
	    start_options, 0, 0, cmd_mcp_start, NULL },
	{ "mcp stop", "", "stop the daemon",
	    NULL, NULL, 0, 0, cmd_mcp_stop, NULL },
	{ "mcp reload", "", "make the running daemon read its configuration again",
	    "Variables and files that it refers to are read again, too. Calls and connections that the change does\n"
	    "not concern are not interrupted.",
	    NULL, 0, 0, cmd_mcp_reload, NULL },
	{ "mcp restart", "", "stop the daemon and start it again, on the port it had",
	    "A token that was given by an option or variable must be given again; so must allowed hosts and origins.",
	    start_options, 0, 0, cmd_mcp_restart, NULL },
	{ "mcp status", "", "show whether the daemon runs, and where",
	    NULL, NULL, 0, 0, cmd_mcp_status, NULL },
	{ "mcp logs", "", "show the daemon's log",
	    "With --json each line is one JSON object, as it was written.",
	    logs_options, 0, 0, cmd_mcp_logs, NULL },
	{ "mcp stdio", "", "speak MCP on standard input and output, for clients that start their servers",
	    "With --url or --path the project is a private one below $XDG_STATE_HOME/carrel/projects,\n"
	    "made and scanned the first time.", stdio_options, 0, 0, cmd_mcp_stdio, NULL },
	{ "ask", "[QUESTION…]", "answer a question in plain language from the semantic layer",
	    "If it asks back, add the answer in brackets: [Time period: last quarter].\n"
	    "Exit status: 0 answered, 3 asked back, 4 not answered, 1 failed.\n"
	    "Example: carrel ask \"net revenue by country last quarter\"",
	    ask_options, 0, MANY, cmd_ask, NULL },
	{ "discover", "QUERY…", "find what is known about a topic: wiki pages, sources, measures, tables, columns",
	    NULL, discover_options, 1, MANY, cmd_discover, "refs" },
	{ "details", "TABLE…", "show tables with their columns and keys",
	    NULL, details_options, 1, 20, cmd_details, NULL },
	{ "values", "VALUE…", "find the columns in which values occur",
	    NULL, values_options, 1, 20, cmd_values, "results" },
	{ "sql", "[SQL…|-]", "run one statement that reads, given here, in a file or on standard input",
	    "Quote the statement if it has characters that the shell would interpret.\n\n"
	    "  carrel sql SELECT 1\n"
	    "  carrel sql \"SELECT count(*) FROM orders\"\n"
	    "  carrel sql -f report.sql --format csv >report.csv",
	    sql_options, 0, MANY, cmd_sql, "rows" },
	{ "wiki search", "QUERY…", "search the wiki",
	    NULL, wiki_options, 1, MANY, cmd_wiki_search, "results" },
	{ "wiki list", "", "list the wiki's pages",
	    NULL, NULL, 0, 0, cmd_wiki_list, "pages" },
	{ "wiki read", "KEY", "show a wiki page",
	    NULL, NULL, 1, 1, cmd_wiki_read, NULL },
	{ "sl search", "QUERY…", "search the semantic layer: sources, measures, dimensions",
	    NULL, sl_search_options, 1, MANY, cmd_sl_search, "refs" },
	{ "sl list", "", "list the semantic layer's sources",
	    NULL, sl_options, 0, 0, cmd_sl_list, "sources" },
	{ "sl read", "SOURCE", "show a source of the semantic layer",
	    NULL, sl_options, 1, 1, cmd_sl_read, NULL },
	{ "sl query", "", "ask the semantic layer for measures by dimensions",
	    "Example: carrel sl query -m orders.gross_revenue -d customers.segment -d orders.ordered_at:month",
	    sl_query_options, 0, 0, cmd_sl_query, "rows" },
	{ "sl new", "SOURCE", "write a commented first file for a scanned table, with measures proposed",
	    "Proposed are sums of amounts and quantities, and the number of rows; comments in the file explain what\n"
	    "else can be written. docs/first-measure.md continues from there.\n\n"
	    "  carrel sl new invoice",
	    sl_options, 1, 1, cmd_sl_new, NULL },
	{ "sl validate", "[SOURCE]", "find what is wrong with the semantic layer's files, or with one source",
	    NULL, sl_validate_options, 0, 1, cmd_sl_validate, NULL },
	{ "tool list", "", "list the tools that carrel.yaml defines: statements with parameters",
	    NULL, NULL, 0, 0, cmd_tool_list, "tools" },
	{ "tool try", "TOOL [PARAMETER=VALUE…]", "call a tool of carrel.yaml, also one that clients are not shown",
	    "If a parameter has the name of an option of this command, write PARAMETER=VALUE.\n\n"
	    "  carrel tool try revenue_by_region --region EU --since 2024-01-01",
	    try_options, 1, MANY, cmd_tool_try, "rows" },
	{ "import-tools toolbox", "FILE", "convert the tools of an MCP Toolbox configuration for carrel.yaml",
	    "Prints the tools of PostgreSQL, SQLite and MySQL sources whose statements pass the guard; the others are\n"
	    "named with the reason. A source is the connection of the same name, or the only one of its engine.\n\n"
	    "  carrel import-tools toolbox tools.yaml --source my-pg=warehouse >>carrel.yaml",
	    toolbox_options, 1, 1, cmd_import_toolbox, NULL },
	{ "ingest text", "[FILE…|TEXT|-]", "store what texts say in the wiki and the semantic layer",
	    "A text is Markdown: a heading that names one subject, then what should be known about it. Each file is\n"
	    "a run of its own. An argument that is not the name of a file is itself the text.\n\n"
	    "  carrel ingest text \"orders.freight is in cents\" --connection warehouse\n"
	    "  carrel ingest text notes/refunds.md --connection warehouse\n"
	    "  carrel ingest text notes/*.md --fail-fast",
	    ingest_options, 0, ANY, cmd_ingest_text, NULL },
	{ "import-knowledge", "ORIGIN PATH…", "import what a team wrote for another tool",
	    "ORIGIN is what PATH holds:\n"
	    "  dbt, metricflow, lookml, cube, osi   a project, its manifest, or files of it\n"
	    "  openmetadata, datahub                JSON exported from these catalogues\n"
	    "  queries                              statements that were run (.sql, or CSV of pg_stat_statements),\n"
	    "                                       whose joins are counted and proposed\n\n"
	    "Keys, joins, measures, descriptions and pages go into the semantic layer and the wiki; what has no place\n"
	    "there is skipped and named. A second run changes only what changed; your own files and edits are kept.\n\n"
	    "  carrel import-knowledge dbt ~/shop --dry-run\n"
	    "  carrel import-knowledge lookml ~/looker --connection warehouse\n"
	    "  carrel import-knowledge queries statements.csv",
	    knowledge_options, 2, ANY, cmd_import_knowledge, NULL },
	{ "export-knowledge", "STANDARD", "export the semantic layer for another tool",
	    "STANDARD is osi (Open Semantic Interchange, Apache Ossie) or metricflow. What the other tool\n"
	    "cannot express is left out and named on standard error.\n\n"
	    "  carrel export-knowledge osi --connection warehouse >warehouse.osi.yaml",
	    export_options, 1, 1, cmd_export_knowledge, NULL },
	{ "memory log", "", "show recent runs: what was to be kept, by whom, and the outcome",
	    NULL, log_options, 0, 0, cmd_memory_log, "runs" },
	{ "memory show", "RUN", "show a run: its text, its signals, and every file before and after",
	    NULL, NULL, 1, 1, cmd_memory_show, NULL },
	{ "memory approve", "RUN", "apply what a run proposed (memory.review: required)",
	    NULL, NULL, 1, 1, cmd_memory_approve, NULL },
	{ "memory revert", "RUN", "undo a run's changes, unless a file was changed since",
	    NULL, NULL, 1, 1, cmd_memory_revert, NULL },
	{ "dataset import", "FILE", "import a file as a table, into the project's own database of imports",
	    "Delimiter, quotes, encoding, header and the types of the columns are detected from the whole file;\n"
	    "options override them. Rows that could not be imported are listed with their lines; an interrupted import\n"
	    "leaves nothing behind. With --json the answer is one object.\n\n"
	    "  carrel dataset import sales-2024.csv\n"
	    "  carrel dataset import umsatz.csv --decimal , --type Betrag=decimal --type PLZ=text\n"
	    "  carrel dataset import survey.xlsx --name survey --replace",
	    import_options, 1, 1, cmd_dataset_import, NULL },
	{ "dataset publish", "CONNECTION TABLE", "publish a table or view, for holders of connectivity tokens",
	    "Nothing is published without this command. The column policy of the connection applies to datasets, too.\n"
	    "A table that was published before gets the same id again.\n\n"
	    "  carrel dataset publish warehouse orders --description \"Orders since 2019, one row each\"",
	    publish_options, 2, 2, cmd_dataset_publish, NULL },
	{ "dataset unpublish", "ID", "stop publishing a dataset, and end the calls that read it", NULL,
	    NULL, 1, 1, cmd_dataset_unpublish, NULL },
	{ "dataset list", "", "show what is published, from which connection and table", NULL,
	    NULL, 0, 0, cmd_dataset_list, NULL },
	{ "dataset show", "ID", "show one dataset; ID is its id or its name", NULL,
	    NULL, 1, 1, cmd_dataset_show, NULL },
	{ "dataset remove", "ID", "unpublish a dataset; delete its documents and its imported table", NULL,
	    NULL, 1, 1, cmd_dataset_remove, NULL },
	{ "dataset document", "ID [FILE...]", "add texts that are searched with a dataset, or list those it has",
	    "Text, Markdown, DOCX and PDF are cut into passages that `carrel_search` finds and cites with it.\n"
	    "A file of the same name replaces the one added before. What cannot be read is skipped with the reason.\n"
	    "The texts of a column are copied; give --column again when they changed.\n"
	    "With `embeddings: { url, name }` in carrel.yaml passages get vectors as they are added.\n\n"
	    "  carrel dataset document orders handbook.md notes/*.txt\n"
	    "  carrel dataset document orders --column remarks\n"
	    "  carrel dataset document orders\n"
	    "  carrel dataset document orders --drop handbook.md",
	    document_options, 1, ANY, cmd_dataset_document, NULL },
	{ "user add", "NAME", "create a user, who signs in with a name and a password",
	    "The password is asked for twice at a terminal; it never goes on the command line.\n\n"
	    "  carrel user add ada --role contributor\n"
	    "  carrel user add bob --role viewer --password-stdin <bob.txt",
	    user_add_options, 1, 1, cmd_user_add, NULL },
	{ "user list", "", "show the users: role, last login, how many grants and sessions",
	    NULL, NULL, 0, 0, cmd_user_list, "users" },
	{ "user set", "NAME", "change a user's role or password, or whether it may sign in; at once",
	    "  carrel user set ada --role viewer\n"
	    "  carrel user set bob --disable",
	    user_set_options, 1, 1, cmd_user_set, NULL },
	{ "user remove", "NAME", "remove a user, and end open sessions; the audit keeps its entries",
	    NULL, NULL, 1, 1, cmd_user_remove, NULL },
	{ "client list", "", "show the clients that users can grant access to",
	    NULL, NULL, 0, 0, cmd_client_list, "clients" },
	{ "client add", "", "register a client that does not register itself",
	    "  carrel client add --name 'Team notebook' --redirect https://notebook.example/callback",
	    client_add_options, 0, 0, cmd_client_add, NULL },
	{ "client remove", "CLIENT_ID", "remove a client, and end what users granted it",
	    NULL, NULL, 1, 1, cmd_client_remove, NULL },
	{ "client grants", "", "show which user granted what to which client",
	    NULL, grants_of_options, 0, 0, cmd_client_grants, "grants" },
	{ "client revoke", "GRANT_ID", "end a grant at once: its tokens, calls and streams",
	    NULL, NULL, 1, 1, cmd_client_revoke, NULL },
	{ "key list", "", "show the keys that access tokens are signed with",
	    NULL, NULL, 0, 0, cmd_key_list, "keys" },
	{ "key rotate", "", "sign with a new key from now on; the old one is kept to verify what it signed",
	    NULL, NULL, 0, 0, cmd_key_rotate, "keys" },
	{ "cluster status", "", "show the nodes that share the state store, and which have applied every change",
	    NULL, NULL, 0, 0, cmd_cluster_status, "nodes" },
	{ "cluster drain", "[NODE]", "make the load balancer send no new calls to a node, by default this one",
	    "The node's /health/ready reports false until --end, also after a restart; calls under way continue.\n"
	    "Another node takes over writing the project.\n\n"
	    "  carrel cluster drain north\n"
	    "  carrel cluster drain north --end",
	    drain_options, 0, 1, cmd_cluster_drain, NULL },
	{ "cluster release", "NODE", "have another node write the note that a node which is away had begun to write",
	    "For a node that does not come back: `carrel cluster status` shows that it holds a note. If it does come\n"
	    "back, it takes back what it had written of it.\n\n"
	    "  carrel cluster release north",
	    NULL, 1, 1, cmd_cluster_release, NULL },
	{ "cluster accept-loss", "", "accept a state store that lost commits, and end what may have been revoked",
	    "For use after a standby was promoted that lacked the last commits, or a backup was restored. Each node\n"
	    "that knows of lost commits ends again, in the store, what its audit recorded as ended since a day before\n"
	    "the loss: tokens, grants, users, clients, published datasets. Users who were changed are disabled, and\n"
	    "all sign-ins end.",
	    NULL, 0, 0, cmd_cluster_accept_loss, NULL },
	{ "cluster join", "", "give this node the key of the other nodes, before its first start",
	    "  carrel cluster join --root-key-file /root/signing.key",
	    join_options, 0, 0, cmd_cluster_join, NULL },
	{ "sync", "", "synchronize the project's git branch with a remote: pull, merge, push",
	    "Needs `sync: { remote: origin, branch: main, every_s: 30 }` in carrel.yaml, on each node. Where both\n"
	    "sides changed the same lines, the remote's version stays, and this node's becomes a wiki page with\n"
	    "`status: proposed`. Remotes are reached by SSH, with the account's own keys, or as directories.",
	    sync_options, 0, 0, cmd_sync, NULL },
	{ "state migrate", "", "move the state that nodes share from this project's file to a database, or back",
	    "Stop all nodes first.\n\n"
	    "  carrel state migrate --to env:CARREL_STATE_URL\n"
	    "  carrel state migrate --from env:CARREL_STATE_URL",
	    migrate_options, 0, 0, cmd_state_migrate, NULL },
	{ "preferences get", "", "show your defaults for what a question does not say",
	    NULL, preferences_options, 0, 0, cmd_preferences_get, NULL },
	{ "preferences set", "KEY=VALUE...", "set defaults; an empty value restores the project's",
	    "KEY is defaultProvider, defaultTimePeriod, thresholds.WORD, highValueThreshold, defaultOntology,\n"
	    "fiscalYearStart, weekStart, timeZone or dateOrder.\n\n"
	    "  carrel preferences set weekStart=sunday 'thresholds.large=> 1000'",
	    preferences_options, 1, MANY, cmd_preferences_set, NULL },
	{ "admin", "", "print a link that opens the administration page, once and within five minutes",
	    "The page shows processes, connections, datasets, tokens, users, the audit and what memory proposes, and\n"
	    "changes them. Users with the role admin sign in there with their password where OAuth is on.",
	    NULL, 0, 0, cmd_admin, NULL },
	{ "login", "[URL]", "sign in at a remote Carrel server; no browser is needed on this machine",
	    "Shows a code and an address; open the address in any browser, sign in there and enter the code.\n"
	    "The tokens are kept in $XDG_CONFIG_HOME/carrel/logins (~/.config), readable by you alone. --token prints\n"
	    "an access token that is valid for some minutes, renewed if need be.\n\n"
	    "  carrel login https://carrel.example.org\n"
	    "  curl -H \"Authorization: Bearer $(carrel login --token)\" …",
	    login_options, 0, 1, cmd_login, NULL },
	{ "logout", "[URL]", "end the login that `carrel login` began",
	    "The server revokes its tokens, and the file is removed. URL can be left out if there is only one login.",
	    NULL, 0, 1, cmd_logout, NULL },
	{ "token create", "", "create a connectivity token and show its secret, once",
	    "The secret is shown once: alone on the last line, in JSON as `secret`. Only a keyed digest of it is\n"
	    "kept. Tokens are accepted once `carrel connectivity enable` was run.\n\n"
	    "  carrel token create --label dashboards --expires 90d\n"
	    "  carrel token create --label notebook --scopes research:read,research:query",
	    token_options, 0, 0, cmd_token_create, NULL },
	{ "token list", "", "show the tokens: their scopes, states, last use and number of requests",
	    NULL, token_list_options, 0, 0, cmd_token_list, "tokens" },
	{ "token reveal", "TOKEN", "make the secret of a pending token and show it, once",
	    "A token made with --no-reveal is pending: it has no secret and is refused everywhere.",
	    NULL, 1, 1, cmd_token_reveal, NULL },
	{ "token revoke", "TOKEN", "end a token at once: its calls are cancelled, its streams and sessions closed",
	    "TOKEN is its id, or its label if no other token has the same.", NULL, 1, 1, cmd_token_revoke, NULL },
	{ "connectivity status", "", "show whether connectivity tokens are accepted, where, and which there are",
	    NULL, NULL, 0, 0, cmd_connectivity_status, "tokens" },
	{ "connectivity enable", "", "accept connectivity tokens from now on",
	    "The setting is kept in the state store; connectivity.enabled in carrel.yaml overrides it.",
	    NULL, 0, 0, cmd_connectivity_enable, NULL },
	{ "connectivity disable", "", "accept no connectivity tokens any more, and close the sessions of their holders",
	    "The tokens are kept.", NULL, 0, 0, cmd_connectivity_disable, NULL },
	{ "connectivity create-token", "", "the same as `carrel token create`",
	    NULL, token_options, 0, 0, cmd_token_create, NULL },
	{ "connectivity revoke-token", "TOKEN", "the same as `carrel token revoke`",
	    NULL, NULL, 1, 1, cmd_token_revoke, NULL },
	{ "connectivity setup", "PLATFORM", "explain step by step how to set up a program to use published datasets",
	    "PLATFORM is claude_desktop, claude_code, chatgpt_desktop, cursor, codex, opencode, gemini, vscode, windsurf,\n"
	    "zed, openai_custom_gpt, generic_rest or generic_llm. Nothing is written: the steps name the file and\n"
	    "what goes into it. The configuration refers to the token and never holds it.\n\n"
	    "  carrel connectivity setup cursor --token dashboards",
	    setup_options, 1, 1, cmd_connectivity_setup, NULL },
	{ "connectivity test", "TOKEN", "check whether a token can be used now, and what to do if not",
	    NULL, NULL, 1, 1, cmd_connectivity_test, NULL },
	{ "connectivity diagnose", "", "print what helps to find out why something does not work, as JSON",
	    "Status, metrics, the last calls that failed, versions, and what `carrel doctor` finds. No secret, no\n"
	    "statement and no row is in it.",
	    diagnose_options, 0, 0, cmd_connectivity_diagnose, NULL },
	{ "prompt", "", "print instructions for a model that works with the published datasets",
	    "For models without MCP: the base URL, the header, the endpoints, the datasets, and how to work.\n"
	    "With --platform of a program that speaks MCP it describes the tools instead of the endpoints.\n\n"
	    "  carrel prompt\n"
	    "  carrel prompt --platform cursor",
	    prompt_options, 0, 0, cmd_prompt, NULL },
	{ "setup-agents", "", "connect Claude Code, Cursor and other clients to this project",
	    "A token is never written into a client's file, only a reference to CARREL_MCP_TOKEN.\n\n"
	    "  carrel setup-agents --target claude-code\n"
	    "  carrel setup-agents --target cursor --scope global\n"
	    "  carrel setup-agents --target vscode --dir ~/src/shop --stdio\n"
	    "  carrel setup-agents --remove",
	    agents_options, 0, 0, cmd_setup_agents, NULL },
	{ "audit tail", "", "show the newest entries of the audit: who asked what, and the outcome",
	    NULL, tail_options, 0, 0, cmd_audit_tail, "entries" },
	{ "audit search", "", "find entries of the audit",
	    "  carrel audit search --since 1d --outcome refused\n"
	    "  carrel audit search --principal token:7fKq2LmX --text customers",
	    search_audit_options, 0, 0, cmd_audit_search, "entries" },
	{ "audit show", "RECEIPT", "show the entry of one answer, by the receipt that came with it",
	    NULL, show_audit_options, 1, 1, cmd_audit_show, NULL },
	{ "audit verify", "[FILE…]", "check the audit for entries that were changed, removed, inserted or moved",
	    "Of files, the exports of several nodes, each is checked by itself and against what the others'\n"
	    "checkpoints say of it; so are the copies in the store with --all-nodes. A node that is contradicted\n"
	    "is named.\n\n"
	    "  carrel audit verify\n"
	    "  carrel audit verify --all-nodes\n"
	    "  carrel audit verify north.jsonl south.jsonl west.jsonl",
	    verify_audit_options, 0, 64, cmd_audit_verify, "problems" },
	{ "audit export", "", "write the audit's entries with their hashes, one per line",
	    "JSON lines, unless --format csv is given. They can be checked with `carrel audit verify --file`,\n"
	    "and without Carrel: see docs/audit.md.",
	    export_audit_options, 0, 0, cmd_audit_export, "entries" },
	{ "audit-sql", "[CONNECTION]", "try hostile and honest SQL on a connection, and show which layer stops what",
	    "Nothing is changed: statements whose effect would outlive a rollback are judged without being run. Shows\n"
	    "the groups of inputs, and every input with an unexpected outcome; JSON and CSV have all of them.",
	    audit_options, 0, 1, cmd_audit_sql, "inputs" },
	{ "sandbox verify", "", "try every forbidden act in a fresh instance of every process",
	    "An act counts as refused only with the error that its row claims; acts that could not be tried here are\n"
	    "listed as not tried. Nothing is changed: an act that the kernel allowed is undone, or has no effect.",
	    sandbox_options, 0, 0, cmd_sandbox_verify, "acts" },
	{ "completion", "SHELL", "print the completion script for bash, zsh or fish",
	    "`make install` puts them where the shells look. By hand:\n\n"
	    "  carrel completion bash >~/.local/share/bash-completion/completions/carrel\n"
	    "  carrel completion zsh >~/.zfunc/_carrel\n"
	    "  carrel completion fish >~/.config/fish/completions/carrel.fish\n\n"
	    "They call `carrel completion line -- WORD…`, which prints commands, options and names, one per line.",
	    NULL, 1, CLI_WORDS_MAX, cmd_completion, NULL },
	{ "doctor", "", "check this machine and the project; each finding says how to mend it",
	    NULL, doctor_options, 0, 0, cmd_doctor, NULL },
	{ 0 }
};
