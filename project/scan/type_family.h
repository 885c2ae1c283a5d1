/* type_family - a column's type in words that mean the same for every database. */
#pragma once

#include "base/span.h"

/* A type without its schema: "public.citext" is citext, "\"we.ird\".mood[]" mood[]. */
struct span type_bare(struct span type);

/*
 * integer, decimal, float, text, boolean, date, time, timestamp, timestamptz,
 * interval, uuid, json, binary, enum, array or other, of a type as driver's database
 * spells it; sizes do not matter.  SQLite takes any words: what they say comes
 * first, then its rules of affinity.  Enumerations have no common spelling: who
 * knows of labels says "enum" itself.  "" of an empty type but on SQLite, where
 * that is "other".
 */
const char *type_family(struct span driver, struct span type);
