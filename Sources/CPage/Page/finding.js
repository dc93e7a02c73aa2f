// Finding: messages by their words or their day, conversations by a few letters.

import { T } from "./texts.js";
import { h, personName, plain, put, replaceChildren } from "./dom.js";
import { field, form, open, told } from "./dialogs.js";
import { shortTime } from "./words.js";

// `show` opens a conversation, `title` says how one is called.
export function makeFinding({ link, model, log, show, title }) {
  return { search, switcher, goToDate };

  function search() {
    open(T.search, (body, close) => {
      const words = h("input", {
        type: "search",
        dataset: { first: "" },
        "aria-label": T.searchFor,
        placeholder: T.searchFor,
      });
      const here = h("input", { type: "checkbox" });
      const results = h("ul", { class: "results", "aria-live": "polite" });
      let offset = 0;
      const find = async (more) => {
        offset = more ? offset + 30 : 0;
        const { hits, more: isMore } = await link.call("search", {
          words: words.value.trim(),
          order: "newest",
          limit: 30,
          offset,
          ...(here.checked ? { to: model.current } : {}),
        });
        if (!more) results.replaceChildren();
        results.querySelector(".more")?.remove();
        results.append(
          ...hits.map(({ message: m, excerpt: parts }) =>
            h(
              "li",
              {},
              h(
                "button",
                {
                  type: "button",
                  class: "result",
                  onclick: () => {
                    close();
                    show(m.conversation, { around: m.id });
                  },
                },
                h(
                  "span",
                  { class: "name" },
                  h("bdi", {}, personName(m.authorName, m.ambiguous, m.author)),
                  " · ",
                  h("bdi", {}, plain(m.conversationName)),
                  " · ",
                  shortTime(m.time),
                ),
                h(
                  "span",
                  { class: "excerpt", dir: "auto" },
                  parts.map((p) => (p.match ? h("mark", {}, plain(p.text)) : plain(p.text))),
                ),
              ),
            )
          ),
        );
        if (!results.children.length) results.append(h("li", { class: "empty" }, T.nothingFound));
        if (isMore) {
          results.append(h(
            "li",
            { class: "more" },
            h("button", { type: "button", onclick: () => find(true).catch(told) }, T.moreResults),
          ));
        }
      };
      put(body, form([words, model.current ? field(T.inThis, here) : null], T.search, () => find(false)), results);
    }, { class: "wide" });
  }

  function switcher() {
    open(T.switcher, (body, close) => {
      const input = h("input", { type: "search", dataset: { first: "" }, "aria-label": T.switcher });
      const results = h("ul", { class: "people" });
      const draw = () => {
        const sought = input.value.trim().toLocaleLowerCase();
        replaceChildren(
          results,
          model.listed(true).filter((c) => title(c).toLocaleLowerCase().includes(sought)).slice(0, 12).map((c) =>
            h(
              "li",
              {},
              h(
                "button",
                {
                  type: "button",
                  class: "row",
                  onclick: () => {
                    close();
                    show(c.id);
                  },
                },
                h("bdi", {}, title(c)),
                h("span", { class: "state" }, c.unread ? T.unread(c.unread) : ""),
              ),
            )
          ),
        );
      };
      input.oninput = draw;
      body.onkeydown = (event) => {
        const buttons = [...results.querySelectorAll("button")];
        const place = buttons.indexOf(document.activeElement);
        if (event.key === "ArrowDown") {
          event.preventDefault();
          buttons[Math.min(buttons.length - 1, place + 1)]?.focus();
        } else if (event.key === "ArrowUp") {
          event.preventDefault();
          (buttons[place - 1] ?? input).focus();
        } else if (event.key === "Enter" && place < 0) {
          event.preventDefault();
          buttons[0]?.click();
        }
      };
      draw();
      put(body, input, results);
    });
  }

  function goToDate() {
    open(T.goToDate, (body, close) => {
      const day = h("input", { type: "date", dataset: { first: "" }, required: true });
      put(
        body,
        form([field(T.goToDate, day)], T.jumpTo, async () => {
          const since = new Date(`${day.value}T00:00:00`);
          await model.open(model.current, { since: since.toISOString() });
          log.scroll.scrollTop = 0;
          return true;
        }, close),
      );
    });
  }
}
