import ControlAPI
import Posix
import Testing

@Suite("OpenRPC document")
struct OpenRPCTests {
    /// `Docs/openrpc.json` beside `Tests`, found from where this file was compiled.
    private static let path: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/Docs/openrpc.json"
    }()

    @Test("Docs/openrpc.json is what rpc.discover serves; STOA_WRITE_OPENRPC=1 writes it anew")
    func published() throws {
        let text = OpenRPC.document.indented + "\n"
        if ProcessEnvironment.variable("STOA_WRITE_OPENRPC") == "1" {
            try Files.writeAtomically(Array(text.utf8), to: Self.path, mode: 0o644)
        }
        let bytes = try Files.read(Self.path, limitBytes: 1 << 20)
        #expect(try JSON(parsing: bytes) == OpenRPC.document)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test("every reference in the document leads somewhere")
    func references() {
        var references: Set<String> = []
        func collect(_ json: JSON) {
            for member in json.objectValue ?? [] {
                if member.name == "$ref", let text = member.value.stringValue {
                    references.insert(text)
                }
                collect(member.value)
            }
            json.arrayValue?.forEach(collect)
        }
        collect(OpenRPC.document)
        #expect(references.count > 14)
        for reference in references {
            var found: JSON? = OpenRPC.document
            for part in reference.split(separator: "/").dropFirst() { found = found?[String(part)] }
            #expect(found != nil, "\(reference)")
        }
    }

    @Test("the document has every method, and fits one line")
    func methods() {
        let methods = OpenRPC.document["methods"]?.arrayValue ?? []
        #expect(
            methods.map { $0["name"]?.stringValue }
                == ControlMethods.all.map { $0.description.name })
        let line = RPCResponse(id: .integer(1), result: OpenRPC.document).line
        #expect(line.count < ControlLimits.lineBytes)
        #expect((try? JSON(parsing: line)) != nil)
    }
}

extension JSON {
    /// The text with two blanks per level, for files that people read and compare.
    fileprivate var indented: String { self.indented(by: "") }

    private func indented(by indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map {
                inner + JSON.string($0.name).text + ": " + $0.value.indented(by: inner)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
        case .array(let elements)
        where elements.contains { $0.objectValue != nil || $0.arrayValue != nil }:
            let lines = elements.map { inner + $0.indented(by: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + indent + "]"
        default:
            return self.text
        }
    }
}
