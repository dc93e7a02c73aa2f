// Making elements. Text only ever becomes text: nothing here parses markup.

import { T } from "./texts.js";

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && !name.startsWith("aria") && name !== "role" && name !== "list") {
      element[name] = value;
    } else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
  return element;
}

// A button with a sign that people see and words that say what it does.
export function sign(text, label, onclick, properties = {}) {
  return h(
    "button",
    { type: "button", class: "sign", title: label, "aria-label": label, onclick, ...properties },
    h("span", { "aria-hidden": "true" }, text),
  );
}

// Control and invisible characters, and those that turn the direction of reading.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

// A name or a title: one line, in which nothing is invisible.
export function plain(text) {
  return String(text ?? "").replace(
    HIDDEN,
    (c) => `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

// A text in lines: as written, but for what nobody could see.
export function shown(text) {
  return String(text ?? "").replace(
    HIDDEN,
    (c) =>
      c === "\n" || c === "\t" || c === "\u200e" || c === "\u200f"
        ? c
        : `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

// A text in one line, as an excerpt of it.
export function oneLine(text) {
  return plain(String(text ?? "").replace(/\s+/g, " "));
}

// Who somebody is: the beginning of the key beside a name that could be another's.
export function personName(name, ambiguous, id) {
  const text = plain(name) || "?";
  return ambiguous ? `${text} (${String(id).slice(0, 12)})` : text;
}

// A picture of somebody's once it is known how large it is: browsers unpack one only when they paint it.
export function picture(address, properties, pixels) {
  return new Promise((resolve, reject) => {
    const image = h("img", { ...properties, decoding: "async", src: address });
    image.onload = () =>
      image.naturalWidth * image.naturalHeight <= pixels ? resolve(image) : reject(new Error(T.tooLargePicture));
    image.onerror = () => reject(new Error(T.notPicture));
  });
}

export function put(element, ...children) {
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
}

export function replaceChildren(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
}

const HOST = /^[a-z0-9.-]+(:\d+)?$/i;

// A text with its links to web pages. A host that could mislead, or one with a user before it, is no link.
export function linked(text) {
  const parts = [];
  let place = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`]+/gi)) {
    // Cut by a character that nobody sees: it would lead elsewhere than its author wrote.
    if (text.startsWith("<U+", match.index + match[0].length)) continue;
    const address = match[0].replace(/[.,;:!?)\]}]+$/, "");
    const authority = address.replace(/^https?:\/\//i, "").split(/[/?#]/)[0];
    if (!HOST.test(authority)) continue;
    let href;
    try {
      href = new URL(address).href;
    } catch {
      continue;
    }
    parts.push(text.slice(place, match.index), h("a", { href, target: "_blank", rel: "noopener noreferrer" }, address));
    place = match.index + address.length;
  }
  parts.push(text.slice(place));
  return parts;
}

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < 4) {
    count /= 1000;
    unit += 1;
  }
  return `${unit && count < 10 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}
