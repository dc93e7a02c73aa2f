internal import ControlAPI
internal import Posix

/// Whether the kernel encrypts what is written below a folder before it reaches a disk.
enum DiskEncryption {
    /// Where the kernel shows devices by their numbers.
    private static let devices = "/sys/dev/block"
    /// Layers of a disk, such as a volume on an array: more nobody stacks.
    private static let depth = 8
    private static let idBytes = 4_096

    /// Whether dm-crypt does; nil where that cannot be told, as of a file system over several disks or a network.
    static func isDone(under folder: String, devices: String = Self.devices) -> Bool? {
        guard let number = Files.device(of: folder) else { return nil }
        return self.isDone(device: "\(devices)/\(number)", self.depth)
    }

    /// Whether it is done on each way from a device to the disks.
    static func isDone(device: String, _ depth: Int) -> Bool? {
        guard depth > 0, Files.exists(device), !Files.exists("\(device)/loop/backing_file") else {
            return nil
        }
        let id = (try? Files.read("\(device)/dm/uuid", limitBytes: Self.idBytes)) ?? []
        guard !id.starts(with: "CRYPT-".utf8) else { return true }
        let below = (try? Files.names(in: "\(device)/slaves")) ?? []
        guard !below.isEmpty else { return false }
        let found = below.map { Self.isDone(device: "\(device)/slaves/\($0)", depth - 1) }
        return found.contains(false) ? false : found.contains(nil) ? nil : true
    }
}
