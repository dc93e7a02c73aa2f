internal import Engine
internal import Formats

/// What scripts ask of the store: what they sent under a key, and where durable consumers stand.
extension StoreFile {
    /// The own entry that was sent under a key; nil for an unknown or forgotten one.
    func lookUp(
        _ key: String, in conversation: ConversationID
    ) throws(SQLiteError) -> StoredEntry? {
        guard let place = try self.conversationRow(conversation) else { return nil }
        return try self.statements.reading.send.bind(.conversation, place).bind(.name, text: key)
            .first { (row) throws(SQLiteError) in try self.storedEntry(row) }
    }

    /// Where a durable consumer stands; nil for one that never acknowledged.
    func consumer(_ name: String, in conversation: ConversationID?) throws(SQLiteError) -> Cursor? {
        var place: Int64 = 0
        if let conversation {
            guard let row = try self.conversationRow(conversation) else { return nil }
            place = row
        }
        return try self.statements.values.consumer.bind(.name, text: name)
            .bind(.conversation, place).int().map { Cursor($0) }
    }

    /// Where all durable consumers stand.
    func consumers() throws(SQLiteError) -> [ConsumerPosition] {
        var positions: [ConsumerPosition] = []
        try self.statements.values.consumers.forEach { (row) throws(SQLiteError) in
            positions.append(
                ConsumerPosition(
                    name: row.text(.name),
                    conversation: row.isNull(.hash) ? nil : ConversationID(try row.bytes32(.hash)),
                    cursor: Cursor(row.int(.cursor))))
        }
        return positions
    }

    /// Forgets a durable consumer; false where there is none.
    func removeConsumer(_ name: String) throws(SQLiteError) -> Bool {
        try self.statements.values.removeConsumer.bind(.name, text: name).run()
        return try self.database.int("SELECT changes()") > 0
    }

    /// Moves a durable consumer forward.
    func acknowledge(
        _ name: String, in conversation: ConversationID?, _ cursor: Cursor
    ) throws(SQLiteError) {
        let place: Int64 =
            if let conversation { try self.makeConversationRow(conversation) } else { 0 }
        try self.statements.values.acknowledge.bind(.name, text: name)
            .bind(.conversation, place).bind(.cursor, cursor.rawValue).run()
    }
}
