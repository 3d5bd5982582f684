-- database/watch_client: has the server look every half second whether the client is still there.
--
-- columns
--   value   text
SELECT SET_CONFIG('client_connection_check_interval', '500ms', FALSE) AS value;
