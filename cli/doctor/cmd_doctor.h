/* cmd_doctor - carrel doctor: checks the requirements of this machine and project, with remedies. */
#pragma once

#include "cli/doctor/doctor.h"

/* Append the output of `carrel doctor --json`; findings are not failures here. */
void doctor_report(struct cli *cli, struct buf *out);

/* Add a finding, for people and as a map; fix is shown unless it is GOOD. */
void doctor_add(struct findings *f, const char *what, enum verdict verdict, const char *found, const char *fix);

int cmd_doctor(struct cli *cli);
