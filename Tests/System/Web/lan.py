"""Hosts beside each other for calls: each with a daemon, a browser and an address of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pages  # noqa: F401  Finds the drivers.
from pages import CHROMIUM, FIREFOX, Desk
from playwright.sync_api import Browser, Page, Playwright

from Driver.checks import Checks
from Driver.daemon import COMMAND_SECONDS, Daemon, Programs
from Driver.network import OwnNetwork
from Driver.process import until

NAMES = ["ada", "ben", "cyn"]
ON_THE_LAN = ["--interface", "eth0", "--discovery", "embedded"]
FAKES = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
# The same for Firefox.
FAKE_DEVICES = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "media.autoplay.default": 0,
}
ALWAYS = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
# What somebody sees and hears of the others: frames that were shown, and the loudest sample. Sound that is due is
# waited for, since the invented microphone beeps once a second; where none is due, three seconds of it are enough.
MEDIA = """async (isDue) => {
    const videos = [...document.querySelectorAll(".talk figure[data-peer] video")];
    const context = new AudioContext();
    await context.resume();
    const all = await Promise.all(videos.map(async (video) => {
        const analyser = context.createAnalyser();
        context.createMediaStreamSource(video.srcObject).connect(analyser);
        const samples = new Float32Array(analyser.fftSize);
        let loudest = 0;
        for (let step = 0; step < (isDue ? 1200 : 60) && loudest < 0.01; step += 1) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            analyser.getFloatTimeDomainData(samples);
            loudest = Math.max(loudest, ...samples.map(Math.abs));
        }
        return [video.getVideoPlaybackQuality().totalVideoFrames, loudest];
    }));
    await context.close();
    return all;
}"""


class Host(Daemon):
    """A daemon on a host of its own; commands run there, too."""

    def stoa(self, *words: str, text: str = "") -> tuple[int, str, str]:
        done = subprocess.run(
            [*map(str, self.wrapper), str(self.programs.stoa), "--socket", str(self.socket), *words],
            input=text,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            env=self.environment,
        )
        return done.returncode, done.stdout, done.stderr


class Lan(Desk):
    """Hosts beside each other, each with a daemon and a browser."""

    def __init__(self, programs: Path, folder: Path, playwright: Playwright, checks: Checks) -> None:
        self.folder, self.checks, self.playwright = folder, checks, playwright
        folder.mkdir(parents=True, exist_ok=True)
        self.contexts, self.faults, self.browsers = [], [], {}
        self.programs = Programs.within(programs)
        self.networks: list[OwnNetwork] = []
        self.hosts: dict[str, Host] = {}
        run = ["ip", "link", "add", "lan", "type", "bridge", "mcast_snooping", "0"]
        subprocess.run(run, check=True)
        subprocess.run(["ip", "link", "set", "lan", "up"], check=True)
        for name in NAMES:
            self.add(name)
        self.ada, self.ben, self.cyn = (self.hosts[name] for name in NAMES)

    def add(self, name: str) -> Host:
        network = OwnNetwork()
        self.networks.append(network)
        number = len(self.networks)
        end, process = f"port{number}", str(network.process.pid)
        line = ["ip", "link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", process]
        subprocess.run(line, check=True)
        subprocess.run(["ip", "link", "set", end, "master", "lan", "up"], check=True)
        inside = [*network.wrapper, "ip"]
        subprocess.run([*inside, "address", "add", f"10.77.0.{number}/24", "dev", "eth0"], check=True)
        subprocess.run([*inside, "link", "set", "eth0", "up"], check=True)
        # An address of IPv6 comes late, once nobody else is found to have it: a browser then gives up what it loads.
        until(
            f"{name} has its addresses",
            lambda: not subprocess.check_output([*inside, "-6", "address", "show", "tentative"])
            and subprocess.check_output([*inside, "-6", "address", "show", "dev", "eth0"]),
        )
        # A page that may use no device learns only of the address that leads out.
        subprocess.run([*inside, "route", "add", "default", "via", "10.77.0.254"], check=True)
        arguments = [*ON_THE_LAN, "--name", name]
        self.hosts[name] = Host(self.programs, self.folder, name, arguments, wrapper=network.wrapper)
        return self.hosts[name]

    def begin(self) -> None:
        for daemon in self.hosts.values():
            daemon.start()
            daemon.call("join", room="meeting")
        people = {name: "@" + daemon.call("status")["person"] for name, daemon in self.hosts.items()}
        for name, daemon in self.hosts.items():
            others = [other for other in NAMES if other != name]
            until(
                f"{name} is linked to all",
                lambda d=daemon: sum(peer["state"] == "linked" for peer in d.every("peers")) == len(NAMES) - 1,
            )
            until(
                f"{name} knows all by name",
                lambda d=daemon, o=others: set(o) <= {m["name"] for m in d.every("members", to="meeting")},
            )
            for other in others:
                daemon.call("addPerson", person=people[other])
        for other in ("ben", "cyn"):
            self.ada.call("createConversation", person="@" + other)
            self.hosts[other].call("createConversation", person="@ada")
        self.cyn.call("createConversation", person="@ben")
        self.ben.call("createConversation", person="@cyn")

    def launch(self, name: str, *flags: str) -> Browser:
        """A browser on a host; the same one for the same flags."""
        key = (name, flags)
        if key not in self.browsers:
            script = self.folder / f"browser-{name}"
            wrapper = " ".join(self.hosts[name].wrapper)
            script.write_text(f'#!/bin/sh\nexec {wrapper} {CHROMIUM} "$@"\n')
            script.chmod(0o755)
            self.browsers[key] = self.playwright.chromium.launch(
                executable_path=script, args=[*ALWAYS, *flags]
            )
        return self.browsers[key]

    def firefox(self) -> tuple[Host, Browser]:
        """One more host, whose browser is Firefox: what drives it must reach it, so it is on the network of the test."""
        subprocess.run(["ip", "address", "add", "10.77.0.200/24", "dev", "lan"], check=True)
        subprocess.run(["ip", "route", "add", "default", "via", "10.77.0.254"], check=True)
        arguments = ["--interface", "lan", "--discovery", "embedded", "--name", "fox"]
        self.hosts["fox"] = Host(self.programs, self.folder, "fox", arguments)
        self.browsers[("fox", FIREFOX)] = self.playwright.firefox.launch(
            channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=FAKE_DEVICES
        )
        return self.hosts["fox"], self.browsers[("fox", FIREFOX)]

    def page(
        self, name: str, *words: str, flags: list[str] = FAKES, script: str = "", browser: Browser | None = None
    ) -> Page:
        self.browser = browser or self.launch(name, *flags)
        context = self.context()
        if flags and not self.is_firefox:
            context.grant_permissions(["camera", "microphone"])
        if script:
            context.add_init_script(script)
        page = context.new_page()
        self.watch(page)
        page.goto(self.redirect(self.hosts[name], *words).as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    def cost(self, name: str) -> tuple[int, float]:
        """What a host has sent, in bytes, and what its browser has computed, in seconds."""
        network = self.networks[list(self.hosts).index(name)]
        lines = Path(f"/proc/{network.process.pid}/net/dev").read_text().splitlines()
        sent = next(int(line.split(":")[1].split()[8]) for line in lines if "eth0" in line)
        own, ticks = os.readlink(f"/proc/{network.process.pid}/ns/net"), 0
        for folder in Path("/proc").iterdir():
            try:
                if "chromium" in os.readlink(folder / "exe") and os.readlink(folder / "ns/net") == own:
                    ticks += sum(map(int, (folder / "stat").read_text().rsplit(")", 1)[1].split()[11:13]))
            except OSError:
                continue
        return sent, ticks / os.sysconf("SC_CLK_TCK")

    def leave(self) -> None:
        """Closes all pages; the next part begins with new ones."""
        for context in self.contexts:
            context.close()
        self.contexts = []

    def close(self) -> None:
        self.leave()
        for browser in self.browsers.values():
            browser.close()
        for daemon in self.hosts.values():
            while process := self.program(daemon):
                os.kill(process, signal.SIGTERM)
                until("stoa-web ends", lambda p=process: not Path(f"/proc/{p}/exe").exists())
        for daemon in self.hosts.values():
            daemon.stop()
        for network in self.networks:
            network.close()
