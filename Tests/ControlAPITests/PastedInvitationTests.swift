import Testing

@testable import ControlAPI

@Suite("An invitation that is pasted")
struct PastedInvitationTests {
    private static let root = String(repeating: "q", count: 52)
    private static func room(_ name: String) -> String {
        "stoa:room?name=\(name)&realm=open&suite=aes-256-gcm&root=\(Self.root)&check=abcdefgh"
    }
    private static let realm = "stoa:realm?name=office&id=a&secret=\(Self.root)&check=22222222"

    @Test(
        "is found in quotes, brackets and sentences, and behind a byte order mark",
        arguments: [
            ("", ""), ("\"", "\""), ("‹", "›"), ("„", "“"), ("«", "».\n"), ("<", ">"), ("(", ")."),
            ("\u{FEFF}", "\r\n"), ("[room](", ")"), ("`", "`,"), ("Komm dazu: ", ". Bis gleich!"),
            ("「", "」"), ("\u{2068}", "\u{2069}"), ("> ", "\n> see you"), ("Link:", "…"),
            ("", "."), ("", ";"), ("", "?"), ("", "-"), ("", "!"),
        ])
    func found(before: String, behind: String) throws {
        for link in [Self.room("ops"), Self.room("%E0%B8%AB")] {
            #expect(try PastedInvitation.find(.room, in: before + link + behind) == link)
        }
        let text = before + Self.realm + behind
        #expect(try PastedInvitation.find(.realm, in: text) == Self.realm)
    }

    @Test("that is there twice is one, and beside one of the other kind the one that is wanted")
    func twice() throws {
        let text = "\(Self.room("ops")) or \(Self.room("ops")), in \(Self.realm)"
        #expect(try PastedInvitation.find(.room, in: text) == Self.room("ops"))
        #expect(try PastedInvitation.find(.realm, in: text) == Self.realm)
    }

    @Test("to a room or a group is found where either is wanted")
    func group() throws {
        let group = Self.room("ops").replacing("stoa:room?", with: "stoa:group?")
        let text = "First \(Self.realm), then <\(group)>."
        #expect(try PastedInvitation.find(.room, .group, in: text) == group)
        #expect(PastedInvitation.isOfGroup(group) && !PastedInvitation.isOfGroup(Self.realm))
        #expect(!PastedInvitation.isOfRealm(text))
        #expect(throws: PastedInvitation.Several.self) {
            try PastedInvitation.find(.room, .group, in: group + " " + Self.room("ops"))
        }
    }

    @Test("is asked for where there are two, by their names and by nothing secret")
    func several() {
        do {
            _ = try PastedInvitation.find(
                .room, in: "\(Self.room("ops")), \(Self.room("%E0%B8%AB%0A"))")
            Issue.record("one of two was taken")
        } catch {
            #expect(
                error.text
                    == "there are 2 invitations: to the room \"ops\" and to the room \"ห^J\"")
            #expect(!error.text.contains("qqq"))
        }
    }

    @Test("that is cut is left as it is, for what reads it to say what is wrong")
    func cut() throws {
        let cut = String(Self.room("ops").dropLast(3))
        #expect(try PastedInvitation.find(.room, in: cut) == cut)
        #expect(try PastedInvitation.find(.room, in: Self.realm) == Self.realm)
        #expect(PastedInvitation.isOfRealm(Self.realm))
        #expect(!PastedInvitation.isOfRealm("\(Self.realm) \(cut)"))
    }

    @Test("is not taken for a text that is sent, whatever is around it")
    func typed() {
        for before in ["", "\"", " ‹", "\u{FEFF}", "<", "«"] {
            let text = before + Self.room("ops") + "›"
            guard case .invitation(let line) = SlashCommand.parse(text) else {
                Issue.record("\(text) is sent")
                continue
            }
            #expect(line.hasPrefix("stoa:room?"))
            guard case .invitation = SlashCommand.parse("/join " + text) else {
                Issue.record("/join \(text) is sent")
                continue
            }
        }
    }
}
