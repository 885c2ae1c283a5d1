WITH `refunds_agg` AS (
SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  sum(CASE WHEN (`orders`.`amount` >= 100) THEN `refunds`.`amount` END) AS `refunded`
FROM (
WITH kept AS (SELECT * FROM refund_log WHERE NOT reverted)
SELECT id, order_id, amount FROM kept
) AS `refunds`
LEFT JOIN `sales`.`Orders` AS `orders` ON `refunds`.`order_id` = `orders`.`id`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
GROUP BY 1
),
`orders_agg` AS (
SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  sum(CASE WHEN (`orders`.`amount` >= 100) THEN `orders`.`amount` END) AS `gross`
FROM `sales`.`Orders` AS `orders`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
GROUP BY 1
)
SELECT
  `segment`,
  MAX(`refunded`) AS `refunded`,
  MAX(`gross`) AS `gross`
FROM (
  SELECT `segment`, `refunded`, NULL AS `gross`
  FROM `refunds_agg`
  UNION ALL
  SELECT `segment`, NULL, `gross`
  FROM `orders_agg`
) AS facts
GROUP BY `segment`
ORDER BY `segment`
LIMIT 1000
