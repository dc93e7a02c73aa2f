import ControlAPI

/// The command `stoa group`.
struct GroupCommand: Subcommand {
    static let syntax = CommandSyntax(
        "group", "Create groups, invite and remove people, and see who is in one.",
        examples: [
            "stoa group create ops", "stoa group invite +ops @ben @noa",
            "stoa group link +ops", "stoa group members +ops", "stoa group remove +ops @ben",
        ],
        operands: [
            "create|invite|link|remove|admin|demote|approve|members", "NAME|GROUP", "[@PERSON|ACT]",
        ],
        lastRepeats: true,
        options: [
            OptionSyntax("--from", "GROUP", "with create: invite everyone who is in another group"),
            OptionSyntax(
                "--history", "all|joined",
                "with create: newcomers can read everything (default), or only what is written "
                    + "once they are in"),
            OptionSyntax("--above", "@PERSON", "with admin: make them more senior than this admin"),
            OptionSyntax(
                "--approve", nil, "with link: an admin lets in everyone who comes (approve)"),
            OptionSyntax(
                "--days", "N", "with link: make a new one that works so long; 7 by default"),
            OptionSyntax("--qr", nil, "with link: draw it as a QR code"),
            OptionSyntax("--end", nil, "with link: end your links, or the one whose id is given"),
            OptionSyntax(
                "--now", nil, "with remove and demote: do not ask linked members first"),
            OptionSyntax(
                "--since", "T",
                "with remove: also undo what they did in the group since this time"),
            OptionSyntax(
                "--yes", nil, "with remove, demote and link --end: do it without asking"),
        ],
        details: [
            "A group is written +NAME. Its owner created it, for ever; the owner appoints admins, and admins decide who is in it.",
            "\"create NAME\" creates a group. Newcomers can read everything; with --history joined, only what is written once they are invited or have come by a link. That never changes.",
            "\"invite GROUP @PERSON...\" invites people: each is asked (stoa requests) and accepts (stoa accept +NAME) before anything of the group is shown.",
            "\"link GROUP\" prints a line by which anyone in the group's realm can come (stoa join), with no admin online. Given again it prints the same line. Removing anyone ends all links. \"link GROUP --end\" ends yours, and with the beginning of its id another admin's. --qr needs libqrencode (Debian: libqrencode4).",
            "\"remove GROUP @PERSON\" removes someone: from then on they can read nothing that is written by those who know of it. Nothing that was read is recalled. With --since, what they did in the group from then on (people, links, removals) does not count either, unless an admin approves it. To leave yourself: stoa leave GROUP.",
            "\"admin GROUP @PERSON\" makes someone an admin, below those there are; only the owner can. \"demote\" ends that; more senior admins can, too.",
            "\"members GROUP\" shows who is in it, with what role, since when and by whom, and what is undecided. \"approve GROUP\" shows only what is undecided; with a person or the beginning of an act's id, it lets that act count.",
            "Before \"remove\" and \"demote\", all linked members are asked for what they have done in the group, for at most 10 seconds; members who could not be asked are named. --now skips that.",
            "An act is undecided if, for example, someone came by a link that needs approval, or its author was removed before the others had it.",
        ])

    private enum Step {
        case create(GroupCreateMethod.Params, from: String?)
        case act(GroupActWord, String, [String], above: String?)
        case approve(String, String?)
        case link(GroupLinkMethod.Params, drawsCode: Bool)
        case members(String)
    }

    private static let words = [
        "create", "invite", "link", "remove", "admin", "demote", "approve", "members",
    ]

