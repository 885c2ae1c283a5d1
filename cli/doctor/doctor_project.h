/* doctor_project - what carrel doctor finds of the project: its files, its secrets, its connections. */
#pragma once

#include "cli/doctor/doctor.h"

/* The project: who owns and may write what is in it, secrets, and its connections; cfg NULL when it cannot be read. */
void doctor_files(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f);
void doctor_connections(struct cli *cli, const struct config *cfg, bool works, struct findings *f);
