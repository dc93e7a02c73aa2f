// Emoji by group, with the words by which they are found.

export const EMOJI = [
  [
    "Often",
    "👍 thumbs up yes|❤️ heart love|😂 joy laugh|🎉 tada party|😮 wow|😢 cry sad|🙏 thanks please|👀 eyes|✅ done check|🚀 rocket|👏 clap|🔥 fire",
  ],
  [
    "Faces",
    "😀 grin|😃 smiley|😄 smile|😁 beam|😆 laughing|😅 sweat|🤣 rofl|🙂 slight smile|🙃 upside down|😉 wink|😊 blush|😇 innocent|🥰 hearts|😍 heart eyes|😘 kiss|😋 yum|😜 tongue|🤪 zany|🤨 eyebrow|🧐 monocle|🤓 nerd|😎 cool|🥳 party face|😏 smirk|😒 unamused|😞 sad|😔 pensive|😟 worried|😕 confused|🙁 frown|😣 persevere|😖 confounded|😫 tired|😩 weary|🥺 pleading|😭 sob|😤 steam|😠 angry|😡 rage|🤯 mind blown|😳 flushed|🥵 hot|🥶 cold|😱 scream|😨 fearful|😰 anxious|🤗 hug|🤔 thinking|🤫 shush|🤭 oops|🤥 lying|😶 no mouth|😐 neutral|😑 expressionless|😬 grimace|🙄 eye roll|😯 hushed|😴 sleep|🤤 drool|😷 mask|🤒 ill|🤕 hurt|🤢 sick|🤮 vomit|🤧 sneeze|😈 devil|💀 skull|🤖 robot|👻 ghost",
  ],
  [
    "Hands",
    "👋 wave hello|🤚 hand|✋ stop|👌 ok|🤏 pinch|✌️ victory peace|🤞 fingers crossed|🤘 rock|🤙 call me|👈 left|👉 right|👆 up|👇 down|☝️ index|👎 thumbs down no|✊ fist|👊 punch|🙌 hooray|👐 open hands|🤝 handshake|💪 strong|🫶 heart hands|🫡 salute",
  ],
  [
    "Nature",
    "🐶 dog|🐱 cat|🐭 mouse|🐰 rabbit|🦊 fox|🐻 bear|🐼 panda|🐨 koala|🦁 lion|🐮 cow|🐷 pig|🐸 frog|🐵 monkey|🐔 chicken|🐧 penguin|🦉 owl|🐺 wolf|🐴 horse|🦄 unicorn|🐝 bee|🐛 bug|🦋 butterfly|🐢 turtle|🐍 snake|🐙 octopus|🦀 crab|🐟 fish|🐬 dolphin|🐳 whale|🌵 cactus|🌲 tree|🌱 sprout|🌸 blossom|🌻 sunflower|🍀 clover|🌍 earth|🌙 moon|☀️ sun|⭐ star|☁️ cloud|🌧️ rain|⛄ snow|⚡ lightning|🌈 rainbow",
  ],
  [
    "Food",
    "🍎 apple|🍌 banana|🍓 strawberry|🍒 cherry|🍇 grapes|🍉 melon|🍕 pizza|🍔 burger|🍟 fries|🌮 taco|🥗 salad|🍝 pasta|🍣 sushi|🍜 noodles|🍞 bread|🧀 cheese|🥐 croissant|🥨 pretzel|🍰 cake|🎂 birthday|🍪 cookie|🍫 chocolate|🍩 donut|🍦 ice cream|☕ coffee|🍵 tea|🍺 beer|🍻 cheers|🍷 wine|🥂 toast|🥤 drink",
  ],
  [
    "Things",
    "⚽ football|🏀 basketball|🎾 tennis|🎮 game|🎲 dice|🎸 guitar|🎵 music|🎬 film|🎨 art|🎁 gift|🏆 trophy|🥇 gold first|🚗 car|🚕 taxi|🚲 bike|✈️ plane|🚆 train|⛵ boat|🏠 house|🏢 office|⏰ alarm|⌛ hourglass|💡 idea|🔦 torch|📷 camera|💻 laptop|📱 phone|🖨️ printer|💾 disk|📎 clip|📌 pin|✂️ scissors|📝 memo|📅 calendar|📈 chart up|📉 chart down|📦 package|✉️ mail|🔒 lock|🔑 key|🔧 wrench|🔨 hammer|🧪 test|💊 pill|🧹 broom|🛒 cart",
  ],
  [
    "Signs",
    "💯 hundred|💥 boom|💤 zzz|💬 speech|❓ question|❗ exclamation|⚠️ warning|⛔ no entry|🚫 forbidden|❌ cross|✔️ check mark|➕ plus|➖ minus|♻️ recycle|🔁 repeat|🔔 bell|🔕 mute|➡️ arrow right|⬅️ arrow left|⬆️ arrow up|⬇️ arrow down|💔 broken heart|💙 blue heart|💚 green heart|💛 yellow heart|💜 purple heart|🖤 black heart|🏳️ white flag|🏁 finish",
  ],
].map(([group, list]) => [
  group,
  list.split("|").map((entry) => {
    const space = entry.indexOf(" ");
    return { sign: entry.slice(0, space), words: entry.slice(space + 1) };
  }),
]);

const ALL = EMOJI.flatMap(([, list]) => list);

export function findEmoji(word, most = 8) {
  const sought = word.toLowerCase();
  const first = ALL.filter((e) => e.words.startsWith(sought));
  const rest = ALL.filter((e) => !e.words.startsWith(sought) && e.words.split(" ").some((w) => w.startsWith(sought)));
  return [...first, ...rest].slice(0, most);
}
