SELECT
  DATE_FORMAT(`orders`.`placed_at`, '%Y-%m-01') AS `placed_at_month`,
  COUNT(*) AS `orders`
FROM `sales`.`Orders` AS `orders`
GROUP BY 1
ORDER BY `placed_at_month`
LIMIT 5
