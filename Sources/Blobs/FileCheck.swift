internal import Crypto
internal import Engine
package import Formats
internal import Posix

/// What is looked at and done to files that no daemon has open: `stoad --check` and `--repair`.
package struct FileCheck {
    private let folder: String

    /// A file that is not what was stored.
    package struct Finding: Hashable, Sendable {
        package let blob: BlobID
        /// What is wrong with it, and where.
        package let text: String
        /// Whether there is nothing left of it.
        package let isLost: Bool
    }

    package init(folder: String) { self.folder = folder }

    /// Reads all files that are whole; gives how many there are or should be, and what is wrong.
    ///
    /// One that is not whole has nothing to be compared with: of that what is right counts.
    package func check() throws(BlobFailure) -> (files: Int, findings: [Finding]) {
        let all = try BlobStore.all(in: self.folder)
        var findings: [Finding] = []
        for (blob, presence) in all {
            switch presence {
            case .partial: break
            case .lost: findings.append(Finding(blob: blob, text: "is gone", isLost: true))
            case .whole:
                guard let text = try self.damage(of: blob) else { continue }
                findings.append(Finding(blob: blob, text: text, isLost: false))
            }
        }
        return (all.count, findings)
    }

    private func damage(of blob: BlobID) throws(BlobFailure) -> String? {
        let path = "\(self.folder)/\(blob)"
        let file: WholeBlob
        do throws(BlobFailure) {
            file = try WholeBlob(blob, path: path, treePath: path + BlobStore.treeSuffix)
        } catch {
            guard error == .damaged else { throw error }
            return "is not what was stored, or its hashes beside it are not"
        }
        var wrong: [Int] = []
        for chunk in 0..<file.layout.chunkCount {
            do throws(BlobFailure) { _ = try file.read(.chunk(chunk)) } catch {
                guard error == .damaged else { throw error }
                wrong.append(chunk)
            }
        }
        file.letGo()
        guard let first = wrong.first else { return nil }
        let start = file.layout.offset(of: first)
        let end = start + UInt64(file.layout.byteCount(of: .chunk(first))) - 1
        let more = wrong.count > 1 ? ", nor have \(wrong.count - 1) other parts" : ""
        return "bytes \(start) to \(end) do not have their hash\(more)"
    }

    /// Has what is damaged fetched again by the next start: what is right of it stays.
    package func repair(_ findings: [Finding]) throws(BlobFailure) {
        do throws(SystemError) {
            for finding in findings where !finding.isLost {
                let path = "\(self.folder)/\(finding.blob)"
                try Files.move(path, to: path + BlobStore.partSuffix)
            }
            try Files.syncDirectory(self.folder)
        } catch { throw BlobFailure(error) }
    }
}
