import ControlAPI
import Letters

/// The command `stoa complete`, which the completions of shells call: not in the table, since nobody
/// types it.
///
/// Prints one candidate per line, with a tab and what is said of it; `:files` alone where the shell is
/// to offer files. Says nothing where anything goes wrong: whoever presses Tab wants no error.
struct CompleteCommand: Subcommand {
    static let syntax = CommandSyntax(
        "complete", "Complete the last word of a command line.")

    /// How long a daemon may take: who waits longer for a Tab presses it again.
    private static let answerMilliseconds = 200
    /// How many messages are offered, newest first.
    private static let messages: Int64 = 20
    /// How many bytes of a message are shown beside its id.
    private static let excerptCharacters = 40

    private let words: [String]

    init(_ arguments: ParsedArguments) { self.words = arguments.operands }
    init(words: [String]) { self.words = words }

    func run(in context: CommandContext) throws(Failure) {
        let current = self.words.last ?? ""
        let context = CommandContext(
            console: context.console, options: Self.options(of: self.words, context.options),
            environment: context.environment)
        // Of several with commas the last one is completed.
        let place = CompletionPlace.find(self.words)
        let comma = place == .people ? current.lastIndex(of: ",") : nil
        let kept = comma.map { String(current[...$0]) } ?? ""
        let typed = String(current.dropFirst(kept.count))
        for candidate in (try? Self.candidates(place, self.words, context)) ?? [] {
            let word = TerminalText.line(candidate.word)
            guard Self.fits(word, typed) else { continue }
            try context.console.print("\(kept)\(word)\t\(TerminalText.line(candidate.summary))\n")
        }
    }

    /// Whether a candidate begins as what was typed, however that was typed.
    private static func fits(_ word: String, _ typed: String) -> Bool {
        word == ":files" || word.sought.completes(typed.sought)
    }

    /// The daemon that the command line itself names.
    private static func options(of words: [String], _ options: GlobalOptions) -> GlobalOptions {
        var options = options
        if let index = words.firstIndex(of: "--socket"), index + 2 < words.count {
            options.socket = words[index + 1]
        }
        options.timeoutMilliseconds = Self.answerMilliseconds
        options.json = false
        return options
    }

    private static func candidates(
        _ place: CompletionPlace, _ words: [String], _ context: CommandContext
    ) throws(Failure) -> [CompletionPlace.Candidate] {
        switch place {
        case .words(let words): return words
        case .nothing: return []
        case .files: return [.init(word: ":files", summary: "")]
        case .rooms: return try Self.conversations(context).filter { !$0.word.hasPrefix("@") }
        case .conversations: return try Self.conversations(context) + Self.people(context)
        case .people: return try Self.people(context)
        case .messages: return try Self.recent(words, context)
        case .consumers:
            return try Self.list(ConsumersMethod.self, context) {
                .init(word: $0.name, summary: $0.conversationName.shown)
            }
        case .settings:
            return try Self.list(SettingsMethod.self, context) {
                .init(word: $0.name, summary: "\($0.value.shown): \($0.summary.shown)")
            }
        case .values(let name):
            let page = try context.call(SettingsMethod.self, PageParams())
            let setting = page.value.items.first { $0.name.lowercased() == name.lowercased() }
            return (setting?.choices ?? []).map { .init(word: $0, summary: "") }
        case .realms:
            return try Self.list(RealmsMethod.self, context) {
                .init(word: $0.name, summary: "")
            }
        }
    }

    private static func list<Method: ControlMethod>(
        _ method: Method.Type, _ context: CommandContext,
        _ candidate: (Method.Result.Element) -> CompletionPlace.Candidate?
    ) throws(Failure) -> [CompletionPlace.Candidate]
    where Method.Params == PageParams, Method.Result: ListResult {
        var found: [CompletionPlace.Candidate] = []
        // One page is more than anybody looks through.
        let page = try context.call(
            method, PageParams { $0.limit = Int64(ControlLimits.pageItems) })
        for element in page.value.items {
            if let new = candidate(element), !new.word.isEmpty, !found.contains(new) {
                found.append(new)
            }
        }
        return found
    }

    private static func conversations(
        _ context: CommandContext
    ) throws(Failure) -> [CompletionPlace.Candidate] {
        try self.list(ConversationsMethod.self, context) { conversation in
            let unread = conversation.unread
            let name = conversation.name
            // People come with those whom one has not written to yet.
            guard !name.hasPrefix("@") else { return nil }
            return .init(
                word: name, summary: unread > 0 ? "\(unread) unread" : conversation.topic.shown)
        }
    }

    private static func people(
        _ context: CommandContext
    ) throws(Failure) -> [CompletionPlace.Candidate] {
        try self.list(PeopleMethod.self, context) { person in
            let name = person.name
            let isPlain = !name.isEmpty && person.ambiguous != true
            return .init(
                word: isPlain ? "@\(name)" : person.id.shortKey, summary: person.state.rawValue)
        }
    }

    private static func recent(
        _ words: [String], _ context: CommandContext
    ) throws(Failure) -> [CompletionPlace.Candidate] {
        var found: [CompletionPlace.Candidate] = []
        for conversation in try Self.conversations(context).prefix(3) {
            let page = try context.call(
                HistoryMethod.self,
                HistoryMethod.Params {
                    $0.to = conversation.word
                    $0.limit = Self.messages
                })
            // Who came and went cannot be answered.
            for message in page.value.messages.reversed() where !message.text.isEmpty {
                let id = message.id.shown.prefix(Self.idCharacters)
                let text = TerminalText.line(
                    String(message.text.prefix(Self.excerptCharacters)))
                let author = message.shownAuthor.text
                found.append(.init(word: String(id), summary: "\(author): \(text)"))
            }
        }
        return found
    }

    /// How much of an id `history --ids` shows, and commands take.
    private static let idCharacters = 8
}
