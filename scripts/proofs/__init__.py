"""Proofs that nothing is lost, nothing is sent twice and nothing leaks; entered by scripts/prove-*."""
