// The virtual clock that all drawings follow.

/** What a frame takes where nobody has measured yet, and at most: a tab that slept goes on where it was, it does not jump. */
const FRAME_MS = 1000 / 60;
const SLEPT_MS_MAX = 200;

export class Clock {
  /** @param onTick is called after every change of the instant */
  constructor(onTick) {
    this.onTick = onTick;
    this.ps = 0;
    this.endPs = 1;
    this.slowDown = 1;
    this.playing = false;
    this.frames = 0;
  }

  /** Virtual time that passes in a frame [ps]. */
  get framePs() {
    return FRAME_MS * 1e9 / this.slowDown;
  }

  play() {
    if (this.playing) return;
    if (this.ps >= this.endPs) this.ps = 0;
    this.playing = true;
    let last = performance.now();
    const frame = now => {
      if (!this.playing) return;
      requestAnimationFrame(frame);
      const passed = Math.max(0, Math.min(now - last, SLEPT_MS_MAX));
      last = now;
      this.frames++;
      this.ps = Math.min(this.endPs, this.ps + passed * 1e9 / this.slowDown);
      if (this.ps >= this.endPs) this.playing = false;
      this.onTick();
    };
    requestAnimationFrame(frame);
    this.onTick();
  }

  pause() {
    this.playing = false;
    this.onTick();
  }

  seek(ps) {
    this.ps = Math.max(0, Math.min(this.endPs, Math.round(ps)));
    this.onTick();
  }
}
