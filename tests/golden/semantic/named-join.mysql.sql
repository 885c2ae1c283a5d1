SELECT
  CONVERT(`cities_ship_city`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `cities_ship_city_name`,
  CONVERT(`cities_customers_city_id`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `cities_customers_city_id_name`,
  sum(`orders`.`amount`) AS `gross`
FROM `cities` AS `cities_ship_city`
LEFT JOIN `sales`.`Orders` AS `orders` ON `orders`.`ship_city` = `cities_ship_city`.`id`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
LEFT JOIN `cities` AS `cities_customers_city_id` ON `customers`.`city_id` = `cities_customers_city_id`.`id`
WHERE (CONVERT(`cities_ship_city`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin <> 'x')
GROUP BY 1, 2
ORDER BY CONVERT(`cities_ship_city`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin, CONVERT(`cities_customers_city_id`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
