/*
 * relate_weights - every number that decides which relationships a deep scan
 * suggests and accepts, in one place.
 *
 * The numbers are ktx's, so that both tools accept the same relationships of
 * one project; those marked "ours" have no counterpart there.  They are held
 * by the candidates and verdicts of tests/integration/scan/relationships* and
 * by tests/unit/test_relate: a change shows there first.
 */
#pragma once

/*
 * A candidate's score: BASE + SPREAD * the weighted sum of what speaks for it,
 * at most 1, each part between 0 and 1.  The weights add up to 0.9: ktx gives
 * the remaining 0.1 to the likeness of embeddings, of which there are none here.
 */
#define WEIGHT_BASE		0.56
#define WEIGHT_SPREAD		0.65
#define WEIGHT_NAME		0.24	/* how the column's name leads to the table, NAME_* */
#define WEIGHT_TYPE		0.1	/* 1: both are integers, texts or UUIDs, or it would be no candidate */
#define WEIGHT_OVERLAP		0.22	/* of the sampled values, how many the target's sample has */
#define WEIGHT_UNIQUENESS	0.22	/* distinct values of the target against its rows */
#define WEIGHT_FILLED		0.08	/* rows of the column that are not null */
#define WEIGHT_STRUCTURE	0.04	/* SIZES_* */

#define SCORE_MIN		0.72	/* a candidate below this is not looked at further */

/* The name part: how a column's name leads to the table that it may point to. */
#define NAME_CONTEXT		0.94	/* type of area and area_type.  Ours. */
#define NAME_EXACT		0.92	/* customer_id and customer, product_sku and the key sku of product */
#define NAME_COLUMN		0.9	/* both columns are called the same */
#define NAME_INFLECTED		0.88	/* customer_id and customers */
#define NAME_SELF		0.82	/* parent_id, manager_id */
#define NAME_SUFFIX		0.78	/* billing_customer_id and customer */
#define NAME_PREFIX		0.76	/* promo_sk and promotion, gpx_id and gpx_files.  Ours. */
#define NAME_ROLE		0.74	/* creator_id and users.  Ours. */

/* How likely a column is the key of its table; without a sole primary key only unique ones are. */
#define KEY_DECLARED		1.0
#define KEY_ID			0.92	/* id */
#define KEY_OWN_NAME		0.9	/* customer_id in customers */
#define KEY_LIKE		0.86	/* named like a key or a code */
#define KEY_OTHER		0.78
#define KEY_BARE		0.74	/* key, uuid */

/* The sizes of both tables: a table points to itself, or the ratio of their rows is between these two. */
#define SIZES_SAME		0.72
#define SIZES_ALIKE		0.7
#define SIZES_UNKNOWN		0.5
#define SIZES_APART		0.4
#define SIZES_RATIO_MIN		0.05
#define SIZES_RATIO_MAX		20

/* A column is unique by its profile. */
#define UNIQUE			0.98
#define NULLS_MAX		0.05

/* Keys of several columns: all that is known is that the names agree.  Ours. */
#define WIDE_SCORE		0.9
#define WIDE_SCORE_NULLS	0.8	/* the first column is mostly null */
#define WIDE_NULLS		0.5

#define UNIQUE_MIN		0.9	/* of the target, to pass */
#define UNIQUE_WIDE		0.98	/* of several columns together */
#define COVERAGE_MIN		0.9	/* values of the column that the target has */
#define VIOLATIONS_MAX		0.01

/* How many values would be missing from the smaller of two targets if they were drawn from the larger.  Ours. */
#define NEARER_MISSES		7
#define NEARER_SMALLER		2	/* the smaller one has at most this part of the rows, */
#define NEARER_FILLED		0.9	/* or the values fill it */

/* The confidence after the check, of one column and of several. */
#define CONFIDENCE_SCORE	0.2
#define CONFIDENCE_UNIQUENESS	0.3
#define CONFIDENCE_COVERAGE	0.4
#define CONFIDENCE_SOUND	0.1	/* rows that violate nothing */
#define CONFIDENCE_WIDE		0.95
#define CONFIDENCE_WIDE_FAILED	0.62
#define WIDE_REVIEW		0.5	/* coverage from which several columns are worth a look.  Ours. */

/* Of several targets of one column the one with the best fk is accepted. */
#define PK_UNIQUENESS		0.52
#define PK_NAME			0.28
#define PK_DECLARED		0.12
#define PK_VOLUME		0.08
#define PK_MIN			0.78
#define FK_SCORE		0.48
#define FK_PK			0.3
#define FK_CONFIDENCE		0.14
#define FK_PASSED		0.08

/* The volume part: a table of at least this many rows.  Ours. */
#define VOLUME_MANY		100
#define VOLUME_SOME		10
#define VOLUME_OF_SOME		0.7
#define VOLUME_OF_FEW		0.4
