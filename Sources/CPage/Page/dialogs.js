// Windows above the page: each is a <dialog>, closed by Escape, and gives back where one was.

import { T } from "./texts.js";
import { h, plain, put, replaceChildren, sign } from "./dom.js";
import { EMOJI } from "./emoji.js";

const DOUBLE_CLICK = 500;

// Opens one; `fill(body, close)` puts something in. Resolves to what `close` was given, or undefined.
export function open(title, fill, properties = {}) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    let result;
    const close = (value) => {
      result = value;
      dialog.close();
    };
    const body = h("div", { class: "content" });
    const dialog = h(
      "dialog",
      { "aria-label": title, ...properties },
      h("header", {}, h("h2", {}, title), sign("✕", T.close, () => close())),
      body,
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      // The browser gives the focus back by itself, but leaves the caret in what was pressed: keys would go nowhere.
      document.activeElement?.blur();
      if (before?.isConnected) before.focus();
      resolve(result);
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) close();
    });
    // The second click of a double one was for what opened this.
    const opened = performance.now();
    dialog.addEventListener("click", (event) => {
      if (event.detail > 1 && event.timeStamp - opened < DOUBLE_CLICK) event.stopImmediatePropagation();
    }, true);
    document.body.append(dialog);
    fill(body, close);
    dialog.showModal();
    (dialog.querySelector("[data-first]") ??
      dialog.querySelector(".content input, .content textarea, .content button") ?? dialog).focus();
  });
}

// Asks before something is done that takes away.
export async function confirm(title, text, word, isDanger = true) {
  return await open(
    title,
    (body, close) =>
      put(
        body,
        h("p", {}, text),
        h(
          "div",
          { class: "actions" },
          h("button", { type: "button", onclick: () => close(false) }, T.cancel),
          h("button", {
            type: "button",
            class: isDanger ? "danger" : "main",
            dataset: { first: "" },
            onclick: () => close(true),
          }, word),
        ),
      ),
  ) === true;
}

// Does something with the person whose name or key was typed; of several of that name, or strangers, the user chooses.
export async function withPerson(title, typed, act) {
  if (!typed.replace("@", "")) throw new Error(T.badField);
  try {
    return await act(typed.startsWith("@") ? typed : `@${typed}`);
  } catch (error) {
    const candidates = error.data?.candidates;
    if (!candidates?.length) throw error;
    const chosen = await open(
      title,
      (body, close) =>
        put(
          body,
          h("p", {}, plain(error.message)),
          candidates.map((c) => button(`${plain(c.name)} ${c.id.slice(0, 16)}…`, () => close(c.id))),
        ),
    );
    if (!chosen) throw error;
    return await act(`@${chosen}`);
  }
}

// A form of one button; what `act` throws is shown in it, and it stays open.
export function form(fields, word, act, close) {
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const button = h("button", { type: "submit", class: "main" }, word);
  let isBusy = false;
  return h(
    "form",
    {
      class: "form",
      onsubmit: async (event) => {
        event.preventDefault();
        if (isBusy) return;
        isBusy = true;
        problem.hidden = true;
        try {
          const value = await act();
          if (close && value !== undefined) close(value);
        } catch (error) {
          problem.textContent = error.reason === "badParam"
            ? T.badField
            : plain(error.remedy ? `${error.message}; ${error.remedy}` : error.message);
          problem.hidden = false;
        } finally {
          isBusy = false;
        }
      },
    },
    fields,
    problem,
    h("div", { class: "actions" }, button),
  );
}

export function field(label, input) {
  return h("label", { class: "field" }, h("span", {}, label), input);
}

export function note(text, isProblem) {
  const line = h(
    "div",
    { class: isProblem ? "toast problem" : "toast", role: isProblem ? "alert" : "status" },
    plain(text),
  );
  // What is outside of an open window is behind its shade.
  ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(line);
  setTimeout(() => line.remove(), isProblem ? 8000 : 3000);
}

export function told(error) {
  note(error.remedy ? `${error.message}; ${error.remedy}` : error.message, true);
}

export async function copy(text) {
  await navigator.clipboard.writeText(text);
  note(T.copied);
}

// Chooses an emoji.
export function pickEmoji(chosen) {
  open(T.emoji, (body, close) => {
    const grid = h("div", { class: "emoji" });
    const take = (s) => {
      close();
      chosen(s);
    };
    const draw = (sought) =>
      replaceChildren(
        grid,
        EMOJI.map(([group, list]) => {
          const found = list.filter((e) => !sought || e.words.includes(sought));
          return found.length
            ? h(
              "section",
              { "aria-label": group },
              h("h3", {}, group),
              found.map((e) =>
                h(
                  "button",
                  { type: "button", title: e.words, "aria-label": e.words, onclick: () => take(e.sign) },
                  e.sign,
                )
              ),
            )
            : null;
        }),
      );
    const input = h("input", {
      type: "search",
      placeholder: T.emoji,
      "aria-label": T.emoji,
      oninput: () => draw(input.value.trim().toLowerCase()),
      onkeydown: (event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          grid.querySelector("button")?.click();
        }
      },
    });
    draw("");
    put(body, input, grid);
  }, { class: "picker" });
}

// What it does is done once, however often it is pressed meanwhile.
export function button(text, act, kind = "") {
  let isBusy = false;
  const onclick = async (event) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await act(event);
    } finally {
      isBusy = false;
    }
  };
  return h("button", { type: "button", class: kind, onclick }, text);
}

// Does something, and shows what went wrong.
export const doing = (act) => async (...given) => {
  try {
    return await act(...given);
  } catch (error) {
    told(error);
    return undefined;
  }
};
