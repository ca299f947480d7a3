/** A content coding that a client accepts. */
interface Accepted {
  /** Name of the coding, lower case. */
  readonly name: string;
  /** Weight from 0 to 1; 0 forbids the coding. Source: RFC 9110, section 12.4.2 */
  readonly quality: number;
}

/** Reads `;q=0.5`; 1 without it or for text that is no number. */
function parseQuality(parameters: string): number {
  const match = /(?:^|;)\s*q\s*=\s*([0-9.]+)/i.exec(parameters);
  const quality = match === null ? 1 : Number(match[1]);
  return Number.isFinite(quality) ? Math.min(quality, 1) : 1;
}

/** Reads `gzip;q=0.5, br`. */
function parse(header: string): Accepted[] {
  return header.split(",").flatMap((part) => {
    const cut = part.indexOf(";");
    const name = (cut === -1 ? part : part.slice(0, cut)).trim().toLowerCase();
    return name === "" ? [] : [{ name, quality: cut === -1 ? 1 : parseQuality(part.slice(cut)) }];
  });
}

/**
 * Content codings that a client accepts, best first: sorted by the client's quality values, then by the server's
 * preference. `gzip;q=0.5, br, *;q=0` with `zstd, br, gzip` gives `br, gzip`.
 * @param header value of `Accept-Encoding`; "" accepts none
 * @param ours the codings of the server, best first; other codings are left out
 * Source: RFC 9110 section 12.5.3
 */
export function acceptedEncodings(header: string, ours: readonly string[]): string[] {
  if (header === "" || ours.length === 0) {
    return [];
  }
  const accepted = parse(header);
  const rest = accepted.find(({ name }) => name === "*")?.quality ?? 0;
  const qualities = ours.map((name) => accepted.find((each) => each.name === name)?.quality ?? rest);
  return ours
    .map((name, index) => ({ name, quality: qualities[index] ?? 0 }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ name }) => name);
}
