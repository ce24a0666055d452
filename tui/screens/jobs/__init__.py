"""The Jobs screen: what runs, what ran, how far it is, what it costs, what happened."""
