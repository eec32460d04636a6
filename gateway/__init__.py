"""Seats of mesh players at tables of web platforms, and the arcade that serves the same protocols here.

`bridge` ties one LRGP session to one `seat.RemoteSeat`. Each platform is a folder with the same names:
`wire` (every message of its protocol as a typed model, shared by both sides), `client`, `seat`, `server`.
Nothing here is imported by a node whose gateway and arcade are off.
"""
