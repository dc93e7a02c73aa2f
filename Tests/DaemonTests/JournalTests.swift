import Engine
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

    @Test("in the journal a line starts with its number")
    func journal() {
        #expect(
            self.lines(.debug, isJournal: true)
                == ["<3>broken\n", "<6>a name: ^[[2Jx^Jsecond\n", "<7>detail\n"])
    }
}
