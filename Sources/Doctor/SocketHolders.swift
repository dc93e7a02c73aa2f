internal import Posix

/// Who holds a port of this machine: the account, which the kernel tells everybody, and the program, where its
/// descriptors may be read.
struct SocketHolders {
    /// A socket as `/proc/net` lists it.
    struct Socket: Hashable {
        var user: UInt32
        var inode: String
    }

    /// Lines of `/etc/passwd`.
    let accounts: String
    /// Names the program that has a socket, and its process; nil where that may not be seen.
    let program: (_ inode: String) -> String?

    /// The sockets of a port in lines of `/proc/net/tcp` or `/proc/net/udp`; of TCP those that listen only.
    static func sockets(of port: UInt16, in table: String, isTCP: Bool) -> [Socket] {
        let digits = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        return table.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(suffix), !isTCP || fields[3] == "0A",
                let user = UInt32(fields[7])
            else { return nil }
            return Socket(user: user, inode: String(fields[9]))
        }
    }

    /// The name of an account; its number where it has none.
    func account(_ user: UInt32) -> String {
        for line in self.accounts.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, UInt32(fields[2]) == user { return String(fields[0]) }
        }
        return "user \(user)"
    }

    /// Who has one of some sockets, as `ben (stoad, process 4123)`; nil where there is none.
    func holder(of sockets: [Socket]) -> String? {
        guard let first = sockets.first else { return nil }
        let named = sockets.lazy.compactMap { socket in
            self.program(socket.inode).map { "\(self.account(socket.user)) (\($0))" }
        }
        return named.first ?? self.account(first.user)
    }

    /// Looks through the descriptors of all processes, as far as they may be read: proc(5).
    static func program(of inode: String) -> String? {
        let link = "socket:[\(inode)]"
        for process in (try? Files.names(in: "/proc")) ?? [] where Int32(process) != nil {
            let folder = "/proc/\(process)/fd"
            let holds = ((try? Files.names(in: folder)) ?? []).contains {
                Files.target(ofLink: "\(folder)/\($0)") == link
            }
            guard holds else { continue }
            let bytes = (try? Files.read("/proc/\(process)/comm", limitBytes: 64)) ?? []
            let name = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            return "\(name), process \(process)"
        }
        return nil
    }
}
