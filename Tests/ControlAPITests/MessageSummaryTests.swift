import ControlAPI
import Testing

@Suite("A message in one line of a list")
struct MessageSummaryTests {
    @Test("shows what it says: its text, who does what, or the name of a file or a place")
    func summaries() {
        func summary(_ kind: MessageResult.Kind, _ text: String, file: String? = nil) -> String {
            var message = MessageResult()
            message.kind = kind
            message.text = text
            message.file = file.map { name in
                var file = FileResult()
                file.name = name
                return file
            }
            return message.summary
        }
        #expect(summary(.text, "lunch?") == "lunch?")
        #expect(summary(.action, "waves") == "* waves")
        #expect(summary(.file, "the report", file: "report.pdf") == "(file) report.pdf")
        #expect(summary(.location, "the canteen") == "the canteen")
        #expect(summary(.location, "") == "(location)")
        #expect(summary(.join, "") == "(join)")
    }
}
