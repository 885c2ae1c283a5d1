SELECT
  CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `name`,
  sum(CASE WHEN (CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin = 'paid') THEN `orders`.`amount` END) AS `paid`
FROM `sales`.`Orders` AS `orders`
JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
JOIN `cities` AS `cities` ON `customers`.`city_id` = `cities`.`id`
GROUP BY 1
ORDER BY CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
