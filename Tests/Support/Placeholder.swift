// Test support comes here.
