/** Where labels lie in the picture of a schema: springs along edges, everything else apart, nothing on top of another. */
import type { Schema } from './data';

/** A box in the picture: a label of vertices, or of edges. */
export interface Box {
  key: string;
  name: string;
  isEdge: boolean;
  count: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A line from a box to another. */
export interface Line {
  from: Box;
  to: Box;
  count: number;
  /** Whether it ends in an arrow: where edges enter. */
  enters: boolean;
  /** Whether the same two boxes have a line in the other direction, so that both are bent. */
  isPaired: boolean;
}

/** A picture. */
export interface Picture {
  boxes: Box[];
  lines: Line[];
}

const ROUNDS = 500;
const GAP = 18;

/** Lays a schema out. The same schema lies the same way each time. */
export function pictureOf({ vertices, edges }: Schema): Picture {
  const boxes: Box[] = [];
  const wide = (text: string, most: number) => Math.min(most, text.length * 7.6);
  for (const { name, count } of vertices) {
    boxes.push({
      key: `v ${name}`,
      name,
      isEdge: false,
      count,
      x: 0,
      y: 0,
      width: Math.max(104, 44 + wide(name, 200)),
      height: 46,
    });
  }
  for (const { name, count } of edges) {
    boxes.push({ key: `e ${name}`, name, isEdge: true, count, x: 0, y: 0, width: 22 + wide(name, 200), height: 24 });
  }
  for (const [at, box] of boxes.entries()) {
    const angle = at * 2.39996;
    const radius = 60 * Math.sqrt(at + 1);
    box.x = radius * 1.5 * Math.cos(angle);
    box.y = radius * Math.sin(angle);
  }
  const named = new Map(boxes.map((box) => [box.key, box]));
  const lines: Line[] = [];
  for (const { name, from, to } of edges) {
    const pill = named.get(`e ${name}`);
    if (!pill) continue;
    const isPaired = (label: string) =>
      from.some((end) => end.label === label) && to.some((end) => end.label === label);
    for (const { label, count } of from) {
      const box = named.get(`v ${label}`);
      if (box) lines.push({ from: box, to: pill, count, enters: false, isPaired: isPaired(label) });
    }
    for (const { label, count } of to) {
      const box = named.get(`v ${label}`);
      if (box) lines.push({ from: pill, to: box, count, enters: true, isPaired: isPaired(label) });
    }
  }
  for (let round = 0; round < ROUNDS; round++) settle(boxes, lines, 1 - round / ROUNDS);
  for (let round = 0; round < 60; round++) part(boxes, GAP);
  return { boxes, lines };
}

function settle(boxes: Box[], lines: Line[], heat: number): void {
  const push = boxes.map(() => ({ x: 0, y: 0 }));
  const place = new Map(boxes.map((box, at) => [box, at]));
  for (let a = 0; a < boxes.length; a++) {
    for (let b = a + 1; b < boxes.length; b++) {
      const [one, other, atOne, atOther] = [boxes[a], boxes[b], push[a], push[b]];
      if (!one || !other || !atOne || !atOther) continue;
      const [x, y] = [one.x - other.x || 0.1, one.y - other.y || 0.1];
      const far = Math.max(20, Math.hypot(x, y));
      const strength =
        (one.isEdge && other.isEdge ? 26_000 : one.isEdge || other.isEdge ? 30_000 : 90_000) / (far * far * far);
      atOne.x += x * strength;
      atOne.y += y * strength;
      atOther.x -= x * strength;
      atOther.y -= y * strength;
    }
  }
  for (const { from, to } of lines) {
    const [atFrom, atTo] = [push[place.get(from) ?? -1], push[place.get(to) ?? -1]];
    if (!atFrom || !atTo) continue;
    const [x, y] = [to.x - from.x, to.y - from.y];
    const far = Math.max(1, Math.hypot(x, y));
    const pull = ((far - 110) / far) * 0.07;
    atFrom.x += x * pull;
    atFrom.y += y * pull;
    atTo.x -= x * pull;
    atTo.y -= y * pull;
  }
  for (const [at, box] of boxes.entries()) {
    const by = push[at] ?? { x: 0, y: 0 };
    const most = 4 + 26 * heat;
    const far = Math.max(1, Math.hypot(by.x, by.y) / most);
    // Pages are wider than tall.
    box.x += by.x / far - box.x * 0.006;
    box.y += by.y / far - box.y * 0.012;
  }
  part(boxes, GAP);
}

/** Moves boxes apart that are on top of each other. */
function part(boxes: Box[], gap: number): void {
  for (const [at, one] of boxes.entries()) {
    for (const other of boxes.slice(at + 1)) {
      const x = (one.width + other.width) / 2 + gap - Math.abs(one.x - other.x);
      const y = (one.height + other.height) / 2 + gap - Math.abs(one.y - other.y);
      if (x <= 0 || y <= 0) continue;
      if (x < y) {
        const by = (one.x < other.x ? -x : x) / 2;
        one.x += by;
        other.x -= by;
      } else {
        const by = (one.y < other.y ? -y : y) / 2;
        one.y += by;
        other.y -= by;
      }
    }
  }
}

/** The part of the plane that a picture takes. */
export function extentOf({ boxes }: Picture): { x: number; y: number; width: number; height: number } {
  if (boxes.length === 0) return { x: 0, y: 0, width: 100, height: 100 };
  const left = Math.min(...boxes.map(({ x, width }) => x - width / 2)) - 24;
  const top = Math.min(...boxes.map(({ y, height }) => y - height / 2)) - 24;
  const right = Math.max(...boxes.map(({ x, width }) => x + width / 2)) + 24;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height / 2)) + 24;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** A line's way from the rim of a box to that of another, bent where two go between the same. */
export function wayOf({ from, to, isPaired, enters }: Line): string {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const far = Math.max(1, Math.hypot(x, y));
  const bend = isPaired ? 22 : 0;
  const middle = { x: (from.x + to.x) / 2 - (y / far) * bend, y: (from.y + to.y) / 2 + (x / far) * bend };
  const begin = rim(from, middle, 0);
  const end = rim(to, middle, enters ? 5 : 0);
  return `M${begin.x.toFixed(1)} ${begin.y.toFixed(1)}Q${middle.x.toFixed(1)} ${middle.y.toFixed(1)} ${end.x.toFixed(1)} ${end.y.toFixed(1)}`;
}

/** Where a line from a box's middle towards a place leaves the box. */
function rim(box: Box, towards: { x: number; y: number }, gap: number): { x: number; y: number } {
  const [x, y] = [towards.x - box.x, towards.y - box.y];
  const scale = Math.min(
    (box.width / 2 + gap) / Math.max(1e-6, Math.abs(x)),
    (box.height / 2 + gap) / Math.max(1e-6, Math.abs(y)),
  );
  return { x: box.x + x * Math.min(1, scale), y: box.y + y * Math.min(1, scale) };
}
