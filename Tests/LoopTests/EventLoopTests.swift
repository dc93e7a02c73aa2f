import Glibc
import Loop
import Posix
import Synchronization
import TestSupport
import Testing

@Suite struct EventLoopTests {
    @Test("posted calls run in order on the loop's thread")
    func postedCalls() throws {
        let order = Protected<[Int]>([])
        try onLoop { loop in
            for number in 0..<100 {
                loop.post {
                    loop.checkIsolated()
                    order.withLock { $0.append(number) }
                }
            }
            loop.stop()
        }
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @Test("calls posted by many threads all arrive")
    func postsFromThreads() throws {
        let count = Atomic(0)
        try onLoop { loop in
            for thread in 0..<4 {
                try OSThread.start(name: "poster \(thread)") {
                    for _ in 0..<1_000 {
                        loop.post {
                            if count.add(1, ordering: .relaxed).newValue == 4_000 { loop.stop() }
                        }
                    }
                }
            }
        }
        #expect(count.load(ordering: .relaxed) == 4_000)
    }

    @Test("a call that posts another lets ready sockets have their turn in between")
    func postingForEver() throws {
        let (reader, writer) = try pipe()
        try onLoop { loop in
            @Sendable func again() { loop.post { again() } }
            again()
            let watch = Box<IOWatch?>(nil)
            watch.value = try loop.watch(reader.number, for: .readable) { events in
                #expect(events == .readable)
                watch.value = nil
                loop.stop()
            }
            #expect(writer.write([1]) == .bytes(1))
        }
    }

    @Test("an actor pinned to the loop runs there, called from elsewhere or by assumeIsolated")
    func pinnedActor() async throws {
        let loop = try EventLoop()
        let actor = Pinned(loop: loop)
        try OSThread.start(name: "loop") {
            do { try loop.run() } catch { Issue.record(error) }
        }
        for _ in 0..<100 { #expect(await actor.incrementAndCheckThread()) }
        await withCheckedContinuation { continuation in
            loop.post {
                actor.assumeIsolated { $0.increment() }
                continuation.resume()
            }
        }
        #expect(await actor.count == 101)
        loop.stop()
    }

    @Test("handlers that an actor on the loop makes may use its state")
    func actorHandlers() throws {
        let (reader, writer) = try pipe()
        try onLoop { loop in
            let actor = Pinned(loop: loop)
            loop.post {
                do {
                    try actor.assumeIsolated { actor in
                        try actor.countBytes(of: reader) { count in
                            #expect(count == 3)
                            loop.post {
                                actor.assumeIsolated { $0.end() }
                                loop.stop()
                            }
                        }
                    }
                } catch {
                    Issue.record(error)
                    loop.stop()
                }
                #expect(writer.write([1, 2, 3]) == .bytes(3))
            }
        }
    }

    @Test("a loop can run again after it was stopped")
    func runsAgain() throws {
        let loop = try EventLoop()
        let count = Atomic(0)
        for round in 1...3 {
            loop.post { count.add(1, ordering: .relaxed) }
            loop.stop()
            try loop.run()
            #expect(count.load(ordering: .relaxed) == round)
        }
    }

    @Test("checkIsolated traps off the loop's thread")
    func trapsOffLoop() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            let done = BlockingQueue<Bool>()
            try OSThread.start(name: "stranger") {
                loop.checkIsolated()
                _ = done.append(true)
            }
            _ = done.takeAll()
        }
    }

    @Test("watching a descriptor off the loop's thread traps")
    func watchTrapsOffLoop() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            let done = BlockingQueue<Bool>()
            try OSThread.start(name: "stranger") {
                _ = try? loop.watch(0, for: .readable) { _ in }
                _ = done.append(true)
            }
            _ = done.takeAll()
        }
    }
}
