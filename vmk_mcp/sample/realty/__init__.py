"""Parts of the made-up real-estate listings: places, premises, prices, wordings and blemishes."""
