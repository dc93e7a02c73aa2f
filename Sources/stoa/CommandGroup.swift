/// Commands that belong together, as the help and the manual page list them.
struct CommandGroup {
    let title: String
    let names: [String]

    /// Every command, in one group each.
    static let all = [
        CommandGroup(
            title: "Talk",
            names: [
                "chat", "web", "call", "send", "history", "search", "conversations", "edit",
                "delete", "react", "info",
            ]),
        CommandGroup(
            title: "Rooms",
            names: [
                "join", "leave", "rooms", "members", "topic", "create", "invite", "group", "mute",
                "unmute",
                "archive", "unarchive", "retain", "forget", "realm",
            ]),
        CommandGroup(
            title: "People",
            names: [
                "people", "whois", "verify", "requests", "accept", "decline", "block", "unblock",
                "profile", "picture", "presence", "peers",
            ]),
        CommandGroup(title: "Files", names: ["fetch", "transfers", "export"]),
        CommandGroup(title: "Scripts", names: ["tail", "on", "ask", "run", "stream", "consumers"]),
        CommandGroup(
            title: "This machine",
            names: [
                "status", "doctor", "connect", "sites", "usage", "settings", "notify", "backup",
                "restore", "device", "lock", "unlock", "help",
            ]),
    ]
}
