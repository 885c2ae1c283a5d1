/*
 * tool_schema - pieces of JSON Schema, for tables of tools.  T(…) is an object that allows exactly the members listed;
 * the argument of most others is a description.
 */
#ifndef WORKERS_SHARED_TOOL_SCHEMA_H
#define WORKERS_SHARED_TOOL_SCHEMA_H

#define Q(text)			"\"" text "\""
#define T(required, members)	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required \
    "],\"properties\":{" members "}}"
#define M(name, schema)		Q(name) ":" schema
#define S(about)		"{\"type\":\"string\",\"description\":" Q(about) "}"
#define SN(about)		"{\"type\":[\"string\",\"null\"],\"description\":" Q(about) "}"
#define I(about)		"{\"type\":\"integer\",\"minimum\":0,\"description\":" Q(about) "}"
#define IN(about)		"{\"type\":[\"integer\",\"null\"],\"description\":" Q(about) "}"
#define B(about)		"{\"type\":\"boolean\",\"description\":" Q(about) "}"
#define BN(about)		"{\"type\":[\"boolean\",\"null\"],\"description\":" Q(about) "}"
/* The same without words, where the name says it all: every list of tools carries these. */
#define S0			"{\"type\":\"string\"}"
#define SN0			"{\"type\":[\"string\",\"null\"]}"
#define I0			"{\"type\":\"integer\",\"minimum\":0}"
#define IN0			"{\"type\":[\"integer\",\"null\"]}"
#define B0			"{\"type\":\"boolean\"}"
#define ENUM0(values)		"{\"enum\":[" values "]}"
#define LIST0(items)		"{\"type\":\"array\",\"items\":" items "}"
#define STRINGS0		LIST0(S0)
#define SCORE			"{\"type\":\"number\",\"minimum\":0,\"maximum\":1}"
#define ENUM(about, values)	"{\"enum\":[" values "],\"description\":" Q(about) "}"
#define LIST(about, items)	"{\"type\":\"array\",\"description\":" Q(about) ",\"items\":" items "}"
#define STRINGS(about)		LIST(about, "{\"type\":\"string\"}")
/* A text of at least one byte. */
#define TEXT_IN(name, about, example)									\
    M(name, "{\"type\":\"string\",\"minLength\":1,\"description\":" Q(about) ",\"examples\":["		\
    Q(example) "]}")

#endif
