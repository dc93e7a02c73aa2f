import Crypto
import Engine
import Formats
import Posix
import Testing

@testable import Daemon

@Suite struct LogTests {
    private func lines(_ threshold: LogLevel, isJournal: Bool) -> [String] {
        let lines = Protected<[String]>([])
        let log = Journal(threshold: threshold, isJournal: isJournal) { line in
            lines.withLock { $0.append(line) }
        }
        log(.error, "broken")
        log(.info, "a name: \u{1b}[2Jx\nsecond")
        log(.debug, "detail")
        return lines.withLock { $0 }
    }

    @Test("on a terminal a line says the program and the level")
    func terminal() {
        #expect(
            self.lines(.info, isJournal: false)
                == ["stoad: error: broken\n", "stoad: info: a name: ^[[2Jx^Jsecond\n"])
    }

    @Test(
        "what is about something has its fields in the journal, and is a line where it takes none")
    func fields() {
        let lines = Protected<[String]>([])
        let records = Protected<[JournalRecord]>([])
        let isTaken = Protected(true)
        let log = Journal(
            threshold: .info, isJournal: true,
            send: { record in
                records.withLock { $0.append(record) }
                return isTaken.withLock { $0 }
            }, write: { line in lines.withLock { $0.append(line) } })
        let peer = PeerID(.zero)
        let subject = LogSubject(peer: peer, alert: .missing)
        log(.warning, "gone\nfor long", about: subject)
        log(.debug, "too little to tell", about: subject)
        log(.info, "about nothing")
        isTaken.withLock { $0 = false }
        log(.info, "linked", about: LogSubject(peer: peer))
        #expect(
            records.withLock { $0.first?.fields } == [
                JournalRecord.Field("MESSAGE", "gone^Jfor long"),
                JournalRecord.Field("PRIORITY", "4"),
                JournalRecord.Field("SYSLOG_IDENTIFIER", "stoad"),
                JournalRecord.Field("MESSAGE_ID", Alert.Code.missing.messageID),
                JournalRecord.Field("STOA_ALERT", "missing"),
                JournalRecord.Field("STOA_PEER", peer.description),
            ])
        #expect(records.withLock { $0.count } == 2)
        #expect(lines.withLock { $0 } == ["<6>about nothing\n", "<6>linked\n"])
    }

    @Test("each kind of alert has a number of its own in the journal, as sd-id128 has them")
    func messageIDs() {
        let all = Alert.Code.allCases.map(\.messageID)
        #expect(Set(all).count == all.count)
        #expect(
            all.allSatisfy { id in
                id.utf8.count == 32 && id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
            })
    }

    @Test("in the journal a line starts with its number")
    func journal() {
        #expect(
            self.lines(.debug, isJournal: true)
                == ["<3>broken\n", "<6>a name: ^[[2Jx^Jsecond\n", "<7>detail\n"])
    }
}
