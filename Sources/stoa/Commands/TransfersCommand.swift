import ControlAPI

/// The command `stoa transfers`.
struct TransfersCommand: Subcommand {
    static let syntax = CommandSyntax(
        TransfersMethod.description, operands: ["[cancel]", "[ID]"],
        details: [
            "With cancel it fetches the file of the message ID no longer, and removes what has come of it.",
            "A file that is seeking comes as soon as somebody is linked who has it.",
        ])

    private let cancelled: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.cancelled = arguments.operand(1)
        if let word = arguments.operand(0), word != "cancel" {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not what can be done to transfers",
                next: "usage: stoa transfers [cancel ID]")
        }
        if arguments.operand(0) != nil, self.cancelled == nil {
            throw .usage("ID is missing", next: "usage: stoa transfers cancel ID")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        if let id = self.cancelled {
            try context.show(CancelTransferMethod.self, .init { $0.id = id }) { transfer in
                "cancelled \(transfer.shown("name"))\n"
            }
            return
        }
        try context.showList(
            TransfersMethod.self,
            { page in
                TransfersMethod.Params { ($0.limit, $0.after) = (page.limit, page.after) }
            }, empty: "no file is fetched; get one with: stoa fetch ID",
            heading: ["ID", "NAME", "IN", "STATE", "DONE", "RATE", "LEFT"]
        ) { transfer in
            let (stored, size) = (transfer.count("stored"), transfer.count("size"))
            let percent = size > 0 ? stored * 100 / size : 100
            let state = transfer["reason"].map { _ in
                "\(transfer.shown("state")): \(transfer.shown("reason"))"
            }
            return [
                String(transfer.shown("id").prefix(12)), transfer.shown("name"),
                transfer.shownConversation("conversationName"), state ?? transfer.shown("state"),
                "\(percent)% of \(ByteCount.text(size))",
                transfer["rate"]?.integerValue.map { ByteCount.text($0) + "/s" } ?? "-",
                transfer["secondsLeft"]?.integerValue.map { "\($0) s" } ?? "-",
            ]
        }
    }
}

extension TransfersMethod: CommandMethod {
    static var command: any Subcommand.Type { TransfersCommand.self }
}
