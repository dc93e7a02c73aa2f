import ControlAPI
import Crypto
import Testing

@testable import Formats

extension IntegrationTests {
    @Suite("two histories over several sites", Surroundings.nats) struct SiteForkTests {
        /// Somebody in the realm who signs whatever they like.
        private struct Author {
            let signer = Signer(SigningKey.generate())
            let person = PersonKeys.generate()
            let root: SiteRoot
            let key: LogKey

            init(in text: String, by invitation: RealmInvitation) throws {
                let realm = invitation.realm
                guard let name = RoomName(text) else { throw Broken("\(text) is a room name") }
                let room = Room(name, in: realm.id)
                self.root = SiteRoot(
                    RealmSecret(realm: realm.id, bytes: realm.secret), room.conversation)
                self.key = LogKey(
                    conversation: room.conversation,
                    name: LogName(author: PeerID(self.signer.publicKey), incarnation: 1))
            }

            func run(_ content: Content, first: UInt64, prev: EntryID? = nil) -> Run {
                var random = SystemRandomNumberGenerator()
                let entry = Entry(
                    entryClass: content.entryClass,
                    time: HybridTime(wallMilliseconds: 1_790_000_000_000 + first), deps: [],
                    payload: .present(content.payload(using: &random)))
                let bare = Run(
                    key: self.key, first: first, prev: prev, attestation: .zero, entries: [entry])
                return Run(
                    key: self.key, first: first, prev: prev,
                    attestation: Attestation.sign(
                        key: self.key, seq: first, id: bare.ids[0], by: self.signer),
                    entries: [entry])
            }

            var opening: Run {
                let certificate = self.person.certify(self.signer, at: 1_767_225_600_000)
                return self.run(.open(LogOpening(certificate: certificate, closes: [])), first: 1)
            }

            /// What a node says of a run that comes from a server.
            func give(_ run: Run, to node: Node) throws -> String {
                let item = SiteItem.run(run)
                let given: JSON = [
                    "subject": .string(self.root.subject(of: item.name)),
                    "data": .string(
                        String(decoding: Base64(self.root.seal(item)).text, as: UTF8.self)),
                ]
                let outcomes = try node.call("importItems", ["items": .array([given])])["outcomes"]
                return outcomes?.arrayValue?.first?["verdict"]?.stringValue ?? ""
            }
        }

        private static func knowsFork(_ node: Node) throws -> Bool {
            let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
            return alerts.contains { $0["code"] == "fork" }
        }

        // Shows: sites.forks
        @Test("are proven where both come, and the proof ends the log at every site")
        func proven() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try SitesTests.start("North", server, in: scratch)
            let south = try SitesTests.start("South", server, in: scratch, with: north)
            try SitesTests.setUp(north)
            for node in [north, south] { try node.join("office/ops") }
            let line = try north.call("realmInvite", ["name": "office"])["invite"]?.stringValue
            let author = try Author(in: "ops", by: RealmInvitation(line ?? ""))
            let opening = author.opening
            #expect(try author.give(opening, to: north) == "taken")
            let prev = opening.ids[0]
            #expect(
                try author.give(author.run(.text("one"), first: 2, prev: prev), to: north)
                    == "taken")
            #expect(
                try author.give(author.run(.text("other"), first: 2, prev: prev), to: north)
                    == "waits")
            try north.await("it is proven") { try Self.knowsFork($0) }
            #expect(try north.history(of: "office/ops").contains { $0["disputed"] == true })
            #expect(try !Self.knowsFork(south))
            let programs = [try SitesTests.sites(north), try SitesTests.sites(south)]
            // Ten seconds later North's program publishes what the author has not.
            try south.await("the proof has come") { try Self.knowsFork($0) }
            for program in programs { try SitesTests.end(program) }
            for node in [north, south] { try node.stop() }
            try server.stop()
        }
    }
}
