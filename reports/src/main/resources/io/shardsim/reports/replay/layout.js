// Where devices stand. A node is drawn as rows: NVSwitch, GPUs, PCIe switches, NICs; nodes stand on both sides of the fabric. A large cluster shows
// one node in full and the others as tiles.

import {lettering} from './scene.js';

const FULL_NODES_MAX = 8;
/** Narrower, and GPUs can no longer be told apart. */
const FULL_NODE_WIDTH_MIN = 110;
const FABRIC = 46;

export function layoutOf(cluster, width, zoomedNode) {
  const wideEnough = width / columnsOf(cluster) >= FULL_NODE_WIDTH_MIN;
  return cluster.nodes <= FULL_NODES_MAX && wideEnough ? fullLayout(cluster, width) : zoomLayout(cluster, width, zoomedNode);
}

function columnsOf(cluster) {
  return cluster.nodes <= 2 ? cluster.nodes : Math.ceil(cluster.nodes / 2);
}

function fullLayout(cluster, width) {
  const columns = columnsOf(cluster);
  const gap = width < 500 ? 6 : 14;
  const nodeWidth = Math.min(300, (width - gap * (columns - 1)) / columns);
  const left = (width - nodeWidth * columns - gap * (columns - 1)) / 2;
  const boxes = [];
  const rows = cluster.nodes <= 2 ? 1 : 2;
  const height = nodeHeight(cluster, nodeWidth);
  for (let node = 0; node < cluster.nodes; node++) {
    const row = node < columns ? 0 : 1;
    boxes.push(nodeBox(cluster, node, left + (node % columns) * (nodeWidth + gap), row ? height + FABRIC : 0, nodeWidth, row === 1));
  }
  return finish(cluster, width, rows * height + (rows === 2 ? FABRIC : FABRIC * 0.7), boxes, {spineY: height + FABRIC / 2, full: true});
}

function zoomLayout(cluster, width, zoomed) {
  const nodeWidth = Math.min(360, width);
  const height = nodeHeight(cluster, nodeWidth);
  const others = [...Array(cluster.nodes).keys()].filter(node => node !== zoomed);
  const columns = Math.min(others.length, Math.max(8, Math.floor(width / 34)));
  const tileWidth = width / columns;
  const boxes = Array(cluster.nodes);
  boxes[zoomed] = nodeBox(cluster, zoomed, (width - nodeWidth) / 2, 0, nodeWidth, false);
  const top = height + FABRIC;
  others.forEach((node, i) => {
    boxes[node] = tile(node, (i % columns) * tileWidth + 2, top + Math.floor(i / columns) * 40, tileWidth - 4);
  });
  return finish(cluster, width, top + Math.ceil(others.length / columns) * 40, boxes, {spineY: height + FABRIC / 2, full: false, zoomed});
}

function nodeHeight(cluster, width) {
  return cellOf(cluster, width) + 72 + lettering.least;
}

function cellOf(cluster, width) {
  return Math.max(4, Math.min(30, (width - 10) / cluster.gpusPerNode - 2));
}

/** Rows of a node from the outside to the fabric; upside down below it. */
function nodeBox(cluster, node, x, y, width, flipped) {
  const cell = cellOf(cluster, width);
  const height = nodeHeight(cluster, width);
  // Rows begin below the name.
  const below = lettering.least - 12;
  const at = (offset, size) => flipped ? y + height - below - offset - size : y + below + offset;
  const inner = width - 8;
  const spread = (count, size, offset, tall) => Array.from({length: count}, (_, i) =>
    ({x: x + 4 + (i + 0.5) * inner / count - size / 2, y: at(offset, tall), width: size, height: tall}));
  return {
    node, x, y, width, height, flipped,
    labelY: flipped ? y + height - 4 : y + lettering.least + 1,
    nvSwitch: {x: x + 4, y: at(16, 8), width: inner, height: 8},
    gpus: spread(cluster.gpusPerNode, cell, 34, cell),
    pcie: spread(cluster.pcieSwitches, Math.max(6, inner / cluster.pcieSwitches - 8), cell + 46, 7),
    nics: spread(cluster.nicsPerNode, Math.max(5, Math.min(26, inner / cluster.nicsPerNode - 6)), cell + 64, 11),
    leaf: {x: x + width * 0.2, y: flipped ? y - 8 : y + height + 2, width: width * 0.6, height: 5},
  };
}

function tile(node, x, y, width) {
  const box = {x, y: y + 8, width, height: 28};
  return {node, ...box, tile: true, labelY: y + 32, devices: {...box, height: 12}, leaf: {x: x + width * 0.2, y: y + 2, width: width * 0.6, height: 4}};
}

function finish(cluster, width, height, boxes, more) {
  const nvSwitchSlot = cluster.gpusPerNode;
  const firstPcie = nvSwitchSlot + 1;
  const firstNic = firstPcie + cluster.pcieSwitches;
  const leafSlot = firstNic + cluster.nicsPerNode;
  const box = (node, slot) => {
    const at = boxes[node];
    if (slot >= leafSlot) return slot === leafSlot ? at.leaf : {x: at.leaf.x + at.leaf.width / 2, y: more.spineY, width: 0, height: 0};
    if (at.tile) return at.devices;
    if (slot < nvSwitchSlot) return at.gpus[slot];
    if (slot === nvSwitchSlot) return at.nvSwitch;
    return slot < firstNic ? at.pcie[slot - firstPcie] : at.nics[slot - firstNic];
  };
  return {
    width, height, boxes, ...more, box,
    /** Middle of a device; on the NVSwitch, the spot across from a GPU. */
    place(node, slot, acrossFrom) {
      const at = box(node, slot);
      const middle = [at.x + at.width / 2, at.y + at.height / 2];
      if (slot === nvSwitchSlot && acrossFrom !== undefined && !boxes[node].tile) {
        const gpu = boxes[node].gpus[acrossFrom];
        middle[0] = gpu.x + gpu.width / 2;
      }
      return middle;
    },
  };
}
