import ControlAPI

/// The idempotency key of what one command sends, also where the user has given none: so it can be sent
/// again where it is not known what became of it.
struct SendKey {
    let text: String
    private let isGiven: Bool

    init(given: String?) {
        self.isGiven = given != nil
        self.text = given ?? "stoa-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    /// How the same command does nothing twice when it is run again.
    var advice: String {
        "run the same command again with "
            + (self.isGiven ? "the same --key" : "--key \(self.text)")
    }

    /// A failure of which it is not known whether the message was sent says how to send it once.
    func advise(_ failure: Failure) -> Failure {
        var failure = failure
        guard failure.isUncertain else {
            if failure.isInterrupt { failure.next = "nothing was sent" }
            return failure
        }
        failure.next = "it may have been sent anyway: to send it only once, \(self.advice)"
        if !failure.isInterrupt {
            failure.next += "; the daemon's log: journalctl --user -u stoad"
        }
        return failure
    }
}
