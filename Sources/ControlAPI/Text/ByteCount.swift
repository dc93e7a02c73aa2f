/// Numbers of bytes for people.
package enum ByteCount {
    /// `512 bytes`, `1.5 MB`: powers of ten, as disks are sold and `df -H` counts.
    package static func text(_ bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = "bytes"
        for next in ["kB", "MB", "GB", "TB"] where value >= 1_000 {
            value /= 1_000
            unit = next
        }
        guard unit != "bytes" else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        let tenths = Int64((value * 10).rounded())
        return value < 10 && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int64(value.rounded())) \(unit)"
    }
}
