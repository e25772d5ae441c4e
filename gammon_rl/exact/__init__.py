"""Values computed to the end instead of learned: bear-off databases and solved variants."""
