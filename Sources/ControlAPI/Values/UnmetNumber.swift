extension SendMethod {
    /// A number of members that was to have a message, and how many of them there are.
    package struct UnmetNumber: Sendable {
        /// How many were to have it.
        package let wanted: Int
        /// How many other members there are.
        package let others: Int
        /// What the conversation is called.
        package let conversation: String

        /// Names a number that was not reached.
        package init(wanted: Int, others: Int, conversation: String) {
            self.wanted = wanted
            self.others = others
            self.conversation = conversation
        }

        /// What is said where there are fewer than were asked for, since no link would help; nil elsewhere.
        func text(of result: Result, isRead: Bool) -> (message: String, remedy: String)? {
            guard self.others < self.wanted else { return nil }
            let name = TerminalText.line(self.conversation)
            let members = self.others == 1 ? "1 other member" : "\(self.others) other members"
            let have = isRead ? "have read it" : "have it"
            return (
                "the message is stored, and \(result.deliveredTo.count) of \(self.wanted) \(have); "
                    + "\(name) has \(members)",
                "do not send it again: people who join later get it; set --members to at most that number"
            )
        }
    }
}
