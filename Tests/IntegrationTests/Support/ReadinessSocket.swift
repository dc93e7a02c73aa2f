import Glibc
import Posix

/// The socket on which a daemon tells that it is ready, in place of a service manager: sd_notify(3).
final class ReadinessSocket {
    let path: String
    private let descriptor: FileDescriptor

    init(path: String) throws {
        self.path = path
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Broken("no socket") }
        self.descriptor = FileDescriptor(owning: number)
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Broken("too long: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw Broken("cannot bind \(path)") }
    }

    var number: Int32 { self.descriptor.number }

    /// Takes one notification, waiting for it; nil when the time is up.
    func next(_ deadline: Deadline) throws -> String? {
        let ready = try waitUntilReadable(
            [self.number], timeoutMilliseconds: deadline.remainingMilliseconds)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        guard !ready.isEmpty, case .bytes(let count) = self.descriptor.read(into: &buffer) else {
            return nil
        }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
