/// A file system of some megabytes in a mount namespace of its own; ends with this value.
final class SmallDisk {
    let path: String
    private let process: ChildProcess

    init(megabytes: Int, in scratch: Scratch) throws {
        self.path = try scratch.folder("disk")
        let script =
            "mount -t tmpfs -o size=\(megabytes)m,mode=700 tmpfs \"$1\" && echo ready && cat"
        self.process = try ChildProcess(
            ["unshare", "--mount", "sh", "-c", script, "sh", self.path], wantsInput: true)
        guard try self.process.nextLine() == "ready" else { throw Broken("no small disk") }
    }

    /// What goes before a command that sees the disk; it keeps the command's process number.
    var prefix: [String] { ["nsenter", "-t", "\(self.process.processID)", "-m", "--"] }

    func fill() throws {
        // Ends with an error when the disk is full, which is what is wanted.
        _ = try ChildProcess.run(
            self.prefix + ["dd", "if=/dev/zero", "of=\(self.path)/ballast", "bs=4096"],
            expecting: 1)
    }

    func empty() throws {
        _ = try ChildProcess.run(self.prefix + ["rm", "\(self.path)/ballast"])
    }
}
