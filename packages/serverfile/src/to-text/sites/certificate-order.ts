/** A site that can be moved. */
interface MovableSite {
  /** Number of groups that the site's routes take. */
  readonly groups: number;
}

/**
 * Moves sites so that their certificate files get the same tags as in the config. Sites with numbered groups are not
 * moved. Tags of certificate files, `cert0`, `cert1`, are numbered in reading order.
 */
export function inCertificateOrder<T extends MovableSite>(
  texts: readonly T[],
  numberOf: (text: T) => number | undefined,
): T[] {
  const result = [...texts];
  for (const text of texts) {
    const number = numberOf(text);
    const at = result.indexOf(text);
    const later = result.findIndex((other) => (numberOf(other) ?? -1) > (number ?? Number.POSITIVE_INFINITY));
    const [before] = result.slice(later, later + 1);
    const isCounted = result.slice(0, at).some((other) => numberOf(other) === number);
    if (later === -1 || later > at || before === undefined || isCounted) {
      continue;
    }
    if (text.groups === 0) {
      result.splice(at, 1);
      result.splice(later, 0, text);
    } else if (before.groups === 0) {
      result.splice(later, 1);
      result.splice(at, 0, before);
    }
  }
  return result;
}
