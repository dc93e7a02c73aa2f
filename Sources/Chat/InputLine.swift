import ControlAPI

/// The text that a person types: cursor, words, kill and yank, undo, and what was typed before.
package struct InputLine: Equatable, Sendable {
    /// A state to go back to.
    private struct Step: Equatable, Sendable {
        var text: String
        var cursor: Int
    }

    /// What keys do.
    enum Mode: Equatable, Sendable {
        case typing
        /// After Ctrl-X.
        case prefixed
        /// After Alt-J: the digits of a conversation's number.
        case number(Int)
        /// After Ctrl-R: looks for what was typed before.
        case searching(Search)
    }

    /// A search in what was typed before.
    struct Search: Equatable, Sendable {
        var words = ""
        /// Where in the past the text is from; nil where nothing was found.
        var place: Int?
        /// What was in the line before.
        var fresh = ""
    }

    /// How many bytes all states to go back to may hold, and how many there may be.
    private static let undoBytes = 1 << 20
    private static let undoSteps = 500
    /// How many texts that were sent are remembered.
    private static let remembered = 200

    private(set) var characters: [Character] = []
    /// Before which character the next one is typed.
    private(set) var cursor = 0
    private var steps: [Step] = []
    private var stepBytes = 0
    /// Whether the last change was a typed character, with which the next one is undone.
    private var isTyping = false
    private var killed = ""
    /// Whether the last change was a kill, with which the next one is yanked.
    private var isKilling = false
    /// What the next key is for, beside the text.
    var mode = Mode.typing
    private var past: [String] = []
    /// Where in the past the text is from; nil for one that is new.
    private var place: Int?
    /// The new text, while an old one is shown.
    private var fresh = ""

    init() {}

    /// The whole text.
    package var text: String { String(self.characters) }
    var isEmpty: Bool { self.characters.isEmpty }
    /// What stands before the cursor.
    var beforeCursor: String { String(self.characters[..<self.cursor]) }

    // MARK: Changing

    mutating func insert(_ text: String, isTyped: Bool = true) {
        let added = Array(text)
        guard !added.isEmpty else { return }
        if !(isTyped && self.isTyping) || added == [" "] { self.remember() }
        // A mark joins the character before it.
        let whole = Array(String(self.characters[..<self.cursor]) + text)
        self.characters.replaceSubrange(..<self.cursor, with: whole)
        self.cursor = whole.count
        self.isTyping = isTyped
    }

    /// Replaces all of it, as one step.
    mutating func set(_ text: String) {
        self.remember()
        self.characters = Array(text)
        self.cursor = self.characters.count
        self.isTyping = false
    }

    /// Replaces what stands before the cursor from a place on.
    mutating func replace(from start: Int, with text: String) {
        self.remember()
        self.characters.replaceSubrange(start..<self.cursor, with: Array(text))
        self.cursor = start + text.count
        self.isTyping = false
    }

    mutating func backspace() { self.delete(max(0, self.cursor - 1)..<self.cursor, kills: false) }

    mutating func deleteForward() {
        self.delete(self.cursor..<min(self.characters.count, self.cursor + 1), kills: false)
    }

    /// Back to the last blank, as a terminal does it.
    mutating func killToBlank() {
        var start = self.cursor
        while start > 0, self.characters[start - 1].isWhitespace { start -= 1 }
        while start > 0, !self.characters[start - 1].isWhitespace { start -= 1 }
        self.delete(start..<self.cursor, kills: true)
    }

    mutating func killWordBack() { self.delete(self.wordStart..<self.cursor, kills: true) }
    mutating func killWordForward() { self.delete(self.cursor..<self.wordEnd, kills: true) }
    mutating func killToStart() { self.delete(self.lineStart..<self.cursor, kills: true) }

    /// To the end of the line; at its end the newline goes.
    mutating func killToEnd() {
        let end = self.lineEnd
        let last = end == self.cursor ? min(self.characters.count, end + 1) : end
        self.delete(self.cursor..<last, kills: true)
    }

    mutating func yank() { self.insert(self.killed, isTyped: false) }

    /// Exchanges the two characters around the cursor.
    mutating func transpose() {
        let place = self.cursor == self.characters.count ? self.cursor - 1 : self.cursor
        guard place > 0 else { return }
        self.remember()
        self.characters.swapAt(place - 1, place)
        self.cursor = place + 1
        self.isTyping = false
    }

    private mutating func delete(_ range: Range<Int>, kills: Bool) {
        guard !range.isEmpty else { return }
        let isNext = self.isKilling
        self.remember()
        if kills {
            let text = String(self.characters[range])
            let isBefore = range.lowerBound < self.cursor
            self.killed = !isNext ? text : isBefore ? text + self.killed : self.killed + text
        }
        self.characters.removeSubrange(range)
        self.cursor = range.lowerBound
        self.isTyping = false
        self.isKilling = kills
    }

    // MARK: Undoing

    mutating func undo() {
        guard let step = self.steps.popLast() else { return }
        self.stepBytes -= step.text.utf8.count
        self.characters = Array(step.text)
        self.cursor = step.cursor
        self.isTyping = false
    }

    private mutating func remember() {
        self.isKilling = false
        let text = self.text
        self.steps.append(Step(text: text, cursor: self.cursor))
        self.stepBytes += text.utf8.count
        while self.steps.count > Self.undoSteps
            || self.stepBytes > Self.undoBytes && self.steps.count > 1
        {
            self.stepBytes -= self.steps.removeFirst().text.utf8.count
        }
    }

    // MARK: Moving

    mutating func move(_ distance: Int) {
        self.go(to: min(max(0, self.cursor + distance), self.characters.count))
    }

    mutating func moveToWordStart() { self.go(to: self.wordStart) }
    mutating func moveToWordEnd() { self.go(to: self.wordEnd) }
    mutating func moveToLineStart() { self.go(to: self.lineStart) }
    mutating func moveToLineEnd() { self.go(to: self.lineEnd) }

    private mutating func go(to place: Int) {
        self.cursor = place
        (self.isTyping, self.isKilling) = (false, false)
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    private var wordStart: Int {
        var place = self.cursor
        while place > 0, !Self.isWord(self.characters[place - 1]) { place -= 1 }
        while place > 0, Self.isWord(self.characters[place - 1]) { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = self.cursor
        let end = self.characters.count
        while place < end, !Self.isWord(self.characters[place]) { place += 1 }
        while place < end, Self.isWord(self.characters[place]) { place += 1 }
        return place
    }

    private var lineStart: Int {
        (self.characters[..<self.cursor].lastIndex(of: "\n") ?? -1) + 1
    }

    private var lineEnd: Int {
        self.characters[self.cursor...].firstIndex(of: "\n") ?? self.characters.count
    }

    /// One line up or down in a text of several; false at the first or last line.
    mutating func moveLine(_ direction: Int) -> Bool {
        let column = self.cursor - self.lineStart
        if direction < 0 {
            guard self.lineStart > 0 else { return false }
            self.cursor = self.lineStart - 1
            self.cursor = min(self.lineStart + column, self.lineEnd)
        } else {
            guard self.lineEnd < self.characters.count else { return false }
            self.cursor = self.lineEnd + 1
            self.cursor = min(self.cursor + column, self.lineEnd)
        }
        return true
    }

    // MARK: What was typed before

    /// Takes the text as sent and begins anew.
    mutating func take() -> String {
        let text = self.text
        self.keep(text)
        (self.characters, self.cursor, self.steps, self.stepBytes) = ([], 0, [], 0)
        (self.isTyping, self.place, self.fresh) = (false, nil, "")
        return text
    }

    /// Begins anew, and remembers nothing.
    mutating func discard() {
        (self.characters, self.cursor, self.steps, self.stepBytes) = ([], 0, [], 0)
        (self.isTyping, self.place, self.fresh, self.killed) = (false, nil, "", "")
    }

    /// Remembers a text as if it had been sent, but for secrets.
    mutating func keep(_ text: String) {
        guard !text.isEmpty, self.past.last != text, !TypedInvitation.isIn(text) else { return }
        self.past.append(text)
        if self.past.count > Self.remembered { self.past.removeFirst() }
    }

    /// Shows an older text, or a newer one, at last the one that was being typed.
    mutating func recall(_ direction: Int) {
        let next = (self.place ?? self.past.count) + direction
        guard (0...self.past.count).contains(next) else { return }
        if self.place == nil {
            guard direction < 0 else { return }
            self.fresh = self.text
        }
        self.place = next == self.past.count ? nil : next
        self.set(self.place.map { self.past[$0] } ?? self.fresh)
    }

    /// Looks for what was typed before: the newest text with these words, or the next older one.
    mutating func search(_ words: String, isNext: Bool) {
        var search = Search(fresh: self.text)
        if case .searching(let last) = self.mode { search = last }
        search.words = words
        let last = search.place ?? self.past.count - 1
        let found =
            words.isEmpty
            ? nil
            : self.past.indices.last {
                $0 <= last - (isNext && search.place != nil ? 1 : 0)
                    && Self.contains(self.past[$0], words)
            }
        // Where there is no older one, the one that was found stays.
        if let found {
            search.place = found
        } else if !isNext {
            search.place = nil
        }
        self.set(search.place.map { self.past[$0] } ?? search.fresh)
        self.mode = .searching(search)
    }

    private static func contains(_ text: String, _ words: String) -> Bool {
        let (text, words) = (Array(text.lowercased().utf8), Array(words.lowercased().utf8))
        guard text.count >= words.count else { return false }
        return (0...text.count - words.count).contains { text[$0...].starts(with: words) }
    }
}
