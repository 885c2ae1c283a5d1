/* postgres_worker.h - what the two halves of the PostgreSQL worker's tests share. */
#pragma once

#include <libpq-fe.h>

/* A URL of the test server over TCP (until the third next call); parameters may be NULL. */
const char *url_of(const char *role, const char *password, const char *parameters);

/* A keyword string over the Unix socket, where nobody needs a password. */
const char *socket_of(const char *role);

unsigned server_port(void);

/* As superuser: run, and the first cell of the result ("" when there is none). */
const char *super(const char *sql);

/* pg.sh with these arguments behind the server's directory. */
void server_do(const char *command, const char *arguments);

/* Wait until a query of the superuser gives this cell. */
void until_super(const char *sql, const char *cell);

/* The tests of the other files; how many failed. */
int postgres_run_alone_tests(void);
int postgres_run_fault_tests(void);
int postgres_run_hostile_tests(void);
int postgres_run_own_tests(void);
int postgres_run_profile_tests(void);
int postgres_run_scan_tests(void);
