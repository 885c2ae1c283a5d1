SELECT
  CONVERT(`shipped_to`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `shipped_to_name`,
  CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `cities_name`,
  sum(`orders`.`amount`) AS `gross`
FROM `cities` AS `shipped_to`
LEFT JOIN `sales`.`Orders` AS `orders` ON `orders`.`ship_city` = `shipped_to`.`id`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
LEFT JOIN `cities` AS `cities` ON `customers`.`city_id` = `cities`.`id`
GROUP BY 1, 2
ORDER BY CONVERT(`shipped_to`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin, CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
