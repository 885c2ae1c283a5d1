/*
 * toolbox - the published configuration of MCP Toolbox for Databases (tools.yaml), read for its statements: `sources:`
 * and `tools:` as mappings, or a document for each with kind, name and type.  Pure.
 */
#pragma once

#include "base/text/parameter_types.h"
#include "project/format/yaml.h"

struct toolbox_parameter {
	const char		*name;		/* as it is called here */
	const char		*description;
	enum parameter_type	 type;
	bool			 optional;
	const char		*preset, *minimum, *maximum;	/* NULL: none */
	const struct yaml_node	*values;	/* NULL: any */
};

struct toolbox_tool {
	const char	*called, *name;		/* there, and here */
	const char	*source, *description;
	const char	*driver;		/* of its database */
	const char	*sql;			/* with :name for its placeholders */
	const char	*sample;		/* with values in their place */
	size_t		 nparameters;
	struct toolbox_parameter parameters[PARAMETERS_MOST];
	const char	*reason;		/* why it is no tool here; NULL: it is one */
};

/* Everything in the arena.  NULL with *err: text is no such configuration. */
struct toolbox_tool *toolbox_read(struct arena *a, struct span text, size_t *n, struct err *err);
