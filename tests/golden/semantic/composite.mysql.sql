WITH `counts_agg` AS (
SELECT
  `stock`.`store` AS `store`,
  sum(`counts`.`counted`) AS `counted`
FROM `counts` AS `counts`
LEFT JOIN `stock` AS `stock` ON `counts`.`store` = `stock`.`store` AND `counts`.`product` = `stock`.`product`
GROUP BY 1
),
`stock_agg` AS (
SELECT
  `stock`.`store` AS `store`,
  sum(`stock`.`pieces`) AS `pieces`
FROM `stock` AS `stock`
GROUP BY 1
)
SELECT
  `store`,
  MAX(`counted`) AS `counted`,
  MAX(`pieces`) AS `pieces`
FROM (
  SELECT `store`, `counted`, NULL AS `pieces`
  FROM `counts_agg`
  UNION ALL
  SELECT `store`, NULL, `pieces`
  FROM `stock_agg`
) AS facts
GROUP BY `store`
ORDER BY `store`
LIMIT 1000
