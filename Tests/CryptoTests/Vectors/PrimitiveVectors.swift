// Written by generate.py beside this file; do not edit.

/// HMAC over BLAKE2b-512.
struct HMACVector: Sendable {
    let key: [UInt8]
    let data: [UInt8]
    let code: [UInt8]

    static let all: [HMACVector] = [
        .init(
            key: hex(""),
            data: hex(""),
            code: hex(
                """
                198cd2006f66ff83fbbd913f78aca2251caf4f19fe9475aade8cf2091b99a68466775177424f5828
                6886cbae8229644cec747237d4b721735485e17372fdf59c
                """)),
        .init(
            key: hex("99"),
            data: hex("5fcc8b"),
            code: hex(
                """
                9d1ee2ac9f76a181295b996c699193c5c2e160f11fa9186c8630487e13b44f95653739cf46d3fc19
                07c429b5c4395b2c7a3357ed46f8e82ca6a97f88629528d8
                """)),
        .init(
            key: hex("1ecf8072bd22db6597a04c4d49c15e9d54c2369f742177900afade695b620c08"),
            data: hex(
                """
                49df6dd597701aace48bd3e9ec9d01e64bd08b931563cbc8eab7a4863f199cfa93a89f6d9ccbe0e9
                ab88fe13f1c75ca2cdcc75552ad18e71df91de8a2f66c5692df205b68f9469bd7a757c3c174d3f20
                6237114b0a16a027bacb04288c3ff7c1
                """),
            code: hex(
                """
                7d2f610421bed5a35afbb41fc5f722b40cf452cc5ae88d488b5cfcbd0360a7a87fb3c74344702233
                5846f7cd06fbb8df48084b30117526aa74bfe4592faf9237
                """)),
        .init(
            key: hex(
                """
                42bbaba694daa2e6045565c6f7817b3d4e7f6d629275fa5735ece0484daaf112e9187bdef45e235f
                d2084c3bd26e620bc3b11f30217ad77f4392a75a3c4cb006
                """),
            data: hex(
                """
                723e87a0e868a739ac4cc0de2a260cdb781d561bb8b3c57a03be81e803cfca97d9a51bb3e540b5d9
                d0a45d150c77fa0a474804262d50456f19201df468c61863ad33792d530ba81c53c3736709d63eaa
                a85a708069722a31848eab5ebee77bc231cb18417bb28f7fe3aad161490c8e624a98b4b2daf28e36
                bb7cea8354a83527cc82efeb07040bf162740be79d208b85d53f7d76bc25cb3d6e6059d707467ca7
                922451b945aefaa3b811761cf7ca7318255023a8a05224e7e36eeb2d8ab1ca33
                """),
            code: hex(
                """
                cf593c0744fcbd8f72f0e0b0e05fcf65b5ca8dab8e65a6e3b7c3eb2258aa773756580d927b8e6679
                3ce0c7f75c4289c40c23b044eb133e987824984206271bd5
                """)),
        .init(
            key: hex(
                """
                962c7255d95db2699b1452b3d0aacbc8bd61f6679d212fdde2ed69a1e9959ec0d216ebd8dd5234e5
                8b37b68e150b1de2ee18723ae93bc1d919287710652b543213a3d4d8883a146fc51f529704e2f118
                67f64cd0f8eaae518fb4a40327fa1ec7a48a7b343d071dd5b416d6a6dc76bc174bfd3c82e45a508e
                098f9aab4b8a2d
                """),
            data: hex(
                """
                3164700108c9aa988512a9fd70bdc92aa3739a17ba8c4fbd4226002cd7a9a0137a7723652b9525b6
                d85ac6cc732eb98437ac8439f36e3226ad060e3673006b4f5fc83568c38dbdd244d40961628d0e05
                """),
            code: hex(
                """
                50881dd729eae597f883c403d3a3f77c112401cb9d74387a94bbe95ef533eba79c26328e656c7be0
                dc2da594a817434e3c6d3b640ae17ca72dd3e1a29771ad44
                """)),
        .init(
            key: hex(
                """
                f6bc75ceb8258a968706a95a743be2d3e09a9b0b6699edfaecc36328bca8afbff84ea59840070558
                dc3202fe1b45aacd1c1a57d70ab4fa3ba8bd41b7d1af9b6f2fcf251c2b0b023f5826f65e735dfe72
                44bbdf3de2252ceaeb04dcb56317e6ecc996670f6ddf66b5b6571be215f20d3349f90d62683ab917
                95d277656c27da24
                """),
            data: hex(
                """
                e374ddab5b17085cff221dd9b8d0b61300b38c650ecdb29ac42da462daa19361444f4affb37c7ab5
                c617701b564d0aed1ef9db7d9da6d342ddc5d53bbed628874955cd38c407600fb7035e5f04154a90
                432206
                """),
            code: hex(
                """
                7c7dbd2dde7016de15692a163a3ac694fba568acacb60946b9167d658e4819e44b969a0bc104a826
                80c1bcf4a5af01b974ee4450b64238981fe0618c8b552d10
                """)),
        .init(
            key: hex(
                """
                9c051a9fc37a1a6c336662483e55b7f7d4a7a3130a808a033b4ddd3747b30d98eb6ee50e18001299
                d24b8612ac77f1fd2430574b4b52e771030ce964a88cc65768913f97c3785aaecd91ef5937050d17
                33d15ba48a3c27b1fdab7165d8b45bf7ac6d178f9615c9f8eae8ecb069865b47ab123e0b1aa39278
                d037f7b0b228f9e069
                """),
            data: hex(
                """
                ef8a5b068fe043101c719cb62ffe63c9f72aebd073a0559146faba136a883979f92daf13d43ee70b
                9b0e317c70c70c0987393a5b0841b97097cb206baabcf06962c50af762a3b5f59fb5987af029efff
                47482c3cf60c
                """),
            code: hex(
                """
                4139b2fbbf64d5651534cab2bcd71d5f08b67384ebb6576d3f7c465135b64223db10a9ccdd223314
                620c1a1acc5a20cd79dbd7360092186c3995c25174f6f01f
                """)),
        .init(
            key: hex(
                """
                8cea026a6b9f8571362b77375dde75d5ffa9bbda5f98b660cfb790785000b9283a8051c67b26c455
                9072073695bca2c9215e9ad45fdcb47fe9c844b83211eace82265d778978e27c30f5a732d3f7ed94
                f272cc1a3a17faf499c9180ddfc5a6fa82e59463ee4c51a55acf8563d9a64ead523c6f77ed4ec35b
                9f0b4768c1c0f95362fb4b1ec587d3936810266016c5c1d46b26ec50465366d22278f827d29bbfbd
                f6efd5248a08ba997affed08beac90c2635e1a629f1941bda7d7f7bae55cdf6d7b85d78345bb73d2
                """),
            data: hex(
                """
                80f99eb11125215d7603a858b0ecb220bdc1fe10b4308b407aaa3ad6fe8c4ce5230c338e582d11b4
                ca47cf9ee348281a0738e4d14fee9e486790353688b7be2b8f5bf075f18918a208d44e3cd69717a4
                7291167579abcbb80fafbd23f65ae0f43dc6eacbcefd268ef4ff52f30833222c213b93685d059614
                c1486b7249829483e16846fb368b5073eaa593859f907c0611b33a436a26de3988cb381deb24e9f5
                9c89a55e275d1ddfb066e0a232311a9e37032445e01a67b30238508ac0f0ae6784f96a2e199fa311
                67f3fb883518d4f8297159f2e54e77c29683103a4a76d7926972d6a939c7749d53ca34246d18b32b
                f77ff33d214d321e46b0d5e6b1f20db79a3556ae46753405252ebd0a29df3430d29a05b1604d82d0
                1f8ce26958fa0defb8a2299282142bfdf9e1e5
                """),
            code: hex(
                """
                0e5a16e50b545164e90fce6a98dae1e28c4ced82dc06d47466a323987f2c46769603fbcdda0dffcf
                c99fc9b3e6c3dca572b14c623cc61c67be4b21a05a21e9c5
                """)),
    ]
}

