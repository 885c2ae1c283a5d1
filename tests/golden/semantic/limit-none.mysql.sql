SELECT
  `orders`.`id` AS `id`,
  sum(`orders`.`amount`) AS `gross`
FROM `sales`.`Orders` AS `orders`
GROUP BY 1
ORDER BY `id`
LIMIT 0
