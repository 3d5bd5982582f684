-- A made-up clinic, to see that the offline drafter knows no schema by heart.

CREATE TABLE doctors (doctor_id int PRIMARY KEY, first_name text, last_name text, specialty text, salary numeric(10,2), hired_on date);
CREATE TABLE patients (patient_id int PRIMARY KEY, first_name text, last_name text, gender text, date_of_birth date, insurance_provider text);
CREATE TABLE rooms (room_number int PRIMARY KEY, floor int, capacity int);
CREATE TABLE appointments (appointment_id int PRIMARY KEY, patient_id int REFERENCES patients, doctor_id int REFERENCES doctors, room_number int REFERENCES rooms, starts_at timestamptz, duration_minutes int, outcome text);
CREATE TABLE prescriptions (prescription_id int PRIMARY KEY, appointment_id int REFERENCES appointments, medicine text, dose_mg int);
CREATE TABLE invoices (invoice_id int PRIMARY KEY, appointment_id int REFERENCES appointments, total numeric(10,2), paid_on date);
INSERT INTO doctors SELECT g, 'First' || g, 'Doc' || g, (ARRAY['cardiology','dermatology','pediatrics'])[1 + g % 3], 90000 + g * 1375, DATE '2010-01-01' + g * 200 FROM generate_series(1, 14) g;
INSERT INTO patients SELECT g, 'Pat' || g, 'Last' || g, (ARRAY['female','male'])[1 + g % 2], DATE '1940-01-01' + g * 170, (ARRAY['Acme Health','BlueLife'])[1 + g % 2] FROM generate_series(1, 150) g;
INSERT INTO rooms SELECT g, 1 + g % 3, 1 + g % 4 FROM generate_series(1, 12) g;
INSERT INTO appointments SELECT g, 1 + g * g % 139, 1 + g * 5 % 13, 1 + g * g % 12, TIMESTAMPTZ '2025-01-01 09:00+00' + g * INTERVAL '17 hours', 10 + g % 5 * 10, (ARRAY['completed','cancelled','no show'])[1 + g * 5 % 3] FROM generate_series(1, 700) g;
INSERT INTO prescriptions SELECT g, 1 + g * 3 % 690, (ARRAY['aspirin','ibuprofen','amoxicillin'])[1 + g % 3], 50 * (1 + g % 8) FROM generate_series(1, 500) g;
INSERT INTO invoices SELECT g, g, 40 + g * 7 % 300, CASE WHEN g % 3 <> 0 THEN DATE '2025-02-01' + g END FROM generate_series(1, 650) g;
