/// Short names of emoji, for Tab and `/react`.
enum EmojiNames {
    /// An emoji and what it is called.
    typealias Entry = (name: String, emoji: String)

    /// The names that begin so: first those that people use most, then the others by the alphabet.
    static func matching(_ beginning: String) -> [Entry] {
        let found = self.entries.filter { $0.name.hasPrefix(beginning) }
        let common = self.common.compactMap { name in found.first { $0.name == name } }
        return common + found.filter { !self.common.contains($0.name) }
    }

    /// The ones that people use most, by published counts of chats and of GitHub's reactions.
    private static let common = [
        "thumbsup", "+1", "heart", "joy", "tada", "smile", "pray", "rocket", "eyes", "fire", "clap",
        "rofl", "thinking", "ok_hand", "wave", "check", "hundred", "muscle", "blush", "heart_eyes",
        "sob", "wink", "party", "grin", "shrug", "sparkles", "sunglasses", "raised_hand",
        "facepalm",
        "thumbsdown", "-1",
    ]

    /// The emoji of a name, with or without colons around it; nil where there is none.
    static func emoji(_ name: String) -> String? {
        let word = name.filter { $0 != ":" }.lowercased()
        return self.entries.first { $0.name == word }?.emoji
    }

    private static var entries: [Entry] {
        self.table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 ? (String(words[0]), String(words[1])) : nil
        }
    }

    private static let table = """
        +1 👍
        -1 👎
        alarm ⏰
        alien 👽
        angry 😠
        apple 🍎
        arrow_down ⬇
        arrow_left ⬅
        arrow_right ➡
        arrow_up ⬆
        art 🎨
        balloon 🎈
        banana 🍌
        battery 🔋
        bear 🐻
        beer 🍺
        beers 🍻
        bell 🔔
        bike 🚲
        bird 🐦
        blue_heart 💙
        blush 😊
        book 📖
        boom 💥
        brain 🧠
        broken_heart 💔
        bug 🐛
        bulb 💡
        burger 🍔
        cactus 🌵
        cake 🎂
        calendar 📅
        camera 📷
        car 🚗
        cat 🐱
        chart 📈
        check ✅
        clap 👏
        clock 🕐
        cloud ☁
        coffee ☕
        confetti 🎊
        confused 😕
        cookie 🍪
        cross ❌
        cry 😢
        dizzy 😵
        dog 🐶
        earth 🌍
        exclamation ❗
        eyes 👀
        facepalm 🤦
        fire 🔥
        fish 🐟
        fist ✊
        flag 🚩
        flushed 😳
        fox 🦊
        gear ⚙
        ghost 👻
        gift 🎁
        green_circle 🟢
        green_heart 💚
        grin 😁
        hammer 🔨
        handshake 🤝
        heart ❤
        heart_eyes 😍
        hourglass ⏳
        house 🏠
        hug 🤗
        hundred 💯
        joy 😂
        key 🔑
        keyboard ⌨
        kiss 😘
        laptop 💻
        leaf 🍃
        link 🔗
        lock 🔒
        loud 🔊
        mail 📧
        medal 🏅
        memo 📝
        minus ➖
        monkey 🐵
        moon 🌙
        mouse 🐭
        muscle 💪
        music 🎵
        mute 🔇
        nerd 🤓
        neutral 😐
        no_entry ⛔
        ocean 🌊
        office 🏢
        ok_hand 👌
        package 📦
        panda 🐼
        paperclip 📎
        party 🥳
        penguin 🐧
        phone 📱
        pizza 🍕
        plane ✈
        plug 🔌
        plus ➕
        point_down 👇
        point_left 👈
        point_right 👉
        point_up 👆
        poop 💩
        pray 🙏
        printer 🖨
        pushpin 📌
        question ❓
        rage 😡
        rain 🌧
        rainbow 🌈
        raised_hand ✋
        recycle ♻
        red_circle 🔴
        robot 🤖
        rocket 🚀
        rofl 🤣
        rose 🌹
        scream 😱
        ship 🚢
        shrug 🤷
        sick 🤒
        skull 💀
        sleeping 😴
        smile 😄
        smirk 😏
        snail 🐌
        snake 🐍
        snow ❄
        sob 😭
        soccer ⚽
        sparkles ✨
        speech 💬
        star ⭐
        stop 🛑
        sun ☀
        sunglasses 😎
        sweat 😓
        tada 🎉
        tea 🍵
        thinking 🤔
        thumbsdown 👎
        thumbsup 👍
        tongue 😛
        train 🚆
        tree 🌳
        trophy 🏆
        turtle 🐢
        umbrella ☔
        unamused 😒
        unicorn 🦄
        unlock 🔓
        upside_down 🙃
        warning ⚠
        wave 👋
        whale 🐳
        wine 🍷
        wink 😉
        worried 😟
        wrench 🔧
        yellow_heart 💛
        zap ⚡
        zipper 🤐
        """
}
