internal import Loop
internal import Posix

/// The threads for calls that block and that are neither the store's nor the files'.
struct Workers {
    /// Looks names up, writes small files.
    let common: Worker
    /// Makes the key of a secret room or a backup of its phrase; nil while none is being made.
    private var phrases: Worker?

    init(_ common: Worker) { self.common = common }

    var isMakingKey: Bool { self.phrases != nil }

    /// Starts the thread on which one key is made.
    mutating func beginKey(on loop: EventLoop) throws(SystemError) -> Worker {
        let worker = try Worker(name: "stoad-phrase", loop: loop, capacity: 1)
        self.phrases = worker
        return worker
    }

    mutating func endKey() { self.phrases = nil }
}
