import Crypto
import Formats
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a loss of power while the person's key moves") struct PersonKeyPowerLossTests {
        // Shows: device.key
        @Test(
            "leaves the key there whole or gone whole, and the rest as it was, at every write",
            Surroundings.compiler)
        func everyWrite() throws {
            let scratch = try Scratch()
            let (backup, phrase) = (scratch.path + "/backup", scratch.path + "/phrase")
            let words = "wombat ember kiosk tundra fjord"
            try Files.writeAtomically(Array(words.utf8), to: phrase, mode: 0o600)
            func move(_ word: String) -> (Node) throws -> Void {
                { _ = try $0.stoa("device", word, backup, "--phrase-file", phrase) }
            }
            let sure: (Node) throws -> Void = {
                _ = try $0.stoa("device", "demote", backup, "--phrase-file", phrase, "--yes")
            }
            let recording = try FileRecording(
                of: "person.key", in: scratch,
                steps: [
                    { node in
                        try node.start()
                        _ = try node.stoa("backup", backup, "--phrase-file", phrase)
                    }, sure, move("promote"), sure,
                ])
            let folder = Files.parent(of: recording.path)
            guard
                case .open(let safe) = try StoredSafe(
                    decoding: Files.read("\(folder)/safe.key", limitBytes: 1_000))
            else { throw Broken("there is a lock") }
            func opened(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
                try SealedFile.open(bytes, as: name, by: safe)
            }
            let keys = try recording.files.map { try opened($0, "person.key") }
            #expect(keys.map(\.first) == [0, 2, 0, 2] && keys[0] == keys[2] && keys[1] == keys[3])
            func content(_ name: String) throws -> [UInt8] {
                try opened(Files.read("\(folder)/\(name)", limitBytes: 1_000), name)
            }
            let names = ["identity.key", "sealing.key", "device.cert"]
            let before = try names.map(content)
            let images = try recording.takePowerAway { files in
                try names.map { try opened(files["\(folder)/\($0)"] ?? [], $0) } == before
            }
            #expect(images >= 1_000)
        }
    }
}
