import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A backup") struct BackupTests {
    static func backup() throws -> Backup {
        var random = SeededRandom(seed: 3)
        let name = try #require(RealmName("office"))
        let realm = Realm.make(name, using: &random)
        var contacts = Contacts(profile: Profile(name: "Ada", status: "here"))
        let (ben, cleo) = (PeerID(signer(2).publicKey), PeerID(signer(3).publicKey))
        contacts.standings = [ben: .verified, cleo: .blocked]
        contacts.peers = [
            KnownPeer(
                id: ben, addresses: ["192.0.2.1:4100", "[2001:db8::1]:4100"], lastSeen: 77,
                person: personKeys(4, 5).publicKeys),
            KnownPeer(id: cleo, addresses: [], lastSeen: 0),
        ].sorted { $0.id < $1.id }
        contacts.records = [
            Record(
                kind: Record.Kind.profile, author: ben, conversation: nil, time: HybridTime(9),
                value: Profile(name: "Ben", status: "").encoded, signer: signer(2))
        ]
        let room = try #require(RoomName("ops"))
        contacts.rooms = [Room(room, in: .open), Room(room, in: realm.id)].sorted()
        contacts.secretRooms = [
            SecretRoom(realm: .open, name: room, suite: .aes256GCM, root: fixed32(6))
        ]
        contacts.partners = [
            Contacts.Partner(device: ben, person: personKeys(4, 5).publicKeys)
        ]
        contacts.groups = try ["create", "create.longest"].map {
            try #require(GoldenGroups(GoldenStory()).acts[$0])
        }.sorted { $0.group < $1.group }
        contacts.picture = Array("looks like this".utf8)
        contacts.profile.picture = ProfilePicture(content: contacts.picture)
        return Backup(
            person: personKeys(1, 2), time: 1_767_225_600_000, realms: [realm], contacts: contacts)
    }

    @Test("holds all that was put into it")
    func coding() throws {
        let backup = try Self.backup()
        let read = try Backup(decoding: backup.encoded)
        #expect(read.person.id == backup.person.id && read.time == backup.time)
        #expect(read.person.publicKeys == backup.person.publicKeys)
        #expect(read.realms == backup.realms && read.contacts == backup.contacts)
        let empty = Backup(
            person: personKeys(1, 2), time: 0, realms: [],
            contacts: Contacts(profile: Profile(name: "", status: "")))
        #expect(try Backup(decoding: empty.encoded).contacts == empty.contacts)
    }

    @Test("of the first format, which had no groups, is still read")
    func first() throws {
        var backup = try Self.backup()
        backup.contacts.groups = []
        let read = try Backup(decoding: [1] + backup.encoded.dropFirst().dropLast())
        #expect(read.contacts == backup.contacts && read.realms == backup.realms)
    }

    @Test("is refused where it ends early, goes on, is of a later format or says what cannot be")
    func refused() throws {
        let bytes = try Self.backup().encoded
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try Backup(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: WireError.trailing(field: "backup", count: 1)) {
            try Backup(decoding: bytes + [0])
        }
        #expect(throws: WireError.value(field: "backup.format")) {
            try Backup(decoding: [3] + bytes.dropFirst())
        }
        // Whatever is changed, it is read or refused, and never traps.
        var random = SeededRandom(seed: 1)
        for _ in 0..<20_000 {
            var other = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                other[Int.random(in: 0..<other.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            _ = try? Backup(decoding: other)
        }
    }

    // Shows: file.backup
    @Test("is opened by its phrase, as it was typed, and by no other")
    func sealed() throws {
        var random = SeededRandom(seed: 5)
        let phrase = Phrase.generate(for: .xchacha20Poly1305, using: &random)
        let backup = try Self.backup()
        let file = try SealedBackup.seal(backup, by: phrase, using: &random)
        #expect(file.starts(with: Array("stoa backup 1\n".utf8)))
        let typed = try Phrase("  " + phrase.text.uppercased())
        #expect(try SealedBackup.open(file, by: typed).contacts == backup.contacts)
        #expect(throws: SealedBackupError.closed) {
            try SealedBackup.open(file, by: Phrase("some other phrase of my own"))
        }
        // The salt is part of the key.
        var salted = file
        salted[SealedBackup.beginning.count] ^= 1
        #expect(throws: SealedBackupError.closed) { try SealedBackup.open(salted, by: phrase) }
        // Nothing of it can be read.
        #expect(!file.contains("office") && !file.contains("Ben"))
        #expect(
            try #require(String(validating: backup.encoded.filter { $0 < 128 }, as: UTF8.self))
                .contains("office"))
    }

    @Test("that is none, or that a later version wrote, is refused before the slow part")
    func foreign() throws {
        let phrase = try Phrase("some phrase of my own")
        for file in [[], Array("#!/bin/sh\n".utf8), Array("stoa".utf8)] {
            #expect(throws: SealedBackupError.foreign) { try SealedBackup.open(file, by: phrase) }
        }
        #expect(throws: SealedBackupError.later) {
            try SealedBackup.open(Array("stoa backup 2\n".utf8), by: phrase)
        }
        #expect(throws: SealedBackupError.damaged) {
            try SealedBackup.open(SealedBackup.beginning + [1, 2], by: phrase)
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let part = Array(text.utf8)
        return self.indices.contains { self[$0...].starts(with: part) }
    }
}
