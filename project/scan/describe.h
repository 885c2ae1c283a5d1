/*
 * describe - one description out of several origins.
 *
 * Origins in order of priority: user, ai, dbt, db, then the first other one
 * in file order.  Blank texts do not count.  Everything that shows or indexes
 * a description asks here.
 */
#pragma once

#include "base/mp.h"
#include "base/span.h"
#include "project/format/yaml.h"

/* The best text of a `descriptions` mapping, trimmed; empty if absent. */
struct span describe_yaml(const struct yaml_node *descriptions);

/* The same for a map out of a JSON artifact; a plain string is itself. */
struct span describe_mp(const struct mp_value *descriptions);
