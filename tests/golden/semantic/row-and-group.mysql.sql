SELECT
  CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `status`,
  sum(`orders`.`amount`) AS `gross`
FROM `sales`.`Orders` AS `orders`
LEFT JOIN `customers` AS `customers` ON `orders`.`customer_id` = `customers`.`id`
WHERE (CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin = 'paid' OR `orders`.`amount` > 5)
  AND (CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin IN ('a', 'b'))
GROUP BY 1
HAVING (sum(`orders`.`amount`) BETWEEN 10 AND 20)
ORDER BY CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
