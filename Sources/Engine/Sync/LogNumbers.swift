internal import Formats

/// Numbers of the logs whose names links know.
///
/// A node with as many links as there may be, and as many logs, has a million tags: for each the number of a
/// log is kept and not its name, which takes a quarter.
struct LogNumbers: Sendable {
    private var names: [LogName?] = []
    private var numbers: [LogName: UInt32] = [:]
    private var free: [UInt32] = []

    var count: Int { self.numbers.count }

    /// The name behind a number; nil where it is nobody's any longer.
    subscript(number: UInt32) -> LogName? { self.names[Int(number)] }

    /// The number of a log; nil where it has none.
    func find(_ name: LogName) -> UInt32? { self.numbers[name] }

    /// The number of a log, which gets one where it has none.
    mutating func number(of name: LogName) -> UInt32 {
        if let known = self.numbers[name] { return known }
        let number = self.free.popLast() ?? UInt32(self.names.count)
        if Int(number) == self.names.count {
            self.names.append(name)
        } else {
            self.names[Int(number)] = name
        }
        self.numbers[name] = number
        return number
    }

    /// No link knows a log any longer: its number is another one's from here on.
    mutating func remove(_ name: LogName) {
        guard let number = self.numbers.removeValue(forKey: name) else { return }
        self.names[Int(number)] = nil
        self.free.append(number)
    }
}
