// Times and messages in words.

import { T } from "./texts.js";
import { oneLine } from "./dom.js";

const format = (options) => {
  const f = new Intl.DateTimeFormat(undefined, options);
  return (time) => f.format(new Date(time));
};
const clockFormat = format({ hour: "2-digit", minute: "2-digit" });
const dayFormat = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const dateFormat = format({ day: "numeric", month: "short" });
const fullFormat = format({ dateStyle: "full", timeStyle: "medium" });

export function clock(time) {
  return clockFormat(time);
}
export function day(time) {
  return dayFormat(time);
}
export function fullTime(time) {
  return fullFormat(time);
}
export function shortTime(time) {
  return new Date(time).toDateString() === new Date().toDateString() ? clockFormat(time) : dateFormat(time);
}

// What became of a call.
export function callLine(m, name = oneLine(m.authorName)) {
  const seconds = m.call.seconds;
  return (T.callLine[m.call.outcome] ?? T.callLine.failed)(
    name,
    `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`,
  );
}

export function excerpt(m) {
  if (m.call) return callLine(m);
  if (m.file) return oneLine(`📄 ${m.file.name}${m.text ? `: ${m.text}` : ""}`);
  if (m.kind === "join") return T.joined(m.authorName);
  if (m.kind === "leave") return T.left(m.authorName);
  if (m.kind === "topic") return T.topic(m.authorName, m.text);
  if (m.kind === "action") return oneLine(T.action(m.authorName, m.text));
  if (m.kind === "location") return `${T.location} ${m.text}`;
  return oneLine(m.text.slice(0, 300));
}
