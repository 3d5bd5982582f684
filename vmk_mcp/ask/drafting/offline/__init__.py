"""The offline drafter: a small grammar that lays the words of a question onto whatever schema it is given."""
