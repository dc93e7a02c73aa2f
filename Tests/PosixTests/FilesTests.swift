import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct FilesTests {
    @Test("what is written is read back, is for the owner alone and leaves nothing beside it")
    func writeAndRead() throws {
        let directory = try TestFolder()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try Files.writeAtomically(bytes, to: directory("file"))
        #expect(try Files.read(directory("file"), limitBytes: 200_000) == bytes)
        #expect(try mode(of: directory("file")) == 0o600)
        try Files.writeAtomically([], to: directory("file"))
        #expect(try Files.read(directory("file"), limitBytes: 0) == [])
        #expect(directory.names == ["file"])
    }

    @Test("what a file had is overwritten once it is removed, but for one that has another name")
    func erased() throws {
        let directory = try TestFolder()
        for name in ["one", "two"] { try Files.writeAtomically([1, 2, 3], to: directory(name)) }
        try #require(Glibc.link(directory("two"), directory("copy")) == 0)
        let file = try RandomAccessFile(reading: directory("one"))
        for name in ["one", "two", "none"] { try Files.removeErasing(directory(name)) }
        #expect(try file.read(at: 0, count: 3) == [0, 0, 0])
        #expect(directory.names == ["copy"])
        #expect(try Files.read(directory("copy"), limitBytes: 3) == [1, 2, 3])
    }

    @Test("the mode asked for counts, whatever the umask")
    func modeOfFile() throws {
        let directory = try TestFolder()
        try Files.writeAtomically([1], to: directory("file"), mode: 0o644)
        #expect(try mode(of: directory("file")) == 0o644)
    }

    @Test("a write that fails leaves the old file and no new one")
    func failedWrite() throws {
        let directory = try TestFolder()
        try #require(mkdir(directory("target"), 0o700) == 0)
        let error = #expect(throws: SystemError.self) {
            try Files.writeAtomically([1], to: directory("target"))
        }
        #expect(error?.call == "rename to")
        #expect(directory.names == ["target"])
        #expect(throws: SystemError.self) {
            try Files.writeAtomically([1], to: directory("missing/file"))
        }
    }

    @Test(
        "a name is given only where it is free, whatever the file system knows of that",
        arguments: [false, true])
    func freeNames(isOverOwn: Bool) throws {
        let directory = try TestFolder()
        func move(_ name: String, _ target: String) throws {
            if isOverOwn {
                try Files.move(directory(name), overOwn: directory(target))
            } else {
                try Files.move(directory(name), toFree: directory(target))
            }
        }
        try Files.writeAtomically([1], to: directory("one"))
        try Files.writeAtomically([2], to: directory("two"))
        let error = #expect(throws: SystemError.self) { try move("one", "two") }
        #expect(error?.meansExists == true)
        #expect(try Files.read(directory("two"), limitBytes: 1) == [2])
        try move("one", "three")
        #expect(try Files.read(directory("three"), limitBytes: 1) == [1])
        #expect(throws: SystemError.self) { try move("one", "four") }
        #expect(directory.names == ["three", "two"])
    }

    @Test("a file beyond the limit, a missing one, a directory and a pipe are refused")
    func refusedReads() throws {
        let directory = try TestFolder()
        try Files.writeAtomically([1, 2, 3], to: directory("file"))
        try #require(mkfifo(directory("pipe"), 0o600) == 0)
        let cases: [(String, Int32)] = [
            ("file", EFBIG), ("missing", ENOENT), (".", EISDIR), ("pipe", EINVAL),
        ]
        for (name, code) in cases {
            let error = #expect(throws: SystemError.self) {
                _ = try Files.read(directory(name), limitBytes: 2)
            }
            #expect(error?.code == code)
            #expect(error?.context == directory(name))
        }
    }

    @Test("a private directory is made with its parents, and an existing one is accepted")
    func privateDirectory() throws {
        let directory = try TestFolder()
        try Files.makePrivateDirectory(directory("a/b/c"))
        try Files.makePrivateDirectory(directory("a/b/c/"))
        for name in ["a", "a/b", "a/b/c"] { #expect(try mode(of: directory(name)) == 0o700) }
    }

    @Test("a directory that is open to others, not ours or no directory is refused")
    func unsafeDirectory() throws {
        let directory = try TestFolder()
        try #require(mkdir(directory("open"), 0o700) == 0)
        try #require(chmod(directory("open"), 0o750) == 0)
        try Files.writeAtomically([1], to: directory("file"))
        let open = #expect(throws: SystemError.self) {
            try Files.makePrivateDirectory(directory("open"))
        }
        #expect(open?.code == EACCES)
        #expect(try mode(of: directory("open")) == 0o750)
        let file = #expect(throws: SystemError.self) {
            try Files.makePrivateDirectory(directory("file"))
        }
        #expect(file?.code == ENOTDIR)
        #expect(throws: SystemError.self) { try Files.makePrivateDirectory("/proc") }
    }

    @Test(
        "the parent of a path is what is before the last name",
        arguments: [
            ("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/", "a"), ("/", "/"), ("", "."),
        ])
    func parent(path: String, parent: String) {
        // The root has no parent but itself.
        #expect(Files.parent(of: path) == parent)
    }

    @Test("removing a missing file is no error")
    func remove() throws {
        let directory = try TestFolder()
        try Files.remove(directory("missing"))
        try Files.writeAtomically([1], to: directory("file"))
        try Files.remove(directory("file"))
        #expect(!Files.exists(directory("file")))
    }

    @Test("a file keeps its identity while it changes, and a copy has another")
    func identity() throws {
        let directory = try TestFolder()
        try Files.writeAtomically([1], to: directory("file"))
        let first = try FileIdentity(path: directory("file"))
        let again = FileDescriptor(owning: open(directory("file"), O_WRONLY | O_APPEND))
        #expect(again.write([2]) == .bytes(1))
        #expect(try FileIdentity(path: directory("file")) == first)
        try Files.writeAtomically([1, 2], to: directory("copy"))
        #expect(try FileIdentity(path: directory("copy")) != first)
        #expect(throws: SystemError.self) { _ = try FileIdentity(path: directory("missing")) }
    }

    @Test("a lock has one holder at a time, also within a process, and ends with it")
    func lock() throws {
        let directory = try TestFolder()
        do {
            let holder = try LockFile(path: directory("lock"))
            let error = #expect(throws: SystemError.self) {
                _ = try LockFile(path: directory("lock"))
            }
            #expect(error.map(LockFile.isHeldByAnother) == true)
            withExtendedLifetime(holder) {}
        }
        _ = try LockFile(path: directory("lock"))
        #expect(try mode(of: directory("lock")) == 0o600)
        let error = #expect(throws: SystemError.self) {
            _ = try LockFile(path: directory("missing/lock"))
        }
        #expect(error.map(LockFile.isHeldByAnother) == false)
    }

    @Test("the clocks run in milliseconds, one since 1970, one never backwards")
    func clocks() {
        #expect(SystemClock.wallMilliseconds() / 1_000 >= UInt64(time(nil) - 1))
        let first = SystemClock.monotonicMilliseconds()
        #expect(SystemClock.monotonicMilliseconds() >= first)
    }
}
