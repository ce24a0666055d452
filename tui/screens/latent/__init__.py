"""The Latent screen: relations, their facts, and what a model makes of one where nobody asks."""
