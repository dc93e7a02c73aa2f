import Glibc
import Posix

/// A private LAN of Tests/System/Labs/network.sh; it ends with this value or with the test's process.
final class NetworkLab {
    private let process: ChildProcess
    private let bridge: String
    private var hosts: [Int: String] = [:]

    init(hosts count: Int, avahi: Bool) throws {
        let errors = "/tmp/stoa-lab-\(ProcessEnvironment.processID).log"
        defer { unlink(errors) }
        self.process = try ChildProcess(
            ["\(Surroundings.project)/Tests/System/Labs/network.sh", "\(count)"]
                + (avahi ? ["--avahi"] : []),
            errors: errors, wantsInput: true)
        var bridge = ""
        while let line = try self.process.nextLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "bridge": bridge = words[1]
            case "host": self.hosts[Int(words[1]) ?? 0] = words[2]
            default: break
            }
            if line == "ready" { break }
        }
        self.bridge = bridge
        guard self.hosts.count == count else {
            let said = (try? Files.read(errors, limitBytes: 65_536)) ?? []
            throw Broken("the lab did not come up: \(String(decoding: said, as: UTF8.self))")
        }
    }

    deinit {
        self.process.finishInput()
        _ = try? self.process.waitForExit()
    }

    /// What goes before a command that runs on a host.
    func prefix(_ host: Int) -> [String] {
        ["nsenter", "-t", self.hosts[host] ?? "", "-m", "-n", "-u", "-p", "--"]
    }

    func unplug(_ host: Int) throws { try self.setCable(host, "down") }
    func plug(_ host: Int) throws { try self.setCable(host, "up") }

    /// Kills a host's Avahi daemon without a goodbye and starts another one.
    ///
    /// The new one ends at once while the bus still counts the old one's name as taken.
    func restartAvahi(_ host: Int) throws {
        let start =
            "avahi-daemon --daemonize --no-chroot --no-rlimits "
            + "-f \(Surroundings.project)/Tests/System/Labs/avahi.conf"
        _ = try ChildProcess.run(
            self.prefix(host) + [
                "sh", "-ec",
                "pid=$(cat /run/avahi-daemon/pid); kill -9 $pid; "
                    + "while readlink /proc/$pid/exe; do :; done; rm -f /run/avahi-daemon/pid; "
                    + "tries=0; until \(start); do "
                    + "tries=$((tries + 1)); [ $tries -lt 300 ]; sleep 0.1; done",
            ])
    }

    /// Gives a host another IPv4 address in place of the one that it has.
    func move(_ host: Int, to address: String) throws {
        _ = try ChildProcess.run(
            self.prefix(host) + [
                "sh", "-ec",
                "ip address flush dev eth0 scope global && "
                    + "ip address add \(address)/24 brd + dev eth0",
            ])
    }

    /// Puts some hosts into a network of their own, 10.78.0.0/24, with a router to the others that passes no multicast.
    func divide(_ hosts: ClosedRange<Int>) throws {
        let router = ["nsenter", "-t", self.bridge, "-n", "--"]
        _ = try ChildProcess.run(
            router + [
                "sh", "-ec",
                "ip link add br1 type bridge mcast_snooping 0 stp_state 0 forward_delay 0; "
                    + "ip address add 10.77.0.254/24 dev br0; "
                    + "ip address add 10.78.0.254/24 dev br1; ip link set br1 up; "
                    + "for host in \(hosts.map(String.init).joined(separator: " ")); do "
                    + "ip link set port$host master br1; done; "
                    + "sysctl -qw net.ipv4.ip_forward=1",
            ])
        for host in self.hosts.keys.sorted() {
            let network = hosts.contains(host) ? 78 : 77
            _ = try ChildProcess.run(
                self.prefix(host) + [
                    "sh", "-ec",
                    "ip address flush dev eth0 scope global; "
                        + "ip address add 10.\(network).0.\(host)/24 brd + dev eth0; "
                        + "ip route add default via 10.\(network).0.254",
                ])
        }
    }

    private func setCable(_ host: Int, _ state: String) throws {
        _ = try ChildProcess.run(
            ["nsenter", "-t", self.bridge, "-n", "--", "ip", "link", "set", "port\(host)", state])
    }
}
