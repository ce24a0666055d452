"""Looking questions over: queues of them, one as a card, what people decide, error rates."""
