// The page: sides, clock, knobs, keys.

import {Clock} from './clock.js';
import {Lessons} from './lessons.js';
import {Panel} from './panel.js';
import {palette} from './scene.js';
import {RecordedSource, ServerSource} from './source.js';
import {bytes, instant, time} from './format.js';

const SLOW_DOWNS = [1, 5, 20, 100, 500, 2000, 10000, 50000, 200000];
const RERUN_AFTER_MS = 250;
const WORDS_EVERY_MS = 4000;
const SIDES_APART = 30;
const find = id => document.getElementById(id);

class Page {
  constructor() {
    this.clock = new Clock(() => this.draw());
    this.colours = palette();
    this.choice = {};
    this.followAt = 0;
    const recorded = find('recorded');
    this.source = recorded ? new RecordedSource(JSON.parse(recorded.textContent)) : new ServerSource(progress => this.showProgress(progress), () => this.renew());
    this.buildTransport();
    for (const part of ['watch', 'lessons']) find(`show-${part}`).addEventListener('click', () => this.showPart(part));
    addEventListener('resize', () => this.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  async start() {
    this.offer = await this.source.offer();
    document.title = `shardsim: ${this.offer.scenario}`;
    find('subject').textContent = this.offer.subject;
    this.panels = ['a', 'b'].map((side, i) => this.buildPanel(side, i ? this.offer.second : this.offer.first));
    if (this.source.live) this.buildKnobs();
    for (const id of ['change', 'save-page']) find(id).hidden = !this.source.live;
    this.lessons = new Lessons(find('lessons'), this.source, this);
    await this.lessons.load();
    // One after the other: the first picture moves sooner.
    await this.rerun(this.panels[0]);
    const other = this.rerun(this.panels[1]);
    if (this.offer.startPs) this.clock.seek(this.offer.startPs);
    find('show-lessons').hidden = !this.lessons.lessons.length;
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.clock.play();
    document.body.dataset.ready = 'true';
    await other;
    document.body.dataset.ready = 'all';
  }

  buildPanel(side, strategy) {
    const element = find('panel').content.firstElementChild.cloneNode(true);
    find('panels').append(element);
    const panel = new Panel(element, side, this);
    for (const {kind, title} of this.offer.strategies) panel.strategy.add(new Option(title, kind, false, kind === strategy));
    panel.strategy.closest('label').hidden = !this.source.live;
    element.setAttribute('aria-label', `Side ${side.toUpperCase()}`);
    return panel;
  }

  buildKnobs() {
    for (const knob of this.offer.knobs) {
      const element = document.createElement('div');
      element.className = 'knob';
      const id = `knob-${knob.id}`;
      const label = Object.assign(document.createElement('label'), {htmlFor: id, textContent: knob.name});
      const output = document.createElement('output');
      const input = Object.assign(document.createElement('input'), {type: 'range', id, min: 0, max: knob.values.length - 1, step: 1});
      input.value = knob.values.indexOf(knob.chosen);
      const hint = Object.assign(document.createElement('small'), {textContent: knob.meaning, id: `${id}-hint`});
      input.setAttribute('aria-describedby', hint.id);
      const show = () => {
        output.textContent = knob.values[input.value];
        input.setAttribute('aria-valuetext', knob.values[input.value]);
      };
      input.addEventListener('input', () => {
        show();
        this.choice[knob.id] = knob.values[input.value];
        clearTimeout(this.rerunTimer);
        this.rerunTimer = setTimeout(() => this.panels.forEach(panel => this.rerun(panel)), RERUN_AFTER_MS);
      });
      show();
      label.append(output);
      element.append(label, input, hint);
      find('knobs').append(element);
    }
  }

  showPart(part) {
    for (const each of ['watch', 'lessons']) {
      find(each).hidden = each !== part;
      find(`show-${each}`).setAttribute('aria-pressed', String(each === part));
    }
    document.querySelector('.transport').hidden = part !== 'watch';
    if (part === 'lessons') this.clock.pause(); else this.draw();
  }

  /** Runs two points of a lesson side by side. */
  async watchLesson(lesson) {
    this.showPart('watch');
    find('subject').textContent = lesson.title;
    await Promise.all(this.panels.map(async (panel, i) => {
      panel.recording = null;
      await this.rerun(panel, {lesson: lesson.id, point: lesson.watch[i]});
      if (!panel.recording) return;
      panel.strategy.value = panel.recording.result.strategy;
      panel.showName();
    }));
    this.clock.seek(0);
    find('play').focus();
  }

  /** Runs a side again with what is chosen now. */
  async rerun(panel, choice = {...this.choice, strategy: panel.strategy.value}) {
    panel.element.classList.add('running');
    panel.status.textContent = 'running …';
    try {
      const outline = await this.source.run(panel.side, choice);
      if (!outline) return;
      panel.show(outline, (from, until) => this.source.window(panel.side, outline.run, from, until));
      if (panel.recording) panel.showName();
      this.clock.endPs = this.longestPs;
      if (this.clock.ps > this.clock.endPs) this.clock.ps = this.clock.endPs;
    } catch (refused) {
      panel.status.textContent = refused.message;
    }
    panel.element.classList.remove('running');
    this.draw();
  }

  /** Runs everything again for a server that has forgotten this page, as after a laptop slept. */
  renew() {
    for (const panel of this.panels ?? []) this.rerun(panel);
  }

  /** By how much drawings are larger, as the text is on a projector. */
  get zoom() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  }

  showProgress(progress) {
    for (const panel of this.panels ?? []) {
      const values = progress[panel.side];
      if (values) panel.status.textContent = `running … ${time(values[0])} simulated, ${bytes(values[1])} over NICs`;
    }
  }

  get longestPs() {
    return Math.max(1, ...this.panels.map(panel => panel.recording?.endPs ?? 0));
  }

  draw() {
    if (!this.panels) return;
    const {clock} = this;
    this.panels.forEach(panel => panel.draw());
    find('play').textContent = clock.playing ? 'Pause' : 'Play';
    find('clock').textContent = instant(clock.ps, clock.framePs);
    const scrub = find('scrub');
    if (document.activeElement !== scrub || clock.playing) scrub.value = Math.round(10000 * clock.ps / clock.endPs);
    scrub.setAttribute('aria-valuetext', instant(clock.ps, clock.framePs));
    const now = performance.now();
    if (!clock.playing || now - (this.spokenAt ?? -WORDS_EVERY_MS) > WORDS_EVERY_MS) {
      this.spokenAt = now;
      const words = this.panels.map(panel => panel.words());
      find('words').textContent = `${this.happened ? `${this.happened} ` : ''}${words.join(' ')}`;
      this.panels.forEach((panel, i) => {
        panel.cluster.setAttribute('aria-label', words[i] || 'no run');
        panel.timelineCanvas.setAttribute('aria-label', `Streams of rank 0 at ${instant(clock.ps, clock.framePs)}`);
      });
    }
    this.showFollowed();
  }

  /** Lets the browser save a file. */
  save(name, address) {
    const link = Object.assign(document.createElement('a'), {href: address, download: name});
    document.body.append(link);
    link.click();
    link.remove();
  }

  savePage() {
    const runs = Object.fromEntries(this.panels.filter(panel => panel.recording).map(panel => [panel.side, panel.recording.run]));
    this.save('shardsim-run.html', this.source.exportAddress(runs, Math.round(this.clock.ps), this.lessons.current?.id));
  }

  /** Both sides in one drawing. */
  saveDrawing(asPng) {
    const drawings = this.panels.filter(panel => panel.recording).map(panel => panel.svg());
    if (!drawings.length) return;
    const width = drawings.reduce((sum, each) => sum + each.width + SIDES_APART, -SIDES_APART);
    const height = Math.max(...drawings.map(each => each.height));
    let x = 0;
    const parts = drawings.map(each => {
      const part = each.text.replace('<svg ', `<svg x="${x}" `);
      x += each.width + SIDES_APART;
      return part;
    });
    const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">\n${parts.join('')}</svg>\n`;
    const address = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
    const name = `shardsim-${Math.round(this.clock.ps / 1e6)}us`;
    if (asPng) this.savePng(address, name); else this.save(`${name}.svg`, address);
  }

  /** Twice the size, for slides. */
  async savePng(address, name) {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), {width: 2 * image.width, height: 2 * image.height});
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => this.save(`${name}.png`, URL.createObjectURL(blob)));
  }

  buildTransport() {
    const {clock} = this;
    const slow = find('slow');
    for (const factor of SLOW_DOWNS) slow.add(new Option(factor === 1 ? 'real time' : `${factor.toLocaleString('en')} times`, factor));
    slow.value = clock.slowDown;
    slow.addEventListener('change', () => { clock.slowDown = Number(slow.value); this.draw(); });
    find('play').addEventListener('click', () => this.toggle());
    find('step').addEventListener('click', () => this.step(1));
    find('back').addEventListener('click', () => this.step(-1));
    find('follow').addEventListener('click', () => this.followAnother());
    find('scrub').addEventListener('input', event => {
      this.happened = '';
      clock.seek(event.target.value / 10000 * clock.endPs);
    });
    find('save-page').addEventListener('click', () => this.savePage());
    find('save-svg').addEventListener('click', () => this.saveDrawing(false));
    find('save-png').addEventListener('click', () => this.saveDrawing(true));
    document.addEventListener('keydown', event => this.onKey(event));
  }

  toggle() {
    this.happened = '';
    if (this.clock.playing) this.clock.pause(); else this.clock.play();
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = event.target.closest('input, select, textarea, summary, a');
    const pressed = event.target.closest('button');
    const actions = {
      ' ': () => this.toggle(),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      '+': () => this.speed(-1),
      '-': () => this.speed(1),
      f: () => this.followAnother(),
      z: () => this.zoomAnother(),
      Home: () => this.clock.seek(0),
      End: () => this.clock.seek(this.clock.endPs),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || typing || (pressed && event.key === ' ')) return;
    event.preventDefault();
    action();
  }

  speed(direction) {
    const slow = find('slow');
    slow.selectedIndex = Math.max(0, Math.min(SLOW_DOWNS.length - 1, slow.selectedIndex + direction));
    slow.dispatchEvent(new Event('change'));
  }

  /** To the next or last event of either side, once its surroundings are there. */
  async step(direction) {
    const {clock} = this;
    if (clock.playing) clock.pause();
    const recordings = this.panels.map(panel => panel.recording).filter(Boolean);
    await Promise.all(recordings.map(async recording => {
      if (direction < 0 && clock.ps > 0 && !recording.windowAt(clock.ps - 1)) await recording.want(Math.max(0, clock.ps - 1e8), 2e8);
      if (!recording.windowAt(clock.ps)) await recording.want(clock.ps, 2e8);
    }));
    const events = recordings.map(recording => ({...recording.eventFrom(clock.ps, direction), label: recording.label}));
    const next = events.reduce((a, b) => (direction > 0 ? b.ps < a.ps : b.ps > a.ps) ? b : a);
    this.happened = next.what ? `${next.label}: ${next.what}.` : '';
    clock.seek(next.ps);
  }

  /** Picks the next chunk that is under way, of the first side that has any. */
  followAnother() {
    if (this.clock.playing) this.clock.pause();
    const panel = this.panels.find(each => each.view?.dots?.length);
    if (!panel) {
      find('followed').hidden = false;
      find('followed-title').textContent = 'No chunk is under way now; step to the next event.';
      find('stations').replaceChildren();
      return;
    }
    const dots = panel.view.dots;
    this.followAt = (this.followAt + 1 + Math.floor(dots.length / 7)) % dots.length;
    this.follow(panel, dots[this.followAt]);
  }

  follow(panel, dot) {
    for (const each of this.panels) each.followed = null;
    panel.followed = {journey: dot.journey, source: dot.source};
    const {title, rows} = panel.view.stations(dot);
    find('followed').hidden = false;
    find('followed-title').textContent = `${panel.recording.label}: ${title}.`;
    this.followedRows = rows.map(([device, here, waits, leaves]) => {
      const row = document.createElement('tr');
      row.append(Object.assign(document.createElement('th'), {scope: 'row', textContent: device}));
      for (const words of [instant(here, 1e3), waits ? time(waits) : '\u2013', instant(leaves, 1e3)]) {
        row.append(Object.assign(document.createElement('td'), {className: 'n', textContent: words}));
      }
      return {row, here, leaves};
    });
    find('stations').replaceChildren(...this.followedRows.map(each => each.row));
    this.draw();
  }

  showFollowed() {
    for (const {row, here, leaves} of this.followedRows ?? []) {
      row.classList.toggle('here', here <= this.clock.ps && this.clock.ps <= leaves);
    }
  }

  zoomAnother() {
    for (const panel of this.panels) {
      if (panel.recording) panel.zoom(((panel.zoomed ?? 0) + 1) % panel.recording.cluster.nodes);
    }
  }
}

const page = new Page();
page.start().catch(failure => { find('subject').textContent = failure.message; });
