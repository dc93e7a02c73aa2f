import ControlAPI

/// What keys do.
extension ChatState {
    mutating func press(_ key: KeyPress) {
        if self.unseen != nil { return self.typeUnseen(key) }
        defer { self.takeAim() }
        guard !self.pressInMode(key) else { return }
        if self.completion.isActive, key != .tab, key != .backTab { self.completion.end() }
        if key != .tab, key != .backTab { self.notice = nil }
        switch key {
        case .text(let text):
            self.shown.input.insert(Self.typed(text))
            if self.completesSurroundings { self.askAround() }
            self.tellTyping()
        case .paste(let text): self.shown.input.insert(Self.typed(text), isTyped: false)
        case .enter: self.enterPressed()
        case .newLine: self.shown.input.insert("\n", isTyped: false)
        case .tab: self.complete(1)
        case .backTab: self.complete(-1)
        case .escape: self.letGo()
        case .control(let letter): self.pressControl(letter)
        case .alt(let letter): self.pressAlt(letter)
        case .pageUp: self.scroll(-self.pageRows)
        case .pageDown: self.scroll(self.pageRows)
        case .altUp: self.select(-1)
        case .altDown: self.select(1)
        case .up: if !self.shown.input.moveLine(-1) { self.shown.input.recall(-1) }
        case .down: if !self.shown.input.moveLine(1) { self.shown.input.recall(1) }
        default: self.edit(key)
        }
    }

    /// Keys that only change the input line or move in it.
    private mutating func edit(_ key: KeyPress) {
        switch key {
        case .backspace: self.shown.input.backspace()
        case .delete: self.shown.input.deleteForward()
        case .wordBackspace: self.shown.input.killWordBack()
        case .left: self.shown.input.move(-1)
        case .right: self.shown.input.move(1)
        case .wordLeft: self.shown.input.moveToWordStart()
        case .wordRight: self.shown.input.moveToWordEnd()
        case .home: self.shown.input.moveToLineStart()
        case .end:
            // At the end of an empty line there is nowhere else to go.
            if self.shown.input.isEmpty { self.scrollToEnd() }
            self.shown.input.moveToLineEnd()
        default: break
        }
    }

    private mutating func pressControl(_ letter: Character) {
        switch letter {
        case "a": self.shown.input.moveToLineStart()
        case "e": self.shown.input.moveToLineEnd()
        case "b": self.shown.input.move(-1)
        case "f": self.shown.input.move(1)
        case "d":
            guard self.shown.input.isEmpty else { return self.shown.input.deleteForward() }
            self.quit()
        case "c":
            if self.shown.input.isEmpty {
                self.notice = "Ctrl-D or /quit ends"
            } else {
                self.shown.input.keep(self.shown.input.text)
                self.shown.input.set("")
                self.letGo()
            }
        case "k": self.shown.input.killToEnd()
        case "u": self.shown.input.killToStart()
        case "w": self.shown.input.killToBlank()
        case "y": self.shown.input.yank()
        case "t": self.shown.input.transpose()
        case "_": self.shown.input.undo()
        case "z": self.perform(.stop)
        case "n": self.enterNext(1)
        case "p": self.enterNext(-1)
        case "l": self.perform(.redraw)
        case "r": self.shown.input.search("", isNext: false)
        case "x": self.shown.input.mode = .prefixed
        case "g": self.letGo()
        default: break
        }
    }

    private mutating func pressAlt(_ letter: Character) {
        switch letter {
        case "0"..."9":
            self.enter(number: letter == "0" ? 10 : letter.wholeNumberValue ?? 0)
        case "j": self.shown.input.mode = .number(0)
        case "a": self.enterWaiting()
        case "/":
            guard self.place(of: self.view.last) != nil else {
                return self.notice = "there is no conversation to go back to"
            }
            self.enter(self.view.last)
        case "h": self.readAll()
        case "u":
            guard !self.shown.reading.unseen.isEmpty || self.shown.unread > 0 else {
                return self.notice = "everything here is read"
            }
            self.goToUnread()
        case "m": self.goToMention()
        case "o": self.toggleFold()
        case "l": self.showAlone()
        case "b": self.shown.input.moveToWordStart()
        case "f": self.shown.input.moveToWordEnd()
        case "d": self.shown.input.killWordForward()
        case ">": self.scrollToEnd()
        case "<": self.scroll(-10_000)
        default: break
        }
    }

