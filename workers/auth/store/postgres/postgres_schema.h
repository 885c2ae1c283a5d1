/* postgres_schema - the tables of the store on PostgreSQL, step by step. */
#pragma once

#include "workers/auth/store/postgres/postgres_link.h"

#define POSTGRES_SCHEMA_LOCK	"1130459756, 2"	/* of a transaction that migrates */

/*
 * least: the number of steps that a program must know to work on the tables after this one; smaller than its own number
 * where the step only adds what older programs leave alone.
 */
struct postgres_step {
	int		 least;
	const char	*sql;
};

extern const struct postgres_step postgres_steps[];
extern const int postgres_nsteps;

/* Bring the tables to n steps, unless they have as many or more; -1 also if they need a newer program. */
int postgres_schema_migrate(struct postgres_link *l, const struct postgres_step *steps, int n, struct err *err);
