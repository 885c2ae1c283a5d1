SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  sum(`orders`.`amount`) AS `gross`,
  COUNT(`orders`.`customer_id`) AS `orders`,
  (sum(`orders`.`amount`) * 1e0 / NULLIF(COUNT(`orders`.`customer_id`), 0)) AS `average`
FROM `customers` AS `customers`
LEFT JOIN `sales`.`Orders` AS `orders` ON `orders`.`customer_id` = `customers`.`id`
GROUP BY 1
ORDER BY CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
