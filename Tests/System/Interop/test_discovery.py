"""Packets of discovery, without a network."""

from __future__ import annotations

import ipaddress
import struct
import unittest

from discovery import A, PTR, SERVICE, SRV, Discovery, Instance, Malformed, Network, Packet, Question, Resource

NETWORK = Network(1, ipaddress.IPv4Address("10.77.0.3"), ipaddress.IPv4Network("10.77.0.0/24"))


class PacketTests(unittest.TestCase):
    def test_a_packet_reads_back(self) -> None:
        announced = Discovery(NETWORK, 4242).own()
        sent = Packet(True, answers=announced)
        self.assertEqual(Packet.read(sent.packed()), sent)
        asked = Packet(questions=[Question(SERVICE, PTR)], answers=announced[:1])
        self.assertEqual(Packet.read(asked.packed()), asked)

    def test_a_name_may_point_back(self) -> None:
        head = struct.pack(">HHHHHH", 0, 0x8400, 0, 2, 0, 0)
        first = b"\x05_stoa\x04_tcp\x05local\0" + struct.pack(">HHIH", PTR, 1, 9, 4) + b"\x01x\xc0\x0c"
        second = b"\x01x\xc0\x0c" + struct.pack(">HHIH", SRV, 1, 9, 9) + b"\0\0\0\0\x10\x92\xc0\x17" + b"\0"
        read = Packet.read(head + first + second)
        self.assertEqual(read.answers[0], Resource(SERVICE, PTR, 9, b"", ("x", *SERVICE)))
        self.assertEqual(read.answers[1].target, ("local",))

    def test_what_leads_to_itself_or_ends_early_is_refused(self) -> None:
        head = struct.pack(">HHHHHH", 0, 0, 1, 0, 0, 0)
        for data in (head + b"\xc0\x0c\0\x0c\0\x01", head + b"\x05_st", head[:7], b""):
            with self.assertRaises(Malformed):
                Packet.read(data)

    def test_a_goodbye_ends_an_instance(self) -> None:
        found: list[Instance] = []
        ended: list[str] = []
        other = Discovery(NETWORK, 4242)
        discovery = Discovery(NETWORK, None, found.append, ended.append)
        discovery.heard(Packet(True, answers=other.own()))
        discovery.heard(Packet(True, answers=other.own()))
        self.assertEqual([(each.name, each.port, each.versions) for each in found], [(other.name, 4242, (2, 2))])
        discovery.heard(Packet(True, answers=[each.ending() for each in other.own()]))
        self.assertEqual(ended, [other.name])

    def test_an_address_of_another_network_is_not_dialled(self) -> None:
        instance = Instance("x", "h.local", 1, ("10.77.0.9", "192.0.2.1"), ())
        self.assertEqual(Discovery(NETWORK).reachable(instance), [("10.77.0.9", 1)])
        self.assertIsNone(instance.versions)

    def test_a_taken_name_is_changed(self) -> None:
        discovery = Discovery(NETWORK, 1)
        before = discovery.name, discovery.host
        discovery.make_way(Packet(True, answers=[Resource(before[1], A, 9, b"\x0a\x4d\0\x09")]))
        self.assertEqual(discovery.name, before[0])
        self.assertNotEqual(discovery.host, before[1])


if __name__ == "__main__":
    unittest.main()
