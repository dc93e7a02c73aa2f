"""Presses by the keyboard what a script would click: Tab and the keys of the log lead there, Enter presses it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

# More than there is to reach in a page of these tests.
STEPS = 200
HAS_FOCUS = "element => element === document.activeElement"


def press(target: Locator, **_: Any) -> None:
    page = target.page
    target.wait_for(state="attached")
    if target.evaluate("element => element.closest('.message[data-id]') !== null"):
        page.focus(".composer textarea")
        page.keyboard.press("Shift+Tab")
        inside = "element => element.closest('.message') === document.activeElement"
        walk(page, "ArrowUp", target, inside)
    walk(page, "Tab", target, HAS_FOCUS)
    page.keyboard.press("Enter")


def walk(page: Page, key: str, target: Locator, condition: str) -> None:
    for _ in range(STEPS):
        if target.evaluate(condition):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {target}")


def install() -> None:
    """From here on nothing is clicked, and nothing is pointed at."""
    Page.click = lambda self, selector, **_: press(self.locator(selector))  # type: ignore[method-assign]
    Locator.click = press  # type: ignore[method-assign]
    Locator.hover = lambda self, **_: None  # type: ignore[method-assign]
