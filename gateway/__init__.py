"""The gateway: seats of mesh players at tables of web platforms, and the arcade that serves the same protocols here.

`bridge` ties one LRGP session to one `seat.RemoteSeat`. Each platform is a folder with the same file names:
`wire` (every message of its protocol as a typed model, shared by client and server), `client`, `seat`, `server`.
Nothing here is imported by a node whose gateway and arcade are off.
"""
