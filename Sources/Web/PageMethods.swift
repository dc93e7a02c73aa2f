internal import ControlAPI

/// What a page may ask the daemon for.
///
/// Not among them: what belongs to scripts, what passes descriptors, and what restores a backup.
enum PageMethods {
    static let allowed: Set<String> = [
        "status", "peers", "usage", "diagnose", "rooms", "conversations", "members", "join",
        "leave",
        "mute", "unmute", "archive", "unarchive", "retain", "forget", "topic", "createConversation",
        "invite", "requests", "accept", "decline", "edit", "delete", "react", "info", "transfers",
        "cancelTransfer", "history", "search", "subscribe", "unsubscribe", "acknowledge", "connect",
        "profile", "presence", "typing", "whois", "people", "addPerson", "removePerson", "verify",
        "block", "unblock", "settings", "setSetting", "realms", "realmNew", "realmInvite",
        "realmJoin", "realmLeave", "realmRotate", "callSignal", "groupCreate", "groupAct",
        "groupInfo", "groupLink", "groupApprove", "devices", "deviceLink", "deviceApprove",
        "deviceRevoke", "deviceRename", "unlock",
    ]

    static func refusal(of method: String) -> RPCError {
        .refused(
            "the page may not call \"\(TerminalText.line(method))\"",
            reason: "notForPages", remedy: "use the command stoa for it")
    }
}
