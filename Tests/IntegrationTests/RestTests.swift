import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a daemon that has nothing to do") struct RestTests {
        @Test("gives back the code of its start, and the memory in which it had what it wrote")
        func givesBack() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            try ada.join("agora")
            let text = JSON.string(String(repeating: "x", count: 4_000))
            for _ in 0..<1_500 { _ = try ada.call("send", ["to": "agora", "text": text]) }
            let (code, written) = (try ada.kilobytes("RssFile"), try ada.kilobytes("RssAnon"))
            #expect(written > 6_144)
            try ada.await("both are given back") {
                try $0.kilobytes("RssFile") < code / 2 && $0.kilobytes("RssAnon") < written * 2 / 3
            }
            #expect(try ada.texts(in: "agora").last?.count == 4_000)
        }
    }
}
