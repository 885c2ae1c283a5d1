/* config_ontologies - ontologies: which subsets of semantic layers questions are answered from. */
#pragma once

#include "project/config/config_value.h"

/* The same for the kind ONTOLOGIES; config_check_ontologies(): at the end, whether their connections exist. */
void config_ontologies(struct config_reader *r, struct config_ontologies *to, const struct config_key *k,
    const struct yaml_node *node, const char *name);
void config_check_ontologies(struct config_reader *r, const struct config *cfg);
