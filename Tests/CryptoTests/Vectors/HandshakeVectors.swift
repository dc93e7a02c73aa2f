// Written by generate.py beside this file; do not edit.

/// A whole handshake.
struct HandshakeVector: Sendable {
    let name: String
    let prologue: [UInt8]
    let presharedKey: [UInt8]
    let initiatorStatic: [UInt8]
    let initiatorEphemeral: [UInt8]
    let responderStatic: [UInt8]
    let responderEphemeral: [UInt8]
    let payloads: [[UInt8]]
    let messages: [[UInt8]]
    let payloadHashes: [[UInt8]]
    let handshakeHash: [UInt8]
    let exporter: [UInt8]

    static let all: [HandshakeVector] = [
        .init(
            name: "an empty prologue and empty payloads",
            prologue: hex(""),
            presharedKey: hex("0000000000000000000000000000000000000000000000000000000000000000"),
            initiatorStatic: hex(
                """
                47215a48506025b847cfa29d9b19037a20b63cdd2b3057241199db8d2165450f
                """),
            initiatorEphemeral: hex(
                """
                2d1813894c4346aefc13ba3e7b72df2384f1cbe67f4678b8259fd6f4676ae28c
                """),
            responderStatic: hex(
                """
                3bc0e0f7e36fd04dd629ef292c3b46f5aee87fde6af5081312b752b1c27e3d02
                """),
            responderEphemeral: hex(
                """
                6b55f00d3ea1dde79f8ed2d1affd2940a47489da4b673d42c7941dbcd34d8d7f
                """),
            payloads: [
                hex(""),
                hex(""),
                hex(""),
            ],
            messages: [
                hex(
                    """
                    3e5d2ad26adf123ee447d41abafabc259951112198b98fad7cbd6ed69e648b1cbbf4959d49f1aa97
                    6b9bc9ebde119bac
                    """),
                hex(
                    """
                    fd27a753eb61cec07b96b99e6a0e163c9bb9d58d191547c029fdca076167b521650647e0f361e2ff
                    fe06754c199ed5e45a50a88176a2f67658f2d70a1fe17a8dd71ae3a6187bdd3d42a21501ae52e0fc
                    ce649114af647e7285d49685fc39d587
                    """),
                hex(
                    """
                    ae71897d27551c89b34296da7de0c1383fb0fec567545cdc890427fa7b61659ef182f136742f8134
                    61964ac8e3094514fd8c3d5aa3eabf6c80f3f74d8786f33e
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    7a83855d8e227cdca5a3b1813722270e3b052aa32c3088577318ad4252e9900334cd2e69d4d062b0
                    dec6830fb68c3b838a1d9f79e93c5301ec03803db202c999
                    """),
                hex(
                    """
                    63d41e92b29e4b982a6492e29457e6f58c1b5fdd3a8300782e9d8a1db850eedb8b27b3e7964b1edc
                    04702ba6b8d5136279b0635ddb06aa9e1644766fb15854f3
                    """),
                hex(
                    """
                    30de9b80ed2c45a8ab4ce2d68e17fe2c902105db651dec08626bca6591be6d39c8a5a4022b760e19
                    f975b7d1652bbfaa38f4715875ac131f6eb113c2ce363c26
                    """),
            ],
            handshakeHash: hex(
                """
                62b65586cd6846bd72b1275e4bea5438dfa44157c3210cf856f2d4f123bc0c4cb6e5a7d220679a65
                5606c6b7d51af6b2ed18886561e5239da6c169c6bef5d659
                """),
            exporter: hex(
                """
                46bdb2c885b347455e7f808843088c0c4faf0c6571af4b0a2589ee55d365c78dc7bdb64ae9ae699e
                e90b0d94d6f9bc7a780aae2cd50aeb6cd227038d68ba33b0
                """)),
        .init(
            name: "a preface as prologue and identity payloads",
            prologue: hex("73746f61020200"),
            presharedKey: hex("009416887a2a2ebf2aa8fbc520a99c3c7ac3eefa82c7948a8143f556c390fe58"),
            initiatorStatic: hex(
                """
                85841d54aab327fa11b240faacc341f14ccb31ca8788c15268956f6acadd56cb
                """),
            initiatorEphemeral: hex(
                """
                d4e9073c585f0a83dfcc82db31450a642723de70afddcc5f88891cd11660df6b
                """),
            responderStatic: hex(
                """
                a8cd4d0b6a2ff085b69a04c9065ce9a60375efb6c85c2208b3d7300502dede60
                """),
            responderEphemeral: hex(
                """
                dc2482389379aadefb722b0085f79ef05d1381b511e8d5357c10e5e91de28c2d
                """),
            payloads: [
                hex("8c"),
                hex(
                    """
                    3175f345ba4400e6f18d68be90f28ea545961f1a8dbd62811db8aaebeb9089bdaa7dd8d57911087f
                    4b17cc39c7b76f09b060d15128cc7941b7f4ab59bec80f807a2464302f6c2f998247af3fe3a58754
                    30d841b7a6906b5f959a913feb3a1f05d96b4d8571ed2587511889124e686331a702eb43acac80b9
                    c0cba895b932eeb1ffcdc5db315b377ffd844554ee852539148afd1b1dc25bbd6a76dd1fe91aa2aa
                    c1cd0c407814fb6fb01c32e738499dc71f8cc5fe5acd16c29f7782d234b40f597958a27e2efbb962
                    d7ca3c93a558a5243fb14a9f0273bedece7a3ca480c4b403dfb050c2b09572d5fe953950d4858a87
                    aa8a1a31604fdaf1376593f8b9b45fd52da64b578d94f17340565ecc8a1cf80f12f54d2e6b815de8
                    b7a46256ab863b4a7ce53670f55c917cdb0535595a95b845e6da5756c9f4aa49378b9622d24101ca
                    c7e49a053b1aabbcb172
                    """),
                hex(
                    """
                    8ea736efd68cefa3c51d53ab6e416741776130c554030ab5bc6a19d2b44ea87da2e3f80ef647849e
                    f97a83751bde1ea4a76e2cc791b33baef448507025fa45e642e2d539696936b6044435a0563350d0
                    abcf4e87d8c45b7f870795a2cda58a0a3b53788faba2660f540f71e38ef82e5cd468143c88219ec3
                    019f0ebc245b1ab5e1d18206552389e082c7a72d88f559f71eeb3de74d7531d2d516cf28b612f129
                    219b74083071cdd6afd74d6eb0dcabea1f71be31aa02da012a357e9829682b3b2437c5cb8858ce12
                    eb782f22d1c88d9981f8556751167a9cb575a997bc8b8bc672f9268571df2a9b54f983985218cde0
                    7d15b5f20f6b192f46d899859166abf27181456c26cab8acd37c40a3e9fc5fc56c838d5e6ef14f3a
                    63544da9b81fd242cf73719373b878eff42f2b4d5466abce52cc32eac4f72c7eb8e55680bc8320dc
                    a12c302d2eecc1ee1bef
                    """),
            ],
            messages: [
                hex(
                    """
                    8643bd832e5016b88f3c73075bebfba1a3e68deb733536a6d61a8fd9b953d755b5dc3adaa2fb2d22
                    dbd6da28fcb0ad5cb9
                    """),
                hex(
                    """
                    5e47d3a3f2c56aca115aa0e31b5212d24c429173003b40466a560b8857a36417857aa20b5ee1a83b
                    4f766a7e49f14a04934c00946e9aa09728ef44b99101a26dead62b09adead104f7f3cff9d897d4a2
                    a1eb24f9df9efdf18fde33de646666466616872680e3c407b62e4646edcd7871003812afd3fb0a67
                    b04353294760fc4391938afca456b91596039b3285366600da19efa264cbebfa5ee5e6360cf98b73
                    09317684769d87938f0aef452fb00f905ac806073921060324f08e7d5883ec3936cfaff1f0d6c9bc
                    52c917cfc365b5a3ec9de1e683ae5286ff443c2ce38936dfb23b585ef17bbb97295c81e967701ef7
                    683f7feb817706c3b5a447cf974214ae250d49cddff9cad0c0b644789c11ad47be760cec9c85150c
                    80c256d70585597c2077dfa2ca4e8827a023b5dac13b40e94312650db4095ca56ca296ec95f33b90
                    e5cc11e8493994cb8abe29f35667cb77e703bb33b41aae2b164e90808596a4b10b996aa2c1cd522d
                    65bbef4c6a3da2a1a146a4855e63d9594bdf95558c9dd25b068ecd83110c38062d2e9aae15fcc9ea
                    92feda409c823a8089fb94a573629183b7c5cc14b5a605908274
                    """),
                hex(
                    """
                    a1312e334d369a95f98787f2ef550557fa553313e228cee8b18f6f2f386f0d8de6538a0c74c18aac
                    de601b14d4534d6297212ed27b59a8b2f01ba18f58704ca4e538852a664373ef3f6a2a6bd918b13f
                    db5b9637415d545f2ada7d1ab753718e8b04e249b7770bdca26def8ae9d13d8852557a7e0fb59f27
                    6ad196ba514eff4963bd2ba4f0c18dabd3685e1eed6469bdf9606a181d97bdd95a792070ab1a51f6
                    c345924426b69e928b57eab3554f27872ed264c6a76a2533d2673a383e82b20f69fc379d5137a6e3
                    909ff62bc80a739ba60567b97da4e6da94408058d0e706bb51c30391dc6af34ea2ddc462642ba799
                    c72d922078a7ad29ea7c6ad166d90b5420f93eb85cd58178b8f8ee38ff62dd6b5af2c8ef2363d621
                    47a4e63b6d7116bff58ba73707d0eb7f4975ac706d1f5135026995cb64f9b4e248e531175e510d8f
                    0d39560b1d228ed999bcef32478c02d117d83197ea5a2ec5cab5f33226ff09c1ec3e3d69997db8b5
                    d3a2453f841a9011afb06aca6932b710c3d7ddab3487e0c3310b3a54f8b3da43ee8b
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    3f905e7fbb2512726dee7513ea46d3f50e21b138c5ec3b0d979e9b25344b284027797a74bbed399f
                    6df56fff9a8a408a1a2a0aa5ed5095c6a399bc6a6ce1648b
                    """),
                hex(
                    """
                    bf9b0f6ea1e9efc2be9cf33d9f6f2bc7f625853f858337b8ec4552f28608ceb7e9198eec7154445d
                    08dc1866905c36962c3fba833978b2fbd66a044629d792f8
                    """),
                hex(
                    """
                    5397600aeac82847da1ef5d27d3fdf3df5f9293870cef3f4c7c608cf98a844bc2da6b4e7b9b683c8
                    eb517c14a0141734f8a3675aeefd18c316f7ae2bdbf58eeb
                    """),
            ],
            handshakeHash: hex(
                """
                6594930ea3f8254d82e7b9c39fec4efc957609f681c4bc20665484ce96b1cc7af9b54a2cf2170271
                b4cc855880b08515691250a5df133dbb171329eae05325cf
                """),
            exporter: hex(
                """
                f7d327f539ebbb42c86a7f133d9e4a0131c07ec2b833b6443cbc123c7d69ebc3859c92d06ed34b8c
                cb9105a702e20ec77f0e4b61f2a09f8bb6ee3918b33fd567
                """)),
        .init(
            name: "a prologue of a whole BLAKE2b block",
            prologue: hex(
                """
                b59f5d5a7f2344709a28bf3b85c4b19d656b90bf41f9f9cde09cdb29be85303e9fec54c25c8b1f28
                7b313ab9d6711f5ef82ff2fb2f642f3a750623cd0d5d45b6307fab2ae398f51e3faf148ca867ff89
                8b09fc8519831916029858b1ca919b04c595264fb9869009671559749b285eb30e586f12a80400e9
                650bc82f4aec996f
                """),
            presharedKey: hex("2b9ccb5ab068a76df17dc4981a53fd83c127f905bc88dc071e3332d67e449883"),
            initiatorStatic: hex(
                """
                13ee4cbfba88c82f6ffec1f5d440cdb0c63d89a4e7f8cea420650703448c3645
                """),
            initiatorEphemeral: hex(
                """
                3d9f2804d1d961b8ee03231bf3e65fbe2ac95413ac9ea4cc4b036107c2578c02
                """),
            responderStatic: hex(
                """
                7d7cfabb0ebdaf91ed58915dd169f864fe492e1faaf114e5a3fdc509719e1377
                """),
            responderEphemeral: hex(
                """
                62a1a90972591e15d23bd79794578a137772b55060db8af003f30744e312a841
                """),
            payloads: [
                hex("2a"),
                hex("be4372c8e7209d06a37955268ca0da"),
                hex("cec3f7b22fea3b50eaff3068662e5595"),
            ],
            messages: [
                hex(
                    """
                    bd40f81079f908efaeb76bcdb74969c105b961b73d6762bf274d8779003a275c92f6b1f0e93ffffe
                    e9d1df0d0330ac86e2
                    """),
                hex(
                    """
                    5d2f9b65d3d166bfb22b03201e28b4d74e37ac8cfa6bd1a386c66718379a360633953f368bdef4a5
                    73533b844e486e45791464c3b63dea14630839d8cb6ff3ddfa6bdc8244dc3d03669aa8e322440a12
                    c7012a63d745b3ef16eec323bfa4eaf2c50268e18c5a08f1f5d0a46ca8ef16
                    """),
                hex(
                    """
                    65822e01652bf7b0abd4531a5a9cf24d600d6368766f71cca5e7b19f31500a59b8c96b5cd5fcab8a
                    75a509645268328f1a71045f00264ef5392fe366c654b61cd455a119d2c286cafdfdeb44992afd6e
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    f65db87b2a4d1a5ddd9b2c3bd4dbe1de69689aa458d9490b0316651619f4314f7dde8e731ba2134f
                    9de386464ffba307c8cba94623ac480a9f20f61bf55632b8
                    """),
                hex(
                    """
                    947077d577f85923a73c61159a06d576273c0c8995a396f212ea9f7281386f1f402f01edf88bc996
                    b71e9fb25251258135da3647f3dd2f41ae12c5b852a3fbfc
                    """),
                hex(
                    """
                    d56317ada91291a5d621c323c866920c0599e7e29ccb1cfa37da26f9421c1aa9883cbbcab8e0bb3d
                    e37d187b95c51c97719f3f7098933de4244860b153c86618
                    """),
            ],
            handshakeHash: hex(
                """
                5e1fcc94666b6570ba2c3c215353ea3716f6b054ee8434a69e8720e67f069dc74882889558d26cb9
                dc2e585820b92741913affb7807ed2a654ef009fc63fcfa7
                """),
            exporter: hex(
                """
                7ff12f324420ed775c45be4f8941354a942c351d49d4bbe1adfba5ea32f227d0b83a704f2a8c3903
                d51a6fd9be169835c37d2d87a18e522c9a615c0786cd7b4e
                """)),
        .init(
            name: "a payload in every message",
            prologue: hex("00"),
            presharedKey: hex("fd5219fe8fae52fa36be9bb87f699c07a007dd98b81123bb6498e3ab52e1906f"),
            initiatorStatic: hex(
                """
                8471f5eef9a04bd798bbc49fec41398357aef6a3565749d01256542794539980
                """),
            initiatorEphemeral: hex(
                """
                bed4dabff731646f60632d4acdd5c6bfb97b603531364c9aeca3998fca731b4e
                """),
            responderStatic: hex(
                """
                c27b01cbaa5c8e99b1f947efd73744ea0e051b8284e34723ca949e590ce10e1a
                """),
            responderEphemeral: hex(
                """
                d6c5ef2de209f39c05fb71f2452fe251b0fbe59f80e9cee427efee9f38510ba3
                """),
            payloads: [
                hex(
                    """
                    7774317c98d08ba66907f29cfb8eda557eb79ffa1fc04348ac2c1621b0922fa32e18df2b2784ecb1
                    168cdadeded7c9f5e9fcf9f4f38c30920c7958abf692f4daf70f09d9c31877670f8a00a324b7ac79
                    b777faf7d9e3fb845db13793e78284032712e730
                    """),
                hex("5f"),
                hex(
                    """
                    03fce23a46c28c0a2b34b8da87aee0ecfc3e14aeed0f4167e4549d4c10bf1c3fb33cd9523bef4f49
                    c0980b1ea199d57e8dcd177282dc36197e53185716cee2afd380dbc71285a727c78d793f54fceccf
                    04fa2c89cff8fe4d92391322f4e2ae33d4a52987536410402821bd32f4d9c5ef7b317e44510d3026
                    cab69cb250d70affbed8e5aafc41bca384e2c348b5f9d5fbafdca76fb1d190b2c430b45afe1d74a2
                    84cb56b368e9a65ae0684a9b08149393cad05bb6f7716c6580dedba91071c69cab7d96acaf2f86c6
                    5e5b62abf2feda4df196f66ac98d8478f6c99ede8baccef72f00b5f8fc1397276a9ea5472a759260
                    961910cfab79acef5588df202843a2
                    """),
            ],
            messages: [
                hex(
                    """
                    03ec07b911157afe5ea4fb14410f9e0b7a7e8cb4e5e510bc998aa06959267b3475486f884272b636
                    a1e0eb8869c4e4e8f995fde2dedcb26dd05a17f8e88c6d29734d991c4fa20f33ede67c9cebb44f9e
                    2d5f48397a189d3f68455d379ffe5e60d13fb9ba3f773a1656d50f02ac675fa2ecffbeddac147984
                    9a98bb73553d94fb785c8cd57bc9f50208180802723f8f8e658c5222
                    """),
                hex(
                    """
                    3873cac96df06ca92b414a036dc9993e814618a438b01ef723c1c77a4d729244fa6075e37eee60d1
                    eaccae0780fad24023227fe127df12d0ab48dff87c7bfc6e059640f4826edfb7d9c0d721f46b917f
                    b9fe8b57bf3e5d0bc7b68d795b6fc4be83
                    """),
                hex(
                    """
                    6786cd838113b3a1727640949a63e15ed3a0ff4e7ffe7ea3104b364468a5d8629e78ab49ff0e17f4
                    5d8392fb085d9249707f6594cfff2ee30e9f091a12c91e6d5564e4126a82cf3b1fbcf5937b9cb024
                    47c11ac40f59273f13b5bbe701ef9ddb63625771010409eabac3d11539c7fdc7fc8de9f9a24872f2
                    7daa095ed35d86afd3e18a4fb31c7dd380a68a216ed4a180b9539478e1462acf08d6420a8749158f
                    47e9b9364fce8db04eb80a88ac7f4d53fc5c8152da83d9ba0fbb82e7a8578471a865a91e123b4d35
                    cf8b17f5cd0f800452faa90230a81058bc231d4db2dcca0cf289485ce66742b0465fdde71edcf82e
                    03209725427fccab44f1fb00ae5f245139da335964f51fe78d2835b57418ee9e781ecacf27c6d227
                    4e7ae3a3689fbd3f5bfd58cf7eded4e5af3ac1eca1a2dcd96b5235634b3a14d5fdb0a26ef60012
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    b1aed6d135826bb5c3aeb481151b9d21267377070ebc6c9484b92dae240e8675b5730e6ecdf2e447
                    d5b102eba63a344f2af3227c8af69dbe49a319eec8ec18a3
                    """),
                hex(
                    """
                    5fc4693d488c136b896b2f95aadf60fa4ca0dafbc97a238520b5bcda1e36a5406b17aeb5849ddad9
                    8d545cd39ccb4efbe192aa0775076ff5b7c692e10ba55ca4
                    """),
                hex(
                    """
                    9aa93fb89980c0c0a56dfca7cc770f6107dd6b488761cb4fd7cab812bada5cf5440e3bef0867df71
                    bb2aa92a9f82858de0b84880ed1c5ea1ff516cd661d476a6
                    """),
            ],
            handshakeHash: hex(
                """
                e1bb9c1be01bb486f89e1fa45e3d2e109376188f00e017a27a2bd958ce72de61c4d5666e01fbf7ca
                8bec413ddf822b55f9b7feee933ff9f7caecbf08a9a5640f
                """),
            exporter: hex(
                """
                ba669e6a6dab37ada844b9536c1c6d4cc39ebd406a180f22f321c9ebbe0379f0fd40ab3a59b79fb6
                5198536681291a8d967a02311b8716a53116d0f2b39be45a
                """)),
    ]
}
