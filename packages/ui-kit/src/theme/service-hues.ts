/**
 * Hues of services, in degrees of OKLCH: 16 of them, 20° apart, on the part of the circle that leaves out red,
 * which is for errors alone. Lightness and chroma are the same for all (tokens.css).
 */
export const serviceHues: readonly number[] = Array.from({ length: 16 }, (_, slot) => (50 + slot * 20) % 360);

const slots = serviceHues.length;

/**
 * Levels of a hue. The number of a colour is its hue plus 360 for each level. Odd levels have another lightness (tokens.css),
 * and every second level has another pattern. More services than levels times hues repeat colours.
 */
const levels = 16;

/** The level of a colour number: 0 for the colour that a name has by itself. */
export function hueLevel(hue: number): number {
  return Math.floor(hue / 360);
}

/** The position of a colour number on the circle of hues, from 0. */
export function hueSlot(hue: number): number {
  return Math.max(0, serviceHues.indexOf(hue % 360));
}

/**
 * The hue of a service, in degrees. The hue depends only on the name: a service looks the same on every page, on every
 * load and whatever other services exist. Two services can share a hue.
 */
export function serviceHue(name: string): number {
  return serviceHues[slotOf(name)] as number;
}

/**
 * Gives each service of one picture, such as a trace, a different colour: hues for 16 services, and levels of hues for
 * more, up to 256 services. A service keeps `serviceHue` unless another service of the picture has the same hue. Then
 * the first by hash keeps the hue, and each other service moves to the first free hue in its own order of hues.
 * @param shown names of services, in any order; repeated names count once
 */
export function assignServiceHues(shown: readonly string[]): Map<string, number> {
  // Sorted by hash: the same services get the same hues, in whatever order a page lists them.
  const ordered = [...new Set(shown)].sort((a, b) => hash(a) - hash(b) || (a < b ? -1 : 1));
  const uses = new Int32Array(slots);
  const result = new Map<string, number>();
  const give = (name: string, slot: number) => {
    const level = uses[slot] as number;
    uses[slot] = level + 1;
    result.set(name, (serviceHues[slot] as number) + 360 * (level % levels));
  };
  const moved = ordered.filter((name) => {
    const slot = slotOf(name);
    if (uses[slot] !== 0) {
      return true;
    }
    give(name, slot);
    return false;
  });
  // Services move only after all others have their hues, so that a moved service moves no other service.
  for (const name of moved) {
    give(name, nextSlot(uses, name));
  }
  return result;
}

/**
 * The first of the least used slots in the name's own order of all slots. The order depends on the name alone, so a
 * service that moves gets the same hue in nearly all pictures where it moves.
 */
function nextSlot(uses: Int32Array, name: string): number {
  const least = Math.min(...uses);
  const first = slotOf(name);
  // An odd step visits every slot, because their number is a power of two.
  const step = 2 * (Math.floor(hash(name) / slots) % (slots / 2)) + 1;
  for (let visited = 1; visited < slots; visited += 1) {
    const slot = (first + visited * step) % slots;
    if (uses[slot] === least) {
      return slot;
    }
  }
  return first;
}

function slotOf(name: string): number {
  return hash(name) % slots;
}

/** FNV-1a, 32 bits, with the high bits mixed into the low bits, because `%` uses only the low bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 12)) >>> 0;
}
