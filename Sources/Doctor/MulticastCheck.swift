internal import ControlAPI
internal import Posix

/// Whether multicast passes this machine's own rules on an interface.
enum MulticastCheck {
    /// Where multicast DNS is spoken: RFC 6762 section 3.
    private static let group = SocketAddress("224.0.0.251:5353")
    /// What this machine sends comes back within a millisecond.
    private static let waitMilliseconds = 300

    /// What came of trying; nil where it could not be tried, or there is no IPv4.
    static func of(_ interface: NetworkInterface) -> DiagnosisFacts.Multicast? {
        guard let group = Self.group, interface.addresses.contains(where: { !$0.isIPv6 }) else {
            return nil
        }
        func found(_ outcome: DiagnosisFacts.Multicast.Outcome) -> DiagnosisFacts.Multicast {
            DiagnosisFacts.Multicast(interface: interface.name, outcome: outcome)
        }
        guard interface.canMulticast else { return found(.unable) }
        // A message of DNS that asks for nothing, which nobody answers; its number tells it from others.
        let number = (0..<2).map { _ in UInt8.random(in: 0...255) }
        let message = number + [UInt8](repeating: 0, count: 10)
        do throws(SystemError) {
            // One packet may be lost where a machine is busy.
            for _ in 0..<2 {
                let isHeard = try MulticastEcho.isHeard(
                    message, group: group, interface: interface,
                    withinMilliseconds: Self.waitMilliseconds)
                if isHeard { return found(.heard) }
            }
            return found(.unheard)
        } catch {
            return error.call == "send to" ? found(.unsent(error.cause)) : nil
        }
    }
}
