import ControlAPI

/// The command `stoa tail`.
struct TailCommand: Command {
    static let syntax = CommandSyntax(
        "tail", "Follows messages as they arrive.", operands: ["[TO]"],
        options: [
            OptionSyntax("--consumer", "NAME", "a durable reader: goes on where it left off"),
            OptionSyntax("--from", "CURSOR", "start after this cursor; 0 for everything"),
            OptionSyntax("--limit", "N", "end after N messages"),
        ],
        details: """
            Without TO it follows all conversations. A message is acknowledged for the consumer
            once its line was written, so none goes unwritten, and after a crash the last lines may
            come again. When the daemon restarts, tail connects again and goes on after the last line.
            Ends well on SIGINT, SIGTERM and when nobody reads its output.
            With --json a gap is an object with the one member "gap".
            """)

    private let to: String?
    private let consumer: String?
    private let from: Int64?
    private let limit: Int64?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.to = arguments.operand(0)
        self.consumer = arguments.value("--consumer")
        self.from = try arguments.integer("--from", in: 0...Int64.max)
        self.limit = try arguments.integer("--limit", in: 1...Int64.max)
    }

    func run(in session: Session) throws(Failure) {
        Signals.endWellWhenAllowed()
        var follower = Follower(
            session: session, to: self.to, consumer: self.consumer, from: self.from,
            limit: self.limit)
        try follower.run()
    }
}
