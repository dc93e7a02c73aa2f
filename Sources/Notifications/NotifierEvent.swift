package import ControlAPI

/// What happens to the notifier.
package enum NotifierEvent: Sendable {
    /// There is a connection to the daemon.
    case connected
    /// The connection was lost, or could not be made.
    case lost
    /// The daemon has said something.
    case received(ServerMessage)
    /// The person has closed a notification.
    case dismissed(tag: String)
    /// The person has chosen what to do about a notification.
    case chosen(tag: String, NoteAction)
    /// The person has typed an answer into a notification.
    case replied(tag: String, String)
    /// The moment that was asked for has come.
    case due
}

/// What the notifier wants done.
package enum NotifierEffect: Equatable, Sendable {
    /// Write a line to the daemon.
    case write([UInt8])
    /// Connect to the daemon.
    case connect
    /// Show a notification, in the place of the one with the same tag.
    case show(tag: String, DesktopNote)
    /// Take the notification with this tag away, where it stands.
    case close(tag: String)
    /// Open a terminal with a conversation, or with all of them.
    case open(conversation: String?)
    /// Open the page, which answers the call with this id in a conversation.
    case answer(conversation: String, call: String)
}
