internal import ControlAPI
internal import Engine
internal import Formats

/// A line of the log with its fields, as the journal keeps them: systemd.journal-fields(7).
struct JournalRecord: Hashable {
    /// Names and values, in order.
    let fields: [Field]

    struct Field: Hashable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Makes the record of a line that is about something.
    init(_ level: LogLevel, _ line: String, about subject: LogSubject) {
        var fields = [
            Field("MESSAGE", line), Field("PRIORITY", String(level.rawValue)),
            Field("SYSLOG_IDENTIFIER", "stoad"),
        ]
        if let alert = subject.alert {
            fields.append(Field("MESSAGE_ID", alert.messageID))
            fields.append(Field("STOA_ALERT", alert.rawValue))
        }
        if let peer = subject.peer { fields.append(Field("STOA_PEER", peer.description)) }
        if let conversation = subject.conversation {
            fields.append(Field("STOA_CONVERSATION", conversation.description))
        }
        self.fields = fields
    }
}

extension Alert.Code {
    /// What the journal calls messages of this kind, the same for all versions and machines: made once by
    /// chance, sd_journal_print(3).
    var messageID: String {
        switch self {
        case .clock: "628dea40bee34de79ce955240d7ee802"
        case .wrongClock: "5f0c7b1e2a8d4c63b94e17d2a6f80c35"
        case .identityInUse: "82d6327d88ab440599219211b6320510"
        case .shutOut: "dba6c6c0b16a47e8bcafe33e6e73b589"
        case .storage: "ab6399b12def41f891ada459bc0b0568"
        case .storeLost: "9099bea37ebe4e80aac502198a28725a"
        case .damage: "d4a07d5026e8476082bc33b2ef5526dc"
        case .fileDamage: "fc48f0982ade4d6aadd1fd37a7178252"
        case .held: "b79b15ae23db4fa28542a1cffc90ecf6"
        case .fork: "b63917e6cad9451098e1826648b38028"
        case .newIncarnation: "cc5366e5f369417b923d98fed432d166"
        case .namesake: "a0726984225348828584c13037ea5c16"
        case .otherDevice: "a1f86b5cc58e4807814216c2bbd92e27"
        case .crowded: "00b8fea1a044494aaa28ce8bcb184b70"
        case .refused: "335d328434f24500b13fddb19985147d"
        case .diskShare: "e7fe882f800d4b92884c1a381192e9b1"
        case .missing: "1547b1258f624be48f6f21743d4e8df8"
        case .announcements: "1ba640bf58c948f88d867d6f9d5f285b"
        case .sites: "4bf2d0151160427cba4ca4a2aa3bf35f"
        }
    }
}
