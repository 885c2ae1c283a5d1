/* completion_scripts - what the shells source: each asks `carrel completion line` what fits, and shows it. */
#ifndef CLI_COMPLETION_COMPLETION_SCRIPTS_H
#define CLI_COMPLETION_COMPLETION_SCRIPTS_H

/* The script for a shell; NULL: there is none. */
const char *completion_script(const char *shell);

#endif
