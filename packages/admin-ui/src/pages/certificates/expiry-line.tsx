import type { EndsWithin } from "../../api/certificates.ts";

/**
 * Number of certificates that expire in each period. The server's counts include shorter periods, so neighbors are
 * subtracted. Widths grow with the logarithm of the count, so a single certificate beside thousands is visible. Empty
 * without certificates.
 * @param total number of all certificates
 */
export function ExpiryLine({ ends, total }: { ends: readonly EndsWithin[]; total: number }) {
  if (ends.length === 0 || total === 0) {
    return null;
  }
  const periods = ends.map(({ days, count }, index) => ({
    name: days === 0 ? "ended" : `within ${days} days`,
    count: count - (ends[index - 1]?.count ?? 0),
    kind: days === 0 && count > 0 ? "bad" : "",
  }));
  const last = ends.at(-1);
  const all = [...periods, { name: "later", count: total - (last?.count ?? 0), kind: "" }];
  return (
    <ul className="expiry-line" aria-label="When certificates end">
      {all.map(({ name, count, kind }) => (
        <li key={name} className={count === 0 ? "none" : kind} style={{ flexGrow: 1 + Math.log2(1 + count) }}>
          <span className="mono">{count}</span> <span className="muted">{name}</span>
        </li>
      ))}
    </ul>
  );
}
