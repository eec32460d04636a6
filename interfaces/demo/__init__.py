"""`lrgpnode demo`: two nodes and the radio between them, on one computer without hardware."""
