"""Ask: a question, SQL that nobody trusts, true rows."""
