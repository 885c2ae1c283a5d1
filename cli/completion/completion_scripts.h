/* completion_scripts - what the shells source: each asks `carrel completion line` what fits, and shows it. */
#pragma once

/* The script for a shell; NULL if the shell is unknown. */
const char *completion_script(const char *shell);
