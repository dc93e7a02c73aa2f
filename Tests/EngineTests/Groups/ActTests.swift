import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Acts of a group")
struct ActTests {
    private let golden = GoldenGroups(GoldenStory())

    @Test("say what was put into them, of every kind")
    func coding() throws {
        var kinds: Set<UInt8> = []
        for (name, act) in self.golden.acts {
            let read = try Act(decoding: act.encoded)
            #expect(read == act, "\(name)")
            #expect(read.statement == act.statement, "\(name)")
            #expect(read.isValid() && read.isValid(knowing: self.checked), "\(name)")
            kinds.insert(act.statement.kind.number)
        }
        #expect(kinds == Set(1...12))
    }

    @Test("are refused when any of their bytes is changed")
    func changed() throws {
        for (name, act) in self.golden.acts where act.statement.basis.count < 64 {
            for index in act.encoded.indices {
                var bytes = act.encoded
                bytes[index] ^= 1
                let other = try? Act(decoding: bytes)
                #expect(other.map { !$0.isValid() } ?? true, "\(name) at \(index)")
            }
        }
    }

    /// The certificates of all three devices.
    private var checked: [PeerID: Certificate] {
        let members = [self.golden.ada, self.golden.bea, self.golden.cyn]
        return Dictionary(uniqueKeysWithValues: members.map { ($0.peer, $0.certificate) })
    }

    @Test("of a device do not count with a certificate that was checked for another")
    func otherCertificates() throws {
        let forged = try Act(decoding: try #require(GoldenFile.lines["forged.act.certificate"]))
        #expect(forged.certificate == self.golden.ada.certificate)
        #expect(!forged.isValid(knowing: self.checked))
    }

    @Test("that join show the line of their own link, on their own device")
    func joins() throws {
        let join = try #require(self.golden.acts["join"])
        let link = try #require(self.golden.acts["link"])
        let other = try #require(self.golden.acts["link.all"])
        guard case .link(let made) = link.statement.kind,
            case .join(_, let proof) = join.statement.kind
        else {
            Issue.record("these are a link and a join")
            return
        }
        #expect(made.isShown(by: join, as: link.id))
        #expect(!made.isShown(by: join, as: other.id))
        #expect(!GroupLink(key: self.golden.ada.device.publicKey).isShown(by: join, as: link.id))
        let copied = Act(
            .join(link.id, proof: proof), in: join.group, basis: [link.id], time: join.time,
            certificate: self.golden.bea.certificate, by: self.golden.bea.device)
        #expect(copied.isValid() && !made.isShown(by: copied, as: link.id))
    }

    @Test("have room for the longest basis with the longest fields")
    func longest() throws {
        let seen = (0..<UInt64(Limits.removedLogs)).map {
            LogPosition(
                log: LogName(author: self.golden.bea.peer, incarnation: $0), seq: 1 << 63 - 2)
        }
        let act = Act(
            .remove(self.golden.bea.id, seen: seen), in: ConversationID(.zero),
            basis: (1...UInt8(Limits.actBasis)).map { ActID(fixed32($0)) }, time: HybridTime(1),
            certificate: self.golden.ada.certificate, by: self.golden.ada.device)
        #expect(act.encoded.count <= Limits.actBytes)
        #expect(try Act(decoding: act.encoded) == act)
    }
}
