import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The invitation to a realm")
struct RealmInvitationTests {
    private static let office = Realm(
        id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(2))
    private static let renewed = Realm(
        id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(3),
        previous: Realm.Previous(secret: fixed32(2), until: 1_800_000_000_000))

    @Test("is one line, and the same for the same realm")
    func line() {
        let one = Base32.encode(fixed32(1).bytes)
        let line = RealmInvitation(Self.office).line
        #expect(line.hasPrefix("stoa:realm?name=office&id=\(one)&secret="))
        #expect(line.hasSuffix("&check=\(line.suffix(8))"))
        #expect(line.utf8.count <= RealmInvitation.limitBytes)
    }

    @Test("survives being written and read, with an earlier secret and without")
    func roundTrip() throws {
        for realm in [Self.office, Self.renewed] {
            let line = RealmInvitation(realm).line
            #expect(try RealmInvitation(line).realm == realm)
            #expect(try RealmInvitation("  \(line)\r\n").realm == realm)
        }
    }

    @Test("with any one character changed, dropped or doubled is refused")
    func typos() throws {
        for realm in [Self.office, Self.renewed] {
            let line = Array(RealmInvitation(realm).line)
            for index in line.indices {
                for other in ["a", "z", "2", "&", "=", "A", "\u{301}"] as [Character]
                where other != line[index] {
                    var changed = line
                    changed[index] = other
                    #expect(throws: InvitationError.self) {
                        try RealmInvitation(String(changed))
                    }
                }
                var shorter = line
                shorter.remove(at: index)
                #expect(throws: InvitationError.self) { try RealmInvitation(String(shorter)) }
                #expect(throws: InvitationError.self) {
                    try RealmInvitation(String(line[..<index]))
                }
            }
        }
    }

    @Test("that is refused says what is wrong with it, and tells no secret")
    func errors() throws {
        let line = RealmInvitation(Self.office).line
        func error(_ text: String) -> InvitationError? {
            #expect(throws: InvitationError.self) { try RealmInvitation(text) }
        }
        #expect(error("") == .notAnInvitation(RealmInvitation.prefix))
        #expect(error("https://example.org/") == .notAnInvitation(RealmInvitation.prefix))
        #expect(error("stoa:realm?") == .missing("name"))
        #expect(error(String(line.prefix(40))) == .value("id"))
        #expect(error(String(line.dropLast(15))) == .missing("check"))
        #expect(error(line.replacing("name=office", with: "name=Office")) == .value("name"))
        #expect(error(line.replacing("name=office", with: "name=open")) == .value("name"))
        #expect(error(line.replacing("name=office", with: "name=offize")) == .check)
        #expect(error(line.replacing("&secret", with: "&mood=good&secret")) == .unexpected("mood"))
        #expect(error(line + "&more=1") == .unexpected("more"))
        #expect(error(line.replacing("&", with: "\n&")) == .broken)
        #expect(
            error(line + String(repeating: "x", count: RealmInvitation.limitBytes))
                == .tooLong(RealmInvitation.limitBytes)
        )
        let secret = String(Base32.encode(fixed32(2).bytes).prefix(8))
        for text in [line + "&more=1", String(line.dropLast(15)), line.replacing("ff", with: "f")] {
            if let error = try? RealmInvitation(text) { Issue.record("\(error) is taken") }
            #expect(!"\(error(text).map { "\($0)" } ?? "")".contains(secret))
        }
    }

    @Test("of the open realm, or with zeros for a secret, there is none")
    func zeros() {
        let zeros = Base32.encode([UInt8](repeating: 0, count: 32))
        let line = RealmInvitation(Self.office).line
        let parts = line.split(separator: "&").map(String.init)
        #expect(throws: InvitationError.value("id")) {
            try RealmInvitation(
                [parts[0], "id=\(zeros)", parts[2], parts[3]].joined(separator: "&"))
        }
        #expect(throws: InvitationError.value("secret")) {
            try RealmInvitation(
                [parts[0], parts[1], "secret=\(zeros)", parts[3]].joined(separator: "&"))
        }
    }
}

/// The name of a realm, which must be one.
func realmName(_ text: String) -> RealmName {
    guard let name = RealmName(text) else { preconditionFailure("\(text) names a realm") }
    return name
}
