package import ControlAPI

/// What is kept of one start of `stoa-sites` for the next: how far each direction has come.
package struct SiteKeep: ControlValue {
    /// How far one conversation was read.
    package struct Place: ControlValue {
        package var tag = ""
        package var number: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("tag", &self.tag, .any, "")
            visitor.field("number", &self.number, .any, "")
        }
    }

    /// When the stream was made: with another one all begins anew.
    package var stream: Int64 = 0
    /// The same of the stream of files; 0 where there is none.
    package var files: Int64 = 0
    /// Of which node and realm: with another one all begins anew, too.
    package var mark = ""
    package var cursor: String?
    package var places: [Place] = []

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("stream", &self.stream, .any, "")
        visitor.field("files", &self.files, .any, "")
        visitor.field("mark", &self.mark, .any, "")
        visitor.field("cursor", &self.cursor, .any, "")
        visitor.field("places", &self.places, .any, "")
    }

    /// Reads a file; empty for anything else, which only costs another look at everything.
    package init(bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes) else {
            self.init()
            return
        }
        self = Received<SiteKeep>(json).value
    }
}
