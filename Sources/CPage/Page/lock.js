// What a locked node shows: a field for the passphrase, and nothing else.

import { T } from "./texts.js";
import { h, replaceChildren } from "./dom.js";
import { field, form } from "./dialogs.js";

export const LOCKED = -32014;

// `app` is where it is drawn; `goOn` shows the page again.
export function makeLock({ app, link, model, goOn }) {
  let input = null;
  return {
    show() {
      input = h("input", { type: "password", autocomplete: "off", spellcheck: false });
      replaceChildren(
        app,
        h(
          "main",
          { class: "alone" },
          h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }),
          h("h1", {}, T.nodeLocked),
          h("p", {}, T.nodeLockedText),
          form([field(T.passphrase, input)], T.unlock, unlock),
        ),
      );
      input.focus();
    },
    get isShown() {
      return input?.isConnected === true;
    },
    // Whether something is typed: it must not go on in the line of a conversation.
    get isTyping() {
      return this.isShown && input.value !== "";
    },
  };

  async function unlock() {
    const passphrase = input.value;
    // Whatever comes of it, it is in no field any more.
    input.value = "";
    if (model.isUp) await goOn();
    else if (passphrase) await link.call("unlock", { passphrase });
  }
}
