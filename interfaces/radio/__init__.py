"""The RNode: discovery, set-up, status, and a software RNode on a simulated channel."""
