import ControlAPI
import TestSupport
import Testing

@Suite("The manual page of the socket")
struct ControlPageTests {
    @Test("has each method and notification; STOA_WRITE_MAN=1 writes them anew")
    func published() {
        #expect(
            GeneratedPage("stoa-control.7").holds([
                ("methods", Self.methods), ("notifications", Self.notifications),
            ]))
    }

    private static var methods: String {
        ControlMethods.all.map { Self.item($0) }.joined()
    }

    private static func item<Method: ControlMethod>(_ method: Method.Type) -> String {
        let names = Method.Params.descriptions.map { $0.isRequired ? $0.name : "[\($0.name)]" }
        let params = names.isEmpty ? "" : " " + names.joined(separator: " ")
        let group = Method.description.access == .group ? " (\\fIgroup\\fR)" : ""
        return ".TP\n\\fB\(GeneratedPage.roff(Method.description.name))\\fR"
            + GeneratedPage.roff(params) + group + "\n"
            + GeneratedPage.roff(Method.description.summary) + "\n"
    }

    private static var notifications: String {
        ControlEvents.all.map {
            ".TP\n.B \(GeneratedPage.roff($0.name))\n\(GeneratedPage.roff($0.summary))\n"
        }.joined()
    }
}
