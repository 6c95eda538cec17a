"""Draws synthetic SPECIMEN identity cards and encodes them the ways phones and scanners do."""
