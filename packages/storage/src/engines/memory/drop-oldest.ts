/**
 * Drops the entries that were added first until `most` are left; sets and maps keep the order of insertion.
 */
export function dropOldest<Key>(kept: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) {
      return;
    }
    kept.delete(oldest);
  }
}
