// What one sees before there is a conversation: oneself, who is around, three things to try.

import { T } from "./texts.js";
import { h, personName, plain, replaceChildren } from "./dom.js";
import { field, form, told } from "./dialogs.js";

// `start` is where it is drawn, `show` opens a conversation.
export function makeStart({ start, link, model, windows, devices, faces, show }) {
  const { picture, forgetPicture } = faces;
  return drawStart;

  function drawStart() {
    if (start.hidden) return;
    const name = h("input", { value: model.me.name, autocomplete: "name", maxLength: 60 });
    const others = model.peers.filter((p) => p.state === "linked" && p.tier !== "own").slice(0, 12);
    const rooms = model.rooms.filter((r) => !r.joined).slice(0, 12);
    const go = (call) => async () => {
      try {
        const made = await call();
        await model.loadConversations();
        await show((made.conversation ?? made).id);
      } catch (error) {
        told(error);
      }
    };
    if (start.contains(document.activeElement) && document.activeElement.tagName === "INPUT") return;
    replaceChildren(
      start,
      h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }),
      h("h1", {}, T.welcome),
      h("p", {}, T.welcomeText),
      h(
        "div",
        { class: "profile" },
        picture(model.me.id, model.me.name, "huge"),
        windows.chooser(() => {
          forgetPicture(model.me.id);
          drawStart();
        }),
      ),
      form([field(T.yourName, name)], T.save, async () => {
        await link.call("profile", { name: name.value.trim() });
        model.refreshMe();
      }),
      h("h2", {}, T.around),
      others.length
        ? h(
          "ul",
          { class: "people" },
          others.map((p) =>
            h(
              "li",
              {},
              h(
                "button",
                {
                  type: "button",
                  class: "row",
                  onclick: go(() => windows.begin(`@${p.person ?? p.id}`)),
                },
                picture(p.person ?? p.id, p.name),
                h("bdi", {}, personName(p.name, p.ambiguous, p.id)),
                h("span", { class: "state" }, T[p.presence] ?? ""),
              ),
            )
          ),
        )
        : h("p", {}, T.nobodyAround),
      rooms.length
        ? [
          h("h2", {}, T.roomsAround),
          h(
            "ul",
            { class: "people" },
            rooms.map((r) =>
              h(
                "li",
                {},
                h(
                  "button",
                  {
                    type: "button",
                    class: "row",
                    onclick: go(() => link.call("join", { room: r.name })),
                  },
                  h("span", { class: "face room", "aria-hidden": "true" }, "#"),
                  h("bdi", {}, plain(r.name)),
                  h("span", { class: "state" }, T.memberCount(r.members)),
                ),
              )
            ),
          ),
        ]
        : null,
      h("h2", {}, T.tryThis),
      h(
        "ul",
        { class: "try" },
        h("li", {}, h("button", { type: "button", onclick: () => windows.newConversation() }, T.try1)),
        h("li", {}, h("button", { type: "button", onclick: () => windows.newConversation() }, T.try2)),
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", onclick: go(() => link.call("createConversation", { person: "@me" })) },
            T.try3,
          ),
        ),
      ),
      model.conversations.size
        ? null
        : h("p", {}, h("button", { type: "button", class: "quiet", onclick: () => devices.open() }, T.becomeDevice)),
    );
  }
}