/// The three outputs of HKDF; the first two are also the pair.
struct HKDFVector: Sendable {
    let chainingKey: [UInt8]
    let material: [UInt8]
    let outputs: [[UInt8]]

    static let all: [HKDFVector] = [
        .init(
            chainingKey: hex(
                """
                7ec0ff0c86aa6ddd0a0d6e3374fd03f12d4cea8eab0cc6e6385c36d6c849a95ad06596fb191e7b85
                de75f45804a832d29861b05dae6e1481941eb6d1b6410c41
                """),
            material: hex(""),
            outputs: [
                hex(
                    """
                    120bed86a334e68f04658680a69667fe513580bbed525b32564a20c010a71eac7bcc1321531203a8
                    fbb6a7ef556b895447a584e55b8a6d9ec86554a01436d2b4
                    """),
                hex(
                    """
                    85ffe27c74b4b7ef629d89591300bfbd56a254fb7e82f302eef84a5be9b08297825d259a45b4938b
                    a5b69a8f2c84f5ac369246978a54ae53cf85ff0f8b7ff98c
                    """),
                hex(
                    """
                    7f3feb5ae6ec54888320d3716c7ec944043bab782d18c83eff9d6d398b3b0372faca28ff6443f12d
                    8dbf8419644d8659e79bca36da431dd93e46bbcc03e59011
                    """),
            ]),
        .init(
            chainingKey: hex(
                """
                6add1744eaa76a19687d4470dad424f1de7f68556723ea3925dfc8e2ac15b1fd11d544abaa09c399
                c025ede76cc5873fffb0ee51da1a585f3c52db887d0fa52e
                """),
            material: hex("665b4e162e48c1124ef9aa4405c9ca4c72124f969a7b4df9381e881413f51c6b"),
            outputs: [
                hex(
                    """
                    a5895f322ea49c95cdfe3a0d95a9348b04fb1d14272a6468cd03584aff4946204ed0d8e7a543ea8c
                    7e7ae3200a6966c355ec4ea502eebdb421fc676472705f86
                    """),
                hex(
                    """
                    609244a8f126afeb813e022bb646ef5aec2a8b16882314d3217c468fec53133209c710fa0d9546e9
                    e937595402622f54876dc7c95e8a7d000f78454fec241d08
                    """),
                hex(
                    """
                    1e2fb9cc2c1eaa3bec4f1b57d348f88e89b4deade36502d4c81731316cca2d0c2e4c3a6ff226a67b
                    65efc3ea43eaa48c7a1dd0404386c4c233a20871623dc12c
                    """),
            ]),
        .init(
            chainingKey: hex(
                """
                8f3c28d3c896377a280181b98fde1e5ba7bdf4fb747ff57e187d9399a65e4c747a642e5441b5085b
                919b73cdac3e671e874f787baaaf0244475e5a422cbf55f9
                """),
            material: hex(
                """
                f7eb4c5d3e0dc9f1f7ecf92e7e85fc22b78e3f3c8e6f9e7a10e18efb04b2c76c07eda295803c04d9
                f73253a39654e24a1ccc78611ccdf6e49207ccf5b22cbe4d
                """),
            outputs: [
                hex(
                    """
                    8425155b657090b3346eb8dedc761af4454cb5049eeac3b0aae9ef932f7e82fdf205aee327b6872a
                    71d6a2d035f8a32e4e35c5a36a14a937280295ee8bad1344
                    """),
                hex(
                    """
                    7b0a17251de226eb3b0648f292867bda31c27929dc0c53d813c1e0cf10f363fd98fc8cdfe43ece1e
                    6c81ecbb306693d4d442505c2f9f0b81c5ea7c28eeedf1bf
                    """),
                hex(
                    """
                    cc10e1b7acf44a0773670fbe6b75ada184ee07c914bcab75bbc37dae58b255365701f6dde3a461bf
                    f2cb2e509cb14971f5ccce7cbd2fe00fe33cd40ddd05e924
                    """),
            ]),
    ]
}

