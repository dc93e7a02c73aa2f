import CSystemd

/// Keeps a handler alive for as long as sd-event may call it.
final class SourceBox<Handler> {
    let handler: Handler

    init(_ handler: Handler) {
        self.handler = handler
    }

    /// The pointer for sd-event, which holds the box until the source is destroyed.
    func retained() -> UnsafeMutableRawPointer {  // the C API has one untyped pointer per source
        Unmanaged.passRetained(self).toOpaque()
    }

    /// Undoes ``retained()`` when no source came of it.
    func released() {
        Unmanaged.passUnretained(self).release()
    }

    /// The box behind a pointer; the strong reference keeps it while its handler ends its source.
    static func from(_ pointer: UnsafeMutableRawPointer?) -> SourceBox? {
        pointer.map { Unmanaged<SourceBox>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// One sd-event source, destroyed once and on the loop's thread.
struct OwnedSource: ~Copyable {
    let source: OpaquePointer
    private let loop: EventLoop

    init(_ source: OpaquePointer, loop: EventLoop) {
        self.source = source
        self.loop = loop
    }

    deinit {
        if self.loop.isOnLoop {
            sd_event_source_disable_unref(self.source)
            return
        }
        // An actor that owned the handle may end on any thread, but the source belongs to the
        // loop's. Until it gets there the handler may still be called.
        let condemned = CondemnedSource(source: self.source)
        self.loop.post { sd_event_source_disable_unref(condemned.source) }
    }

    borrowing func checkIsolated() {
        self.loop.checkIsolated()
    }
}

private struct CondemnedSource: @unchecked Sendable {  // has no other reference left
    let source: OpaquePointer
}
