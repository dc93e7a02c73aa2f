import Glibc
import Posix
import Testing

@testable import Daemon

@Suite("The address of a peer") struct PeerAddressTests {
    private static func error(_ text: String) -> PeerAddressError? {
        do throws(PeerAddressError) {
            _ = try PeerAddress(text)
            return nil
        } catch { return error }
    }

    @Test(
        "of one interface alone needs its name; those that there are, and how to write it, are told",
        arguments: ["[fe80::1]:4100", "[fe80::1%nosuch0]:4100"])
    func zone(text: String) {
        let expected = PeerAddressError.zone(example: "[fe80::1]:4100", NetworkInterface.linkLocal)
        #expect(Self.error(text) == expected)
        let told = PeerAddressError.zone(example: "[fe80::1]:4100", ["eth0", "wlan0"]).description
        #expect(
            told == "a link-local address needs one of this machine's interfaces (eth0, wlan0), as "
                + "in [fe80::1%eth0]:4100")
        #expect(PeerAddressError.zone(example: text, []).description.contains("ip address"))
    }

    @Test("of any other kind needs none, and what is no address is told as such")
    func others() {
        for text in ["192.0.2.7:4100", "169.254.1.1:4100", "[2001:db8::1]:4100", "host.lan:4100"] {
            #expect(Self.error(text) == nil, "\(text)")
        }
        #expect(Self.error("[2001:db8::1%eth0]:4100") == .host)
        #expect(Self.error("[fe80::x]:4100") == .host)
    }
}

@Suite("The lock of a data directory that cannot be taken") struct DataLockRefusalTests {
    @Test("where the file system grants none, as NFS, is told as such, with what helps")
    func notGranted() {
        let error = DataLock.refusal(SystemError(ENOLCK, "lock", "/d/stoad.lock"), "/d")
        #expect(error.text == "the data directory /d cannot be locked: No locks available (ENOLCK)")
        #expect(error.remedy.contains("NFS") && error.remedy.contains("--data-dir"))
        #expect(error.exitCode == .unavailable)
    }
}