/// BLAKE2b-256 with key and personalisation.
struct BLAKE2bVector: Sendable {
    let data: [UInt8]
    let key: [UInt8]
    let personal: StaticString
    let hash: [UInt8]

    static let all: [BLAKE2bVector] = [
        .init(
            data: hex(""),
            key: hex(""),
            personal: "",
            hash: hex("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8")),
        .init(
            data: hex("778cd1"),
            key: hex(""),
            personal: "stoa entry",
            hash: hex("19e466579535f3360cb76bc2edb6b0d47cc8d59988028faba3a734544c07854c")),
        .init(
            data: hex(
                """
                1845bfd8861c6f647ce66f1d324706e152924033d1ffb37e0765ca737e78d28ce660e75e761b9848
                1e042713e9c7a51f92782063b6fdf22d96a9a8e4ac795fa9cd7c4531f52e607556124ccc3d4a994e
                c1a3dfd35793202a48ee90f84021ad63e0969185d0c90861c8b660da5bc55256feb5f3f39af93bee
                2cc60c76dcd16102
                """),
            key: hex(""),
            personal: "sixteen bytes ok",
            hash: hex("182c3a5a85073530c2bcd40efc6b69e018c7543ba72c3a42a8670501dba6aa7e")),
        .init(
            data: hex(
                """
                9cbe285e93c191918a0d637f9f5b38e87c1ad76f3434a7261e8ae4bb900ab9ae4495e699d58c106e
                7c79117e7eb6c4340368ec4b0f026f79f1fa20434fa03a86a135082f5f762d47cbbc5151a753de90
                6d9de369755bad13767021fcefacec8dbef48e6b57b3e8c14d913c47bc45dd99efb40ac0f349ed4b
                009d487aee1d0a201b
                """),
            key: hex("f89b29483db6dca362f02bb31ee0cd435bbb31d12550777d9b25dacfefe28588"),
            personal: "stoa entry",
            hash: hex("4cac4b6cd191c9382609cf50748618b8e380529eec26a9cd76efa1255d52e32a")),
        .init(
            data: hex(
                """
                7612bac0744b8805d958663f34cebe31e19b4e7178638d7d978635746843ed84a0e475da11a17d3f
                2aaabeb63318cdd2e4938ecc3ded5d08dd76bae93441359b3680d0539b50356e3838fc1373850fe3
                dff7d2cb63800782957841724c0aa7bcfdbe0c67f6aa2219e6b7db8e6e86592dae07c5fc375d1966
                6c57cd99b7a2f8809d11afe3fbf8aeb3e6a7dfa04de01dd771e49d2e6995d47220a9a2760ee10e56
                1642fac41e6fc0bc0012c75dade44539295685488b88bd14a628faa301f11d60aec061d70bbc746c
                c78788904e39cb2c792e966970583254699dbcbb708927a3585126b2c1efd87da42c707aa16f5c67
                9b50c8f22d9bb355567573230359e8f45c486430d0be5539801a2150edb14e15e3b0ab6b3b61f4f2
                f88df1f51e56a50c43df563baffab4b15a0091d9
                """),
            key: hex(
                """
                6e2134646c59156c5fe1cb9c3b8854df113997e1f8322895d1cd363b306f46fb2bb084527c4500d4
                6e931e28415f7c2a533c8d8466b2abd80e11aa74104bc4d1
                """),
            personal: "",
            hash: hex("a25eb08792f33bc6c9b68a2d57fa27cb901e21130d29f4f06ead4ecaccdc6ce9")),
        .init(
            data: hex(
                """
                7612bac0744b8805d958663f34cebe31e19b4e7178638d7d978635746843ed84a0e475da11a17d3f
                2aaabeb63318cdd2e4938ecc3ded5d08dd76bae93441359b3680d0539b50356e3838fc1373850fe3
                dff7d2cb63800782957841724c0aa7bcfdbe0c67f6aa2219e6b7db8e6e86592dae07c5fc375d1966
                6c57cd99b7a2f8809d11afe3fbf8aeb3e6a7dfa04de01dd771e49d2e6995d47220a9a2760ee10e56
                1642fac41e6fc0bc0012c75dade44539295685488b88bd14a628faa301f11d60aec061d70bbc746c
                c78788904e39cb2c792e966970583254699dbcbb708927a3585126b2c1efd87da42c707aa16f5c67
                9b50c8f22d9bb355567573230359e8f45c486430d0be5539801a2150edb14e15e3b0ab6b3b61f4f2
                f88df1f51e56a50c43df563baffab4b15a0091d9
                """),
            key: hex("6e"),
            personal: "p",
            hash: hex("cebbbd467a1627cb0ace06defe7c2af30fccdbf91c9147826b22395b679dc562")),
    ]
}

