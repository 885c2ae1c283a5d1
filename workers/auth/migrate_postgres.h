/*
 * migrate_postgres - carrel-auth-postgres as a process of the command line: moves what nodes share from a node's own
 * file to a database or back, or from one database to another, while no node runs.
 */
#pragma once

/*
 * path: the node's own file, with its audit, which stays.  Standard input: the URL of the store to read and that of the
 * store to write, a line each; empty: the file.  Standard output: {"moved": {"rows": N}}, or {"error": …}.  The exit
 * code.
 */
int migrate_postgres(const char *path);
