/**
 * Hues of services, in degrees of OKLCH: 16 of them, 20° apart, on the part of the circle that leaves out red,
 * which is for errors alone. Lightness and chroma are the same for all (tokens.css).
 */
export const serviceHues: readonly number[] = Array.from({ length: 16 }, (_, slot) => (50 + slot * 20) % 360);

const slots = serviceHues.length;
/** Slots from a taken one to the next tried. Odd, so that all are reached; large, so that hues differ. */
const stride = 7;

/**
 * Gives each service a hue: its own (a hash of its name) unless another service has that one or its neighbour.
 * @param known services of the whole system: as long as they are 16 or fewer, a service looks the same on
 *   every page
 * @param shown services seen together now, whose hues must differ where that is possible; need not be in `known`
 * @returns hue in degrees for each service of `shown`
 */
export function assignServiceHues(known: readonly string[], shown: readonly string[]): Map<string, number> {
  const bySystem = assignSlots([...new Set([...known, ...shown])], (name) => hash(name) % slots);
  const byView = assignSlots(
    [...new Set(shown)],
    (name) => bySystem.get(name) ?? 0,
    shareNone(bySystem, shown),
  );
  return new Map([...byView].map(([name, slot]) => [name, serviceHues[slot] as number]));
}

/** Whether all services of the view have slots of their own already. */
function shareNone(bySystem: ReadonlyMap<string, number>, shown: readonly string[]): boolean {
  const names = new Set(shown);
  return new Set([...names].map((name) => bySystem.get(name))).size === names.size;
}

function assignSlots(
  names: readonly string[],
  preferred: (name: string) => number,
  keep = false,
): Map<string, number> {
  // By hash, not by name or place: a new service then moves none but those it collides with.
  const ordered = [...names].sort((a, b) => hash(a) - hash(b) || (a < b ? -1 : 1));
  const taken = new Int32Array(slots);
  const result = new Map<string, number>();
  for (const name of ordered) {
    const first = preferred(name);
    const slot = keep ? first : freestSlot(taken, first);
    taken[slot] = (taken[slot] as number) + 1;
    result.set(name, slot);
  }
  return result;
}

/** The first slot, from the preferred one on, that is free with free neighbours; else free; else least taken. */
function freestSlot(taken: Int32Array, first: number): number {
  const at = (slot: number) => taken[(slot + slots) % slots] as number;
  let best = first;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let k = 0; k < slots; k += 1) {
    const slot = (first + k * stride) % slots;
    // The ends of the list of hues are 60° apart and not neighbours, but treating them so costs little.
    const cost = at(slot) * 100 + (at(slot - 1) > 0 || at(slot + 1) > 0 ? 1 : 0);
    if (cost < bestCost) {
      best = slot;
      bestCost = cost;
    }
  }
  return best;
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
