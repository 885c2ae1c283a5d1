-- The demo's warehouse with the types, keys and comments PostgreSQL can hold.
-- Loaded by load_postgres.sh; columns are in the order of the SQLite tables.
CREATE TABLE regions (
  id integer PRIMARY KEY, code varchar(2) NOT NULL UNIQUE, name text NOT NULL, sales_area text NOT NULL,
  currency char(3) NOT NULL, time_zone text NOT NULL, vat_permille integer NOT NULL);
CREATE TABLE fx_rates (
  month date NOT NULL, currency char(3) NOT NULL, per_eur numeric(12,6) NOT NULL, PRIMARY KEY (month, currency));
CREATE TABLE employees (
  id integer PRIMARY KEY, full_name varchar(80) NOT NULL, team varchar(30) NOT NULL, role varchar(40) NOT NULL,
  region_id integer REFERENCES regions, manager_id integer REFERENCES employees,
  hired_on date NOT NULL, left_on date);
CREATE TABLE customers (
  id integer PRIMARY KEY, customer_no varchar(12) NOT NULL UNIQUE, full_name varchar(120), email varchar(160),
  company varchar(120), segment varchar(20), region_id integer NOT NULL REFERENCES regions,
  signup_at timestamptz NOT NULL, acquired_via varchar(20), birth_year smallint, marketing_opt_in boolean NOT NULL,
  account_manager_id integer REFERENCES employees, is_test boolean NOT NULL,
  merged_into_id integer REFERENCES customers, deleted_at timestamptz);
CREATE TABLE tbl_cst_adr (
  adr_id integer PRIMARY KEY, cst_id integer NOT NULL REFERENCES customers, adr_typ char(1) NOT NULL,
  str_nr varchar(120), plz varchar(10), ort varchar(60), land_iso char(2), gueltig_ab date NOT NULL,
  gueltig_bis date, lief_sperre_kz char(1) NOT NULL);
CREATE TABLE products (
  id integer PRIMARY KEY, sku varchar(12) NOT NULL UNIQUE, name varchar(80) NOT NULL, category varchar(30) NOT NULL,
  warengruppe varchar(30), list_price_ct integer NOT NULL, cost_ct integer, launched_on date NOT NULL,
  discontinued_on date);
CREATE TABLE orders (
  id bigint PRIMARY KEY, order_no varchar(16) NOT NULL UNIQUE, customer_id integer NOT NULL REFERENCES customers,
  ordered_at timestamptz NOT NULL, status varchar(12) NOT NULL, channel varchar(16) NOT NULL,
  currency char(3) NOT NULL, amt_loc_ct bigint NOT NULL, amt_eur_ct bigint NOT NULL, tax_ct bigint NOT NULL,
  shipping_ct bigint NOT NULL, discount_ct bigint NOT NULL, coupon_code varchar(16),
  sales_rep_id integer REFERENCES employees, shipped_at timestamptz, delivered_at timestamptz,
  is_test boolean NOT NULL, duplicate_of_id bigint REFERENCES orders, source_system varchar(10) NOT NULL);
CREATE TABLE order_items (
  id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, line_no smallint NOT NULL,
  product_id integer NOT NULL REFERENCES products, quantity integer NOT NULL, unit_price_ct integer NOT NULL,
  UNIQUE (order_id, line_no));
CREATE TABLE payments (
  id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, attempt_no smallint NOT NULL,
  method varchar(16) NOT NULL, status varchar(12) NOT NULL, amount numeric(12,2) NOT NULL, fee_ct integer,
  created_at timestamptz NOT NULL, failure_code varchar(30));
CREATE TABLE refunds (
  id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, payment_id bigint REFERENCES payments,
  amount_ct integer NOT NULL, tax_ct integer NOT NULL, reason varchar(30), refunded_at timestamptz NOT NULL,
  handled_by integer REFERENCES employees);
CREATE TABLE subscriptions (
  id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers, plan varchar(12) NOT NULL,
  mrr_ct integer NOT NULL, started_on date NOT NULL, cancelled_on date, cancel_reason varchar(30));