/// XChaCha20-Poly1305.
struct XChaChaVector: Sendable {
    let key: [UInt8]
    let nonce: [UInt8]
    let associatedData: [UInt8]
    let plaintext: [UInt8]
    let sealed: [UInt8]

    static let all: [XChaChaVector] = [
        .init(
            key: hex("c222a2802e81c2eb7f30224bb126ef355fa151bd2e7cc2144d15843b36520a28"),
            nonce: hex("52331d144711c9c8efe53dfc09d989a5293f754f52b4cf5d"),
            associatedData: hex(""),
            plaintext: hex(""),
            sealed: hex("dc4511d4527c6dedaff04751aba82f81")),
        .init(
            key: hex("bbb94a2730d20d0d387c6b7984da0e3db79044acd52d1f31d75eea3235a17dfc"),
            nonce: hex("321718604724673ece810fec839aec42a60098dc1368b4b2"),
            associatedData: hex(""),
            plaintext: hex("b1"),
            sealed: hex("1021c71b05b4fa46bbb12ce5c3e17248f1")),
        .init(
            key: hex("2d82ccdbdda89ac64287bfcf47e7a551bad1afa7c797dce130c2afa84ff27d1e"),
            nonce: hex("fe95d11939f5e313df3a8675bb327f600d0d59ebdcd9898a"),
            associatedData: hex("61a97b06ff2d249002ddcb5832026aef4d0fab126454d617fb17bb3efe8abdd4"),
            plaintext: hex(
                """
                a931491af962b8e3f219e6a93e1fb977f8bb660555270a746762040f02c0acb80821915164013d38
                ca2d5155d1057bec293d100ffd9744d9cd244666452eb1b8
                """),
            sealed: hex(
                """
                5c292c47b0b9eded630cf6f6928204b93412b4843e74f656cabf55d9dcd577b3a9d2af2aa3d1a8c1
                f99457c5aee74fcc9cf11eb8c8248dc15844801bccafbee331b9204bd9240e043cdb65461518ac73
                """)),
        .init(
            key: hex("5dfce73c3a9528038ec5d1df6ac0943926a3629e9eb038bcc768cacb46f243a3"),
            nonce: hex("aefc939667a65dd58b67f68953ad122abebb5540a77a0d17"),
            associatedData: hex(
                """
                92504b5d2c6bd71f60215bdedf7943bdbbef72d6c1c6226b8c3e1fda92aca2b40666139313b9f128
                bb04d1bd376a1c034595bc887d7036006c5c7dbd0247a08987bb6b367050d95e4e98b77605b92827
                be4aed79564b62d25253d108fbd4088366976cad
                """),
            plaintext: hex(
                """
                5c707cc87fbef535a1973b7e96bed43c86049457672ecddb315d55b3c880f25e6b3b208688fcc4fc
                c4dcd36bff2738856917bae8ea6a6681c8cd8d1c413f074c3a5043d24ce538cf9e09609b49e9a1cb
                9523f2a853a1e726ecbc3ac2013bf47ac1c6229a5b1c1c59c4f64ee1e690710dc0b01f7d42c36645
                1bcd36f8fdeed33b47e295d6fde67cac896f99fe8648ae23fed4e34107db433b6c4c28614125b055
                2c19037f33732b17ce216387037c80b18d7590da25f2b9790652de3a2c5b0a331dc9d4633943e585
                """),
            sealed: hex(
                """
                46388a0231213a17b6b20bf6599ddce96a3d82ec5f7d70f664daba85ff75bdbd2bf81a567489c906
                d9e65c7afd733a348fa38eb644a978aa94b76412f4d6e8b791a795785943cc52b4b9473b4bbc23b9
                f4d93ceed20fbaf947999a1c87a47eedbe49e7443fd34fc2571da8ff33863985c8e64fb26d0d6f8d
                9619fc794573a377cb17c3d6dd7a7e00046f3bc0a7dba36b57e1cc2761c41d982044c9e46480d325
                8e324a872c554dcc054e128690551417c8beec825eefb7d30957ef88070321093978cc4c1fff4c9a
                1b2941be4185b20cd4820b36c6537bc8
                """)),
    ]
}

