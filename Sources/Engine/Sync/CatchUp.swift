/// What is lacking here, who is asked for it, and what others are told has come.
struct CatchUp: Sendable {
    var fetching = Fetching()
    var forkSearches = ForkSearches()
    var payloadWants = PayloadWants()
    var news = News()
    var holes = Holes()
    var siteAskers = SiteAskers()
}
