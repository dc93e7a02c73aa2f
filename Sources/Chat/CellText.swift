import ControlAPI

/// What a piece of text looks like.
package struct Look: Equatable, Sendable {
    /// A colour by what it is for; the screen knows which that is.
    package enum Colour: Equatable, Hashable, Sendable {
        /// That of the terminal.
        case usual
        /// One of the colours of names, from 0 on.
        case name(Int)
        /// What asks for attention, what is wrong, what is a place or a command.
        case mention, alert, accent
    }

    package var colour = Colour.usual
    /// Whether it is bold.
    package var isBold = false
    /// Whether it steps back.
    package var isFaint = false
    /// Whether it is drawn in reverse.
    package var isReversed = false

    static let plain = Look()
    static let bold = Look(isBold: true)
    static let faint = Look(isFaint: true)
    static let bar = Look(isReversed: true)
    static let mention = Look(colour: .mention, isBold: true)
    static let alert = Look(colour: .alert, isBold: true)
    static let accent = Look(colour: .accent)
}

/// One piece of a row of the screen, all of one look.
package struct TextRun: Equatable, Sendable {
    /// What is printed: safe, and of one line.
    package var text: String
    /// What it looks like.
    package var look: Look
    package var columns: Int

    init(_ text: String, _ look: Look = .plain, columns: Int? = nil) {
        self.text = text
        self.look = look
        self.columns = columns ?? CellWidth.of(text)
    }
}

/// A row of the screen, or a part of one.
package struct ScreenRow: Equatable, Sendable {
    /// Its pieces from left to right.
    package var runs: [TextRun] = []
    /// Whether it begins at the left edge of the screen: a link that would not fit beside names.
    var isWhole = false
    var columns: Int { self.runs.reduce(0) { $0 + $1.columns } }

    init(_ runs: [TextRun] = []) { self.runs = runs }

    mutating func append(_ text: String, _ look: Look = .plain) {
        guard !text.isEmpty else { return }
        self.append(TextRun(text, look))
    }

    mutating func append(_ run: TextRun) {
        if let last = self.runs.last, last.look == run.look {
            self.runs[self.runs.count - 1].text += run.text
            self.runs[self.runs.count - 1].columns += run.columns
        } else {
            self.runs.append(run)
        }
    }

    /// Filled with blanks, or cut with an ellipsis, to so many cells.
    func fitted(_ columns: Int, _ look: Look = .plain) -> ScreenRow {
        let own = self.columns
        var row = ScreenRow()
        if own <= columns {
            row = self
            row.append(String(repeating: " ", count: columns - own), look)
            return row
        }
        var room = columns - 1
        for run in self.runs {
            for cluster in CellText.clusters(run.text) {
                guard cluster.columns <= room else {
                    room = -1
                    break
                }
                room -= cluster.columns
                row.append(TextRun(cluster.text, run.look, columns: cluster.columns))
            }
            if room < 0 { break }
        }
        if columns > 0 { row.append("…", look) }
        row.append(String(repeating: " ", count: max(0, columns - row.columns)), look)
        return row
    }
}

/// Cuts safe text into what stands in one place of a screen, and into rows.
enum CellText {
    /// A character as it is drawn.
    struct Cluster: Equatable {
        var text: String
        var columns: Int
        var isSpace: Bool { self.text == " " }
    }

    /// How many marks a character may have on the screen; of more their number is said.
    ///
    /// What ncurses holds in a cell, and enough for every script.
    private static let marks = 4

