/// How peers find this node, and this node them.
struct Network {
    var listening: Listening
    let discovery: RunningDiscovery
}
