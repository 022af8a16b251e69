// The page: sides, clock, knobs, keys.

import {readAddress, writeAddress} from './address.js';
import {Clock} from './clock.js';
import {Lessons} from './lessons.js';
import {Panel, showOnly} from './panel.js';
import {Race} from './race.js';
import {lettering, palette} from './scene.js';
import {RecordedSource, ServerSource} from './source.js';
import {TeacherNotes, Tour} from './tour.js';
import {bytes, instant, span, speed, time} from './format.js';
import {Zoom} from './zoom.js';

/** How long the longest run of the page plays at first. */
const PLAY_SECONDS = 30;
/** How far one may zoom into time; the clock gets slower by as much. */
const ZOOMS = [0.25, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144];
/** At this slow-down a chunk of 10 us takes more than ten seconds from GPU to GPU. */
const SLOW_DOWN_MAX = 1.5e6;
/** A chunk that is followed is on its way for so long, at least. */
const FOLLOWED_SECONDS = 3;
const RERUN_AFTER_MS = 250;
const SIDES_APART = 30;
/** The least letters on a drawing [px of a page of usual size]. */
const LETTERS = 12;
const LETTERS_PRESENTED = 16;
/** Stretches without an event that a step goes over. */
const WINDOWS_AHEAD_MAX = 50;
/** While it stands, the clock tells single events apart. */
const PAUSED_PS = 1e6;
const PARTS = ['race', 'tour', 'watch', 'lessons'];
const REDUCED = matchMedia('(prefers-reduced-motion: reduce)');
/** As in the style sheet: where both sides stand as bars, too. */
const TELEPHONE = matchMedia('(max-width: 30rem)');
const find = id => document.getElementById(id);

/** The file that the page is, or the server that it came from. */
function sourceOf(page) {
  const recorded = find('recorded');
  return recorded ? new RecordedSource(JSON.parse(recorded.textContent)) : new ServerSource(progress => page?.showProgress(progress), () => page?.renew());
}

