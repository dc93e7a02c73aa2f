/// What a person can do about a notification.
package enum NoteAction: String, Equatable, Sendable {
    case open
    /// Answer at once; where the desktop has no way to type one, the conversation is opened.
    case reply
    case accept
    /// Answer a call.
    case answer
}

/// What a notification says.
package struct DesktopNote: Equatable, Sendable {
    /// What comes first: of whom, or where.
    package var title: String
    /// The rest, in plain text.
    package var text: String
    /// Whether it is to stay until it is closed.
    package var isUrgent = false
    package var actions: [NoteAction] = []
    /// Whose picture to show beside it: a person whom the user has let in.
    package var person: String?

    /// That the node is locked.
    static let locked = DesktopNote(
        title: "Stoa is locked", text: "Messages wait. Unlock it with: stoa unlock")
}
