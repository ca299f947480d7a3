/**
 * Hues of services, in degrees of OKLCH: 16 of them, 20° apart, on the part of the circle that leaves out red,
 * which is for errors alone. Lightness and chroma are the same for all (tokens.css).
 */
export const serviceHues: readonly number[] = Array.from({ length: 16 }, (_, slot) => (50 + slot * 20) % 360);

const slots = serviceHues.length;

/**
 * The hue of a service, in degrees. It depends on the name alone: a service looks the same on every page, on every
 * load and whatever other services exist. Two services can share a hue.
 */
export function serviceHue(name: string): number {
  return serviceHues[slotOf(name)] as number;
}

/**
 * Gives each service of one picture, such as a trace, a hue of its own, as long as there are at most 16
 * services. A service keeps `serviceHue` unless another one of the picture has it too. Then the first by hash
 * keeps it, and the others move to the free hue that is farthest from all taken ones.
 * @param shown names, in any order; each counts once
 */
export function assignServiceHues(shown: readonly string[]): Map<string, number> {
  // By hash and not by place: the same services get the same hues, in whatever order a page lists them.
  const ordered = [...new Set(shown)].sort((a, b) => hash(a) - hash(b) || (a < b ? -1 : 1));
  const uses = new Int32Array(slots);
  const result = new Map<string, number>();
  const give = (name: string, slot: number) => {
    uses[slot] = (uses[slot] as number) + 1;
    result.set(name, serviceHues[slot] as number);
  };
  const moved = ordered.filter((name) => {
    const slot = slotOf(name);
    if (uses[slot] !== 0) {
      return true;
    }
    give(name, slot);
    return false;
  });
  // Only now, when the places of all others are taken: whoever moves must move nobody else.
  for (const name of moved) {
    give(name, freestSlot(uses, slotOf(name)));
  }
  return result;
}

/** The least used slot; among equals the one farthest from used ones, then the first after `from`. */
function freestSlot(uses: Int32Array, from: number): number {
  const least = Math.min(...uses);
  let best = from;
  let bestGap = -1;
  for (let step = 1; step <= slots; step += 1) {
    const slot = (from + step) % slots;
    if (uses[slot] !== least) {
      continue;
    }
    const gap = distanceToUsed(uses, slot, least);
    if (gap > bestGap) {
      best = slot;
      bestGap = gap;
    }
  }
  return best;
}

/** Slots to the nearest one that is used more often than `least`. */
function distanceToUsed(uses: Int32Array, slot: number, least: number): number {
  for (let distance = 1; distance < slots; distance += 1) {
    const isUsed = (at: number) => (uses[(at + slots) % slots] as number) > least;
    if (isUsed(slot - distance) || isUsed(slot + distance)) {
      return distance;
    }
  }
  return slots;
}

function slotOf(name: string): number {
  return hash(name) % slots;
}

/** FNV-1a, 32 bits, with the high bits mixed into the low ones that `%` looks at. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 12)) >>> 0;
}
