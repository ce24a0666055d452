"""What models know where nobody asks, for the Latent screen."""
