/* doctor_machine - what carrel doctor finds of the machine: room, limits, the clock. */
#pragma once

#include "cli/doctor/doctor.h"

/* The machine: room on each file system that is written to, changed files, descriptors and memory, the clock. */
void doctor_disk(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f);
void doctor_watches(const char *dir, struct findings *f);
void doctor_limits(struct cli *cli, const struct daemon *d, struct findings *f);
void doctor_clock(struct cli *cli, const char *dir, const struct config *cfg, const struct daemon *d,
    struct findings *f);
