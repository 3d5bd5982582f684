-- A made-up shop, to see that the offline drafter knows no schema by heart.

CREATE TABLE customers (id int PRIMARY KEY, full_name text, email text, country text, signup_date date, loyalty_level text);
CREATE TABLE categories (id int PRIMARY KEY, title text);
CREATE TABLE products (id int PRIMARY KEY, title text, category_id int REFERENCES categories, price numeric(10,2), stock int, is_discontinued boolean);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, ordered_at timestamptz, shipped_at timestamptz, state text);
CREATE TABLE order_items (id int PRIMARY KEY, order_id int REFERENCES orders, product_id int REFERENCES products, quantity int, unit_price numeric(10,2));
CREATE TABLE reviews (id int PRIMARY KEY, product_id int REFERENCES products, customer_id int REFERENCES customers, rating int, posted_on date);
INSERT INTO customers SELECT g, 'Customer ' || g, 'c' || g || '@example.com', (ARRAY['France','Germany','Spain','Italy'])[1 + g * 7 % 4], DATE '2022-01-01' + g * 17, (ARRAY['gold','silver','bronze'])[1 + g % 3] FROM generate_series(1, 60) g;
INSERT INTO categories VALUES (1, 'Books'), (2, 'Garden'), (3, 'Toys'), (4, 'Kitchen');
INSERT INTO products SELECT g, 'Product ' || g, 1 + g * g % 4, 5 + g * 3.5, g * 13 % 50, g % 9 = 0 FROM generate_series(1, 40) g;
INSERT INTO orders SELECT g, 1 + g * g % 53, TIMESTAMPTZ '2024-02-01 10:00+00' + g * INTERVAL '31 hours', CASE WHEN g % 5 <> 0 THEN TIMESTAMPTZ '2024-02-03 10:00+00' + g * INTERVAL '32 hours' END, (ARRAY['paid','shipped','cancelled','pending'])[1 + g * g % 7 % 4] FROM generate_series(1, 400) g;
INSERT INTO order_items SELECT g, 1 + g * 11 % 400, 1 + g * g % 37, 1 + g % 4, 5 + g % 37 * 3.5 FROM generate_series(1, 900) g;
INSERT INTO reviews SELECT g, 1 + g * 3 % 33, 1 + g * g % 50, 1 + g * 7 % 5, DATE '2025-01-01' + g FROM generate_series(1, 150) g;
