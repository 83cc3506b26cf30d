"""What messages look like on the wire, in both versions of the protocol.

`v1` and `v2` are the models, `codec` reads and writes them, `base` is what they are made of. This
package knows neither I/O nor JSON-RPC.
"""