    func isOfListed(_ number: Int) -> Bool { number > 0 && number <= self.listed.count }

    mutating func enter(number: Int) {
        guard self.isOfListed(number) else {
            return self.notice = "there is no conversation \(number)"
        }
        self.enter(self.listed[number - 1].id)
    }

    /// Text as it may stand in a message: without what only a terminal would obey.
    static func typed(_ text: String) -> String {
        text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }
            ? String(
                String.UnicodeScalarView(
                    text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }))
            : text
    }

    /// Ends what was begun beside the text.
    mutating func letGo() {
        if self.shown.aiming.editing != nil { self.shown.input.set("") }
        (self.shown.aiming.editing, self.shown.aiming.replying, self.shown.aiming.selected) = (
            nil, nil, nil
        )
        self.completion.end()
    }

    mutating func quit() {
        let waiting = self.outbox.unsent.count
        guard waiting > 0, !self.keepsUnsent, !self.outbox.mayBeLost else {
            return self.perform(.quit)
        }
        self.outbox.mayBeLost = true
        self.notice = "\(waiting) not sent yet; quit again to end anyway"
    }

    // MARK: Sending

    private mutating func enterPressed() {
        let text = self.shown.input.text
        guard !text.allSatisfy(\.isWhitespace) else {
            if self.shown.aiming.editing != nil { self.letGo() }
            return
        }
        guard self.link.hasList || text == "/quit" else {
            // Where it goes is not known before the daemon has answered.
            return self.notice = "not connected yet: your text is kept"
        }
        switch SlashCommand.parse(text) {
        case .unknown(let why): self.notice = why
        case .invitation(let line):
            self.shown.input.discard()
            self.accept(invitation: line)
        case .command(let command):
            _ = self.shown.input.take()
            self.run(command)
        case .text(let said): self.say(said, typed: text)
        }
    }

    private mutating func say(_ text: String, typed: String) {
        guard self.place(of: self.current) != nil else {
            self.notice = self.link.hasList ? "join a room first: /join ROOM" : "not connected yet"
            return
        }
        guard text.utf8.count <= ControlLimits.textBytes else {
            self.notice =
                "the message has \(text.utf8.count) bytes, at most \(ControlLimits.textBytes) are allowed: shorten it"
            return
        }
        if let editing = self.shown.aiming.editing {
            guard self.link.isConnected else {
                self.notice = "no daemon: your text is kept"
                return
            }
            _ = self.shown.input.take()
            self.shown.aiming.editing = nil
            return self.change(editing, to: text)
        }
        _ = self.shown.input.take()
        self.outbox.add(
            text, to: self.current, isAction: false, replyTo: self.shown.aiming.replying)
        (self.shown.aiming.replying, self.shown.aiming.selected) = (nil, nil)
        self.scrollToEnd()
    }

    mutating func change(_ id: String, to text: String) {
        self.ask(EditMethod.self, .edit(text, message: id, in: self.current)) {
            $0.id = id
            $0.text = text
        }
    }

    // MARK: Looking around

    mutating func scrollToEnd() {
        if self.shown.scrollback.hasNewer { self.shown.forget() }
        self.shown.anchor = nil
        self.shown.reading.missedBelow = 0
    }

    /// Points at another message: older with -1.
    private mutating func select(_ step: Int) {
        let messages = self.shown.scrollback.messages
        let isChoice = { (message: ChatMessage) in message.isSaid && !message.isErased }
        let start = self.shown.aiming.selected.flatMap { self.shown.scrollback.index(of: $0) }
        var place = start ?? messages.count
        if start == nil, step > 0 { return }
        repeat {
            place += step
        } while messages.indices.contains(place) && !isChoice(messages[place])
        guard messages.indices.contains(place) else {
            if step > 0 { self.shown.aiming.selected = nil }
            return
        }
        self.shown.aiming.selected = messages[place].id
        self.reveal(messages[place].id)
    }

    /// The message that a command is about: the one that is chosen, else the newest that fits.
    func target(where fits: (ChatMessage) -> Bool) -> ChatMessage? {
        if let id = self.shown.aiming.selected, let chosen = self.shown.scrollback[id] {
            return fits(chosen) ? chosen : nil
        }
        return self.shown.scrollback.messages.last { $0.isSaid && !$0.isErased && fits($0) }
    }
}
