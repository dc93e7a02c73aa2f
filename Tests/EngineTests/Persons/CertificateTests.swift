import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Persons and the certificates of their devices")
struct CertificateTests {
    private let device = signer(1)
    private let keys = personKeys(40, 41)

    // Shows: wire.device
    @Test("a certificate holds for its device and for no other")
    func holds() throws {
        let certificate = self.keys.certify(self.device, at: 7)
        #expect(certificate.isValid(for: PeerID(self.device.publicKey)))
        #expect(!certificate.isValid(for: PeerID(signer(2).publicKey)))
        #expect(certificate.personID == self.keys.id)
        #expect(self.keys.hasSigned(certificate))
        #expect(!personKeys(40, 42).hasSigned(certificate))
        #expect(!personKeys(42, 41).hasSigned(certificate))
        #expect(certificate.encoded.count == Certificate.byteCount)
        #expect(try Certificate(decoding: certificate.encoded) == certificate)
    }

    // Shows: wire.device
    @Test("with any byte changed it holds no more")
    func changed() throws {
        let good = self.keys.certify(self.device, at: 7).encoded
        for index in good.indices {
            var bytes = good
            bytes[index] ^= 1
            let certificate = try Certificate(decoding: bytes)
            #expect(!certificate.isValid(for: PeerID(self.device.publicKey)), "byte \(index)")
        }
    }

    // Shows: wire.device
    @Test("an address of small order is refused, though its person has signed it")
    func smallOrder() {
        let small = fixed32([1] + [UInt8](repeating: 0, count: 31))
        let good = keyPair(3).publicKey
        for (deviceAddress, address) in [(small, good), (good, small)] {
            let certificate = Certificate(
                device: PeerID(self.device.publicKey), deviceAddress: deviceAddress,
                address: address, added: 1, by: signer(40))
            #expect(!certificate.isValid(for: PeerID(self.device.publicKey)))
        }
    }

    @Test("another address is another person, and another device is not")
    func names() {
        let other = personKeys(40, 42)
        #expect(other.id != self.keys.id)
        #expect(self.keys.certify(signer(2), at: 9).personID == self.keys.id)
        #expect(PersonID("\(self.keys.id)") == self.keys.id)
    }

    @Test("the device's address follows from its key alone")
    func deviceAddress() {
        let one = self.keys.certify(self.device, at: 7).deviceAddress
        #expect(one == DeviceAddress.publicKey(of: signer(1)))
        #expect(one != DeviceAddress.publicKey(of: signer(2)))
        #expect(one == X25519.publicKey(of: DeviceAddress.secret(of: self.device)))
    }

    @Test("a person's keys are read back as they were lent, from 64 bytes only")
    func stored() throws {
        let fresh = PersonKeys.generate()
        let bytes = fresh.withBytes { seed, address in
            seed.withUnsafeBytes { [UInt8]($0) } + address.withUnsafeBytes { [UInt8]($0) }
        }
        #expect(try PersonKeys(bytes.span.bytes).id == fresh.id)
        #expect(PersonKeys.generate().id != fresh.id)
        for count in [0, 32, 63, 65] {
            let other = [UInt8](repeating: 1, count: count)
            #expect(throws: CryptoError.wrongLength(expected: 64, got: count)) {
                try PersonKeys(other.span.bytes)
            }
        }
    }
}
