/*
 * cmd_sl_new - carrel sl new: a commented first source file over what a scan wrote, with measures proposed.
 *
 * A measure is proposed by the words in a column's name (sl_words.def): amounts and quantities are added up, prices and
 * identifiers are not.  What is a guess, such as a currency or a synonym, is written as a comment.
 */
#pragma once

#include "cli/cmd.h"

/* The scanned table that a first measure is best written for, in the arena; NULL: there is a measure, or no table. */
const char *sl_first_table(struct cli *cli, const char *project, const char *connection);

int cmd_sl_new(struct cli *cli);
