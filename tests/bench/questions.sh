#!/bin/bash
# How long a question takes to read over a model of 200 tables: processor time, of 240 questions of which nearly half have
# an answer, without the database's.  usage: questions.sh BUILD_DIRECTORY
set -euo pipefail

build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/model" "$work/none"

# 40 kinds of houses with their rooms, staff, visits and reviews.
awk -v dir="$work" '
function source(name, table, columns, joins,   f) {
	f = dir "/model/" table ".yaml"
	printf "name: %s\ntable: %s\ngrain: [%s_id]\ncolumns:\n  - {name: %s_id, type: number}\n", table, table, name, name >f
	n = split(columns, c, " ")
	sql = "CREATE TABLE " table "(" name "_id INTEGER PRIMARY KEY"
	for (i = 1; i <= n; i++) {
		split(c[i], part, ":")
		printf "  - {name: %s, type: %s}\n", part[1], part[2] >f
		sql = sql ", " part[1] " " (part[2] == "number" ? "REAL" : "TEXT")
	}
	if (joins != "") {
		split(joins, to, ":")
		printf "joins:\n  - {to: %s, \"on\": %s.%s = %s.%s, relationship: many_to_one}\n", to[1], table, to[2], to[1], to[2] >f
	}
	close(f)
	print sql ");" >(dir "/data.sql")
}
BEGIN {
	split("airport bakery bank brewery camp castle church cinema clinic college dairy depot embassy farm festival forge " \
	    "garage gallery garden harbour hospital hotel library mill museum office orchard palace park pharmacy school " \
	    "shelter shop stable stadium studio theatre tower vineyard workshop", kinds, " ")
	for (k = 1; k <= 40; k++) {
		one = kinds[k]
		many = one ~ /y$/ ? substr(one, 1, length(one) - 1) "ies" : one ~ /ch$/ ? one "es" : one "s"
		source(one, many, "name:string city:string size:number opened_on:time")
		source(one "_room", one "_rooms", one "_id:number floor:number beds:number", many ":" one "_id")
		source(one "_worker", one "_workers", one "_id:number first_name:string last_name:string age:number", many ":" one "_id")
		source(one "_visit", one "_visits", one "_id:number visited_on:time price:number", many ":" one "_id")
		source(one "_review", one "_reviews", one "_visit_id:number stars:number comment:string", one "_visits:" one "_visit_id")
		print "INSERT INTO " many " VALUES(1, \"House " k "\", \"Oslo\", " k ", \"2020-01-01\");" >(dir "/data.sql")
		print "How many " many " are there?" >(dir "/asked")
		print "List the names and cities of all " many " ordered by size." >(dir "/asked")
		print "Which " many " are in Oslo and have more than 3 " one " rooms?" >(dir "/asked")
		print "What is the average age of " one " workers for each city of " many "?" >(dir "/asked")
		print "Total price of " one " visits by month in 2024, and why did it fall?" >(dir "/asked")
		print "Which " one " has the most " one " visits with 5 stars?" >(dir "/asked")
	}
}'
"$build/tests/ask-oracle" "$work/model" "$work/none" "$work/data.sql" "$work/asked" --times |
	awk '{ printf "questions over 200 tables: p50 %.1f ms, p99 %.1f ms, at most %.1f ms (at most 5 and 50)\n", $4 / 1e3, $6 / 1e3, $8 / 1e3 }'
