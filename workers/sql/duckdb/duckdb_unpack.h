/* duckdb_unpack - a Parquet file as a stream of rows (project/import_stream.h), by a process that does nothing else. */
#pragma once

/*
 * The program with the arguments "parquet", the path of the library ("-": where it usually is), and perhaps
 * "best-effort": the file is descriptor 0, the stream descriptor 1.  Returns the exit code.
 */
int duckdb_unpack(char **argv);
