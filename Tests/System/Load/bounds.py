"""What a node may have open and what that may cost: from Limits, so that no load judges by its own."""

from __future__ import annotations

MIB = 1 << 20
LINKS, HALF_OPEN, CLIENTS = 128, 32, 256
# Of the links, those that strangers may open.
INCOMING = 80
# What a link may hold in both directions: two initial credits and the control queue.
LINK_BYTES = 2 * 327_680 + 65_536
# What a node has open by itself.
OWN_DESCRIPTORS = 64
# With strangers who come and go, some at a time: more means that the node does not keep up with them.
VISITED_DESCRIPTORS = 2 * OWN_DESCRIPTORS
