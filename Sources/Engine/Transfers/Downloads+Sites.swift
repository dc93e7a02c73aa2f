internal import Formats

/// Files that nobody has who is linked: other sites may.
extension Downloads {
    /// A file that is looked for.
    struct Sought: Sendable {
        var blob: BlobID
        var places: [BlobPlace]
        /// What is lacking of it and can be checked, some of it, in order.
        var parts: [BlobPart]
    }

    /// What of files is lacking that nobody has who is linked, in turn, and of none too much.
    ///
    /// - Parameter bytes: the size of the largest of these files.
    func sought(upTo bytes: UInt64) -> [Sought] {
        self.open.compactMap { download in
            guard download.isSought, download.layout.size <= bytes else { return nil }
            let parts = download.lacking(Limits.siteWantsPerFile)
            return parts.isEmpty
                ? nil : Sought(blob: download.blob, places: download.places, parts: parts)
        }
    }

    /// Whether a part is lacking, is not on its way, and can be checked.
    func lacks(_ name: SitePart.Name) -> Bool {
        self.download(name.blob)?.lacks(name.part) ?? false
    }

    /// How many bytes a part has; nil where its file is not fetched, or has no such part.
    func byteCount(of name: SitePart.Name) -> Int? {
        guard let layout = self.download(name.blob)?.layout, layout.contains(name.part) else {
            return nil
        }
        return layout.byteCount(of: name.part)
    }

    /// Whether there is room for a part more on the way to the disk.
    var hasRoom: Bool { self.underWay < Limits.partsUnderWay }
}

extension Download {
    /// Whether nobody who is linked is known to have what is lacking.
    var isSought: Bool { self.phase == .fetching && !self.isPicture && self.usable.isEmpty }

    /// Parts that are lacking, not on their way, and can be checked, in order.
    func lacking(_ limit: Int) -> [BlobPart] {
        var parts: [BlobPart] = []
        var chunk = 0
        while parts.count < limit, let missing = self.chunks.firstMissing(from: chunk) {
            let part = self.checkable(.chunk(missing))
            if !self.underWay.contains(part) { parts.append(part) }
            // All chunks below a node wait for it.
            let span = (0..<part.level).reduce(1) { span, _ in span * BlobLayout.fanOut }
            chunk = (missing / span + 1) * span
        }
        return parts
    }

    /// Whether a part is lacking, is not on its way, and can be checked.
    func lacks(_ part: BlobPart) -> Bool {
        self.phase == .fetching && self.layout.contains(part) && !self.has(part)
            && self.checkable(part) == part && !self.underWay.contains(part)
            && !self.storing.contains(part)
    }
}
