// Into the cluster without a cut: a node, a NIC, one chunk. The clock slows down with it.

/** How long the way to another level takes. */
const WAY_MS = 700;
/** What a level shows, and how many times as large as its device. */
const LEVELS = [
  {name: 'the cluster'},
  {name: 'node 0', margin: 1.1, slower: 1},
  {name: 'a NIC', margin: 5, slower: 4096},
  {name: 'one chunk', slower: 4096},
];
/** Around a chunk that is followed [px]. */
const CHUNK_SIGHT = 150;

export class Zoom {
  constructor(page) {
    this.page = page;
    this.reset();
  }

  /** The whole cluster. */
  reset() {
    Object.assign(this, {level: 0, from: 0, share: 1});
    document.body.dataset.level = 0;
    document.getElementById('closer').textContent = 'Closer';
  }

  /** One level further in, or from the last one out to the cluster. */
  async enter() {
    const {page} = this;
    // There is nothing to come closer to yet.
    if (!page.panels.some(panel => panel.recording)) return;
    page.clock.pause();
    const next = (this.level + 1) % LEVELS.length;
    if (next === 2 && !await page.toTraffic(recording => this.nic(recording))) return;
    if (next === 3) await page.followAnother();
    if (next === 3 && !page.panels.some(panel => panel.followed)) return;
    await this.go(next);
  }

  /** Back by a level; false where there is none. */
  leave() {
    if (!this.level) return false;
    this.go(this.level - 1);
    return true;
  }

  async go(level) {
    Object.assign(this, {from: this.level, level, share: matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 0});
    const {page} = this;
    document.getElementById('closer').textContent = level === LEVELS.length - 1 ? 'To the cluster' : 'Closer';
    document.body.dataset.level = level;
    if (level < 3) for (const panel of page.panels) panel.followed = null;
    const others = level === 3 ? page.shown.filter(panel => panel.recording && !panel.followed) : [];
    page.happened = others.map(panel => `${panel.recording.name} stays at its NIC.`).join(' ');
    page.slowBy(LEVELS[level].slower ?? 1);
    const began = performance.now();
    await new Promise(done => {
      const frame = now => {
        this.share = Math.max(0, Math.min(1, (now - began) / WAY_MS));
        page.draw();
        if (this.share < 1 && this.level === level) requestAnimationFrame(frame); else done();
      };
      if (this.share < 1) requestAnimationFrame(frame); else { page.draw(); done(); }
    });
  }

  /** The NIC that is looked at: the slow one, or the first. */
  nic({cluster}) {
    const first = cluster.gpusPerNode + 1 + cluster.pcieSwitches;
    return cluster.slow.find(({slot}) => slot >= first)?.slot ?? first;
  }

  /** What of a drawing is in sight; null for all. */
  sight(view, layout, followed, ps) {
    if (!this.level && this.share >= 1) return null;
    const ease = this.share * this.share * (3 - 2 * this.share);
    const [a, b] = [this.from, this.level].map(level => this.sightAt(level, view, layout, followed, ps));
    const width = a.width * (b.width / a.width) ** ease;
    // About the spot that stays where it is, so that nothing drifts.
    const way = a.width === b.width ? ease : (a.width - width) / (a.width - b.width);
    return {x: a.x + (b.x - a.x) * way, y: a.y + (b.y - a.y) * way, width};
  }

  sightAt(level, view, layout, followed, ps) {
    const whole = {x: 0, y: 0, width: layout.width};
    if (!level) return whole;
    const node = layout.zoomed ?? 0;
    const {margin} = LEVELS[Math.min(level, 2)];
    const centred = (x, y, width) => ({x: x - width / 2, y: y - width * layout.height / layout.width / 2, width});
    const around = ({x, y, width, height}) => centred(x + width / 2, y + height / 2, margin * Math.max(width, height * layout.width / layout.height));
    if (level === 1) return around(layout.boxes[node]);
    // The other side stays at its NIC.
    if (level === 2 || !followed) return around(layout.box(node, this.nic(view.recording)));
    const [x, y] = view.spotOf(followed, ps, layout);
    return centred(x, y, CHUNK_SIGHT);
  }
}
