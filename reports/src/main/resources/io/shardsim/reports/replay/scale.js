// The scale of a prediction, and how far one is off.

import {amount} from './format.js';

/** A prediction that is off by no more than this factor is right, or nearly so. */
const RIGHT = 1.25;
const NEAR = 1.6;
/** The scale reaches so many times further than what is given, and as many times less far. */
const REACH = 16;
const STEPS = 240;
/** A share has a scale without logarithms. */
const SHARE_STEPS = 100;

/** How far a prediction is off: in a word, and by which factor. */
export function judged(said, is) {
  const off = Math.max(said / is, is / said);
  return {word: off <= RIGHT ? 'right' : off <= NEAR ? 'near' : said < is ? 'too low' : 'too high', off};
}

/** Positions of a slider and the quantities that they are. */
export class Scale {
  constructor(unit, given) {
    this.unit = unit;
    this.isShare = unit === '%';
    this.steps = this.isShare ? SHARE_STEPS : STEPS;
    const middle = given.reduce((sum, {value}) => sum + Math.log(value), 0) / given.length;
    this.least = Math.exp(middle) / REACH;
  }

  /** The quantity at a position; none is nothing. */
  value(position) {
    return this.isShare ? Math.max(position, 0.5) / this.steps : this.least * REACH ** (2 * position / this.steps);
  }

  position(value) {
    const at = this.isShare ? value * this.steps : this.steps * Math.log(value / this.least) / Math.log(REACH) / 2;
    return Math.max(0, Math.min(this.steps, at));
  }

  words(value) {
    return amount(value, this.unit);
  }
}
