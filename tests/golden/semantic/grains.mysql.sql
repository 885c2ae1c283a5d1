SELECT
  DATE_FORMAT(`orders`.`placed_at`, '%Y-%m-%d %H:00:00') AS `placed_at_hour`,
  DATE_FORMAT(`orders`.`placed_at`, '%Y-%m-%d') AS `placed_at_day`,
  DATE_FORMAT(`orders`.`placed_at` - INTERVAL (WEEKDAY(`orders`.`placed_at`)) DAY, '%Y-%m-%d') AS `placed_at_week`,
  DATE_FORMAT(`orders`.`placed_at`, '%Y-%m-01') AS `placed_at_month`,
  DATE_FORMAT(`orders`.`placed_at` - INTERVAL ((MONTH(`orders`.`placed_at`) - 1) % 3) MONTH, '%Y-%m-01') AS `placed_at_quarter`,
  DATE_FORMAT(`orders`.`placed_at`, '%Y-01-01') AS `placed_at_year`,
  CONCAT(LEFT(DATE_FORMAT(`orders`.`placed_at`, '%Y'), 3), '0-01-01') AS `placed_at_decade`,
  COUNT(*) AS `orders`
FROM `sales`.`Orders` AS `orders`
GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY `placed_at_hour`, `placed_at_day`, `placed_at_week`, `placed_at_month`, `placed_at_quarter`, `placed_at_year`, `placed_at_decade`
LIMIT 1000
