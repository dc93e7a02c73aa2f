import ControlAPI
import Glibc
import Testing

@testable import stoa

/// Commands that list: page by page, as tables and as JSON.
extension CommandTests {
    @Test("who is in the group of the socket sees what is for the group, without the rest")
    func ofTheGroup() throws {
        let peer = PeersMethod.Peer {
            $0.id = Self.id
            $0.name = "ada"
            $0.state = .linked
            $0.addresses = ["h:1"]
        }
        let status = StatusMethod.Result {
            $0.name = "robot"
            $0.id = Self.id
        }
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "peers": [.result(["items": [peer.json]])]
            case "dials", "refusals", "requests":
                [
                    .failure(
                        RPCError(.refused, "not for you", reason: "ownerOnly", remedy: "go"))
                ]
            case "status": [.result(status.json)]
            default: [.result(["items": []])]
            }
        }
        let peers = try CommandRun(["peers"], daemon: daemon)
        #expect(peers.status == 0)
        #expect(peers.output.split(separator: "\n").count == 2)
        // Asked for alone, refused.
        #expect(try CommandRun(["peers", "--refusals"], daemon: daemon).status == 77)
        let overview = try CommandRun([], daemon: daemon)
        #expect(overview.status == 0)
        #expect(overview.output.hasPrefix("you            robot @"))
    }

    @Test("lists are one element per line with --json, and a table without")
    func lists() throws {
        let peer = PeersMethod.Peer {
            $0.id = Self.id
            $0.name = "ada\u{1B}[2J"
            $0.status = "s"
            $0.state = .linked
            $0.addresses = ["h:1"]
            $0.lastSeen = nil
            $0.verified = true
            $0.source = .discovery
            $0.roundTripMilliseconds = 0.25
        }
        let dial = DialsMethod.Dial {
            $0.addresses = ["h:3"]
            $0.detail = "nobody listens there"
            $0.failures = 2
        }
        let refusal = RefusalsMethod.Refusal {
            $0.address = "h:2"
            $0.reason = "r"
            $0.count = 2
        }
        let room = RoomsMethod.Room {
            $0.id = Self.id
            $0.name = "ops"
            $0.joined = true
            $0.members = 2
            $0.announcedBy = []
        }
        let conversation = ConversationResult {
            $0.id = Self.id
            $0.kind = .direct
            $0.name = "@ada"
            $0.unread = 4
            $0.lastMessage = Self.message(3, "a\nb")
        }
        let daemon = try FakeDaemon { request in
            switch request.method {
            case "peers": [.result(["items": [peer.json, peer.json]])]
            case "dials": [.result(["items": [dial.json]])]
            case "refusals": [.result(["items": [refusal.json]])]
            case "rooms": [.result(["items": [room.json]])]
            default: [.result(["items": [conversation.json]])]
            }
        }
        let json = try CommandRun(["peers", "--json"], daemon: daemon)
        #expect(json.output == peer.json.text + "\n" + peer.json.text + "\n")
        let table = try CommandRun(["peers"], daemon: daemon).output.split(separator: "\n")
        #expect(table.count == 5)
        #expect(table[3].hasPrefix("no link to h:3: nobody listens there (2 times, last at "))
        #expect(
            table[1].hasPrefix(
                "ada^[[2J (verified)  @aaaaaaaaaaaa  linked  -         never      0.2 ms"))
        #expect(table[4].hasPrefix("refused h:2 at "))
        let refusals = try CommandRun(["peers", "--refusals", "--json"], daemon: daemon)
        #expect(try JSON(parsing: refusals.output)["count"] == 2)
        #expect(try CommandRun(["rooms"], daemon: daemon).output.contains("ops   yes     2"))
        let conversations = try CommandRun(["conversations"], daemon: daemon).output
        #expect(conversations.contains("@ada  0        4"))
        #expect(conversations.contains("ada: a^Jb"))
        let empty = try FakeDaemon { _ in [.result(["items": []])] }
        #expect(try CommandRun(["rooms"], daemon: empty).output.hasPrefix("no rooms yet"))
        #expect(try CommandRun(["rooms", "--json"], daemon: empty).output == "")
    }

    @Test("lists are asked for page by page, and printed as one")
    func pages() throws {
        let daemon = try FakeDaemon { request in
            switch request.params.json?["after"]?.stringValue {
            case nil:
                [.result(["items": [["name": "a", "members": 1]], "next": "rooms:0:a"])]
            case "rooms:0:a":
                [.result(["items": [["name": "a room", "members": 22]], "next": "rooms:1:b"])]
            default: [.result(["items": [["name": "c", "members": 3]]])]
            }
        }
        let json = try CommandRun(["rooms", "--json"], daemon: daemon).output
        #expect(json.split(separator: "\n").count == 3)
        #expect(
            daemon.params("rooms") == [
                #"{"limit":1000}"#, #"{"limit":1000,"after":"rooms:0:a"}"#,
                #"{"limit":1000,"after":"rooms:1:b"}"#,
            ])
        let table = try CommandRun(["rooms"], daemon: daemon).output.split(separator: "\n")
        #expect(table.map { $0.prefix(6) } == ["ROOM  ", "a     ", "a room", "c     "])
    }

    @Test("a daemon that gives the same page again is not asked without end")
    func endlessPages() throws {
        let daemon = try FakeDaemon { _ in [.result(["items": [], "next": "rooms:0:a"])] }
        let run = try CommandRun(["rooms"], daemon: daemon)
        #expect(run.code == .internalError)
        #expect(run.errors.contains("the same page of rooms came again"))
        #expect(daemon.params("rooms").count == 2)
    }

    @Test("who is in a room is listed with the trust in each")
    func members() throws {
        let bob = MembersMethod.Member {
            $0.id = Self.id
            $0.name = "bob\u{1B}"
            $0.tier = .known
            $0.state = .away
        }
        let daemon = try FakeDaemon { _ in [.result(["items": [bob.json]])] }
        let run = try CommandRun(["members", "ops"], daemon: daemon)
        #expect(run.output.contains("bob^[  @aaaaaaaaaaaa  known  away"))
        #expect(daemon.params("members") == [#"{"to":"ops","limit":1000}"#])
    }

    @Test("people are listed, added and removed; anything else is refused with the usage")
    func people() throws {
        let bob = PersonResult {
            $0.id = Self.id
            $0.name = "bob\u{1B}"
            $0.ambiguous = true
            $0.state = .linked
        }
        let daemon = try FakeDaemon { request in
            [.result(request.method == "people" ? ["items": [bob.json]] : bob.json)]
        }
        let list = try CommandRun(["people"], daemon: daemon)
        #expect(list.output.contains("bob^[  @aaaaaaaaaaaa  stranger  linked"))
        let added = try CommandRun(["people", "add", "@bob"], daemon: daemon)
        #expect(added.output == "\"bob^[\"@aaaaaaaaaaaa is a contact now\n")
        #expect(daemon.params("addPerson") == [#"{"person":"@bob"}"#])
        let removed = try CommandRun(["people", "remove", "@bob"], daemon: daemon)
        #expect(removed.output == "\"bob^[\"@aaaaaaaaaaaa is not a contact now\n")
        for words in [["add"], ["remove"], ["know", "@bob"], ["add", "@bob", "@eve"]] {
            let run = try CommandRun(["people"] + words, daemon: daemon)
            #expect(run.code == .usage)
            #expect(run.errors.contains("usage: stoa people"))
        }
    }
}