/// What a safe makes of a value.
struct SafeVector: Sendable {
    let key: [UInt8]
    let nonce: [UInt8]
    let kind: [UInt8]
    let place: [UInt8]
    let value: [UInt8]
    let sealed: [UInt8]

    static let all: [SafeVector] = [
        .init(
            key: hex("bc16e92db3d3a67e747894bfe7e1ec2a3f94305f90bd2100ef8301198aecab6f"),
            nonce: hex("50634ea5a2be45e10763aff9c82e99912e2cdb0610ad42d2"),
            kind: hex("66696c65"),
            place: hex("6964656e746974792e6b6579"),
            value: hex("87bb8184c17750a1bda818559970d867d6694a882669f1b6fb0d80fd8a3f674a"),
            sealed: hex(
                """
                50634ea5a2be45e10763aff9c82e99912e2cdb0610ad42d2c33e71c67eda605473fecf42ddf47885
                65acd8e70858419de3096d4dd7a67de0f4d55253663694580a2d393aa2e79ee4
                """)),
        .init(
            key: hex("d56c0a51361f8210b103e0c164064547d1ce743201addefa4ac9141339d3ddac"),
            nonce: hex("04d0b61643a7bcab2b11bad9b59f8b70264efd2412509091"),
            kind: hex("6e6f74696365"),
            place: hex("0000000000000000"),
            value: hex(""),
            sealed: hex(
                """
                04d0b61643a7bcab2b11bad9b59f8b70264efd24125090918bef62b9fc37615b9fcebd79e6badd93
                """)),
    ]
}

/// Argon2id with 256 MiB and three passes.
struct Argon2idVector: Sendable {
    let passphrase: [UInt8]
    let salt: [UInt8]
    let key: [UInt8]

    static let all: [Argon2idVector] = [
        .init(
            passphrase: hex("636f727265637420686f727365206261747465727920737461706c65"),
            salt: hex("65c7df7043958a926270dca4bf17f29c"),
            key: hex("97c2a64669988f81d3ea539f8db38ac71b69256f52b96e2dea4943cb6a16a508"))
    ]
}
