"""What a wish in Ukrainian or Russian words means as filters; its words and grammar are data files."""
