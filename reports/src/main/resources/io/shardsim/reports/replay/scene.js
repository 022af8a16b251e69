// One drawing, two ways to keep it: pixels of a canvas for playing, SVG for taking home.

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

  rect(x, y, width, height, {fill, stroke, hatch, line = 1, radius = 0}) {
    const {pen} = this;
    pen.beginPath();
    pen.roundRect(x, y, width, height, radius);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (hatch) {
      pen.save();
      pen.clip();
      pen.beginPath();
      for (let at = -height; at < width; at += 4) { pen.moveTo(x + at, y + height); pen.lineTo(x + at + height, y); }
      pen.strokeStyle = hatch;
      pen.lineWidth = 1.4;
      pen.stroke();
      pen.restore();
      pen.beginPath();
      pen.roundRect(x, y, width, height, radius);
    }
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

  text(x, y, words, {fill, size = 11, align = 'start', bold = false}) {
    const {pen} = this;
    pen.font = `${bold ? '600 ' : ''}${size}px system-ui, sans-serif`;
    pen.textAlign = align;
    pen.fillStyle = fill;
    pen.fillText(words, x, y);
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

  text(x, y, words, {fill, size = 11, align = 'start', bold = false}) {
    this.parts.push(`<text x="${n(x)}" y="${n(y)}" fill="${fill}" font-family="system-ui, sans-serif" font-size="${size}" text-anchor="${align === 'center' ? 'middle' : align}"${bold ? ' font-weight="600"' : ''}>${escapeXml(words)}</text>`);
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

/** The page's colours as they are now, light or dark. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, {get: (_, name) => style.getPropertyValue(`--${name}`).trim()});
}
