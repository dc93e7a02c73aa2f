import CSystemd
import Glibc

/// What a descriptor is watched for, and what has happened to it.
package struct IOEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the end.
    package static let readable = IOEvents(rawValue: 1)
    /// There is room to write, or a connect has ended.
    package static let writable = IOEvents(rawValue: 2)
    /// Both directions are closed; reported without being asked for.
    package static let hangup = IOEvents(rawValue: 4)
    /// There is an error to fetch; reported without being asked for.
    package static let error = IOEvents(rawValue: 8)

    /// The events as epoll_ctl(2) has them; only reading and writing can be asked for.
    var epoll: UInt32 {
        (self.contains(.readable) ? UInt32(EPOLLIN.rawValue) : 0)
            | (self.contains(.writable) ? UInt32(EPOLLOUT.rawValue) : 0)
    }

    init(epoll events: UInt32) {
        var found: IOEvents = []
        if events & UInt32(EPOLLIN.rawValue) != 0 { found.insert(.readable) }
        if events & UInt32(EPOLLOUT.rawValue) != 0 { found.insert(.writable) }
        if events & UInt32(EPOLLHUP.rawValue) != 0 { found.insert(.hangup) }
        if events & UInt32(EPOLLERR.rawValue) != 0 { found.insert(.error) }
        self = found
    }
}
