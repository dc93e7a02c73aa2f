internal import ControlAPI
internal import Posix

/// What a configuration needs beside the files that it is read from.
extension Configuration {
    /// Checks what a start and a reload look at, too: the group of the socket, and the files of realms.
    ///
    /// Changes nothing; throws what is wrong and what to do.
    func checkSurroundings() throws(StartError) {
        _ = try self.socketGroupNumber()
        _ = try RealmFiles(dataDirectory: self.dataDirectory).load()
    }

    /// The number of the group whose members may use the socket; nil where none may.
    func socketGroupNumber() throws(StartError) -> UInt32? {
        guard let name = self.socketGroup else { return nil }
        if let group = ProcessEnvironment.group(named: name) { return group }
        throw StartError(
            "there is no group \"\(TerminalText.line(name))\", which SocketGroup= names",
            remedy: "make it with groupadd, or correct the setting", exitCode: .configuration)
    }
}
