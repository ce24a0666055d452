"""The model that comes along: its weights, and the llama.cpp server that runs them in a child."""
