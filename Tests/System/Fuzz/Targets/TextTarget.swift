import ControlAPI
import Crypto

@testable import Engine
@testable import Formats

/// Texts that stand for something else: ids, names of rooms, times; and texts to be shown.
enum TextTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        let text = String(decoding: bytes, as: UTF8.self)
        let isTaken = [
            try Self.identifier(text), try Self.room(text), try Self.time(text),
        ].contains(true)
        try Self.shown(text)
        return isTaken ? .accepted : .refused
    }

    private static func identifier(_ text: String) throws -> Bool {
        let ours = Base32.decode(text)
        let theirs = ChangedMessage(
            field: ["id": .string(text), "conversation": .string(text), "conversationName": ""])
        try demand((ours?.count == 32) == (theirs != nil), "two readers of ids differ")
        if let ours {
            try demand(
                Base32.encode(ours).utf8.elementsEqual(text.utf8),
                "base32 is taken in a second form")
        }
        guard let peer = PeerID(text) else { return false }
        try demand(peer.description == text && text.hasPrefix(peer.shortText), "an id is another")
        try demand(EntryID(text)?.description == text, "an id is none of an entry")
        try demand(ConversationID(text)?.description == text, "an id is none of a conversation")
        return true
    }

    private static let realm = BLAKE2b.hash256(Array("a realm".utf8))

    private static func room(_ text: String) throws -> Bool {
        if let typed = RoomName(typed: text) {
            try demand(RoomName(typed.text) == typed, "a name that was typed is none")
            try demand(RoomName(typed: typed.text) == typed, "a name is typed in two ways")
            try demand(RoomName(typed: typed.key)?.key == typed.key, "a key is no name")
        }
        guard let name = RoomName(text) else { return false }
        try demand(name.text.utf8.elementsEqual(text.utf8), "a name changes")
        try demand(Set([name, name]).count == 1 && !(name < name), "a name is two")
        let (open, other) = (Room(name, in: .open), Room(name, in: RealmID(Self.realm)))
        let zeros = [UInt8](repeating: 0, count: 32)
        let hash = BLAKE2b.hash256(zeros + Array(name.key.utf8), personal: .room)
        try demand(open.conversation.hash == hash, "a name has another room")
        try demand(open.conversation != other.conversation, "two realms share a room")
        try demand(
            TerminalText.line(text).utf8.elementsEqual(text.utf8), "a name steers a terminal")
        return true
    }

    private static func time(_ text: String) throws -> Bool {
        guard let time = Timestamp(text) else { return false }
        try demand(Timestamp.range.contains(time.milliseconds), "a time is out of range")
        try demand(time.text.utf8.count == 24, "a time has another length")
        try demand(Timestamp(time.text) == time, "a time does not survive its encoding")
        let next = Timestamp(milliseconds: time.milliseconds + 1)
        try demand(time < next || next.milliseconds == time.milliseconds, "time goes back")
        return true
    }

    /// What is shown steers no terminal, and showing it again changes nothing.
    private static func shown(_ text: String) throws {
        let line = TerminalText.line(text)
        let isSafe = line.unicodeScalars.allSatisfy { !TerminalText.isHidden($0) }
        try demand(isSafe, "a line steers a terminal")
        try demand(
            TerminalText.line(line).utf8.elementsEqual(line.utf8), "a line is shown in two ways")
        let block = TerminalText.block(text, indent: "| ")
        let parts = block.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).dropFirst()
        try demand(
            parts.allSatisfy { $0.starts(with: "| ".utf8) }, "a block imitates a line of its own")
        _ = NearestName.find(text, among: ["status", "peers", "rooms"])
    }
}
