/** Drops the oldest entries until `most` are left. Sets and maps keep the order of insertion. */
export function dropOldest<Key>(kept: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) {
      return;
    }
    kept.delete(oldest);
  }
}
