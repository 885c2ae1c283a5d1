/*
 * cmd_connectivity - carrel connectivity setup, test, diagnose, and carrel prompt: instructions that connect a client
 * to the published data, and a report for support when it does not work.
 */
#pragma once

#include "cli/cli.h"

int cmd_connectivity_setup(struct cli *cli);
int cmd_connectivity_test(struct cli *cli);
int cmd_connectivity_diagnose(struct cli *cli);
int cmd_prompt(struct cli *cli);
