SELECT
  (`orders`.`amount` - `orders`.`cost`) AS `margin`,
  avg((((`orders`.`amount` - `orders`.`cost`) * 1e0 / NULLIF(`orders`.`amount`, 0))) * 1e0) AS `avg_orders_margin_rate`,
  max(CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin) AS `max_orders_status`
FROM `sales`.`Orders` AS `orders`
GROUP BY 1
ORDER BY `margin`
LIMIT 1000
