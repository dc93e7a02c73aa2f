"""Programs that are no Stoa of this time, for a host of the lab: `python3 -c`."""

# A Stoa of another time: no version of the preface is common.
STRANGER = (
    "import socket\n"
    "s = socket.create_server(('10.77.0.2', 4199))\n"
    "print('ready', flush=True)\n"
    "while True:\n"
    "    c, _ = s.accept()\n"
    "    c.recv(12)\n"
    "    c.sendall(bytes([0, 7, 9]))\n"
    "    c.close()\n")

# Holds the port of multicast DNS until its input ends.
RESPONDER = (
    "import socket, sys\n"
    "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
    "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
    "s.bind(('', 5353))\n"
    "print('ready', flush=True)\n"
    "sys.stdin.read()\n")

# A Stoa of another time that dials.
CALLER = (
    "import socket, sys\n"
    "s = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
    "s.sendall(b'STOA\\r\\n\\x1a\\n' + bytes([7, 9, 0, 0]))\n"
    "s.recv(3)\n")
