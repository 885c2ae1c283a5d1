SELECT
  sum(CASE WHEN (CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin = 'paid') AND (`orders`.`amount` >= 100) THEN `orders`.`amount` END) AS `paid`,
  (sum(CASE WHEN (`orders`.`amount` >= 100) THEN `orders`.`amount` END) * 1e0 / NULLIF(COUNT(CASE WHEN (`orders`.`amount` >= 100) THEN 1 END), 0)) AS `average`,
  count(distinct CASE WHEN (`orders`.`amount` >= 100) THEN `orders`.`customer_id` END) AS `count_distinct_orders_customer_id`
FROM `sales`.`Orders` AS `orders`
LIMIT 1000