    /// The characters of a line of safe text.
    ///
    /// Emoji that are joined stand side by side, since terminals differ in whether they join them, and the
    /// rest of the line would be elsewhere than it is thought to be.
    static func clusters(_ text: String) -> [Cluster] {
        var clusters: [Cluster] = []
        clusters.reserveCapacity(text.utf8.count)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            for byte in text.utf8 {
                clusters.append(Cluster(text: String(Unicode.Scalar(byte)), columns: 1))
            }
            return clusters
        }
        for character in text { self.add(character, to: &clusters) }
        return clusters
    }

    private static func add(_ character: Character, to clusters: inout [Cluster]) {
        var current = ""
        var columns = 0
        var (marks, hidden) = (0, 0)
        func close() {
            if !current.isEmpty { clusters.append(Cluster(text: current, columns: columns)) }
            if hidden > 0 {
                for digit in "<+\(hidden) marks>" {
                    clusters.append(Cluster(text: String(digit), columns: 1))
                }
            }
            (current, columns, marks, hidden) = ("", 0, 0, 0)
        }
        for scalar in character.unicodeScalars {
            // Says only whether an emoji is drawn in colour, about which terminals differ.
            if (0xFE00...0xFE0F).contains(scalar.value) { continue }
            let width = CellWidth.of(scalar)
            if width > 0 {
                close()
                current.unicodeScalars.append(scalar)
                columns = width
                continue
            }
            if scalar.value == 0x200D, columns == 2 { continue }
            // A mark without a letter would join what stands before the text.
            if current.isEmpty { (current, columns) = ("◌", 1) }
            marks += 1
            if marks > Self.marks {
                hidden += 1
            } else {
                current.unicodeScalars.append(scalar)
            }
        }
        close()
    }

    /// Somebody in a row of at most so many cells; of a name whose marks are counted in words only the key.
    static func row(_ person: ShownPerson, columns: Int, _ look: Look) -> ScreenRow {
        let row = self.row(person.fitted(columns), look)
        return row.columns <= columns || person.key.isEmpty ? row : self.row(person.keyed, look)
    }

    private static func row(_ text: String, _ look: Look) -> ScreenRow {
        var row = ScreenRow()
        for cluster in self.clusters(text) {
            row.append(TextRun(cluster.text, look, columns: cluster.columns))
        }
        return row
    }

    /// A piece of text with a look, before it is broken into rows.
    struct Piece {
        var text: String
        var look: Look
    }

    /// Breaks pieces of safe text, whose newlines count, into rows of at most so many cells: at blanks where
    /// there are some.
    ///
    /// - Parameter whole: the cells of a row that begins at the left edge, for links that have no room in one
    ///   of the others.
    static func wrap(_ pieces: [Piece], columns: Int, whole: Int = 0) -> [ScreenRow] {
        var rows: [ScreenRow] = []
        var line: [(cluster: Cluster, look: Look)] = []
        func end() {
            rows += Self.rows(of: line[...], columns: max(1, columns), whole: whole)
            line = []
        }
        for piece in pieces {
            for (index, part) in piece.text.split(
                separator: "\n", omittingEmptySubsequences: false
            ).enumerated() {
                if index > 0 { end() }
                for cluster in self.clusters(String(part)) { line.append((cluster, piece.look)) }
            }
        }
        end()
        return rows
    }

    private static func rows(
        of line: ArraySlice<(cluster: Cluster, look: Look)>, columns: Int, whole: Int
    ) -> [ScreenRow] {
        guard whole > columns, let link = self.longLink(in: line, columns: columns) else {
            return self.rows(of: line, columns: columns)
        }
        let before = line[..<link.lowerBound], behind = line[link.upperBound...]
        var rows = before.isEmpty ? [ScreenRow()] : self.rows(of: before, columns: columns)
        for var row in self.rows(of: line[link], columns: whole) {
            row.isWhole = true
            rows.append(row)
        }
        let rest = behind.first?.cluster.isSpace == true ? behind.dropFirst() : behind
        return rest.isEmpty ? rows : rows + self.rows(of: rest, columns: columns, whole: whole)
    }

    /// The first link that has more cells than a row.
    private static func longLink(
        in line: ArraySlice<(cluster: Cluster, look: Look)>, columns: Int
    ) -> Range<Int>? {
        guard line.count > columns else { return nil }
        var start = line.startIndex
        while start < line.endIndex {
            let end = line[start...].firstIndex { $0.cluster.isSpace } ?? line.endIndex
            if end - start > columns {
                let word = line[start..<end].map(\.cluster)
                let beginning = word.prefix(8).map(\.text).joined().lowercased()
                if beginning.hasPrefix("http://") || beginning == "https://",
                    word.allSatisfy({ $0.columns == 1 && $0.text.utf8.allSatisfy { $0 < 0x80 } })
                {
                    return start..<end
                }
            }
            start = end + 1
        }
        return nil
    }

    private static func rows(
        of line: ArraySlice<(cluster: Cluster, look: Look)>, columns: Int
    ) -> [ScreenRow] {
        var rows: [ScreenRow] = []
        var start = line.startIndex
        while true {
            var (end, used, blank) = (start, 0, -1)
            while end < line.endIndex, used + line[end].cluster.columns <= columns {
                used += line[end].cluster.columns
                if line[end].cluster.isSpace { blank = end }
                end += 1
            }
            var next = end
            if end < line.endIndex {
                if line[end].cluster.isSpace {
                    next = end + 1
                } else if blank > start {
                    (end, next) = (blank, blank + 1)
                } else if end == start {
                    // Too wide for any row.
                    next = end + 1
                }
            }
            var row = ScreenRow()
            for (cluster, look) in line[start..<end] {
                row.append(TextRun(cluster.text, look, columns: cluster.columns))
            }
            rows.append(row)
            if next >= line.endIndex { return rows }
            start = next
        }
    }
}
