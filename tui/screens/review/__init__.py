"""The Review screen: questions looked over one by one, and the error rate that follows."""
