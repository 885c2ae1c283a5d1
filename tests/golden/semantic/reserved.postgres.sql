SELECT
  "group"."select" AS "select",
  COUNT(*) AS total,
  max(CAST("group"."select" AS text) COLLATE "C") AS "the largest"
FROM "order" AS "group"
WHERE ("group"."key" > 1)
GROUP BY 1
ORDER BY CAST(max(CAST("group"."select" AS text) COLLATE "C") AS text) COLLATE "C" DESC NULLS LAST, CAST("group"."select" AS text) COLLATE "C" NULLS FIRST
LIMIT 1000
