// The virtual clock that all drawings follow.

/** A frame at most every 50 ms, 20 a second. */
const FRAME_MS = 50;

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
    this.last = performance.now();
    this.due = this.last + FRAME_MS;
    const frame = now => {
      if (!this.playing) return;
      requestAnimationFrame(frame);
      const passed = now - this.last;
      // A screen whose frames nearly divide 50 ms is let be a millisecond early, and pays it back in the next frame.
      if (now < this.due - 1) return;
      this.due = Math.max(this.due + FRAME_MS, now + FRAME_MS / 2);
      this.last = now;
      this.frames++;
      // A tab that slept goes on where it was, it does not jump.
      this.ps = Math.min(this.endPs, this.ps + Math.min(passed, 4 * FRAME_MS) * 1e9 / this.slowDown);
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
