/// Names in the scripts of the world, which `Tests/System/Tools/exemplars.py` made.
package struct ScriptName: Sendable {
    package var script: String
    /// In NFC, mostly in small letters.
    package var name: String
    package var capitals: String
    /// With joiners and a space without width, as keyboards leave them.
    package var joined: String

    /// All of the table.
    package static let all: [ScriptName] = {
        let bytes = TestFiles.read("\(TestFiles.tests)/EngineTests/Vectors/scripts.tsv") ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.unicodeScalars.split(separator: "\t").map { String($0) }
            guard parts.count == 5 else { return nil }
            return ScriptName(
                script: String(parts[0].prefix { $0 != " " }), name: parts[2], capitals: parts[3],
                joined: parts[4])
        }
    }()
}
