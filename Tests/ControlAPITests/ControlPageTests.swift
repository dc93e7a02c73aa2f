import ControlAPI
import TestSupport
import Testing

@Suite("The manual page of the socket")
struct ControlPageTests {
    @Test("has each method, type and notification; STOA_WRITE_MAN=1 writes them anew")
    func published() {
        let page = ControlPage(OpenRPC.document)
        #expect(
            GeneratedPage("stoa-control.7").holds([
                ("methods", page.methods), ("notifications", page.notifications),
                ("types", page.types), ("errors", page.errors),
            ]))
    }

    @Test("says of every field what it is")
    func fields() {
        var silent: [String] = []
        func look(_ schema: JSON, _ place: String) {
            for field in schema["properties"]?.objectValue ?? [] {
                if field.value["description"] == nil { silent.append("\(place).\(field.name)") }
                look(field.value, "\(place).\(field.name)")
            }
            if let items = schema["items"] { look(items, place) }
            for one in schema["oneOf"]?.arrayValue ?? [] { look(one, place) }
        }
        for method in OpenRPC.document["methods"]?.arrayValue ?? [] {
            look(method["result"]?["schema"] ?? .null, method["name"]?.stringValue ?? "")
        }
        #expect(silent.isEmpty)
    }
}

/// The OpenRPC document as man(7).
private struct ControlPage {
    private let document: JSON

    init(_ document: JSON) { self.document = document }

    var methods: String {
        (self.document["methods"]?.arrayValue ?? []).map { self.method($0) }.joined()
    }

    var notifications: String {
        (self.document["x-notifications"]?.arrayValue ?? []).map { notification in
            ".SS \(Self.text(notification["name"]))\n\(Self.text(notification["summary"]))\n"
                + self.fields(notification["params"] ?? .null)
        }.joined()
    }

    var types: String {
        (self.document["components"]?["schemas"]?.objectValue ?? []).map { type in
            ".SS \(type.name)\n" + self.fields(type.value)
        }.joined()
    }

    /// The errors with their codes, as a list.
    var errors: String {
        (self.document["components"]?["errors"]?.objectValue ?? []).map { error in
            let code = GeneratedPage.roff(error.value["code"]?.integerValue.map { "\($0)" } ?? "")
            return ".TP\n\\fB\(error.name)\\fR (\(code))\n\(Self.text(error.value["message"]))\n"
        }.joined()
    }

    private func method(_ method: JSON) -> String {
        let params = method["params"]?.arrayValue ?? []
        let names = params.map { param in
            let name = param["name"]?.stringValue ?? ""
            return param["required"] == .bool(true) ? "\\fI\(name)\\fR" : "[\\fI\(name)\\fR]"
        }
        let name = Self.text(method["name"])
        let group = method["x-access"] == "group" ? " (\\fIgroup\\fR)" : ""
        var text = ".SS \(name)\n"
        text += (["\\fB\(name)\\fR"] + names).joined(separator: " ") + group + "\n.PP\n"
        text += Self.text(method["summary"]) + "\n"
        if method["description"] != nil { text += Self.text(method["description"]) + "\n" }
        for param in params {
            text +=
                ".TP\n\\fI\(Self.text(param["name"]))\\fR (\(self.type(param["schema"])))\n"
                + Self.text(param["summary"]) + "\n"
        }
        text += self.result(method)
        let errors = (method["errors"]?.arrayValue ?? []).dropFirst(OpenRPC.sharedErrorCount)
            .compactMap { $0["$ref"]?.stringValue?.split(separator: "/").last }
        if !errors.isEmpty { text += ".PP\nErrors: \(errors.joined(separator: ", ")).\n" }
        for reason in method["x-reasons"]?.objectValue ?? [] {
            text += ".TP\n\\fB\(reason.name)\\fR\n\(Self.text(reason.value))\n"
        }
        if let example = method["examples"]?.arrayValue?.first?["params"]?.arrayValue {
            let params = JSON.object(
                example.map { .init($0["name"]?.stringValue ?? "", $0["value"] ?? .null) })
            let call: JSON = ["method": method["name"] ?? .null, "params": params]
            text += ".PP\n.EX\n\(GeneratedPage.roff(call.text))\n.EE\n"
        }
        return text
    }

    private func result(_ method: JSON) -> String {
        let result = method["result"] ?? .null
        let schema = result["schema"] ?? .null
        if let type = Self.reference(schema) {
            return ".PP\nResult: \(type), see TYPES.\n"
        }
        if let element = schema["properties"]?["items"]?["items"] {
            let type = Self.reference(element).map { "\($0), see TYPES" }
            return ".PP\nResult: a page of these"
                + (type.map { " (\($0)).\n" } ?? ":\n" + self.fields(element))
        }
        let fields = self.fields(schema)
        return fields.isEmpty ? ".PP\nResult: empty.\n" : ".PP\nResult:\n" + fields
    }

    /// The fields of an object, those of objects inside it indented.
    private func fields(_ schema: JSON) -> String {
        (schema["properties"]?.objectValue ?? []).map { field in
            let inner = self.fields(Self.content(field.value))
            return ".TP\n\\fI\(field.name)\\fR (\(self.type(field.value)))\n"
                + Self.text(field.value["description"]) + "\n"
                + (inner.isEmpty ? "" : ".RS\n\(inner).RE\n")
        }.joined()
    }

    /// What an array or a value that may be null holds.
    private static func content(_ schema: JSON) -> JSON {
        if let items = schema["items"] { return self.content(items) }
        return schema["oneOf"]?.arrayValue?.first.map { self.content($0) } ?? schema
    }

    private func type(_ schema: JSON?) -> String {
        guard let schema else { return "any" }
        if let name = Self.reference(schema) { return name }
        if let items = schema["items"] { return "array of \(self.type(items))" }
        if let one = schema["oneOf"]?.arrayValue { return "\(self.type(one.first)) or null" }
        if let words = schema["enum"]?.arrayValue {
            return words.compactMap(\.stringValue).joined(separator: " | ")
        }
        if let least = schema["minimum"]?.integerValue, let most = schema["maximum"]?.integerValue {
            return GeneratedPage.roff("integer, \(least) to \(most)")
        }
        return schema["type"]?.stringValue ?? "any"
    }

    private static func reference(_ schema: JSON) -> String? {
        schema["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
    }

    private static func text(_ json: JSON?) -> String {
        GeneratedPage.roff(json?.stringValue ?? "").split(separator: ". ").joined(separator: ".\n")
    }
}
