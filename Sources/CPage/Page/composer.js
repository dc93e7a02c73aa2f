// The line in which people write, with what it completes and what is dropped on it.

import { T } from "./texts.js";
import { bytes, h, plain, replaceChildren, sign } from "./dom.js";
import { findEmoji } from "./emoji.js";

const TEXT_BYTES = 65000;
const TYPING_EVERY = 3000;
const size = (text) => new TextEncoder().encode(text).length;

export class Composer {
  constructor(model, act) {
    this.model = model;
    this.act = act;
    this.id = "";
    this.replyTo = null;
    this.editing = null;
    this.typedAt = 0;
    this.line = h("textarea", {
      rows: 1,
      dir: "auto",
      spellcheck: true,
      autocomplete: "off",
      "aria-autocomplete": "list",
      oninput: () => this.typed(),
      onkeydown: (event) => this.key(event),
      onpaste: (event) => this.pasted(event),
      onblur: () => setTimeout(() => document.activeElement === this.line || this.offer([]), 150),
    });
    this.choices = h("ul", { class: "choices", role: "listbox", id: "choices", hidden: true });
    this.line.setAttribute("aria-controls", "choices");
    this.about = h("div", { class: "about", hidden: true });
    this.problem = h("div", { class: "problem", role: "alert", hidden: true });
    this.files = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      onchange: () => {
        this.give([...this.files.files]);
        this.files.value = "";
      },
    });
    this.transfers = h("div", { class: "transfers" });
    this.element = h(
      "form",
      {
        class: "composer",
        onsubmit: (event) => {
          event.preventDefault();
          this.submit();
        },
      },
      this.transfers,
      this.about,
      this.problem,
      this.choices,
      h(
        "div",
        { class: "row" },
        sign("📎", T.attach, () => this.files.click()),
        this.files,
        this.line,
        sign("☺", T.emoji, () => this.act.pickEmoji((s) => this.insert(s))),
        h("button", { type: "submit", class: "send", "aria-label": T.send, title: T.send }, "➤"),
      ),
    );
  }

  // ---- Drafts

  show(id) {
    if (this.id === id) return;
    this.id = id;
    const draft = this.model.note(`draft:${id}`) ?? {};
    this.line.value = draft.text ?? "";
    this.replyTo = draft.replyTo ?? null;
    this.editing = draft.editing ?? null;
    const conversation = this.model.conversations.get(id);
    this.line.placeholder = conversation ? T.write(this.act.title(conversation)) : "";
    this.line.setAttribute("aria-label", this.line.placeholder);
    this.problem.hidden = true;
    this.drawAbout();
    this.grow();
  }

  keepDraft() {
    const text = this.line.value;
    const draft = text || this.replyTo || this.editing
      ? { text, replyTo: this.replyTo ?? undefined, editing: this.editing ?? undefined }
      : undefined;
    this.model.keep(`draft:${this.id}`, draft);
  }

  reply(message) {
    this.editing = null;
    this.replyTo = { id: message.id, name: message.authorName, text: this.act.excerpt(message).slice(0, 200) };
    this.changed();
  }

  edit(message) {
    this.replyTo = null;
    this.editing = { id: message.id };
    this.line.value = message.text;
    this.changed();
  }

  changed() {
    this.drawAbout();
    this.grow();
    this.keepDraft();
    this.focus();
  }

  drawAbout() {
    this.about.hidden = !this.replyTo && !this.editing;
    replaceChildren(
      this.about,
      this.editing
        ? T.editing
        : this.replyTo
        ? [T.replyingTo(plain(this.replyTo.name)), ": ", h("bdi", {}, plain(this.replyTo.text))]
        : [],
      sign("✕", T.cancel, () => this.cancel()),
    );
  }

  cancel() {
    if (this.editing) this.line.value = "";
    this.replyTo = null;
    this.editing = null;
    this.changed();
  }

  // ---- Typing

  typed() {
    this.grow();
    this.keepDraft();
    this.problem.hidden = true;
    if (this.line.value && !this.editing && Date.now() - this.typedAt > TYPING_EVERY && this.model.isUp) {
      this.typedAt = Date.now();
      this.model.link.call("typing", { to: this.id }).catch(() => {});
    }
    this.complete();
  }

  grow() {
    this.line.rows = 1;
    while (this.line.rows < 10 && this.line.scrollHeight > this.line.clientHeight + 4) this.line.rows += 1;
    // With the one row there was more room for messages, which has moved them.
    this.act.grown();
  }

  focus() {
    this.line.focus();
  }

  insert(text) {
    this.line.setRangeText(text, this.line.selectionStart, this.line.selectionEnd, "end");
    this.typed();
    this.focus();
  }

  key(event) {
    if (!this.choices.hidden) {
      const steps = { ArrowDown: 1, ArrowUp: -1 };
      if (event.key in steps) {
        event.preventDefault();
        this.pick(steps[event.key]);
        return;
      }
      if (event.key === "Enter" || event.key === "Tab") {
        event.preventDefault();
        this.take();
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        this.offer([]);
        return;
      }
    }
    if (event.key === "Enter" && !event.isComposing) {
      const sends = this.act.enterSends() ? !event.shiftKey : event.ctrlKey;
      if (sends) {
        event.preventDefault();
        this.submit();
      }
    } else if (event.key === "Escape" && (this.replyTo || this.editing)) {
      event.preventDefault();
      this.cancel();
    } else if (event.key === "ArrowUp" && !this.line.value && !event.altKey) {
      const own = this.model.log?.messages.filter((m) => m.own && m.kind === "text").at(-1);
      if (own) {
        event.preventDefault();
        this.edit(own);
      }
    } else if (event.key === "Tab" && event.shiftKey) {
      event.preventDefault();
      this.act.enterLog();
    }
  }

  // ---- Completion

  complete() {
    const before = this.line.value.slice(0, this.line.selectionStart);
    const person = /(?:^|\s)@([\p{L}\p{N}._-]*)$/u.exec(before);
    const emoji = /(?:^|\s):([a-z0-9_+-]{2,})$/i.exec(before);
    if (person) {
      const sought = person[1].toLocaleLowerCase();
      const members = (this.model.members.get(this.id) ?? []).filter((m) =>
        m.tier !== "own" &&
        m.name.toLocaleLowerCase().split(/\s+/).concat(m.name.toLocaleLowerCase()).some((w) => w.startsWith(sought))
      );
      this.offer(
        members.slice(0, 8).map((m) => ({
          text: this.mention(m),
          label: this.act.name(m.name, m.ambiguous, m.id),
          length: person[1].length + 1,
        })),
      );
    } else if (emoji) {
      this.offer(
        findEmoji(emoji[1]).map((e) => ({ text: e.sign, label: `${e.sign} ${e.words}`, length: emoji[1].length + 1 })),
      );
    } else this.offer([]);
  }

  // A name that others have too, or that is more than a word, is written as the key.
  mention(member) {
    const names = (this.model.members.get(this.id) ?? []).filter((m) =>
      m.name.toLocaleLowerCase() === member.name.toLocaleLowerCase()
    );
    return member.ambiguous || names.length > 1 || !/^[\p{L}\p{N}._-]+$/u.test(member.name)
      ? `@${member.id.slice(0, 12)}`
      : `@${member.name}`;
  }

  offer(list) {
    this.offered = list;
    this.chosen = 0;
    this.choices.hidden = !list.length;
    replaceChildren(
      this.choices,
      list.map((entry, index) =>
        h("li", {
          role: "option",
          id: `choice-${index}`,
          "aria-selected": String(index === 0),
          onmousedown: (event) => {
            event.preventDefault();
            this.chosen = index;
            this.take();
          },
        }, h("bdi", {}, entry.label))
      ),
    );
    this.pick(0);
  }

  pick(step) {
    if (!this.offered.length) {
      this.line.removeAttribute("aria-activedescendant");
      return;
    }
    this.chosen = (this.chosen + step + this.offered.length) % this.offered.length;
    [...this.choices.children].forEach((node, index) =>
      node.setAttribute("aria-selected", String(index === this.chosen))
    );
    this.line.setAttribute("aria-activedescendant", `choice-${this.chosen}`);
  }

  take() {
    const entry = this.offered[this.chosen];
    const end = this.line.selectionStart;
    this.line.setRangeText(`${entry.text} `, end - entry.length, end, "end");
    this.offer([]);
    this.typed();
  }

  // ---- Sending

  async submit() {
    const text = this.line.value.replace(/\s+$/, "");
    const { id, replyTo, editing } = this;
    if (!text.trim() || !id) return;
    if (size(text) > TEXT_BYTES) {
      this.tell(T.tooLong(size(text), TEXT_BYTES));
      return;
    }
    const action = /^\/me\s+([^]+)$/.exec(text);
    try {
      if (editing) await this.model.link.call("edit", { id: editing.id, text });
      else {
        // The line is free at once; what was in it is kept until the program has it.
        this.empty();
        this.act.sent();
        await this.model.post({
          to: id,
          text: action ? action[1] : text,
          ...(action ? { kind: "action" } : {}),
          ...(replyTo && !action ? { replyTo: replyTo.id } : {}),
        }, { draft: `draft:${id}` });
        return;
      }
      this.clear();
    } catch (error) {
      if (!editing && this.id === id && !this.line.value) {
        this.line.value = text;
        this.replyTo = replyTo;
        this.changed();
      }
      this.tell(error.remedy ? `${error.message}; ${error.remedy}` : error.message);
    }
  }

  empty() {
    this.line.value = "";
    this.replyTo = null;
    this.editing = null;
    this.typedAt = 0;
    this.drawAbout();
    this.grow();
    this.focus();
  }

  clear() {
    this.empty();
    this.keepDraft();
  }

  tell(text) {
    this.problem.textContent = plain(text);
    this.problem.hidden = false;
  }

  // ---- Files

  pasted(event) {
    const files = [...event.clipboardData.files];
    if (!files.length) return;
    event.preventDefault();
    this.give(files);
  }

  // Shows what would be sent, asks for a word about it, and hands it over with its progress.
  async give(files) {
    if (!files.length || !this.id) return;
    const { id } = this;
    const caption = await this.act.askForFiles(files);
    if (caption === null) return;
    let text = caption;
    for (const file of files) {
      const abort = new AbortController();
      const bar = h("progress", { max: 1, value: 0, "aria-label": plain(file.name) });
      const row = h(
        "div",
        { class: "transfer", role: "status" },
        h("bdi", {}, plain(file.name)),
        ` ${bytes(file.size)} `,
        bar,
        sign("✕", T.cancel, () => abort.abort()),
      );
      this.transfers.append(row);
      try {
        const number = await this.model.link.upload(file, (part) => {
          bar.value = part;
        }, abort.signal);
        await this.model.post({
          to: id,
          text,
          file: { name: file.name || "file", ...(file.type ? { type: file.type } : {}) },
        }, { upload: number });
        text = "";
        row.remove();
      } catch (error) {
        if (error.reason === "cancelled") {
          row.remove();
          continue;
        }
        replaceChildren(
          row,
          h("bdi", {}, plain(file.name)),
          ` ${T.failed} ${plain(error.message)} `,
          sign("✕", T.discard, () => row.remove()),
        );
      }
    }
  }
}
