// How what arranges a call travels: Docs/Protocol/Ephemeral.md. Bytes of others are bounded before they are read.

const KINDS = ["", "ring", "join", "here", "decline", "leave", "offer", "answer", "taken"];
const CALL = 8;
const PART = 1000;
const PARTS = 32;
const DEADLINE = 5000;
const SENDERS = 16;
const SDP = 65536;
const CANDIDATES = 32;

export const newCall = () => hex(crypto.getRandomValues(new Uint8Array(CALL)));

const hex = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
const unhex = (text) => text.match(/../g).map((pair) => parseInt(pair, 16));

// A signal without a description, as bytes.
export function encode({ kind, call, video, reason }) {
  const more = kind === "ring" ? [video ? 1 : 0] : kind === "decline" ? [reason] : [];
  return new Uint8Array([KINDS.indexOf(kind), ...unhex(call), ...more]);
}

// An offer or an answer, deflated and in parts.
export async function encodeDescription({ kind, call, number, sdp }) {
  const stream = new Blob([sdp]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const whole = new Uint8Array(await new Response(stream).arrayBuffer());
  const head = [KINDS.indexOf(kind), ...unhex(call), number];
  const room = PART - head.length - 2;
  const count = Math.ceil(whole.length / room);
  if (count > PARTS) throw new Error("the description is too long");
  return Array.from(
    { length: count },
    (_, n) => new Uint8Array([...head, n, count, ...whole.subarray(n * room, (n + 1) * room)]),
  );
}

// Reads a signal; undefined for what is none.
export function decode(bytes) {
  const kind = KINDS[bytes[0]];
  if (!kind || bytes.length < 1 + CALL) return undefined;
  const call = hex(bytes.subarray(1, 1 + CALL));
  const more = bytes.subarray(1 + CALL);
  if (kind === "ring") return more.length === 1 ? { kind, call, video: more[0] === 1 } : undefined;
  if (kind === "decline") return more.length === 1 ? { kind, call, reason: more[0] } : undefined;
  if (kind !== "offer" && kind !== "answer") return more.length === 0 ? { kind, call } : undefined;
  const [number, n, of] = more;
  if (more.length < 4 || !number || !of || of > PARTS || n >= of) return undefined;
  return { kind, call, number, n, of, part: more.subarray(3) };
}

// Puts parts together: one description of each sender at a time, all of it within five seconds.
export class Parts {
  constructor() {
    this.senders = new Map();
  }

  // Gives the whole once all parts are there.
  take(from, { kind, call, number, n, of, part }, now) {
    for (const [sender, begun] of this.senders) if (now - begun.at > DEADLINE) this.senders.delete(sender);
    const mark = `${kind} ${call} ${number} ${of}`;
    let begun = this.senders.get(from);
    if (begun?.mark !== mark) {
      if (!begun && this.senders.size >= SENDERS) return undefined;
      begun = { mark, at: now, parts: [] };
      this.senders.set(from, begun);
    }
    begun.parts[n] = part;
    for (let index = 0; index < of; index += 1) if (!begun.parts[index]) return undefined;
    this.senders.delete(from);
    return begun.parts;
  }
}

// Inflates a description, and stops where it is longer than any that a browser makes.
export async function inflate(parts) {
  const reader = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > SDP) {
      await reader.cancel();
      throw new Error("the description is too long");
    }
    chunks.push(value);
  }
  return await new Blob(chunks).text();
}

// An address of a host: what comes before it, the address, and the rest.
const HOST = /^(a=candidate:\S+ \d+ \S+ \d+ )(\S+)( \d+ typ host(?: .*)?)$/;
// Private, link-local and unique-local addresses, and the names behind which browsers hide theirs.
const NEAR = new RegExp(
  `^(${
    [
      "(10\\.\\d+|172\\.(1[6-9]|2\\d|3[01])|192\\.168|169\\.254)(\\.\\d+){2}",
      "(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):[0-9a-f:]+",
      "[\\w.-]+\\.local",
    ].join("|")
  })$`,
  "i",
);

// Keeps what leads to this network or to where the link comes from, so that nobody makes a browser ask elsewhere; puts
// the address of the link where the browser hides its own. A browser also ends lines at what is not CR LF.
export function reachable(sdp, address) {
  const isUsable = address && !/^(127\.|::1$|fe80)|%/.test(address);
  let count = 0;
  return sdp.split(/\r\n|\n|\r/).flatMap((line) => {
    if (!/^a=candidate/i.test(line)) return [line];
    const [, before, host, after] = HOST.exec(line) ?? [];
    count += 1;
    if (!host || count > CANDIDATES || host !== address && !NEAR.test(host)) return [];
    return [isUsable && /\.local$/i.test(host) ? `${before}${address}${after}` : line];
  }).join("\r\n");
}
