import ControlClient

extension MessageFollower {
    /// Waits until something has come, or it is time to look for the daemon again, and gives what is there.
    ///
    /// Gives nothing where so many milliseconds are over first. Throws where a signal has come, and
    /// `outputClosed` once nobody reads the pipe.
    func awaitEvents(
        whileOpen pipe: Int32?, millisecondsAtMost limit: Int32? = nil
    ) throws(Failure) -> [Event] {
        let readable = self.descriptor.map { [$0] } ?? []
        let pause = [self.pauseMilliseconds, limit].compactMap(\.self).min()
        let outcome = try PollWait.until(
            readable: readable, closed: pipe, millisecondsAtMost: pause)
        if outcome.pipeClosed { throw .outputClosed }
        guard !outcome.timedOut || limit == nil || pause != limit else { return [] }
        return try Failure.of { () throws(ClientError) in try self.receive() }
    }
}
