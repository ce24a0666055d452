"""The Figures screen: the paper's figures from one's own data, drawn in lines."""
