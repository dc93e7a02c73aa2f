"""What every system test needs: daemons, their control sockets, networks, and counted checks."""
