import ControlClient

extension MessageFollower {
    /// Waits until something has come, or it is time to look for the daemon again, and gives what is there.
    ///
    /// An interrupt ends the program meanwhile; throws `outputClosed` once nobody reads the pipe.
    func awaitEvents(whileOpen pipe: Int32?) throws(Failure) -> [Event] {
        let readable = self.descriptor.map { [$0] } ?? []
        let pause = self.pauseMilliseconds
        let outcome = try InterruptSignals.whileAllowed { () throws(Failure) in
            try PollWait.until(readable: readable, closed: pipe, millisecondsAtMost: pause)
        }
        if outcome.pipeClosed { throw .outputClosed }
        return try Failure.of { () throws(ClientError) in try self.receive() }
    }
}