    private let step: Step
    private let isSure: Bool
    private let isNow: Bool
    private let since: Timestamp?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.isSure = arguments.has("--yes")
        self.isNow = arguments.has("--now")
        self.since = try LocalTime.option("--since", of: arguments)
        let word = arguments.required(0)
        try Self.check(arguments, word)
        let group = arguments.required(1)
        let others = Array(arguments.operands.dropFirst(2))
        switch word {
        case "create":
            guard others.isEmpty else {
                throw .usage(
                    "a group is created without people",
                    next: "invite them then: stoa group invite GROUP @PERSON")
            }
            let history = try Self.history(arguments)
            self.step = .create(
                GroupCreateMethod.Params { ($0.name, $0.history) = (group, history) },
                from: arguments.value("--from"))
        case "members", "approve":
            guard others.count <= (word == "approve" ? 1 : 0) else {
                throw .usage("there are too many words", next: "usage: stoa group \(word) GROUP")
            }
            self.step = word == "members" ? .members(group) : .approve(group, others.first)
        case "link":
            guard others.count <= (arguments.has("--end") ? 1 : 0) else {
                throw .usage(
                    "a link is for anyone who has its line", next: "usage: stoa group link GROUP")
            }
            let days = try arguments.integer("--days", in: 1...365)
            self.step = .link(
                GroupLinkMethod.Params {
                    $0.group = group
                    $0.approve = arguments.has("--approve") ? true : nil
                    $0.days = days
                    $0.end = arguments.has("--end") ? true : nil
                    $0.act = others.first
                }, drawsCode: arguments.has("--qr"))
        case "invite": self.step = .act(.add, group, others, above: nil)
        case "remove": self.step = .act(.remove, group, others, above: nil)
        case "admin": self.step = .act(.admin, group, others, above: arguments.value("--above"))
        default: self.step = .act(.demote, group, others, above: nil)
        }
        if case .act(_, _, let people, _) = self.step, people.isEmpty {
            throw .usage("@PERSON is missing", next: "usage: stoa group \(word) GROUP @PERSON")
        }
    }

    private static func history(_ arguments: ParsedArguments) throws(Failure) -> HistoryWord? {
        guard let text = arguments.value("--history") else { return nil }
        guard let word = HistoryWord(rawValue: text) else {
            throw .usage(
                "\"\(TerminalText.line(text))\" is not what newcomers can read",
                next: "use \(HistoryWord.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        return word
    }

    private static func check(_ arguments: ParsedArguments, _ word: String) throws(Failure) {
        guard self.words.contains(word) else {
            throw .usage(
                "\"\(TerminalText.line(word))\" is not something to do with groups",
                next: NearestName.find(word, among: self.words).map { "did you mean \"\($0)\"?" }
                    ?? "use one of \(self.words.joined(separator: ", "))")
        }
        for (option, steps) in [
            ("--from", ["create"]), ("--history", ["create"]), ("--above", ["admin"]),
            ("--yes", ["remove", "demote", "link"]), ("--now", ["remove", "demote"]),
            ("--since", ["remove"]), ("--approve", ["link"]),
            ("--days", ["link"]), ("--qr", ["link"]), ("--end", ["link"]),
        ] where arguments.has(option) && !steps.contains(word) {
            throw .usage(
                "\"\(word)\" does not take \(option)",
                next: "it belongs to \(steps.joined(separator: " and "))")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        switch self.step {
        case .create(let params, let source):
            try Self.create(params, from: source, in: context)
        case .act(let act, let group, let people, let above):
            for person in people { try self.act(act, group, person, above, in: context) }
        case .link(let params, let drawsCode):
            try self.link(params, drawsCode: drawsCode, in: context)
        case .approve(let group, let act?):
            let params = GroupApproveMethod.Params {
                $0.group = group
                $0.act = act
            }
            try context.show(GroupApproveMethod.self, params) {
                "approved in \($0.shownName)\n"
            }
        case .approve(let group, nil):
            try context.show(GroupInfoMethod.self, .init { $0.group = group }) {
                $0.undecided.isEmpty
                    ? "nothing is undecided in \($0.name.shownConversation)\n"
                    : $0.undecidedText(in: context)
            }
        case .members(let group):
            try context.show(GroupInfoMethod.self, .init { $0.group = group }) {
                $0.text(in: context)
            }
        }
    }

    private static func create(
        _ params: GroupCreateMethod.Params, from source: String?, in context: CommandContext
    ) throws(Failure) {
        let others = try source.map { (source) throws(Failure) in
            try context.call(GroupInfoMethod.self, .init { $0.group = source }).value.members
        }
        let made = try context.show(GroupCreateMethod.self, params) { group in
            let name = TerminalText.word(group.shownName)
            return "created \(group.shownName); you own it\n"
                + (source == nil ? "invite people with: stoa group invite \(name) @PERSON\n" : "")
        }
        for other in others ?? [] where other.own != true {
            guard let key = other.id else {
                context.console.report(
                    "stoa: group: \(other.name.shown) was not invited: no device of theirs is known here\n"
                )
                continue
            }
            let params = GroupActMethod.Params {
                $0.group = made.id.shown
                $0.act = .add
                $0.person = "@\(key.shown)"
            }
            _ = try context.call(GroupActMethod.self, params)
            if !context.json { context.console.report("invited \(other.shown.quoted)\n") }
        }
    }

    private func link(
        _ params: GroupLinkMethod.Params, drawsCode: Bool, in context: CommandContext
    ) throws(Failure) {
        let group = TerminalText.line(params.group)
        if params.end == true, !self.isSure {
            let links =
                params.act.map { "the link \(TerminalText.line($0))" } ?? "your open links"
            let what = "nobody could come into \(group) by \(links) any more"
            guard
                try context.console.agrees(
                    to: what, next: "add --yes to do it", rest: "whoever came by them stays")
            else { return context.console.report("stoa: group: nothing was changed\n") }
        }
        let link = try context.show(GroupLinkMethod.self, params) { (answer) throws(Failure) in
            if let ended = answer.ended {
                return "\(ended == 1 ? "1 link" : "\(ended) links") ended\n"
            }
            let line = (answer.invite ?? "").shown
            return drawsCode ? try QRCode(line).text + line + "\n" : line + "\n"
        }
        guard !context.json, context.console.outputIsTerminal, link.invite != nil else { return }
        let until = link.expires.map { " until \(LocalTime.text($0))" } ?? ""
        context.console.report(
            link.approve == true
                ? "anyone who has this line can ask to come in\(until): stoa group approve \(group)\n"
                : "anyone who has this line can come in\(until): hand it over in private\n")
    }

    /// What ends with a removal, besides what it says.
    private static func endingLinks(of group: String, in context: CommandContext) -> String {
        let info = try? context.call(GroupInfoMethod.self, .init { $0.group = group })
        let count = info?.value.links.count ?? 0
        return count == 0 ? "" : "; \(count == 1 ? "1 open link ends" : "\(count) open links end")"
    }

    private func act(
        _ act: GroupActWord, _ group: String, _ person: String, _ above: String?,
        in context: CommandContext
    ) throws(Failure) {
        if act.takesAway, !self.isSure {
            let shown = "\(TerminalText.line(person)) would be "
            let what =
                act == .remove
                ? shown
                    + "removed from \(TerminalText.line(group)); nothing that was read is recalled"
                    + Self.endingLinks(of: group, in: context)
                    + (self.since.map {
                        "; nothing that they did there since \(LocalTime.text($0)) counts any more"
                    } ?? "")
                : shown + "no admin of \(TerminalText.line(group)) any more"
            guard try context.console.agrees(to: what, next: "add --yes to do it", rest: nil) else {
                return context.console.report("stoa: group: nothing was changed\n")
            }
        }
        let params = GroupActMethod.Params {
            $0.group = group
            $0.act = act
            $0.person = person
            $0.above = above
            $0.now = act.takesAway && self.isNow ? true : nil
            $0.since = self.since
        }
        let done = try context.show(GroupActMethod.self, params) { conversation in
            let (who, name) = (TerminalText.line(person), conversation.shownName)
            return switch act {
            case .add: "invited \(who) to \(name); they are asked when they are online\n"
            case .remove: "removed \(who) from \(name)\n"
            case .admin: "\(who) is now an admin of \(name)\n"
            case .demote: "\(who) is no longer an admin of \(name)\n"
            }
        }
        if let names = done.unasked, !context.json {
            context.console.report(Self.unasked(names))
        }
    }

    /// Whose acts may not be known here, and who may act as if nothing had been done until they learn of it.
    static func unasked(_ names: [String]) -> String {
        let more = names.count > 8 ? " and \(names.count - 8) others" : ""
        return "could not be asked first, and learn of it later: "
            + names.prefix(8).map { ShownPerson(name: $0).text }.joined(separator: ", ") + more
            + "\n"
    }
}

extension GroupInfoMethod.Result {
    /// The members, and what is undecided.
    func text(in context: CommandContext) -> String {
        let rows = self.members.map { member in
            [
                member.shown.text + (member.own == true ? " (you)" : ""),
                member.id.map(\.shortKey) ?? "-",
                member.role.rawValue + (member.waiting == true ? ", invited" : ""),
                LocalTime.text(member.since), ShownPerson(name: member.by).text,
                "\(member.devices.count)",
            ]
        }
        var text = context.console.table(
            [["NAME", "KEY", "ROLE", "SINCE", "BY", "DEVICES"]] + rows)
        if self.history == .joined {
            text += "newcomers can read what is written once they are in\n"
        }
        if self.waitingActs > 0 {
            text += "\(self.waitingActs) acts wait for others that are not here yet\n"
        }
        if !self.links.isEmpty { text += "\n" + self.linksText(in: context) }
        return self.undecided.isEmpty ? text : text + "\n" + self.undecidedText(in: context)
    }

    private func linksText(in context: CommandContext) -> String {
        "open links; to end one: stoa group link \(TerminalText.word(self.name.shownConversation)) LINK --end\n"
            + context.console.table(
                [["LINK", "BY", "LETS IN", "SINCE", "UNTIL"]]
                    + self.links.map {
                        [
                            String($0.act.shown.prefix(12)), ShownPerson(name: $0.by).text,
                            $0.approve == true ? "who is approved" : "anyone",
                            LocalTime.text($0.time), $0.expires.map(LocalTime.text) ?? "-",
                        ]
                    })
    }

    /// What does not count unless somebody approves it.
    func undecidedText(in context: CommandContext) -> String {
        "undecided; to let one count: stoa group approve \(TerminalText.word(self.name.shownConversation)) ACT\n"
            + context.console.table(
                [["ACT", "WHAT", "WHOM", "BY", "WHY", "WHEN"]]
                    + self.undecided.map {
                        [
                            String($0.act.shown.prefix(12)), $0.does.shown,
                            $0.person.map { ShownPerson(name: $0).text } ?? "-",
                            ShownPerson(name: $0.by).text, $0.reason.shown, LocalTime.text($0.time),
                        ]
                    })
    }
}

extension GroupInfoMethod.Member {
    /// The member as people read it.
    var shown: ShownPerson {
        ShownPerson(name: self.name, id: self.id ?? "", isAmbiguous: self.ambiguous == true)
    }
}
