SELECT
  "group"."select" AS "select",
  COUNT(*) AS total,
  max("group"."select") AS "the largest"
FROM "order" AS "group"
WHERE ("group"."key" > 1)
GROUP BY 1
ORDER BY max("group"."select") COLLATE BINARY DESC, "group"."select" COLLATE BINARY
LIMIT 1000
