/// Tells a page that SQLite wrote from one of which a part is missing.
///
/// Section 1.6 of <https://www.sqlite.org/fileformat2.html>: from where its content begins, a page of
/// a tree is filled with cells, free blocks and counted fragments, to the last byte.
enum PageShape {
    /// Whether a page can be one that was written: true also for pages that are of no tree.
    static func isPossible(_ page: [UInt8], number: UInt32) -> Bool {
        let start = number == 1 ? 100 : 0
        guard [0x02, 0x05, 0x0A, 0x0D].contains(page[start]) else { return true }
        // Files of the first version have no bytes left for a checksum.
        return Self.isFilled(page, from: start, usable: page.count - 8)
            || Self.isFilled(page, from: start, usable: page.count)
    }

    private static func isFilled(_ page: [UInt8], from start: Int, usable: Int) -> Bool {
        let kind = page[start]
        let content = Self.short(page, start + 5)
        let pointers = start + (kind == 0x02 || kind == 0x05 ? 12 : 8)
        let count = Self.short(page, start + 3)
        guard content <= usable, pointers + 2 * count <= content else { return false }
        var filled = Int(page[start + 7])
        for index in 0..<count {
            let place = Self.short(page, pointers + 2 * index)
            guard place >= content, let size = Self.cellBytes(page, at: place, kind, usable: usable)
            else { return false }
            filled += size
        }
        var block = Self.short(page, start + 1)
        while block != 0 {
            guard block >= content, block + 4 <= usable else { return false }
            let (next, size) = (Self.short(page, block), Self.short(page, block + 2))
            // They stand in order, so this ends.
            guard size >= 4, next == 0 || next > block + size else { return false }
            filled += size
            block = next
        }
        return filled == usable - content
    }

    /// How many bytes of a page a cell takes; nil where it would not end in it.
    private static func cellBytes(
        _ page: [UInt8], at start: Int, _ kind: UInt8, usable: Int
    ) -> Int? {
        var place = start + (kind == 0x02 || kind == 0x05 ? 4 : 0)
        guard let first = Self.varint(page, &place, usable) else { return nil }
        var local = 0
        if kind == 0x0D {
            guard Self.varint(page, &place, usable) != nil else { return nil }
        }
        if kind != 0x05 {
            let most = kind == 0x0D ? usable - 35 : (usable - 12) * 64 / 255 - 23
            let least = (usable - 12) * 32 / 255 - 23
            guard first <= 1 << 31 else { return nil }
            local = Int(first)
            if local > most {
                local = least + (local - least) % (usable - 4)
                local = (local <= most ? local : least) + 4
            }
        }
        let size = max(4, place + local - start)
        return start + size <= usable ? size : nil
    }

    private static func short(_ page: [UInt8], _ place: Int) -> Int {
        Int(page[place]) << 8 | Int(page[place + 1])
    }

    /// Reads an integer of up to nine bytes, of which a valid page needs no more than its end allows.
    private static func varint(_ page: [UInt8], _ place: inout Int, _ end: Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < end else { return nil }
            let byte = page[place]
            place += 1
            if index == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return value }
        }
        return value
    }
}
