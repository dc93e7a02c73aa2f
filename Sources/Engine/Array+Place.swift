extension Array where Element: Comparable {
    /// How many elements of an ascending array come before one, which may be in it or not.
    func place(of element: Element) -> Int {
        var (low, high) = (0, self.count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
