internal import ControlAPI
internal import Engine
internal import Formats

extension DevicesMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "devices")
        let devices = shell.node.ask { $0.ownDevices }
        reply.answer(
            cut.page(of: Array(devices.enumerated()), byteLimit: reply.listBytes) { place in
                PagePlace(rank: place.offset, key: place.element.id.description)
            } element: {
                shell.deviceResult($0.element)
            })
    }
}

extension DeviceLinkMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if let check = params.check {
            try shell.confirmDevice(check, reply)
        } else {
            try shell.linkDevice(params.person, reply)
        }
    }
}

extension DeviceApproveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.approveDevice(params, reply)
    }
}

extension DeviceRevokeMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let device = try shell.ownDevice(params.device)
        let revocation = Request.revokeDevice(
            device, since: params.since.map { HybridTime($0).milliseconds })
        reply.holdUp(toEnd: true)
        let isAsked = params.now != true && shell.node.ask { $0.canRevoke(device) }
        guard isAsked else { return shell.request(revocation, reply) }
        shell.syncActs(of: shell.node.ask { $0.activeGroups }, device: device, reply) { unasked in
            shell.request(
                revocation,
                PendingRequest(
                    reply, then: .done { shell.answerDevice(device, unasked: unasked, reply) }))
        }
    }
}

extension DeviceRenameMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let device = try params.device.map { word throws(RPCError) in try shell.ownDevice(word) }
        if let refused = OwnName.refusedCharacter(in: params.name) {
            throw .refused(
                "a name cannot contain \(refused)", reason: "misleadingName",
                remedy: "leave that out", param: "name")
        }
        shell.request(.renameDevice(device ?? shell.node.id, params.name), reply)
    }
}

extension DevicePromoteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.promote(params, reply)
    }
}

extension DeviceDemoteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.demote(params, reply)
    }
}

extension NodeShell {
    fileprivate func ownDevice(_ word: String) throws(RPCError) -> PeerID {
        guard let device = self.node.ask({ $0.ownDevice(named: word) }) else {
            throw .notFound(
                "there is no device \"\(TerminalText.line(word))\" of yours",
                reason: "unknownName", remedy: "see your devices: stoa device list")
        }
        return device
    }
}
