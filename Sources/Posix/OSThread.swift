import CLinux
import Glibc

/// Threads of our own, for work that blocks.
package enum OSThread {
    /// Starts a detached thread that runs a closure and ends with it; it takes no signals.
    ///
    /// The name may have 15 bytes; more is cut. Throws as pthread_create(3) does, on want of memory.
    package static func start(
        name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        // Signals are for the event loop alone; a thread inherits the mask of its maker.
        let size = Int(clinux_signal_set_bytes())
        let code: Int32 = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { saved in
            guard clinux_block_signals(saved.baseAddress) == 0 else { return errno }
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                    _ = clinux_name_thread(
                        String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
                    start.body()
                    return nil
                }, start.toOpaque())
            _ = clinux_restore_signals(saved.baseAddress)
            if code == 0 { pthread_detach(thread) }
            return code
        }
        guard code == 0 else {
            start.release()
            throw SystemError(code, "pthread_create", name)
        }
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