CREATE TABLE support_tickets (
  id integer PRIMARY KEY, customer_id integer REFERENCES customers, order_id bigint REFERENCES orders,
  assignee_id integer REFERENCES employees, category varchar(16) NOT NULL, priority varchar(8) NOT NULL,
  channel varchar(8) NOT NULL, subject varchar(120) NOT NULL, status varchar(8) NOT NULL,
  opened_at timestamptz NOT NULL, first_reply_min integer, resolution_min integer, csat smallint);
CREATE TABLE web_sessions (
  id bigint PRIMARY KEY, visitor_id varchar(16) NOT NULL, customer_id integer REFERENCES customers,
  started_at_ms bigint NOT NULL, session_date date NOT NULL, duration_s integer, page_views integer NOT NULL,
  landing_path varchar(80) NOT NULL, utm_source varchar(20), utm_campaign varchar(30), device varchar(10),
  country_code char(2), is_bot boolean NOT NULL, order_id bigint REFERENCES orders);
CREATE TABLE marketing_spend (
  day date NOT NULL, campaign varchar(30) NOT NULL, utm_source varchar(20) NOT NULL,
  spend_eur numeric(10,2) NOT NULL, impressions integer, clicks integer, PRIMARY KEY (day, campaign));

CREATE VIEW v_order_revenue AS
  SELECT o.id AS order_id, o.customer_id, o.ordered_at, o.channel, o.amt_eur_ct AS gross_ct, o.tax_ct,
         COALESCE(r.refunded_ct, 0) AS refunded_ct, COALESCE(r.refunded_tax_ct, 0) AS refunded_tax_ct,
         o.amt_eur_ct - o.tax_ct - COALESCE(r.refunded_ct - r.refunded_tax_ct, 0) AS net_ct
    FROM orders o
    LEFT JOIN (SELECT order_id, SUM(amount_ct) AS refunded_ct, SUM(tax_ct) AS refunded_tax_ct
                 FROM refunds GROUP BY order_id) r ON r.order_id = o.id
   WHERE o.status NOT IN ('pending', 'cancelled') AND NOT o.is_test AND o.duplicate_of_id IS NULL;

COMMENT ON TABLE orders IS 'One row per order; contains tests, cancelled and duplicated orders';
COMMENT ON COLUMN orders.ordered_at IS 'UTC; for source_system erp_alt the clock of Europe/Berlin';
COMMENT ON COLUMN orders.amt_eur_ct IS 'Order total in euro cents, VAT and shipping included';
COMMENT ON COLUMN orders.amt_loc_ct IS 'Order total in hundredths of currency';
COMMENT ON COLUMN orders.tax_ct IS 'VAT inside amt_eur_ct, euro cents';
COMMENT ON COLUMN orders.duplicate_of_id IS 'Set when this row is a second import';
COMMENT ON COLUMN payments.amount IS 'Euros, not cents';
COMMENT ON COLUMN refunds.amount_ct IS 'Euro cents, VAT included, positive';
COMMENT ON TABLE customers IS 'Customer accounts, with tests, deleted and merged ones';
COMMENT ON COLUMN customers.segment IS 'consumer, business, reseller; NULL: not classified';
COMMENT ON TABLE tbl_cst_adr IS 'Adressen aus dem alten ERP, nächtlich geladen';
COMMENT ON COLUMN tbl_cst_adr.adr_typ IS 'R Rechnung, L Lieferung';
COMMENT ON COLUMN tbl_cst_adr.lief_sperre_kz IS 'J: keine Lieferungen';
COMMENT ON COLUMN web_sessions.started_at_ms IS 'Unix time in milliseconds';
COMMENT ON COLUMN products.warengruppe IS 'German name of the category, in the ERP';
COMMENT ON TABLE subscriptions IS 'Bergclub membership';
COMMENT ON VIEW v_order_revenue IS 'Revenue per order that counts, refunds taken off';
