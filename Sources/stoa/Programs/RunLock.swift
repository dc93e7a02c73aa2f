import Posix

/// Keeps two commands for one consumer from running at once.
///
/// The commands hold it too, with all that they start: so one that is left behind by a `stoa on` that was
/// killed is waited for.
struct RunLock {
    private let path: String
    private let descriptor: LockHolder

    /// How often it is looked for, in milliseconds.
    private static let pauseMilliseconds: Int32 = 250

    /// Names the lock of a consumer of a daemon; it lies beside the daemon's socket.
    init(consumer: String, socket: String) throws(Failure) {
        self.path = "\(socket).on-\(StableHash.text(of: [consumer]))"
        do throws(SystemError) { self.descriptor = try LockHolder(path: self.path) } catch {
            throw Failure(
                .inputOutput, why: "\(error)",
                next: "the folder of the daemon's socket must be writable for you")
        }
    }

    /// The descriptor that commands are to keep open.
    var number: Int32 { self.descriptor.number }

    /// Waits for the lock; false where the program is to end meanwhile.
    func wait(_ console: Console) throws(Failure) -> Bool {
        var isTold = false
        while !self.descriptor.tryLock() {
            if !isTold {
                console.report(
                    "stoa: on: a command from an earlier run is still running; waiting for it\n")
            }
            isTold = true
            do throws(Failure) { try PollWait.pause(milliseconds: Self.pauseMilliseconds) } catch {
                guard error.isInterrupt else { throw error }
                return false
            }
        }
        return true
    }
}
