import ControlAPI

/// Keys that are more than one: Ctrl-X and a key, Alt-J and a number, Ctrl-R and words.
extension ChatState {
    /// Takes a key that belongs to what was begun; false where it is an ordinary one.
    mutating func pressInMode(_ key: KeyPress) -> Bool {
        switch self.shown.input.mode {
        case .typing: return false
        case .prefixed:
            self.shown.input.mode = .typing
            guard key == .control("e") else { return key == .escape || key == .control("g") }
            self.editElsewhere()
            return true
        case .number(let digits): return self.number(digits, key)
        case .searching(let search): return self.search(search, key)
        }
    }

    /// What the line above the input says meanwhile; nil where nothing was begun.
    var modeText: String? {
        switch self.shown.input.mode {
        case .typing: nil
        case .prefixed: "Ctrl-X: Ctrl-E opens your editor"
        case .number(let digits):
            "go to conversation \(digits > 0 ? "\(digits)" : "")_ (a number, then Enter)"
        case .searching(let search):
            "typed before: \"\(search.words)\(search.place == nil && !search.words.isEmpty ? "\" not found" : "\"")"
                + " (Ctrl-R: older, Enter: use, Esc: back)"
        }
    }

    private mutating func number(_ digits: Int, _ key: KeyPress) -> Bool {
        self.shown.input.mode = .typing
        let typed: Int
        switch key {
        case .text(let text):
            guard let more = Int(text), more >= 0, text.utf8.count <= 4 else {
                // Letters are what is written: they are not lost.
                return false
            }
            typed = digits * 10 + more
            // Where one more digit makes another number, Enter says that there is none.
            guard typed * 10 > self.listed.count else {
                self.shown.input.mode = .number(typed)
                return true
            }
        case .enter: typed = digits
        case .escape, .control("g"), .control("c"): return true
        default: return false
        }
        self.enter(number: typed)
        return true
    }

    private mutating func search(_ search: InputLine.Search, _ key: KeyPress) -> Bool {
        switch key {
        case .control("r"): self.shown.input.search(search.words, isNext: true)
        case .text(let text), .paste(let text):
            self.shown.input.search(search.words + Self.typed(text), isNext: false)
        case .backspace:
            self.shown.input.mode = .searching(.init(fresh: search.fresh))
            self.shown.input.search(String(search.words.dropLast()), isNext: false)
        case .escape, .control("g"), .control("c"):
            self.shown.input.mode = .typing
            self.shown.input.set(search.fresh)
        default:
            self.shown.input.mode = .typing
            // It is sent by the next Enter, once it was looked at.
            return key == .enter
        }
        return true
    }

    // MARK: The user's editor

    private mutating func editElsewhere() {
        let text = self.shown.input.text
        guard !TypedInvitation.isIn(text) else {
            return self.notice = "an invitation is not shown in an editor"
        }
        self.perform(.edit(text))
    }

    mutating func edited(_ text: String?, _ why: String) {
        guard let text else { return self.notice = why }
        var typed = Self.typed(text)
        // Editors end the last line.
        if typed.hasSuffix("\n") { typed.removeLast() }
        self.shown.input.set(typed)
        self.takeAim()
    }
}
