// Written by generate.py beside this file; do not edit.

/// One message of each direction at some place in the stream; a list for each handshake.
struct TransportVector: Sendable {
    let nonce: UInt64
    let plaintext: [UInt8]
    let fromInitiator: [UInt8]
    let fromResponder: [UInt8]

    static let all: [[TransportVector]] = [
        [
            .init(
                nonce: 0,
                plaintext: hex(""),
                fromInitiator: hex("ae9bf096cc8c5977ba0f53816f28edc4"),
                fromResponder: hex("f9d85d9663d07db4d991d3b4d180e92e")),
            .init(
                nonce: 1,
                plaintext: hex("99fefa0e8a06cd8a18"),
                fromInitiator: hex("d2098ca70bef6c8112664c38b834fef4c7f42d4fbd9e3c76b1"),
                fromResponder: hex("82caf0d847df523e2e72963bf83562e8b14f0797ca50d9afcb")),
            .init(
                nonce: 65535,
                plaintext: hex("3c747a8ddbc60e4f56"),
                fromInitiator: hex("44105a1aa4dc02a54d4ee2e9fc0ffd8926805c08ab486b9a7c"),
                fromResponder: hex("878a06e872c8ba52865b8075838c701efc08219bd9651a71b9")),
            .init(
                nonce: 65536,
                plaintext: hex("2a5a09ab169e1165c4415445179c359916f3"),
                fromInitiator: hex(
                    """
                    c85ccb5c1138c069205eb66847e6a71370caac838de2c92e5fe147d0361cd7791e42
                    """),
                fromResponder: hex(
                    """
                    5360c714cd99b4fce03b07902faf0f6dd234896d93e6a9347025fb5d9d5783987e72
                    """)),
            .init(
                nonce: 131072,
                plaintext: hex(
                    """
                    c74b602370d0a04c10f9acd0ae2a66fb39f0f4480dcd3e277552658d5490a3292858fe5d
                    """),
                fromInitiator: hex(
                    """
                    9d9b867ab1428d9ba172c3c5decee470a149e15ff79035bd4fd75b2b0a6c7b23a2c57e19853edeb7
                    84ff9d2e356805cb24831f3d
                    """),
                fromResponder: hex(
                    """
                    ac832a7e94727d30e02d21201e3e8136757ddbe78be3e30da4ec78bde76d46bb27569f45075cdbfc
                    e9710bae47402a2003ca144c
                    """)),
        ],
        [
            .init(
                nonce: 0,
                plaintext: hex(""),
                fromInitiator: hex("3ee0a768d0bf84e0192214df0b95c273"),
                fromResponder: hex("68cf3d5887fa5bd4a9d8448e5c6ca9b2")),
            .init(
                nonce: 1,
                plaintext: hex("7ccda84d8e0731e2c7"),
                fromInitiator: hex("83f75aba626a594d0c205033e5559419cc172c1a7f591252ec"),
                fromResponder: hex("fd0c8e8efef03921e1fb4389fa8f50c5343c6d046d87a4892c")),
            .init(
                nonce: 65535,
                plaintext: hex("5ec277d5d9745a06dd"),
                fromInitiator: hex("227556919d9b36230cb3676eaef06b817acf11cf70778a5f71"),
                fromResponder: hex("3e54291bd829b314471a833d1f51d56ecc5f19b902d2e8a692")),
            .init(
                nonce: 65536,
                plaintext: hex("4393a727f94855d4c3c15b38dc3ebb891227"),
                fromInitiator: hex(
                    """
                    5032d25aad8c7051a83dea102f02104e2cb6499a3b4b723eb99e1c5960b3e9e5a204
                    """),
                fromResponder: hex(
                    """
                    736da7785977a8dc166b9203812ee940818ca16cd5a5092a93ad68cc50141614b63d
                    """)),
            .init(
                nonce: 131072,
                plaintext: hex(
                    """
                    1487dab72ba3763edfa76d3653615c07faad3026a5eb6623dfc87c47c14bf3c85d6046cc
                    """),
                fromInitiator: hex(
                    """
                    eb7765defbb102ad360b7caa89abe4949d92c8d393f9115928ed112d6c4ed47bca29dfe40e4e7992
                    b0b3cb2f48cb0b7678fbd75b
                    """),
                fromResponder: hex(
                    """
                    1b1c916abcf459da4deecad2d8c740201f2e1648c6cb426a2a9b8ffc5253a34fed4b5dfe6f29e396
                    59d2eb7f41c1ec41b45f5ecf
                    """)),
        ],
        [
            .init(
                nonce: 0,
                plaintext: hex(""),
                fromInitiator: hex("bdb2d53d05bc1f0d324ac24e47c1394b"),
                fromResponder: hex("f520c118afd698de58f43f105576079f")),
            .init(
                nonce: 1,
                plaintext: hex("35754993b1aeaf2798"),
                fromInitiator: hex("264595cecc24d480657587de5f2f676e48c245d1e58a4ae8da"),
                fromResponder: hex("9283ac7dcc007abb9096fa6e65a5fa5fd8d076a663b0006b42")),
            .init(
                nonce: 65535,
                plaintext: hex("b8b1330e20fc6e62d6"),
                fromInitiator: hex("a0d107f3291132a60477b5ff42e2dcedb7d9441277252f47cc"),
                fromResponder: hex("2eaedfa3fc5afe14ee60f7984fdd852b705d2585cd2ac1bc86")),
            .init(
                nonce: 65536,
                plaintext: hex("3594686c3696fb5028df43c7fa64d5a751d2"),
                fromInitiator: hex(
                    """
                    b1b2ca02f7e3e56a0c37e498f5baa1c0bdd4032308589dfb99302ba8fd313f912bc3
                    """),
                fromResponder: hex(
                    """
                    56f5be15ea6ea55640a846f8d20eb615293ac475643ba2f8825b51feb43b89f3ad68
                    """)),
            .init(
                nonce: 131072,
                plaintext: hex(
                    """
                    362c4beff87ae2abf11f03f195d8f2df8439fab05ce095c449f08906dd6816b75e5da67f
                    """),
                fromInitiator: hex(
                    """
                    a0548f40e09f89f6ecca724bcb43144a1900a6133811e6089b9b141a6466ac44fa48a7749b2d6c58
                    2059decc7591598e15f970b3
                    """),
                fromResponder: hex(
                    """
                    141836429be114094ae2f7897248db20770e0d6d23fe4fe51ef6522dec7e2b8344429316116464a5
                    4e4b906597480e14c59a0a52
                    """)),
        ],
        [
            .init(
                nonce: 0,
                plaintext: hex(""),
                fromInitiator: hex("dda8b84e32fa8a465a166958389d5497"),
                fromResponder: hex("f51a038dcd44be75577a597262aceaba")),
            .init(
                nonce: 1,
                plaintext: hex("89f85483166907079f"),
                fromInitiator: hex("e1f2d996de3d780e7aa2effa86f2898b851b2032fa2da7006b"),
                fromResponder: hex("292e36622d7a2c4154191cbe6af14c5985c7af173a1089a23a")),
            .init(
                nonce: 65535,
                plaintext: hex("a78e85358e171ce64f"),
                fromInitiator: hex("00d388daba524205d6e9b8e372e6decd6599669b13c34024f3"),
                fromResponder: hex("c414de5705dbeb6c3e9bfac0289e136c18db73ed01a178ff3f")),
            .init(
                nonce: 65536,
                plaintext: hex("72baff3bf42803ae72ab07dbf77a4b7629f6"),
                fromInitiator: hex(
                    """
                    929b3319629f34d4c5a5e8ad64defb934aafe8253af13291bdfc1c125c80156de13d
                    """),
                fromResponder: hex(
                    """
                    b89b9fcc1e41a40ddb5e5a6e134c1da1bd5f2225092add871892bc7b2f16f7d33476
                    """)),
            .init(
                nonce: 131072,
                plaintext: hex(
                    """
                    99751ccd414cce5b63863bb525065fb06d9c02859bb45a5c1a6fc7eb1903d8121ed68b29
                    """),
                fromInitiator: hex(
                    """
                    06c50223eec264b56e68eeef3270567e3f7b8c2a5a045843bb33937ba1c68288b674def8a4180569
                    c3cb26a08e364a22e6187cb8
                    """),
                fromResponder: hex(
                    """
                    4e8333d67dffadd6f6338f1c9034fe680acafc85e0922a23a7c6e7ca05fa1e758eb484f51856edf6
                    49135044b738477dee28fd48
                    """)),
        ],
    ]
}
