WITH `customers_agg` AS (
SELECT
  CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `name`,
  count(`customers`.`id`) AS `customers`
FROM `customers` AS `customers`
JOIN `cities` AS `cities` ON `customers`.`city_id` = `cities`.`id`
GROUP BY 1
),
`orders_agg` AS (
SELECT
  CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `name`,
  sum(`orders`.`amount`) AS `gross`
FROM `sales`.`Orders` AS `orders`
JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
JOIN `cities` AS `cities` ON `customers`.`city_id` = `cities`.`id`
GROUP BY 1
),
`refunds_agg` AS (
SELECT
  CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `name`,
  sum(`refunds`.`amount`) AS `refunded`
FROM (
WITH kept AS (SELECT * FROM refund_log WHERE NOT reverted)
SELECT id, order_id, amount FROM kept
) AS `refunds`
JOIN `sales`.`Orders` AS `orders` ON `refunds`.`order_id` = `orders`.`id`
JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
JOIN `cities` AS `cities` ON `customers`.`city_id` = `cities`.`id`
GROUP BY 1
)
SELECT
  `name`,
  MAX(`customers`) AS `customers`,
  MAX(`gross`) AS `gross`,
  MAX(`refunded`) AS `refunded`
FROM (
  SELECT `name`, `customers`, NULL AS `gross`, NULL AS `refunded`
  FROM `customers_agg`
  UNION ALL
  SELECT `name`, NULL, `gross`, NULL
  FROM `orders_agg`
  UNION ALL
  SELECT `name`, NULL, NULL, `refunded`
  FROM `refunds_agg`
) AS facts
GROUP BY `name`
HAVING COUNT(*) = 3
ORDER BY `name`
LIMIT 1000
