/* completion_scripts - what the shells source: each asks `carrel completion line` what fits, and shows it. */
#pragma once

/* The script for a shell; NULL: there is none. */
const char *completion_script(const char *shell);
