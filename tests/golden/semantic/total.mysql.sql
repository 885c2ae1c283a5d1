SELECT
  sum(`orders`.`amount`) AS `gross`
FROM `sales`.`Orders` AS `orders`
LIMIT 1000
