import Posix

/// Does work for each item in several threads of its own, and returns the results in the items' order.
func inParallel<Item: Sendable, Result: Sendable>(
    _ items: [Item], width: Int, _ body: @escaping @Sendable (Item) -> Result
) throws -> [Result] {
    let next = Protected(0)
    let done = BlockingQueue<(Int, Result)>()
    for _ in 0..<min(width, items.count) {
        try OSThread.start(name: "test") {
            while true {
                let index = next.withLock { index in
                    index += 1
                    return index - 1
                }
                guard index < items.count else { return }
                _ = done.append((index, body(items[index])))
            }
        }
    }
    var results: [Int: Result] = [:]
    while results.count < items.count {
        for (index, result) in done.takeAll() { results[index] = result }
    }
    return items.indices.compactMap { results[$0] }
}
