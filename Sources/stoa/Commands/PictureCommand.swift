import ControlAPI
import Glibc
import Posix

/// The command `stoa picture`.
struct PictureCommand: Subcommand {
    static let syntax = CommandSyntax(
        PictureMethod.description,
        examples: ["stoa picture @ada", "stoa picture @ada -o - | display"],
        operands: ["[@PERSON]"],
        options: [.saving],
        details: [
            "Without @PERSON it is your own picture.",
            "Without -o it is saved in the current folder under the person's name; unsafe characters become _. No file is ever overwritten.",
            "Pictures of your contacts are downloaded by themselves; a stranger's picture is fetched now from a linked peer that has it.",
            "Stoa checks only its first bytes: they are those of a PNG, JPEG or WebP.",
        ])

    private let person: String?
    private let output: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.person = arguments.operands.first
        self.output = try arguments.savingPath()
    }

    func run(in context: CommandContext) throws(Failure) {
        let ends = try DeliveredContent.pipe()
        let reading = FileDescriptor(owning: ends.output)
        let found = try self.ask(context, passing: FileDescriptor(owning: ends.input))
        let content = try DeliveredContent.all(of: reading, limit: ControlLimits.pictureBytes)
        guard Int64(content.count) == found.size else {
            throw Failure(
                .temporary, why: "the daemon stopped sending it",
                next: "see its log, and ask again")
        }
        if self.output == "-" {
            try context.console.pass(content, toErrors: false)
            return try context.console.flush()
        }
        let name = "\(found.name.shown).\(found.type.rawValue)"
        let file = try SavedFile(
            chosen: self.output, name: name, bytes: Int64(content.count))
        try file.write(content, count: content.count)
        let place = try file.keep()
        if context.json {
            try context.console.print([
                "id": .string(found.id), "path": .string(try context.wholePath(place)),
                "type": .string(found.type.rawValue), "size": .integer(found.size),
            ])
        } else {
            let size = ByteCount.text(Int64(content.count))
            try context.console.print("saved \(TerminalText.line(place)) (\(size))\n")
        }
    }

    /// Has the daemon write it; the end that it writes to is closed here.
    private func ask(
        _ context: CommandContext, passing writing: consuming FileDescriptor
    ) throws(Failure) -> PictureMethod.Result {
        try context.call(
            PictureMethod.self,
            PictureMethod.Params {
                $0.person = self.person
                $0.output = true
            }, passing: writing.number
        ).value
    }
}
