/** Marks in a site's text that are the same for both servers; each server gets its own values for them. */
export interface SiteMarks {
  /** The loopback address of the server and of its upstreams. */
  readonly address: string;
  /** The port by each mark. */
  readonly ports: Readonly<Record<MarkedPort, number>>;
  readonly root: string;
  readonly log: string;
  /** Where the server's process runs. */
  readonly folder: string;
}

/**
 * Ports that a site may name. `UP_A` to `UP_C`: upstreams in clear; `UP_S`: over TLS; `UP_2`: HTTP/2 in clear; `FCGI`:
 * FastCGI; `AUTH`: asked by `forward_auth`; `DOWN`: nobody listens.
 */
export const markedPorts = [
  "HTTP",
  "TLS",
  "UP_A",
  "UP_B",
  "UP_C",
  "UP_S",
  "UP_2",
  "FCGI",
  "AUTH",
  "DOWN",
] as const;

export type MarkedPort = (typeof markedPorts)[number];

/** `text` with a server's values in the place of `%HTTP%`, `%UP_A%` and their like. */
export function withValues(text: string, { address, ports, root, log }: SiteMarks): string {
  return text.replace(/%([A-Z][A-Z_0-9]*)%/g, (all, mark: string) => {
    if (mark === "ADDRESS") {
      return address;
    }
    if (mark === "ROOT") {
      return root;
    }
    if (mark === "LOG") {
      return log;
    }
    const port = (ports as Readonly<Record<string, number>>)[mark];
    if (port === undefined) {
      return all;
    }
    // Ports of the server itself stand alone in an address; those of upstreams bring theirs.
    return mark === "HTTP" || mark === "TLS" ? String(port) : `${address}:${port}`;
  });
}

/** `text` with marks in the place of a server's values, so that what two servers say can be compared. */
export function withMarks(text: string, { address, ports, root, log, folder }: SiteMarks): string {
  let result = text.replaceAll(log, "%LOG%").replaceAll(root, "%ROOT%").replaceAll(folder, "%FOLDER%");
  if (!result.includes(address)) {
    return result;
  }
  for (const [mark, port] of Object.entries(ports)) {
    if (mark !== "HTTP" && mark !== "TLS") {
      result = result.replaceAll(`${address}:${port}`, `%${mark}%`);
    }
  }
  return result.replaceAll(address, "%ADDRESS%");
}
