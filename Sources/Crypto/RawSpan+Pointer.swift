extension RawSpan {
    /// Lends the bytes as the pointer and length that C functions take.
    ///
    /// The pointer is never nil, also when there are no bytes: some C functions are declared to
    /// take no null pointer, whatever the length.
    @inline(__always)
    func withPointer<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<UInt8>, Int) throws(E) -> R
    ) throws(E) -> R {
        try self.withUnsafeBytes { (buffer) throws(E) -> R in
            if let base = buffer.baseAddress {
                return try body(base.assumingMemoryBound(to: UInt8.self), buffer.count)
            }
            var nothing: UInt8 = 0
            return try withUnsafeMutablePointer(to: &nothing) { (pointer) throws(E) -> R in
                try body(UnsafePointer(pointer), 0)
            }
        }
    }
}
