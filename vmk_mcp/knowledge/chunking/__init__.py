"""Cuts documents into chunks: tokens, blocks of Markdown, pieces, and where to cut between them."""
