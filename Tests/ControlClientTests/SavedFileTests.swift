import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import stoa

@Suite("A file that is saved") struct SavedFileTests {
    // Shows: file.names
    @Test(
        "has a name that stays in its folder, is not hidden and looks like no option",
        arguments: [
            ("photo.jpg", "photo.jpg"), ("../../etc/passwd", "_._.._etc_passwd"),
            ("/etc/passwd", "_etc_passwd"), (".bashrc", "_bashrc"), ("-rf", "_rf"), ("..", "_."),
            ("a\u{0}b\nc\u{1B}[2J", "a_b_c_[2J"), ("gpj.\u{202E}exe", "gpj._exe"),
            ("C:\\x", "C:_x"), (" ", "_"), ("\u{200B}", "_"), ("東京 é.txt", "東京 é.txt"),
        ])
    func safe(name: String, saved: String) { #expect(SavedFile.safe(name) == saved) }

    @Test("is as long as a name may be")
    func long() {
        let safe = SavedFile.safe(String(repeating: "é", count: 500))
        #expect((1...240).contains(safe.utf8.count))
    }

    @Test("keeps its ending, and is cut between characters, where its name is too long")
    func endings() {
        let thai = String(repeating: "ห้อง", count: 40)
        for ending in [".pdf", ".tar.gz", ".sql.zst", ".JPG", ".tar.gz.asc"] {
            let safe = SavedFile.safe(thai + ending)
            #expect(safe.hasSuffix(ending), "\(ending)")
            #expect((200...240).contains(safe.utf8.count))
            #expect(thai.hasPrefix(safe.dropLast(ending.count)), "no character is torn")
        }
        #expect(FileNameText("v1.2.gz").ending == ".gz")
        #expect(FileNameText("a.tar.gz").numbered(1) == "a (1).tar.gz")
        #expect(FileNameText("Dr. Strange und die Frau").ending.isEmpty)
        #expect(FileNameText(".bashrc").ending.isEmpty)
        // One character of very many marks.
        let marks = SavedFile.safe("a" + String(repeating: "\u{301}", count: 400) + ".pdf")
        #expect((1...240).contains(marks.utf8.count))
        #expect(SavedFile.safe("می\u{200c}خواهم.pdf") == "می\u{200c}خواهم.pdf")
    }

    // Shows: file.names
    @Test(
        "takes the place of no other, is not executable, and is there whole or not at all",
        arguments: [false, true])
    func saved(isNamed: Bool) throws {
        let folder = try TestFolder()
        let place = folder("a.txt")
        do {
            let file = try SavedFile(chosen: place, name: "", bytes: 3, isNamed: isNamed)
            try file.write([1, 2, 3], count: 3)
            #expect(!folder.names.contains("a.txt"))
        }
        #expect(folder.names.isEmpty)
        let file = try SavedFile(chosen: place, name: "", bytes: 3, isNamed: isNamed)
        try file.write([1, 2, 3, 4], count: 3)
        #expect(try file.keep() == place)
        #expect(TestFiles.read(place) == [1, 2, 3])
        var status = stat()
        #expect(stat(place, &status) == 0 && status.st_mode & 0o111 == 0)
        // One that came meanwhile.
        let late = try SavedFile(chosen: folder("b.txt"), name: "", bytes: 3, isNamed: isNamed)
        try Files.writeAtomically([7], to: folder("b.txt"))
        #expect(throws: Failure.self) { try late.keep() }
        #expect(TestFiles.read(folder("b.txt")) == [7])
        try Files.remove(folder("b.txt"))
        #expect(throws: Failure.self) {
            try SavedFile(chosen: place, name: "", bytes: 3, isNamed: isNamed)
        }
        _ = consume late
        #expect(folder.names == ["a.txt"])
    }

    @Test("is whole by whatever pieces it comes, also a large one", arguments: [0, 1, 5_000_001])
    func pieces(count: Int) throws {
        let folder = try TestFolder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let file = try SavedFile(chosen: folder("large"), name: "", bytes: Int64(count))
        var start = 0
        while start < count {
            let piece = Array(bytes[start..<min(start + 65_537, count)])
            try file.write(piece, count: piece.count)
            start += piece.count
        }
        #expect(try TestFiles.read(file.keep()) == bytes)
    }

    @Test(
        "guesses its type by the end of its name",
        arguments: ["a.PNG": "image/png", "b.tar.gz": "application/gzip"])
    func types(name: String, type: String) { #expect(MediaType.guess(name) == type) }
}
