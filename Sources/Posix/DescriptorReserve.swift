import Glibc

/// A descriptor that is kept so that one can still be opened once the process has used up all others.
package struct DescriptorReserve: ~Copyable {
    private var spare: FileDescriptor?

    /// Opens it; where that fails there is none until ``renew()`` succeeds.
    package init() {
        self.spare = nil
        self.renew()
    }

    /// Runs `body` with one more descriptor to use, and takes it back once that is closed.
    package mutating func lend<Value, Failure>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        self.spare = nil
        defer { self.renew() }
        return try body()
    }

    /// Opens it again if it could not be taken back.
    package mutating func renew() {
        guard self.spare == nil else { return }
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if number >= 0 { self.spare = FileDescriptor(owning: number) }
    }
}

extension SystemError {
    /// Whether this process, or the machine, can open no more descriptors.
    package var meansNoDescriptors: Bool { self.code == EMFILE || self.code == ENFILE }
}
