import ControlAPI
import Testing

@testable import Web

@Suite("What pages send and keep")
struct WebOutboxTests {
    private static func params(_ key: String, _ text: String = "hi") -> SendMethod.Params {
        SendMethod.Params {
            $0.to = "ops"
            $0.text = text
            $0.idempotencyKey = key
        }
    }

    private static let done = RPCResponse.Outcome.result([:])

    @Test("messages go out one after the other, in the order in which they came")
    func order() {
        var outbox = WebOutbox()
        for key in ["a", "b"] { #expect(outbox.add(Self.params(key), upload: nil) == nil) }
        #expect(outbox.takeNext(at: 0)?.params.idempotencyKey == "a")
        #expect(outbox.takeNext(at: 0) == nil, "one is under way")
        outbox.answered(Self.done, at: 0)
        #expect(outbox.takeNext(at: 0)?.params.idempotencyKey == "b")
        outbox.answered(Self.done, at: 0)
        #expect(outbox.items.isEmpty)
    }

    @Test(
        "a page that asks again with the same key has it sent once; a message without a key is refused"
    )
    func twice() {
        var outbox = WebOutbox()
        _ = outbox.add(Self.params("a"), upload: nil)
        #expect(outbox.add(Self.params("a"), upload: nil) == nil)
        #expect(outbox.items.count == 1)
        #expect(
            outbox.add(SendMethod.Params { $0.to = "ops" }, upload: nil)?.reason == "missingParam")
    }

    @Test("what a daemon took that has gone is given to the next one, with the same key")
    func lost() {
        var outbox = WebOutbox()
        _ = outbox.add(Self.params("a"), upload: nil)
        _ = outbox.takeNext(at: 0)
        outbox.lost()
        #expect(outbox.isWaiting)
        #expect(outbox.takeNext(at: 0)?.params.idempotencyKey == "a")
    }

    @Test("a refusal keeps the text until the user has seen it, and does not hold up the rest")
    func refused() {
        var outbox = WebOutbox()
        for key in ["a", "b"] { _ = outbox.add(Self.params(key), upload: nil) }
        _ = outbox.takeNext(at: 0)
        let error = RPCError.notMember(of: "ops")
        outbox.answered(.failure(error), at: 0)
        #expect(outbox.items.first?.failure == error)
        #expect(outbox.takeNext(at: 0)?.params.idempotencyKey == "b")
        outbox.discard("a")
        #expect(outbox.items.map(\.params.idempotencyKey) == ["b"])
    }

    @Test("a daemon with too much in hand is left alone for a moment")
    func busy() {
        var outbox = WebOutbox()
        _ = outbox.add(Self.params("a"), upload: nil)
        _ = outbox.takeNext(at: 1_000)
        outbox.answered(.failure(.busy("too much")), at: 1_000)
        #expect(outbox.takeNext(at: 1_001) == nil)
        #expect(outbox.takeNext(at: outbox.pausedUntil) != nil)
    }

    @Test("it takes so many and no more")
    func bounded() {
        var outbox = WebOutbox()
        for index in 0..<WebLimits.outboxItems {
            #expect(outbox.add(Self.params("\(index)"), upload: nil) == nil)
        }
        #expect(outbox.add(Self.params("more"), upload: nil)?.knownCode == .busy)
    }

    @Test("what is kept comes back, and a file has to be chosen again")
    func kept() {
        var outbox = WebOutbox()
        _ = outbox.add(Self.params("a", "text \u{1F600}"), upload: nil)
        _ = outbox.add(
            SendMethod.Params {
                $0.to = "ops"
                $0.idempotencyKey = "b"
                $0.file = OutgoingFile { $0.name = "x.txt" }
            }, upload: 7)
        var notes = PageNotes()
        #expect(notes.keep("draft:x", "half a word") == nil)
        let kept = KeptPage(stored: KeptPage(outbox, notes).json.bytes)
        var restored = WebOutbox()
        restored.restore(kept)
        #expect(restored.items.map(\.params) == outbox.items.map(\.params))
        #expect(restored.items.map(\.upload) == [nil, -1])
        #expect(PageNotes(kept.notes) == notes)
        #expect(KeptPage(stored: [0x7B]).notes.isEmpty, "what is damaged is as if nothing had been")
    }

    @Test("notes are replaced by name, forgotten when they are empty, and bounded")
    func notes() {
        var notes = PageNotes()
        _ = notes.keep("a", "1")
        _ = notes.keep("b", "2")
        _ = notes.keep("a", "3")
        #expect(notes.notes.map(\.text) == ["3", "2"])
        _ = notes.keep("b", "")
        #expect(notes.notes.map(\.name) == ["a"])
        let large = String(repeating: "x", count: WebLimits.keptBytes)
        #expect(notes.keep("c", large)?.knownCode == .tooLarge)
        #expect(notes.notes.map(\.name) == ["a"])
    }

    @Test("a page's calls are passed on in one line, done here, or refused")
    func calls() {
        let call = { (text: String) in PageCall(Array(text.utf8)) }
        #expect(
            call("{\"jsonrpc\":\"2.0\",\n \"id\":1, \"method\":\"status\"}")
                == .daemon(Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n".utf8)))
        #expect(
            call(#"{"jsonrpc":"2.0","id":2,"method":"web.save","params":{"name":"a","text":"b"}}"#)
                == .own(.integer(2), .save(name: "a", "b")))
        let post = #"{"to":"ops","text":"hi","idempotencyKey":"a","draft":"draft:x"}"#
        #expect(
            call(#"{"jsonrpc":"2.0","id":2,"method":"web.post","params":\#(post)}"#)
                == .own(.integer(2), .post(Self.params("a"), upload: nil, draft: "draft:x")))
        for method in [
            "restore", "backup", "send", "openStream", "appendStream", "rpc.discover", "fetch",
            "removeConsumer", "no",
        ] {
            guard case .answer(let line) = call(#"{"jsonrpc":"2.0","id":3,"method":"\#(method)"}"#)
            else {
                Issue.record("\(method)")
                continue
            }
            #expect(String(decoding: line, as: UTF8.self).contains("notForPages"), "\(method)")
        }
        for text in ["", "x", "[]", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}]", "{}"]
        {
            guard case .answer = call(text) else {
                Issue.record("\(text)")
                continue
            }
        }
    }

    @Test(
        "the file that leads to the page has the token in the fragment, and nothing of a name is markup"
    )
    func redirect() {
        let text = RedirectPage.text(
            host: "127.0.0.1:1", token: "T", conversation: "a\"><script>&é")
        #expect(text.contains("0;url=http://127.0.0.1:1/#T&a%22%3E%3Cscript%3E%26%C3%A9\">"))
        #expect(OpenRequest(line: "page ops") == .page(conversation: "ops"))
        #expect(OpenRequest(line: "page") == .page(conversation: nil))
        for line in ["call ops", "answer ops", "answer=0123456789abcdef ops"] {
            #expect(OpenRequest(line: line)?.line == line)
        }
        for line in ["call", "call=1 ops", "answer= ops", "answer=\">456789abcdef ops"] {
            #expect(OpenRequest(line: line) == nil, "\(line)")
        }
        #expect(OpenRequest(line: "code") == .code)
        #expect(OpenRequest(line: "code x") == nil)
    }
}
