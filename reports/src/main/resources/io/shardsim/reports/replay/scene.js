// One drawing, two ways to keep it: pixels of a canvas for playing, SVG for taking home.

/** The least letters that anything is written in; a page that presents wants them larger. */
export const lettering = {least: 12};

/** Rings a part of a drawing that a sentence names, as far as the drawing goes. */
export function drawHalo(painter, {x, y, width, height}, colours, end) {
  const left = Math.max(2, x - 4);
  const top = Math.max(2, y - 4);
  painter.rect(left, top, Math.min(end - 2, x + width + 4) - left, y + height + 4 - top, {stroke: colours.accent, line: 4, radius: 6});
}

const hatches = new Map();
/** Pixels of a hatch, so that it is sharp where a page is enlarged. */
const HATCH_FINE = 3;

/** Draws on a canvas. */
export class CanvasPainter {
  /** @param zoom by how much everything is larger than its pixels say */
  constructor(canvas, width, height, zoom = 1) {
    const ratio = (globalThis.devicePixelRatio || 1) * zoom;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height * zoom}px`;
    }
    this.pen = canvas.getContext('2d');
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, width, height);
  }

  /** Enlarges a part of the drawing to the width of the canvas. */
  look({x, y, width}, canvasWidth) {
    const times = canvasWidth / width;
    this.pen.transform(times, 0, 0, times, -x * times, -y * times);
  }

  rect(x, y, width, height, {fill, stroke, hatch, line = 1, radius = 0}) {
    const {pen} = this;
    pen.beginPath();
    pen.roundRect(x, y, width, height, radius);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (hatch) { pen.fillStyle = hatchOf(pen, hatch); pen.fill(); }
    if (stroke) { pen.strokeStyle = stroke; pen.lineWidth = line; pen.stroke(); }
  }

  line(points, {stroke, line = 1, cap = 'butt', opacity = 1}) {
    const {pen} = this;
    pen.globalAlpha = opacity;
    pen.beginPath();
    points.forEach(([x, y], i) => i ? pen.lineTo(x, y) : pen.moveTo(x, y));
    pen.strokeStyle = stroke;
    pen.lineWidth = line;
    pen.lineCap = cap;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  dot(x, y, radius, {fill, stroke, square}) {
    const {pen} = this;
    pen.beginPath();
    if (square) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius); else pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    if (stroke) { pen.strokeStyle = stroke; pen.lineWidth = 1; pen.stroke(); }
  }

  text(x, y, words, {fill, size = 0, align = 'start', bold = false}) {
    const {pen} = this;
    pen.font = `${bold ? '600 ' : ''}${Math.max(size, lettering.least)}px system-ui, sans-serif`;
    pen.textAlign = align;
    pen.fillStyle = fill;
    pen.fillText(words, x, y);
  }
}

/** A pattern of slanting lines, made once for each colour. */
function hatchOf(pen, colour) {
  if (!hatches.has(colour)) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 4 * HATCH_FINE;
    const lines = tile.getContext('2d');
    lines.scale(HATCH_FINE, HATCH_FINE);
    lines.strokeStyle = colour;
    lines.lineWidth = 1;
    for (const at of [-4, 0, 4]) { lines.moveTo(at, 4); lines.lineTo(at + 4, 0); }
    lines.stroke();
    const pattern = pen.createPattern(tile, 'repeat');
    pattern.setTransform(new DOMMatrix().scale(1 / HATCH_FINE));
    hatches.set(colour, pattern);
  }
  return hatches.get(colour);
}

/** What stands, drawn once and shown in every frame until it changes. */
export class Backdrop {
  /** @param changes whatever the drawing depends on */
  show(painter, width, height, changes, draw) {
    const {pen} = painter;
    const scale = pen.getTransform().a;
    const key = `${width} ${height} ${scale} ${changes}`;
    if (this.key !== key) {
      this.key = key;
      this.canvas = Object.assign(document.createElement('canvas'), {width: Math.ceil(width * scale), height: Math.ceil(height * scale)});
      const own = Object.create(CanvasPainter.prototype, {pen: {value: this.canvas.getContext('2d')}});
      own.pen.setTransform(scale, 0, 0, scale, 0, 0);
      draw(own);
    }
    pen.drawImage(this.canvas, 0, 0, this.canvas.width / scale, this.canvas.height / scale);
  }
}

/** Writes SVG. */
export class SvgPainter {
  constructor(width, height, title, paper) {
    this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
      `<title>${escapeXml(title)}</title>`, `<rect width="${width}" height="${height}" fill="${paper}"/>`];
  }

  rect(x, y, width, height, {fill, stroke, hatch, line = 1, radius = 0}) {
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, width))}" height="${n(Math.max(0, height))}" rx="${radius}" fill="${fill ?? 'none'}"${stroke ? ` stroke="${stroke}" stroke-width="${line}"` : ''}/>`);
    if (hatch) {
      const path = [];
      for (let at = 4; at < width + height; at += 4) {
        const x1 = Math.min(at, width), y1 = at - x1, y2 = Math.min(at, height), x2 = at - y2;
        path.push(`M${n(x + x1)} ${n(y + y1)}L${n(x + x2)} ${n(y + y2)}`);
      }
      this.parts.push(`<path d="${path.join('')}" stroke="${hatch}" stroke-width="1.4"/>`);
    }
  }

  line(points, {stroke, line = 1, cap = 'butt', opacity = 1}) {
    this.parts.push(`<polyline points="${points.map(([x, y]) => `${n(x)},${n(y)}`).join(' ')}" fill="none" stroke="${stroke}" stroke-width="${line}" stroke-linecap="${cap}" opacity="${opacity}"/>`);
  }

  dot(x, y, radius, {fill, stroke, square}) {
    const edge = stroke ? ` stroke="${stroke}"` : '';
    this.parts.push(square
      ? `<rect x="${n(x - radius)}" y="${n(y - radius)}" width="${n(2 * radius)}" height="${n(2 * radius)}" fill="${fill}"${edge}/>`
      : `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${fill}"${edge}/>`);
  }

  text(x, y, words, {fill, size = 0, align = 'start', bold = false}) {
    this.parts.push(`<text x="${n(x)}" y="${n(y)}" fill="${fill}" font-family="system-ui, sans-serif" font-size="${Math.max(size, lettering.least)}" text-anchor="${align === 'center' ? 'middle' : align}"${bold ? ' font-weight="600"' : ''}>${escapeXml(words)}</text>`);
  }

  close() {
    return `${this.parts.join('\n')}\n</svg>\n`;
  }
}

function n(value) {
  return Math.round(value * 10) / 10;
}

function escapeXml(text) {
  return String(text).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/** The page's colours, light or dark: each is looked up once, until the scheme changes. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  let known = {};
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { known = {}; });
  return new Proxy({}, {get: (_, name) => known[name] ??= style.getPropertyValue(`--${name}`).trim()});
}