class Page {
  constructor() {
    this.clock = new Clock(() => this.draw());
    this.colours = palette();
    this.choice = {};
    this.followAt = 0;
    this.source = sourceOf(this);
    this.buildTransport();
    this.race = new Race(this, find('race'));
    this.tour = new Tour(this, find('tour'));
    this.zooming = new Zoom(this);
    for (const part of PARTS) find(`show-${part}`).addEventListener('click', () => this.showPart(part));
    addEventListener('resize', () => this.redraw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
  }

  async start() {
    const offer = await this.source.offer();
    /** What the page shows outside of lessons. */
    this.own = offer;
    this.panels = ['a', 'b'].map(side => this.buildPanel(side));
    this.take(offer);
    for (const id of ['change', 'save-page']) find(id).hidden = !this.source.live;
    this.lessons = new Lessons(find('lessons'), this.source, this);
    await this.lessons.load();
    find('show-lessons').hidden = !this.lessons.lessons.length;
    this.tour.take(this.lessons.lessons);
    find('show-tour').hidden = !this.tour.stops.length;
    const query = readAddress();
    this.beginAtPs = Number(query.get('at')) || 0;
    if (query.has('present')) this.present();
    const asked = query.get('race') ? query.get('race').split(',').map(Number) : [];
    const lanes = asked.length && asked.every(place => offer.points[place]) ? asked : offer.race ?? [];
    this.tellUnknown(query, asked.length && lanes !== asked);
    find('show-race').hidden = find('esc-key').hidden = !lanes.length;
    this.race.places = lanes;
    const lesson = this.lessonOf(query.get('lesson'));
    if (lesson) {
      this.showPart('lessons');
      document.body.dataset.ready = 'lesson';
      await this.lessons.open(lesson, Number(query.get('said')) || undefined, Number(query.get('again')) || undefined);
    } else if (query.has('tour') && this.tour.stops.length) {
      this.tour.at = Math.min(this.tour.stops.length, Math.max(1, parseInt(query.get('tour')) || 1)) - 1;
      this.showPart('tour');
      document.body.dataset.ready = 'tour';
    } else if (query.get('watch')) {
      await this.watch(this.lessonOf(query.get('watch')), this.beginAtPs);
      document.body.dataset.ready = 'all';
    } else if (lanes.length && !query.has('watch')) {
      this.showPart('race');
      await this.race.start(offer);
      document.body.dataset.ready = 'race';
    } else this.showPart('watch');
    await this.sidesRun;
  }

  /** The lesson of an address, by its name or its number. */
  lessonOf(named) {
    return this.lessons.lessons.find(({id}) => id === named || String(parseInt(id)) === named);
  }

  /** What an address names and the page has not; it shows what it would show without. */
  tellUnknown(query, raceIsUnknown) {
    const unknown = ['lesson', 'watch'].filter(name => query.get(name) && !this.lessonOf(query.get(name)));
    const stop = query.get('tour');
    if (stop && !(Number.isInteger(Number(stop)) && this.tour.stops[stop - 1])) unknown.push('tour');
    if (raceIsUnknown) unknown.push('race');
    find('not-found').hidden = !unknown.length;
    find('not-found').textContent = unknown.map(name => `This page has no ${name}=${query.get(name)}, which the address names.`).join(' ');
  }

  /** Runs what stands on the two sides, once. */
  async firstSides() {
    // One after the other: the first picture moves sooner.
    await this.rerun(this.panels[0]);
    const other = this.panels[1].isNone ? null : this.rerun(this.panels[1]);
    if (this.offer.startPs !== undefined) await this.zoomToRecorded(other);
    if (this.beginAtPs) this.seek(this.beginAtPs);
    else if (!REDUCED.matches) this.clock.play();
    document.body.dataset.ready = 'true';
    await other;
    document.body.dataset.ready = 'all';
  }

  /** A file begins where it was saved, so slow that its chunks last for half a minute. */
  async zoomToRecorded(other) {
    await other;
    this.zoomed = ZOOMS.find(zoom => zoom >= this.clock.endPs / this.offer.stretchPs) ?? ZOOMS.at(-1);
    this.fitClock();
    this.clock.seek(this.offer.startPs);
  }

  /** Shows what one scenario offers, and nothing of the one before: heading, title, points and knobs. */
  take(offer) {
    this.offer = offer;
    this.choice = {};
    this.zooming.reset();
    clearTimeout(this.rerunTimer);
    this.panels.forEach((panel, i) => panel.offer(offer, i ? offer.second : offer.first));
    if (this.source.live) this.buildKnobs();
    find('leave').hidden = !offer.lesson || !this.source.holds('');
    this.showHeading();
  }

  /** The heading and the title, of what is shown. */
  showHeading(lesson = this.lessons?.current) {
    const offer = find('race').hidden ? this.offer : this.own;
    const inLessons = !find('lessons').hidden;
    const inRace = !find('race').hidden;
    const inTour = !find('tour').hidden;
    const what = this.panels.some(panel => panel.recording?.result.collective) ? 'collective' : 'step';
    find('title').textContent = inRace ? this.race.title : inTour ? 'A tour in eight steps' : inLessons ? 'Lessons' : what === 'step' ? 'Watch a training step' : 'Watch a collective';
    find('subject').textContent = inLessons ? '' : offer.lesson ? `Lesson ${parseInt(offer.lesson)}: ${offer.title} (${offer.subject})` : offer.subject;
    document.title = `shardsim: ${inLessons ? lesson?.title ?? 'lessons' : offer.title}`;
    document.body.dataset.part = PARTS.find(part => !find(part).hidden) ?? '';
    document.body.dataset.scenario = inLessons ? '' : offer.scenario;
    showOnly(find('key'), what);
  }

  buildPanel(side) {
    const element = find('panel').content.firstElementChild.cloneNode(true);
    find('panels').append(element);
    const panel = new Panel(element, side, this);
    element.setAttribute('aria-label', `Side ${side.toUpperCase()}`);
    return panel;
  }

  buildKnobs() {
    find('knobs').replaceChildren();
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
        this.rerunTimer = setTimeout(() => this.turn(), RERUN_AFTER_MS);
      });
      show();
      label.append(output);
      element.append(label, input, hint);
      find('knobs').append(element);
    }
  }

  /** Runs both sides with the knobs as they are now. */
  turn() {
    this.turned();
    for (const panel of this.shown) this.rerun(panel);
  }

  showPart(part) {
    for (const each of PARTS) {
      find(each).hidden = each !== part;
      find(`show-${each}`).setAttribute('aria-pressed', String(each === part));
    }
    document.querySelector('.transport').hidden = part !== 'watch';
    this.showHeading(this.lessons?.current);
    if (part === 'race') writeAddress({race: this.race.places.join()});
    if (part === 'watch') this.tellInstant();
    if (part === 'lessons') writeAddress({lesson: this.lessons.current?.id ?? ''});
    if (part !== 'watch') this.clock.pause();
    if (part === 'tour') this.tour.open();
    if (part !== 'race') this.race.leave();
    if (part !== 'lessons') this.lessons?.leave();
    if (part === 'watch') this.sidesRun ??= this.firstSides();
    // Whoever began elsewhere comes to the race later.
    if (part === 'race' && !this.race.lanes.length) this.race.start(this.own).catch(failure => { find('race-ask').textContent = failure.message; });
    this.redraw();
  }

  /** A stop of the tour is a chart, or two sides without their knobs and lists. */
  showTourOf(isChart) {
    find('watch').hidden = isChart || this.tour.phase === 'coming' && !this.panels.some(panel => panel.recording);
    find('tour-chart').hidden = !isChart;
    this.redraw();
  }

  /** The address of what stands still. */
  tellInstant() {
    if (find('watch').hidden || !find('tour').hidden) return;
    writeAddress({watch: this.offer.lesson, at: this.clock.playing || !this.clock.ps ? undefined : Math.round(this.clock.ps)});
  }

  /** Large enough for the last row, and little to read: drawing, sentence and legend. */
  present() {
    const on = document.documentElement.classList.toggle('present');
    find('present').setAttribute('aria-pressed', String(on));
    lettering.least = on ? LETTERS_PRESENTED : LETTERS;
    this.redraw();
  }

  /** A second window for whoever teaches. */
  openNotes() {
    this.notes = window.open(`${location.pathname}${location.protocol === 'file:' ? '#' : '?'}teacher`, 'shardsim-teacher', 'width=700,height=800');
  }

  /** What the notes should be of. */
  tellTeacher() {
    const lesson = !find('tour').hidden ? this.tour.stop?.id : this.lessons?.current?.id;
    if (this.notes && lesson) this.notes.postMessage({shardsim: true, lesson}, '*');
  }

  /** Draws the part that is shown. */
  redraw() {
    this.race.draw();
    if (!find('lessons').hidden) this.lessons?.drawWhy();
    this.draw();
  }

  /** Shows two points of the race side by side, with the kernels that they ran with; empty for their own. */
  async watchLanes(kernels, ...places) {
    if (this.offer.lesson) await this.watch();
    places.sort((a, b) => a - b);
    const same = this.sidesRun && (this.choice.kernels ?? '') === kernels && this.panels.every((panel, i) => panel.point.value === String(places[i]));
    this.panels.forEach((panel, i) => {
      panel.point.value = places[i] ?? '';
      panel.showChoice();
    });
    if (kernels) this.choice.kernels = kernels; else delete this.choice.kernels;
    if (this.sidesRun && !same) this.turn();
    this.showPart('watch');
    scrollTo(0, 0);
  }

  /** Runs two points of a lesson side by side; without one, those of the scenario that the page began with. */
  async watch(lesson, ps) {
    await this.load(lesson, () => this.showPart('watch'));
    this.seek(ps || 0);
    find('play').focus();
    scrollTo(0, 0);
    if (!ps && !REDUCED.matches) this.clock.play();
  }

  /** Runs what a lesson shows on the two sides, unless they show it already, as it is given. */
  async load(lesson, show = () => {}) {
    const id = lesson?.id ?? '';
    if (this.loaded?.id !== id || this.loaded.isTurned) {
      const loaded = {id};
      this.loaded = loaded;
      loaded.taken = this.source.offer(id).then(offer => {
        // Another one was asked for meanwhile.
        if (this.loaded !== loaded) return;
        for (const panel of this.panels) panel.clear();
        this.take(offer);
        this.sidesRun = Promise.all(this.shown.map(panel => this.rerun(panel)));
      });
    }
    await this.loaded.taken;
    this.zooming.reset();
    show();
    await this.sidesRun;
    this.fitClock();
  }

  /** The sides no longer show what is given. */
  turned() {
    if (this.loaded) this.loaded.isTurned = true;
  }

  /** Runs a side again with what is chosen now. */
  async rerun(panel) {
    const {offer} = this;
    const choice = {...(offer.lesson ? {lesson: offer.lesson} : {}), ...this.choice, ...panel.choice};
    panel.element.classList.add('running');
    panel.status.textContent = 'running …';
    this.happened = '';
    try {
      const outline = await this.source.run(panel.side, choice);
      // A later choice has its own run under way, or the side shows nothing any more.
      if (!outline || offer !== this.offer || panel.isNone) return;
      panel.show(outline, (from, until) => this.source.window(panel.side, outline.run, from, until));
      for (const each of this.panels) each.showName();
      this.fitClock();
    } catch (failure) {
      // What is shown must be what is asked for; a server that cannot be reached will be.
      if (failure.refused) panel.clear();
      this.fitClock();
      panel.status.textContent = failure.message;
    }
    panel.element.classList.remove('running');
    this.draw();
  }

  /** Runs everything again for a server that has forgotten this page, as after a laptop slept. */
  renew() {
    for (const panel of this.shown) this.rerun(panel);
  }

  /** Sides that show something. */
  get shown() {
    return (this.panels ?? []).filter(panel => !panel.isNone);
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
    this.drawBars();
    find('play').textContent = clock.playing ? 'Pause' : 'Play';
    find('clock').textContent = instant(clock.ps, clock.playing ? clock.framePs : Math.min(PAUSED_PS, clock.framePs), clock.endPs);
    find('clock').dataset.ps = Math.round(clock.ps);
    const scrub = find('scrub');
    if (document.activeElement !== scrub || clock.playing) scrub.value = Math.round(10000 * clock.ps / clock.endPs);
    scrub.setAttribute('aria-valuetext', instant(clock.ps, clock.framePs, clock.endPs));
    find('happened').textContent = this.happened ?? '';
    this.showFollowed();
    const stands = clock.playing ? null : clock.ps;
    if (this.stands !== stands) this.tellInstant();
    this.stands = stands;
    if (!find('tour').hidden) this.tour.look();
  }

  /** On a telephone: how far both sides are, and how much of it was waiting, on one scale. */
  drawBars() {
    if (!TELEPHONE.matches) return;
    const bars = find('bars');
    const sides = this.panels.filter(panel => panel.recording);
    while (bars.children.length > sides.length) bars.lastChild.remove();
    while (bars.children.length < sides.length) bars.append(find('bar').content.firstElementChild.cloneNode(true));
    const percent = ps => `${100 * ps / this.longestPs}%`;
    sides.forEach(({recording, element}, i) => {
      const [name, track] = bars.children[i].children;
      const ps = Math.min(this.clock.ps, recording.endPs);
      const {exposedPs} = recording.totalsAt(ps);
      name.textContent = element.dataset.words || recording.name;
      track.style.setProperty('--works', percent(ps - exposedPs));
      track.style.setProperty('--waits', percent(exposedPs));
    });
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
    this.save('shardsim-run.html', this.source.exportAddress(runs, Math.round(this.clock.ps), this.offer.lesson, this.lessons.current?.id ?? ''));
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
    this.zoomed = 1;
    find('slow').addEventListener('change', () => {
      this.zoomed = Number(find('slow').value) || 1;
      this.fitClock();
      this.draw();
    });
    find('play').addEventListener('click', () => this.toggle());
    find('step').addEventListener('click', () => this.step(1));
    find('back').addEventListener('click', () => this.step(-1));
    find('follow').addEventListener('click', () => this.followAnother());
    find('closer').addEventListener('click', () => this.zooming.enter());
    find('scrub').addEventListener('input', event => this.seek(event.target.value / 10000 * clock.endPs));
    find('leave').addEventListener('click', () => this.watch());
    find('present').addEventListener('click', () => this.togglePresent());
    find('notes').addEventListener('click', () => this.openNotes());
    addEventListener('message', event => {
      if (event.data?.shardsim !== 'teacher') return;
      // Notes that were opened before this page was loaded again are found by their own word.
      this.notes = event.source;
      this.tellTeacher();
    });
    find('save-page').addEventListener('click', () => this.savePage());
    find('save-svg').addEventListener('click', () => this.saveDrawing(false));
    find('save-png').addEventListener('click', () => this.saveDrawing(true));
    document.addEventListener('keydown', event => this.onKey(event));
  }

  /** Goes to an instant; what happened in another one is no longer said. */
  seek(ps) {
    this.happened = '';
    this.clock.seek(ps);
  }

  toggle() {
    this.happened = '';
    if (this.clock.playing) this.clock.pause(); else this.clock.play();
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const typing = event.target.closest('input, select, textarea, summary, a');
    const pressed = event.target.closest('button');
    const inRace = !find('race').hidden;
    const inLessons = !find('lessons').hidden;
    const inTour = !find('tour').hidden;
    if (key === 't' && !typing) {
      this.openNotes();
      return;
    }
    // What a remote control sends to darken the screen.
    if (/^[b.]$/.test(key) && !typing) {
      find('dark').hidden = !find('dark').hidden;
      return;
    }
    const actions = {
      ' ': () => this.toggle(),
      Enter: () => this.zooming.enter(),
      c: () => this.zooming.enter(),
      Escape: () => { if (!this.zooming.leave() && !find('show-race').hidden) this.showPart('race'); },
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      '+': () => this.zoomTime(1),
      '-': () => this.zoomTime(-1),
      f: () => this.followAnother(),
      z: () => this.zoomAnother(),
      Home: () => this.seek(0),
      End: () => this.seek(this.clock.endPs),
    };
    const action = inRace ? this.race.onKey(key) : inTour ? this.tour.onKey(key) : inLessons ? this.lessons.onKey(key) : actions[key];
    if (!action || (typing && !(inLessons && typing.type === 'range')) || (pressed && (key === ' ' || key === 'Enter'))) return;
    event.preventDefault();
    action();
  }

  togglePresent() {
    const query = readAddress();
    if (query.has('present')) query.delete('present'); else query.set('present', '');
    this.present();
    writeAddress(Object.fromEntries(query));
  }

  /** The clock for the runs that are shown: its end, and a speed at which the longest plays in half a minute, slower by as much as one has zoomed in. */
  fitClock() {
    const {clock} = this;
    clock.endPs = this.longestPs;
    clock.ps = Math.min(clock.ps, clock.endPs);
    const slowDown = zoom => PLAY_SECONDS * 1e12 * zoom / clock.endPs;
    const zooms = ZOOMS.filter(zoom => zoom <= 1 || slowDown(zoom) <= SLOW_DOWN_MAX);
    this.zoomed = Math.min(this.zoomed, zooms.at(-1));
    clock.slowDown = slowDown(this.zoomed);
    this.showHeading();
    const what = this.panels.some(panel => panel.recording?.result.collective) ? 'collective' : 'step';
    find('slow').replaceChildren(...zooms.map(zoom => new Option(`${what} in ${span(PLAY_SECONDS * zoom)}, ${speed(slowDown(zoom))}`, zoom)));
    find('slow').value = this.zoomed;
  }

  /** Further in, or out again. */
  zoomTime(direction) {
    const slow = find('slow');
    slow.selectedIndex = Math.max(0, Math.min(slow.length - 1, slow.selectedIndex + direction));
    slow.dispatchEvent(new Event('change'));
  }

  /** So far in that a chunk can be watched on its way; never out. */
  zoomTo(journey) {
    const wanted = FOLLOWED_SECONDS * 1e12 / (journey.end - journey.start);
    while (this.clock.slowDown < wanted && find('slow').selectedIndex < find('slow').length - 1) this.zoomTime(1);
  }

  /** To the next or last event of either side, once its surroundings are there. */
  async step(direction) {
    const {clock} = this;
    if (clock.playing) clock.pause();
    const began = clock.ps;
    let next = {ps: began};
    // Where a window ends without an event, the next one is looked at.
    for (let windows = 0; !next.what && windows < WINDOWS_AHEAD_MAX; windows++) {
      next = await this.eventFrom(next.ps, direction);
      // Whoever has gone elsewhere meanwhile stays there.
      if (!next || clock.ps !== began) return;
    }
    this.happened = next.what ? `${next.label}: ${next.what}.` : '';
    clock.seek(next.ps);
  }

  /** What either side comes to first; without words where all that is known of a side ends. */
  async eventFrom(ps, direction) {
    const recordings = this.panels.map(panel => panel.recording).filter(Boolean);
    await Promise.all(recordings.map(async recording => {
      if (direction < 0 && ps > 0 && !recording.windowAt(ps - 1)) await recording.around(Math.max(0, ps - 1e8));
      await recording.around(ps);
    }));
    const events = recordings.map(recording => ({...recording.eventFrom(ps, direction), label: recording.name}));
    return events.length ? events.reduce((a, b) => (direction > 0 ? b.ps < a.ps : b.ps > a.ps) ? b : a) : null;
  }

  /** So many times slower than the whole step plays. */
  slowBy(times) {
    const slow = find('slow');
    slow.value = [...slow.options].filter(({value}) => value <= times).at(-1)?.value ?? slow.value;
    slow.dispatchEvent(new Event('change'));
  }

  /** To the next instant at which a device of node 0 sends something; false where none is known. */
  async toTraffic(slotOf) {
    const {clock} = this;
    const [recording] = this.panels.map(panel => panel.recording).filter(Boolean).reverse();
    const slot = slotOf(recording);
    let at = Math.min(clock.ps, recording.endPs - 1);
    this.happened = 'Recording chunks from here on …';
    this.draw();
    for (let windows = 0; windows < WINDOWS_AHEAD_MAX; windows++) {
      await recording.around(at);
      const window = recording.windowAt(at);
      if (!window) break;
      const sent = window.journeys.flatMap(journey => journey.path.slots.flatMap((each, hop) => each === slot && journey.leaves[hop] > at ? [Math.max(at, journey.starts[hop])] : []));
      if (sent.length) {
        this.seek(Math.min(...sent));
        return true;
      }
      at = window.until;
    }
    this.happened = 'No further chunk passes this NIC in this step.';
    this.draw();
    return false;
  }

  /** Picks the next chunk that is under way, of the first side that has any. */
  async followAnother() {
    const {clock} = this;
    if (clock.playing) clock.pause();
    await Promise.all(this.panels.map(panel => panel.recording?.around(Math.min(clock.ps, panel.recording.endPs))));
    this.draw();
    const panel = this.panels.find(each => each.view?.dots?.length);
    if (!panel) {
      find('followed').hidden = false;
      find('followed-title').textContent = 'No chunk is in flight now; step to the next event.';
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
    this.zoomTo(dot.journey);
    const {title, rows} = panel.view.stations(dot);
    find('followed').hidden = false;
    find('followed-title').textContent = `${panel.recording.name}: ${title}.`;
    const {endPs} = panel.recording;
    this.followedRows = rows.map(([device, here, waits, leaves]) => {
      const row = document.createElement('tr');
      row.append(Object.assign(document.createElement('th'), {scope: 'row', textContent: device}));
      for (const words of [instant(here, 1e3, endPs), waits ? time(waits) : '\u2013', instant(leaves, 1e3, endPs)]) {
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

/** The page, or the notes for whoever teaches with it. */
function begin() {
  if (!readAddress().has('teacher')) return new Page().start();
  find('title').textContent = document.title = 'Teaching notes';
  find('subject').textContent = '';
  find('teacher').hidden = false;
  for (const button of document.querySelectorAll('header nav button')) button.hidden = true;
  return new TeacherNotes(find('teacher'), sourceOf(null)).load(readAddress().get('teacher') || undefined);
}

begin().catch(failure => { find('subject').textContent = failure.message; });
