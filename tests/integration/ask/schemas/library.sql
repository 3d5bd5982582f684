-- A made-up library, to see that the offline drafter knows no schema by heart.

CREATE TABLE branches (branch_id int PRIMARY KEY, name text, town text);
CREATE TABLE authors (author_id int PRIMARY KEY, name text, nationality text, birth_year int);
CREATE TABLE books (book_id int PRIMARY KEY, title text, author_id int REFERENCES authors, genre text, published_year int, pages int);
CREATE TABLE copies (copy_id int PRIMARY KEY, book_id int REFERENCES books, branch_id int REFERENCES branches, condition text);
CREATE TABLE members (member_id int PRIMARY KEY, name text, joined_on date, branch_id int REFERENCES branches);
CREATE TABLE loans (loan_id int PRIMARY KEY, copy_id int REFERENCES copies, member_id int REFERENCES members, loaned_on date, due_on date, returned_on date, fine numeric(8,2));
INSERT INTO branches VALUES (1, 'Central', 'Oakville'), (2, 'North', 'Oakville'), (3, 'Harbour', 'Seaton');
INSERT INTO authors SELECT g, 'Author ' || g, (ARRAY['British','French','Polish'])[1 + g % 3], 1900 + g * 3 FROM generate_series(1, 25) g;
INSERT INTO books SELECT g, 'Title ' || g, 1 + g * g % 23, (ARRAY['fantasy','history','poetry','mystery'])[1 + g * 5 % 7 % 4], 1950 + g * 7 % 70, 80 + g * 37 % 700 FROM generate_series(1, 120) g;
INSERT INTO copies SELECT g, 1 + g * 7 % 111, 1 + g * g % 3, (ARRAY['good','worn','damaged'])[1 + g * 5 % 3] FROM generate_series(1, 260) g;
INSERT INTO members SELECT g, 'Member ' || g, DATE '2021-01-01' + g * 19, 1 + g % 3 FROM generate_series(1, 80) g;
INSERT INTO loans SELECT g, 1 + g * 13 % 251, 1 + g * g % 71, DATE '2024-01-01' + g, DATE '2024-01-22' + g, CASE WHEN g % 6 <> 0 THEN DATE '2024-01-05' + g + g % 30 END, CASE WHEN g % 4 = 0 THEN g % 9 END FROM generate_series(1, 600) g;
