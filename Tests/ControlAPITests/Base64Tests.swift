import ControlAPI
import TestSupport
import Testing

@Suite("Bytes in JSON") struct Base64Tests {
    @Test("are those of RFC 4648 section 10")
    func vectors() {
        let vectors = [
            "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==",
            "fooba": "Zm9vYmE=", "foobar": "Zm9vYmFy",
        ]
        for (plain, text) in vectors {
            #expect(Base64(Array(plain.utf8)).text == Array(text.utf8))
            #expect(Base64(text: text)?.bytes == Array(plain.utf8))
        }
    }

    @Test("survive as they are, and have one form")
    func forms() {
        var random = SeededRandom(seed: 1)
        for count in 0..<200 {
            let bytes = random.bytes(count)
            let text = String(decoding: Base64(bytes).text, as: UTF8.self)
            #expect(Base64(text: text)?.bytes == bytes)
        }
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Zg==Zg==", "Zm 9", "Zm-_", "é==="] {
            #expect(Base64(text: text) == nil, "\(text)")
        }
    }
}
