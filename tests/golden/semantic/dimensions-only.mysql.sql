SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `name`
FROM `customers` AS `customers`
LEFT JOIN `cities` AS `cities` ON `customers`.`city_id` = `cities`.`id`
GROUP BY 1, 2
ORDER BY CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin, CONVERT(`cities`.`name` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
