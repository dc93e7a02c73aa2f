// What is heard while somebody calls, and while one calls.

const TONES = {
  ringing: { pitches: [440, 554], every: 2000, lasts: 0.9 },
  calling: { pitches: [425], every: 4000, lasts: 1 },
};

export class Tone {
  begin(kind) {
    this.end();
    const { pitches, every, lasts } = TONES[kind];
    this.context = new AudioContext();
    const sound = () => {
      // Until somebody has touched the page, a browser keeps it silent.
      if (this.context?.state !== "running") return;
      const at = this.context.currentTime;
      const loudness = this.context.createGain();
      loudness.gain.setValueAtTime(0.08, at);
      loudness.gain.setValueAtTime(0, at + lasts);
      loudness.connect(this.context.destination);
      for (const pitch of pitches) {
        const source = this.context.createOscillator();
        source.frequency.value = pitch;
        source.connect(loudness);
        source.start(at);
        source.stop(at + lasts);
      }
    };
    sound();
    this.timer = setInterval(sound, every);
  }

  end() {
    clearInterval(this.timer);
    this.context?.close();
    this.context = undefined;
  }
}
