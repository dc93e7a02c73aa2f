// QR codes of texts: ISO/IEC 18004, bytes, error correction L, drawn as squares of an SVG.

const EC = [
  [7, 1],
  [10, 1],
  [15, 1],
  [20, 1],
  [26, 1],
  [18, 2],
  [20, 2],
  [24, 2],
  [30, 2],
  [18, 4],
  [20, 4],
  [24, 4],
  [26, 4],
  [30, 4],
  [22, 6],
  [24, 6],
  [28, 6],
  [30, 6],
  [28, 7],
  [28, 8],
];
const TOTAL = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346, 404, 466, 532, 581, 655, 733, 815, 901, 991, 1085];
const ALIGN = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
  [6, 30, 54],
  [6, 32, 58],
  [6, 34, 62],
  [6, 26, 46, 66],
  [6, 26, 48, 70],
  [6, 26, 50, 74],
  [6, 30, 54, 78],
  [6, 30, 56, 82],
  [6, 30, 58, 86],
  [6, 34, 62, 90],
];

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i += 1) {
  EXP[i] = x;
  EXP[i + 255] = x;
  LOG[x] = i;
  x = (x << 1) ^ (x & 128 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? EXP[LOG[a] + LOG[b]] : 0);

function correction(data, count) {
  let generator = [1];
  for (let i = 0; i < count; i += 1) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((value, j) => {
      next[j] ^= value;
      next[j + 1] ^= times(value, EXP[i]);
    });
    generator = next;
  }
  const rest = new Uint8Array(count);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest.copyWithin(0, 1);
    rest[count - 1] = 0;
    for (let i = 0; i < count; i += 1) rest[i] ^= times(generator[i + 1], factor);
  }
  return rest;
}

function words(bytes) {
  for (let version = 1; version <= 20; version += 1) {
    const [ec, blocks] = EC[version - 1];
    const capacity = TOTAL[version - 1] - ec * blocks;
    const lengthBits = version < 10 ? 8 : 16;
    if (bytes.length * 8 + 4 + lengthBits > capacity * 8) continue;
    const bits = [];
    const put = (value, count) => {
      for (let i = count - 1; i >= 0; i -= 1) bits.push((value >> i) & 1);
    };
    put(4, 4);
    put(bytes.length, lengthBits);
    for (const byte of bytes) put(byte, 8);
    put(0, Math.min(4, capacity * 8 - bits.length));
    while (bits.length % 8) bits.push(0);
    const data = [];
    for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(""), 2));
    for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad);
    const parts = [];
    const short = Math.floor(capacity / blocks);
    const longs = capacity % blocks;
    let place = 0;
    for (let b = 0; b < blocks; b += 1) {
      const length = short + (b >= blocks - longs ? 1 : 0);
      const part = data.slice(place, place + length);
      place += length;
      parts.push([part, correction(part, ec)]);
    }
    const out = [];
    for (let i = 0; i <= short; i += 1) for (const [part] of parts) if (i < part.length) out.push(part[i]);
    for (let i = 0; i < ec; i += 1) for (const [, rest] of parts) out.push(rest[i]);
    return { version, out };
  }
  return null;
}

// The squares of a code as rows of booleans; null for a text that is too long.
export function squares(text) {
  const made = words(new TextEncoder().encode(text));
  if (!made) return null;
  const { version, out } = made;
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (x, y, value) => {
    if (x >= 0 && y >= 0 && x < size && y < size) dark[y][x] = value;
  };
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let y = -4; y <= 4; y += 1) {
      for (let x = -4; x <= 4; x += 1) {
        const ring = Math.max(Math.abs(x), Math.abs(y));
        set(cx + x, cy + y, ring !== 2 && ring !== 4);
      }
    }
  }
  const places = ALIGN[version - 1];
  for (const cy of places) {
    for (const cx of places) {
      if (dark[cy][cx] !== null) continue;
      for (let y = -2; y <= 2; y += 1) {
        for (let x = -2; x <= 2; x += 1) set(cx + x, cy + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
      }
    }
  }
  for (let i = 8; i < size - 8; i += 1) {
    if (dark[6][i] === null) dark[6][i] = i % 2 === 0;
    if (dark[i][6] === null) dark[i][6] = i % 2 === 0;
  }
  const format = (value) => {
    let rest = value;
    for (let i = 0; i < 10; i += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((value << 10) | rest) ^ 0x5412;
    const bit = (i) => ((bits >> i) & 1) === 1;
    for (let i = 0; i <= 5; i += 1) set(8, i, bit(i));
    set(8, 7, bit(6));
    set(8, 8, bit(7));
    set(7, 8, bit(8));
    for (let i = 9; i < 15; i += 1) set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i += 1) set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i += 1) set(8, size - 15 + i, bit(i));
    set(8, size - 8, true);
  };
  format(8);
  if (version >= 7) {
    let rest = version;
    for (let i = 0; i < 12; i += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let i = 0; i < 18; i += 1) {
      const value = ((bits >> i) & 1) === 1;
      const a = size - 11 + (i % 3);
      const b = Math.floor(i / 3);
      set(a, b, value);
      set(b, a, value);
    }
  }
  let index = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (let j = 0; j < 2; j += 1) {
        const x = right - j;
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (dark[y][x] !== null) continue;
        const bit = index < out.length * 8 && ((out[index >> 3] >> (7 - (index & 7))) & 1) === 1;
        index += 1;
        dark[y][x] = bit !== ((x + y) % 2 === 0);
      }
    }
  }
  return dark;
}

const SVG = "http://www.w3.org/2000/svg";

export function picture(text, label) {
  const dark = squares(text);
  if (!dark) return null;
  const size = dark.length + 8;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const background = document.createElementNS(SVG, "path");
  background.setAttribute("d", `M0 0h${size}v${size}H0z`);
  background.setAttribute("fill", "#fff");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("fill", "#000");
  path.setAttribute("shape-rendering", "crispEdges");
  path.setAttribute(
    "d",
    dark.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join(""),
  );
  svg.append(background, path);
  return svg;
}
