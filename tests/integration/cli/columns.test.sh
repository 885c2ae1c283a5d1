#!/bin/bash
# The column policy through the whole system: configuration, scan, discovery,
# dictionary, details, semantic layer, SQL; and samples that are older than it.
. "$(dirname "$0")/lib.sh"
