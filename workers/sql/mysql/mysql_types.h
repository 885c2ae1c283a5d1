/* mysql_types - what the names of MariaDB's and MySQL's types mean (information_schema.COLUMNS.DATA_TYPE). */
#pragma once

enum mysql_types_class { MYSQL_TYPES_OTHER, MYSQL_TYPES_BITS, MYSQL_TYPES_BYTES, MYSQL_TYPES_GEOMETRY };

enum mysql_types_class mysql_types_class(const char *type);

/* The dimension of scans: "number", "time" or "string". */
const char *mysql_types_dimension(const char *type);
