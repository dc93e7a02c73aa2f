import ControlAPI

/// The command `stoa transfers`.
struct TransfersCommand: Subcommand {
    static let syntax = CommandSyntax(
        TransfersMethod.description,
        examples: ["stoa transfers", "stoa transfers cancel 7k3mz2qd"],
        operands: ["[cancel]", "[ID]"],
        details: [
            "\"cancel ID\" cancels the download of a message's file and deletes the partial file.",
            "A file in state seeking is downloaded as soon as a peer that has it is linked.",
        ])

    private let cancelled: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.cancelled = arguments.operand(1)
        if let word = arguments.operand(0), word != "cancel" {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not something to do with transfers",
                next: "usage: stoa transfers [cancel ID]")
        }
        if arguments.operand(0) != nil, self.cancelled == nil {
            throw .usage("ID is missing", next: "usage: stoa transfers cancel ID")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        if let id = self.cancelled {
            try context.show(CancelTransferMethod.self, .init { $0.id = id }) { transfer in
                "cancelled \(transfer.name.shown)\n"
            }
            return
        }
        try context.showList(
            TransfersMethod.self,
            { page in
                TransfersMethod.Params { ($0.limit, $0.after) = (page.limit, page.after) }
            }, empty: "no downloads; get a file with: stoa fetch ID",
            heading: ["ID", "NAME", "IN", "STATE", "DONE", "RATE", "LEFT"]
        ) { transfer in
            let (stored, size) = (transfer.stored, transfer.size)
            let percent = size > 0 ? stored * 100 / size : 100
            let state = transfer.state.rawValue
            return [
                String(transfer.id.shown.prefix(12)), transfer.name.shown,
                transfer.conversationName.shownConversation,
                transfer.reason.map { "\(state): \($0.shown)" } ?? state,
                "\(percent)% of \(ByteCount.text(size))",
                transfer.rate.map { ByteCount.text($0) + "/s" } ?? "-",
                transfer.secondsLeft.map { "\($0) s" } ?? "-",
            ]
        }
    }
}
