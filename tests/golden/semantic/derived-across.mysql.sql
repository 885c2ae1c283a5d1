WITH `orders_agg` AS (
SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  sum(`orders`.`amount`) AS `gross`,
  COUNT(*) AS `orders`
FROM `sales`.`Orders` AS `orders`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
GROUP BY 1
),
`refunds_agg` AS (
SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  sum(`refunds`.`amount`) AS `refunded`
FROM (
WITH kept AS (SELECT * FROM refund_log WHERE NOT reverted)
SELECT id, order_id, amount FROM kept
) AS `refunds`
LEFT JOIN `sales`.`Orders` AS `orders` ON `refunds`.`order_id` = `orders`.`id`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
GROUP BY 1
)
SELECT
  `segment`,
  COALESCE(MAX(`refunded`), 0) * 1e0 / NULLIF(COALESCE(MAX(`gross`), 0), 0) AS `rate`
FROM (
  SELECT `segment`, `gross`, `orders`, NULL AS `refunded`
  FROM `orders_agg`
  UNION ALL
  SELECT `segment`, NULL, NULL, `refunded`
  FROM `refunds_agg`
) AS facts
GROUP BY `segment`
HAVING (COALESCE(MAX(`orders`), 0) > 2)
ORDER BY `segment`
LIMIT 1000
