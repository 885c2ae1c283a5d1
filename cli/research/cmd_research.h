/* cmd_research - the research tools from the shell: discover, details, values, sql, wiki, sl. */
#pragma once

#include "cli/cmd.h"

/* The rows of sql_execution or sl_query as a table, with how many there are. */
int show_result_rows(struct cli *cli, struct view result);

int cmd_discover(struct cli *cli);
int cmd_details(struct cli *cli);
int cmd_values(struct cli *cli);
int cmd_sql(struct cli *cli);
int cmd_wiki_search(struct cli *cli);
int cmd_wiki_read(struct cli *cli);
int cmd_sl_search(struct cli *cli);
int cmd_sl_read(struct cli *cli);
