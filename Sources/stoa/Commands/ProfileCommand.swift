import ControlAPI
import Posix

/// The command `stoa profile`.
struct ProfileCommand: Subcommand {
    static let syntax = CommandSyntax(
        ProfileMethod.description,
        examples: [
            "stoa profile", "stoa profile --name Ada --status \"in the lab\"",
            "stoa profile --picture ada.png",
        ],
        options: [
            OptionSyntax("--name", "NAME", "the name that others see"),
            OptionSyntax("--status", "TEXT", "your status text; empty for none"),
            OptionSyntax(
                "--picture", "FILE",
                "a PNG, JPEG or WebP of at most 256 KiB; none for no picture"),
        ],
        details: [
            "A name has no @ and no control characters.",
            "Everyone who shares a conversation or a realm (other than the open one) with you sees all of it; people who have you as a contact get the picture by itself, also from others who have it.",
            "To use a file called none, write ./none.",
        ])

    private let params: ProfileMethod.Params
    private let picture: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        let picture = arguments.value("--picture")
        self.picture = picture == "none" ? nil : picture
        self.params = ProfileMethod.Params {
            $0.name = arguments.value("--name")
            $0.status = arguments.value("--status")
            $0.picture = picture.map { $0 != "none" }
        }
        if self.params.name?.isEmpty == true {
            throw .usage("--name is empty", next: "give a name")
        }
        if picture == "" {
            throw .usage("--picture names no file", next: "give a path, or none")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        guard let path = self.picture else { return try self.show(context) }
        let descriptor = try OutgoingContent.open(
            path, next: "give a file: a PNG, JPEG or WebP of at most 256 KiB")
        do throws(Failure) {
            try self.show(context, passing: descriptor.number)
        } catch {
            // The daemon knows of a descriptor, and of no name.
            guard error.answer?.param == "picture" else { throw error }
            throw Failure(
                error.code, why: "\(TerminalText.line(path)): \(error.why)", next: error.next,
                answer: error.answer)
        }
    }

    private func show(
        _ context: CommandContext, passing descriptor: Int32? = nil
    ) throws(Failure) {
        try context.show(ProfileMethod.self, self.params, passing: descriptor) {
            context.console.table(
                [["name", $0.name.shown], ["status", $0.status.shown]]
                    + PictureLine.rows(of: $0.picture, for: "") + [["key", $0.id.shown]])
        }
    }
}

/// How a picture stands in a table.
enum PictureLine {
    /// Its row; none where there is no picture.
    ///
    /// - Parameter person: what `stoa picture` takes for its owner.
    static func rows(of picture: PictureResult?, for person: String) -> [[String]] {
        guard let picture else { return [] }
        let type = picture.type?.rawValue ?? "not here yet"
        let command = person.isEmpty ? "stoa picture" : "stoa picture \(person)"
        return [["picture", "\(ByteCount.text(picture.size)), \(type): \(command)"]]
    }
}
