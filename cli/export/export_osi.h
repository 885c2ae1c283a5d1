/* export_osi - the semantic layer as a document of the Open Semantic Interchange (Apache Ossie). */
#pragma once

#include "cli/export/export.h"

void export_osi(struct export *x);
