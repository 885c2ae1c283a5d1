/* metricflow - shared by the files that read semantic models and metrics: metricflow.c and metrics.c. */
#pragma once

#include "workers/import/knowledge/trees.h"

/* A semantic model; NULL members of the tree are not said. */
struct mf_model {
	const struct yaml_node	*node;
	struct span		 name, from, time;
	struct knowledge_model	*out;
	bool			 dated;		/* a slowly changing dimension: rows are valid for a while */
};

/* What aggregates: a measure of a model, or the parameters that a metric has in its place. */
struct mf_measure {
	struct span		 name, expr;
	const struct yaml_node	*node;
	struct mf_model		*model;
	bool			 taken;		/* a metric is just this measure */
};

enum mf_state { MF_UNREAD, MF_READING, MF_TAKEN, MF_REFUSED };

struct mf_metric {
	const struct yaml_node	*node;
	struct span		 name, from, type;
	enum mf_state		 state;
	struct mf_model		*home;		/* whose rows it aggregates, or those of its first input */
	struct mf_measure	*measure;	/* of a simple metric */
	struct span		 filter;	/* of it, as conditions on rows */
	bool			 apart;		/* it is of rows of several models */
	char			*why;		/* REFUSED */
};

/* An entity that identifies rows of a model. */
struct mf_key {
	struct span		 name, column;
	struct mf_model		*model;
	bool			 natural;
};

struct mf {
	struct knowledge	*k;
	size_t			 nmodels, nmeasures, nmetrics, nkeys;
	size_t			 models_cap, measures_cap, metrics_cap, keys_cap;
	struct mf_model		**models;
	struct mf_measure	*measures;
	struct mf_metric	*metrics;
	struct mf_key		*keys;
	struct table		 measure_names, metric_names, key_names;	/* the first row of a name counts */
};

/* The model in which a dimension of this entity is, as a model of home sees it; NULL: none, or several joins away. */
const struct mf_model *mf_model_of(const struct mf *f, const struct mf_model *home, struct span entity,
    struct span dimension);

/* The node of a dimension, or entity, of the model with that name; NULL: none. */
const struct yaml_node *mf_part(const struct mf_model *m, const char *list, struct span name);

/* An entity's column: its expression if it is a plain name, else a computed column of the entity's name. */
struct span mf_entity_column(const struct yaml_node *entity);

struct mf_metric *mf_metric_named(const struct mf *f, struct span name);
struct mf_measure *mf_measure_named(const struct mf *f, struct span name);

/* The reader of semantic models and metrics. */
int metricflow_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
